"""Runs the commands that a page shows, and pastes what they print; the scripts for single pages use it.

A session is a block of a page between `<!-- session: NAME -->` and `<!-- end -->`: the script runs it and replaces it
by what was printed. The sessions of a page run in the order of the page, in one folder. Between `<!-- file: NAME -->`
and `<!-- end -->` stands a file, which is written into that folder as the page shows it. Ports, times and the folder
get a neutral form (`/home/me/project`), so that every run gives the same page.

    python scripts/PAGE.py            runs the sessions and writes the page
    python scripts/PAGE.py --check    runs them and exits 1, with the difference, if the page says anything else
"""

import difflib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

BLOCK: Final = re.compile(r"(<!-- (session|file): ([\w.]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
# The ports that stand for those of this run, in the order in which a session names them: provider, then recorder.
PORTS: Final = ("9000", "8100")

# The commands of a page are those of this checkout, under the interpreter that runs this.
TOOLREEL: Final = "from replay.cli import main; main()"
PYTEST: Final = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
PLUGINS: Final = "-p no:cacheprovider -p no:randomly -p replay.pytest_plugin"


class Project:
    """A folder in which commands run one after the other, as on a developer's machine and not in CI.

    It is made in `folder`, which is empty; `columns` is the width of the terminal.
    """

    def __init__(self, folder: Path, *, columns: int) -> None:
        self.folder: Final = folder / "project"
        self.folder.mkdir()
        self._last = 0
        shims = folder / "bin"
        shims.mkdir()
        for name, words in (("toolreel", f"-c '{TOOLREEL}'"), ("pytest", f"-c '{PYTEST}' {PLUGINS}")):
            (shims / name).write_text(f'#!/bin/sh\nexec {sys.executable} -B {words} "$@"\n')
            (shims / name).chmod(0o755)
        dropped = ("CI", "FORCE_COLOR", "PYTEST_ADDOPTS")
        self._environment = {name: value for name, value in os.environ.items() if name not in dropped} | {
            "PATH": f"{shims}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "TOOLREEL_DATA": str(folder / "data"),
            "COLUMNS": str(columns),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }

    def run(self, command: str) -> str:
        """The line as a prompt shows it, and what it prints. `$?` in it is the exit code of the line before."""
        done = subprocess.run(
            ["bash", "-c", f"(exit {self._last}); {command}"],
            cwd=self.folder,
            env=self._environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self._last = done.returncode
        return f"$ {command}\n{done.stdout}"

    def record(self, *upstreams: str, use: Callable[[Mapping[str, str]], None]) -> tuple[str, str]:
        """What the recorder prints up to the line with its base URLs, and what it prints once `use` has used them."""
        recorder = subprocess.Popen(
            ["toolreel", "record", "--port", "0", *(part for one in upstreams for part in ("--upstream", one))],
            cwd=self.folder,
            env=self._environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert recorder.stdout is not None
        before = ""
        for line in recorder.stdout:
            before += line
            if line.startswith("ready "):
                use(json.loads(line.removeprefix("ready "))["base_urls"])
                recorder.send_signal(signal.SIGINT)
                break
        after, _ = recorder.communicate(timeout=30)
        return before, after.replace("captured", "^C\ncaptured", 1)


Session = Callable[[Project], str]


def commands(*lines: str) -> Session:
    """A session that runs these lines in the shell."""
    return lambda project: "".join(project.run(line) for line in lines)


def neutral(text: str, folder: Path) -> str:
    """The text with neutral words for what is of this machine or of this minute: the folder, ports, times."""
    text = text.replace(str(folder.parent / "data"), "/home/me/.local/share/toolreel")
    text = text.replace(str(folder), "/home/me/project")
    for real, shown in zip(dict.fromkeys(re.findall(r"127\.0\.0\.1:(\d+)", text)), PORTS, strict=False):
        text = re.sub(rf"\b{real}\b", shown, text)
    text = re.sub(r"\bin \d+\.\d+s\b", "in 0.05s", text)
    return re.sub(r"\b\d+\.\d s\b", "2.0 s", text)


def rendered(page: str, sessions: Mapping[str, Session], *, columns: int) -> str:
    """The page with every session filled in."""
    shown = [at[3] for at in BLOCK.finditer(page) if at[2] == "session"]
    assert shown == list(sessions), f"the page shows other sessions: {shown}"
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name).resolve(), columns=columns)

        def fill(at: re.Match[str]) -> str:
            if at[2] == "file":
                (project.folder / at[3]).write_text(re.sub(r"\A```\w*\n|```\n\Z", "", at[4]), "utf-8")
                return at[0]
            text = neutral(sessions[at[3]](project), project.folder).rstrip()
            return f"{at[1]}```{'json' if text.startswith('{') else 'console'}\n{text}\n```\n{at[5]}"

        return BLOCK.sub(fill, page)


def paste(page: Path, sessions: Mapping[str, Session], *, columns: int = 100) -> int:
    """The exit code, after the page is written, or with `--check` only compared."""
    old = page.read_text("utf-8")
    new = rendered(old, sessions, columns=columns)
    if sys.argv[1:] == ["--check"]:
        sys.stdout.writelines(
            difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), page.name, "real")
        )
        return 1 if old != new else 0
    page.write_text(new, "utf-8")
    return 0
