"""`toolreel show` on a terminal of 80, 120 and 200 columns, with colours, and with none where they are unwanted."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from support.shared import ROOT

from replay.show.screen.glyphs import columns

CASES = ROOT / "tests/data/cases"
TURN = CASES / "openai-index-reused-by-parallel-calls.json"
COLOUR = re.compile(r"\x1b\[\d+m")


def on_a_terminal(width: int, *arguments: str | Path, **variables: str) -> str:
    """What the command writes to a terminal of so many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
        "LC_ALL": "C.UTF-8",
        **variables,
    }
    started = subprocess.Popen(
        [sys.executable, "-c", "from replay.cli import main; main()", "show", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=its,
        stderr=its,
        env=environment,
        cwd=ROOT,
    )
    os.close(its)
    found = bytearray()
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not piece:
            break
        found += piece
    os.close(ours)
    assert started.wait(timeout=60) == 0, found.decode()
    return found.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize(
    "arguments", [(TURN,), (TURN, "--at", "2"), (CASES, "--only", "pass"), (TURN, CASES / "openai-event-limit.json")]
)
def test_each_view_fits_the_terminal_and_is_coloured(width: int, arguments: tuple[str | Path, ...]) -> None:
    shown = on_a_terminal(width, *arguments)
    assert COLOUR.search(shown)
    lines = COLOUR.sub("", shown).splitlines()
    assert max(map(columns, lines)) <= width
    assert max(map(columns, lines)) > width // 3
    assert "\x1b" not in "".join(lines)


def test_no_colour_where_none_is_wanted() -> None:
    assert "\x1b" not in on_a_terminal(80, TURN, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(80, TURN, TERM="dumb")


def test_a_terminal_of_ascii_gets_signs_of_ascii() -> None:
    shown = on_a_terminal(80, TURN, NO_COLOR="1", PYTHONIOENCODING="ascii")
    assert shown.isascii()
    assert "  slot 0 lookup_author   (=!=)" in shown
