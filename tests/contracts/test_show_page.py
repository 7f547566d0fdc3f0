"""docs/show.md says what the command prints, and names every sign that it draws with."""

import os
import re
import subprocess
import sys

import pytest
from support.shared import ROOT

from replay.show.pages.page import KEYS
from replay.show.picture.cells import Cell
from replay.show.screen.glyphs import UNICODE

PAGE = (ROOT / "docs/show.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n\$ toolreel (.+)\n((?:.*\n)*?)```", PAGE)


@pytest.mark.parametrize(("arguments", "printed"), BLOCKS, ids=[block[0].split("/")[-1] for block in BLOCKS])
def test_a_command_prints_what_the_page_says(arguments: str, printed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from replay.cli import main; main()", *arguments.split()],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip() == printed.rstrip()


def test_the_page_has_commands_for_each_thing_that_can_be_shown() -> None:
    assert len(BLOCKS) == 4


def test_the_page_names_every_sign_and_every_key() -> None:
    drawn = [UNICODE.cells[cell] for cell in Cell if cell not in (Cell.EMPTY, Cell.NOTHING)]
    assert [sign for sign in (*drawn, UNICODE.folded) if f"`{sign}`" not in PAGE] == []
    assert [key for keys in KEYS for key in keys[:2] if key and f"`{key}`" not in PAGE] == []
