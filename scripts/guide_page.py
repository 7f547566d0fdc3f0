"""Does what docs/guide.md tells, in order, and pastes what is really printed into its `session` blocks.

    python scripts/guide_page.py            does it and writes the page
    python scripts/guide_page.py --check    does it and exits 1, with the difference, if the page says anything else

Between `<!-- file: NAME -->` and `<!-- end -->` stands a file that is written as the page shows it. Needs the extra
`record` and pytest. Ports and times are put in a neutral form; nothing else is touched.
"""

import difflib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "guide.md"
sys.path.insert(0, str(ROOT))

from proxy_addon.demo.application import ask  # noqa: E402
from proxy_addon.demo.provider import Provider  # noqa: E402
from proxy_addon.demo.turns import bundled  # noqa: E402

CASE: Final = "openai-colliding"
TOOLREEL: Final = "from replay.cli import main; main()"

SESSIONS: Final = {
    "look": [f"toolreel validate reels/{CASE}.json", f"grep -n call_ reels/{CASE}.json"],
    "pin": ["toolreel scan reels", "toolreel replay reels", "toolreel replay --update reels", "toolreel replay reels"],
    "red": ["pytest -q --toolreel reels --tb=line"],
    "green": ["pytest -q --toolreel reels"],
    "coverage": ["toolreel coverage reels | tail -3 | head -1 | fold -s -w 120"],
}
BLOCK: Final = re.compile(r"(<!-- (session|file): ([\w.]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PYTEST: Final = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
PLUGINS: Final = "-p no:cacheprovider -p no:randomly -p replay.pytest_plugin"


def shims(folder: Path) -> None:
    """The commands of the page, as those of the interpreter that runs this."""
    folder.mkdir()
    for name, words in (("toolreel", f"-c '{TOOLREEL}'"), ("pytest", f"-c '{PYTEST}' {PLUGINS}")):
        (folder / name).write_text(f'#!/bin/sh\nexec {sys.executable} -B {words} "$@"\n')
        (folder / name).chmod(0o755)


def environment(folder: Path) -> dict[str, str]:
    """On a developer's machine, not in CI; no other plugin of pytest has a say."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "FORCE_COLOR", "PYTEST_ADDOPTS")}
    return kept | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "100",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def record(folder: Path) -> str:
    """The recorder, one turn through it, its summary."""
    [turn] = [turn for turn in bundled() if turn.case == CASE]
    with Provider([turn]) as provider:
        words = ["toolreel", "record", "--upstream", f"openai={provider.url}"]
        recorder = subprocess.Popen(
            [*words, "--port", "0"],
            cwd=folder / "project",
            env=environment(folder),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert recorder.stdout is not None
        printed = [f"$ {' '.join(words)}\n"]
        for line in recorder.stdout:
            printed.append(line)
            if line.startswith("ready "):
                break
        ask(json.loads(printed.pop().removeprefix("ready "))["base_urls"]["openai"], turn)
        recorder.send_signal(signal.SIGINT)
        rest, _ = recorder.communicate(timeout=30)
    return "".join(printed) + rest.replace("captured", "^C\ncaptured", 1)


def run(folder: Path, command: str) -> str:
    """One command and what it prints."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder / "project",
        env=environment(folder),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return f"$ {command}\n{done.stdout}"


def neutral(text: str, folder: Path) -> str:
    """Without what is of this machine or of this minute."""
    text = text.replace(str(folder / "project"), "/home/me/project")
    for real, shown in zip(dict.fromkeys(re.findall(r"127\.0\.0\.1:(\d+)", text)), ("9000", "8100"), strict=False):
        text = re.sub(rf"\b{real}\b", shown, text)
    return re.sub(r"\bin \d+\.\d+s\b", "in 0.05s", text)


def rendered(page: str) -> str:
    """The page with every session filled in."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shims(folder / "bin")
        (folder / "project").mkdir()

        def fill(at: re.Match[str]) -> str:
            if at[2] == "file":
                (folder / "project" / at[3]).write_text(at[4].removeprefix("```python\n").removesuffix("```\n"))
                return at[0]
            text = record(folder) if at[3] == "record" else "".join(run(folder, line) for line in SESSIONS[at[3]])
            return f"{at[1]}```console\n{neutral(text, folder).rstrip()}\n```\n{at[5]}"

        shown = [at[3] for at in BLOCK.finditer(page) if at[2] == "session"]
        assert shown == ["record", *SESSIONS], "the page shows other sessions"
        return BLOCK.sub(fill, page)


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
