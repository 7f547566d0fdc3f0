"""docs/replay.md and docs/fixture-format.md tell the truth."""

import re
import subprocess
import sys
from dataclasses import fields

from support.shared import ROOT

from replay.validator import Limits, Status, validate

REPLAY = (ROOT / "docs" / "replay.md").read_text("utf-8")
FORMAT = (ROOT / "docs" / "fixture-format.md").read_text("utf-8")


def test_every_output_that_the_page_shows_is_what_the_command_prints() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "replay_page.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run `python scripts/replay_page.py`:\n{done.stdout}{done.stderr}"


def test_the_fixture_that_the_page_shows_is_one() -> None:
    [example] = re.findall(r"```json\n(.*?)```", FORMAT, re.DOTALL)
    assert validate(example.encode()).status is Status.PASS


def test_every_limit_is_named() -> None:
    [row] = [line for line in REPLAY.splitlines() if line.startswith("| `--limit")]
    assert re.findall(r"`(max_\w+)`", row) == [limit.name for limit in fields(Limits)]
