"""docs/diff.md shows what `toolreel diff` prints, with the adapter that docs/adapters.md shows."""

import subprocess
import sys

from support.shared import ROOT


def test_every_output_that_the_page_shows_is_what_the_command_prints() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "diff_page.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run `python scripts/diff_page.py`:\n{done.stdout}{done.stderr}"
