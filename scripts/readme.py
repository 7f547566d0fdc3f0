"""Pastes what the commands of README.md really print: between `<!-- session: NAME -->` and `<!-- end -->`.

    python scripts/readme.py            runs the sessions and writes the file
    python scripts/readme.py --check    runs them and exits 1, with the difference, if the file says anything else

Runs the toolreel of the interpreter that runs this. Ports, times, versions and folders of this machine are put in a
neutral form; nothing else is touched.
"""

import difflib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
sys.path.insert(0, str(ROOT))

from proxy_addon.demo.application import ask  # noqa: E402
from proxy_addon.demo.provider import Provider  # noqa: E402
from proxy_addon.demo.turns import bundled  # noqa: E402

COMMAND = (sys.executable, "-c", "from replay.cli import main; main()")
# Without CI, where `toolreel replay` writes no pins unless told.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "CI"} | {
    "PYTHONPATH": str(ROOT),
    "COLUMNS": "80",
}

# The turns of the session that the README shows.
RECORDED = ("openai-one-call", "openai-colliding", "anthropic-interleaved")


def toolreel(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run it in `folder`; its exit code and all that it printed."""
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def demo(folder: Path) -> str:
    """The demo, whole."""
    return "$ toolreel demo\n" + toolreel(folder, "demo")[1]


def record(folder: Path) -> str:
    """A recording of three turns by case name, from the recorder's first line to its summary."""
    turns = {turn.case: turn for turn in bundled()}
    with Provider(turns.values()) as provider:
        upstreams = [f"--upstream {name}={provider.url}" for name in ("openai", "anthropic", "mistral")]
        recorder = subprocess.Popen(
            [*COMMAND, "record", "--port", "0", *(part for upstream in upstreams for part in upstream.split())],
            cwd=folder,
            env=ENVIRONMENT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert recorder.stdout is not None
        printed = ["$ toolreel record", *(f" \\\n      {upstream}" for upstream in upstreams), "\n"]
        for line in recorder.stdout:
            printed.append(line)
            if line.startswith("ready "):
                break
        urls = json.loads(printed[-1].removeprefix("ready "))["base_urls"]
        for case in RECORDED:
            ask(urls[turns[case].profile], turns[case])
        recorder.send_signal(signal.SIGINT)
        rest, _ = recorder.communicate(timeout=30)
    return "".join(printed) + rest.replace("captured", "^C\ncaptured", 1)


def fixture(folder: Path) -> str:
    """One of the recorded fixtures, as it is."""
    return (folder / "reels" / "openai-one-call.json").read_text("utf-8")


def replay(folder: Path) -> str:
    """CI without pins, the pins written, CI again."""
    lines = []
    for arguments in (("replay", "reels"), ("replay", "--update", "reels"), ("replay", "reels")):
        code, printed = toolreel(folder, *arguments)
        lines.append(f"$ toolreel {' '.join(arguments)}\n{printed}$ echo $?\n{code}\n")
    return "".join(lines)


# In this order: later sessions use the folder that earlier ones leave.
SESSIONS: dict[str, Callable[[Path], str]] = {"demo": demo, "record": record, "fixture": fixture, "replay": replay}

LANGUAGE = {"fixture": "json"}

BLOCK = re.compile(r"(<!-- session: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


# The ports that stand for those of this run, in the order in which a session names them: provider, then recorder.
PORTS = ("9000", "8100")


def neutral(text: str, folder: Path) -> str:
    """Without what is of this machine or of this minute."""
    text = text.replace(str(folder), "/home/me/project")
    for real, shown in zip(dict.fromkeys(re.findall(r"127\.0\.0\.1:(\d+)", text)), PORTS, strict=False):
        text = re.sub(rf"\b{real}\b", shown, text)
    return re.sub(r"\b\d+\.\d s\b", "2.0 s", text)


def rendered(readme: str) -> str:
    """The file with every block filled in."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        texts = {session: neutral(run(folder), folder) for session, run in SESSIONS.items()}
    assert {match[2] for match in BLOCK.finditer(readme)} == set(texts), "README.md shows other sessions"
    return BLOCK.sub(
        lambda at: f"{at[1]}```{LANGUAGE.get(at[2], 'console')}\n{texts[at[2]].rstrip()}\n```\n{at[4]}", readme
    )


def main() -> int:
    """Write or check."""
    old = README.read_text("utf-8")
    new = rendered(old)
    if sys.argv[1:] == ["--check"]:
        sys.stdout.writelines(
            difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), "README.md", "real")
        )
        return 1 if old != new else 0
    README.write_text(new, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
