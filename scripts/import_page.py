"""Pastes what the commands of docs/importing.md really print: between `<!-- session: NAME -->` and `<!-- end -->`.

    python scripts/import_page.py            runs the sessions and writes the file
    python scripts/import_page.py --check    runs them and exits 1, with the difference, if the file says anything else

Runs the toolreel of the interpreter that runs this, over the bundled turns of the demo. Needs PyYAML.
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
PAGE: Final = ROOT / "docs" / "importing.md"
sys.path.insert(0, str(ROOT))

from proxy_addon.demo.turns import bundled  # noqa: E402

COMMAND: Final = (sys.executable, "-c", "from replay.cli import main; main()")
ENVIRONMENT: Final = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
CASSETTES: Final = ROOT / "tests" / "data" / "imports"

# Name of a session -> its commands. They share one folder, in this order.
SESSIONS: Final = {
    "cassette": ["toolreel import cassettes/chat.yaml", "echo $?"],
    "body": ["toolreel import body.sse --profile mistral --request request.json --case two-calls", "echo $?"],
    "broken": ["toolreel import half.json --out other", "echo $?"],
}

BLOCK: Final = re.compile(r"(<!-- session: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def prepare(folder: Path) -> None:
    """The files that the sessions import."""
    (folder / "cassettes").mkdir()
    (folder / "cassettes" / "chat.yaml").write_bytes((CASSETTES / "vcrpy-requests.yaml").read_bytes())
    (turn,) = (turn for turn in bundled() if turn.case == "mistral-interleaved")
    (folder / "body.sse").write_bytes(turn.response_body())
    (folder / "request.json").write_bytes(turn.request_body())
    whole = (CASSETTES / "vcrpy-httpx.json").read_bytes()
    (folder / "half.json").write_bytes(whole[: len(whole) // 2])


def output(folder: Path, command: str, last: int) -> tuple[int, str]:
    """What one command prints, and its exit code; `last` is that of the command before."""
    words = command.split()
    if words[0] == "echo":
        return 0, f"{last}\n"
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
        prepare(Path(name))
        for session, commands in SESSIONS.items():
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
