"""A page drawn again of the files that stand in it: a program that `toolreel scan` runs beside itself.

Reads the packed files from standard input, as JSON, and writes the page. It is a process of its own, so that the proof
that a page is data only imports nothing of what drew it.
"""

from __future__ import annotations

import sys

from replay import garbage
from replay.show.pages import page, source


def main() -> None:
    """Draw."""
    garbage.relax()
    drawn = source.read(sys.stdin.buffer.read().decode("ascii"))
    sys.stdout.buffer.write(page.drawn(drawn).encode())


if __name__ == "__main__":
    main()
