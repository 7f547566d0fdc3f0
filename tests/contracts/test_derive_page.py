"""docs/derive.md shows what its commands print, and the kinds that the code has."""

import subprocess
import sys

from support.shared import ROOT


def test_the_page_is_what_the_commands_print_and_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "derive_page.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run `python scripts/derive_page.py`:\n{done.stdout}{done.stderr}"
