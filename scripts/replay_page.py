"""Pastes what the commands of docs/replay.md really print: between `<!-- session: NAME -->` and `<!-- end -->`.

    python scripts/replay_page.py            runs the sessions and writes the file
    python scripts/replay_page.py --check    runs them and exits 1, with the difference, if the file says anything else

Runs the toolreel of the interpreter that runs this; needs nothing that replaying does not need.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "replay.md"
sys.path.insert(0, str(ROOT / "tests"))

from support import verdicts  # noqa: E402

COMMAND: Final = (sys.executable, "-c", "from replay.cli import main; main()")
# Without CI, where the command writes no pins unless told.
ENVIRONMENT: Final = {name: value for name, value in os.environ.items() if name != "CI"} | {
    "PYTHONPATH": str(ROOT),
    "COLUMNS": "100",
}

FIXTURES: Final = {"say-hello.json": verdicts.PASS, "two-ids-in-one-slot.json": verdicts.COLLISION}

# Name of a session -> its commands. They share one folder, in this order.
SESSIONS: Final = {
    "first": ["toolreel replay reels", "echo $?"],
    "update": ["toolreel replay --update reels", "echo $?"],
    "green": ["toolreel replay reels", "echo $?"],
    "pin": ["cat reels/two-ids-in-one-slot.expected.json"],
    "validate": ["toolreel validate reels/two-ids-in-one-slot.json", "echo $?"],
    "changed": ["toolreel replay reels", "echo $?"],
}
# What happens before a session without being shown: the stream is recorded anew, and ends too early.
BEFORE: Final = {"changed": ("say-hello.json", verdicts.TRUNCATED)}

BLOCK: Final = re.compile(r"(<!-- session: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def output(folder: Path, command: str, last: int) -> tuple[int, str]:
    """What one command prints, and its exit code; `last` is that of the command before."""
    words = command.split()
    if words[0] == "echo":
        return 0, f"{last}\n"
    if words[0] == "cat":
        return 0, (folder / words[1]).read_text("utf-8")
    done = subprocess.run(
        [*COMMAND, *words[1:]],
        cwd=folder,
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout


def rendered(page: str) -> str:
    """The page with every block filled in."""
    texts = {}
    with tempfile.TemporaryDirectory() as name:
        reels = Path(name) / "reels"
        reels.mkdir()
        for fixture, data in FIXTURES.items():
            (reels / fixture).write_bytes(data)
        for session, commands in SESSIONS.items():
            if session in BEFORE:
                fixture, data = BEFORE[session]
                (reels / fixture).write_bytes(data)
            code, text = 0, ""
            for command in commands:
                code, printed = output(Path(name), command, code)
                text += f"$ {command}\n{printed}"
            texts[session] = text
    assert {match[2] for match in BLOCK.finditer(page)} == set(texts), "the page shows other sessions"
    return BLOCK.sub(lambda at: f"{at[1]}```console\n{texts[at[2]].rstrip()}\n```\n{at[4]}", page)


def main() -> int:
    """Write or check."""
    old = PAGE.read_text("utf-8")
    new = rendered(old)
    if sys.argv[1:] == ["--check"]:
        sys.stdout.writelines(
            difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), PAGE.name, "real")
        )
        return 1 if old != new else 0
    PAGE.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
