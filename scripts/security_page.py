"""Pastes into SECURITY.md what a fixture still tells, from the code that says so. `--check` compares instead."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from observation.observation import page  # noqa: E402

PAGE = ROOT / "SECURITY.md"
START, END = "<!-- told -->\n", "<!-- end of what is told -->"


def rendered(text: str) -> str:
    """The page with the list as the code has it."""
    before, rest = text.split(START)
    return f"{before}{START}\n{page()}\n{END}{rest.split(END)[1]}"


def main() -> int:
    """The exit code, after the page is written, or with `--check` only compared."""
    old = PAGE.read_text("utf-8")
    new = rendered(old)
    if sys.argv[1:] == ["--check"]:
        return 1 if old != new else 0
    PAGE.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
