"""Adapters in other languages than Python: the examples of docs/adapters.md, and odd commands."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support import shared
from support.builders import verdicts

EXAMPLES: Final = shared.ROOT / "docs" / "examples"
GO_MODULE: Final = "module adapter\n\ngo 1.20\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A turn that passes, and one that is cut off before its end."""
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "one.json").write_bytes(verdicts.PASS)
    chunk = verdicts.chunk(verdicts.call("{}"))
    (tmp_path / "reels" / "cut.json").write_bytes(verdicts.fixture(chunk, tool_schemas={"say": {"type": "object"}}))
    return tmp_path


def diff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "replay.cli", "diff", "reels", *arguments],
        cwd=folder,
        env={**{k: v for k, v in os.environ.items() if k != "CI"}, "PYTHONPATH": str(shared.ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def agrees(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 agree." in done.stdout


def script(folder: Path, text: str) -> str:
    (folder / "command.sh").write_text(text)
    return "sh command.sh"


# Those of adapters; files for running the recorder as a service are on a page of their own, and tested with it.
ADAPTERS = sorted(path for path in EXAMPLES.rglob("*.*") if path.parent.name != "service")


@pytest.mark.parametrize("example", ADAPTERS, ids=lambda path: path.name)
def test_every_example_is_short_and_the_page_has_it(example: Path) -> None:
    assert len(example.read_text("utf-8").splitlines()) < 40
    page = (shared.ROOT / "docs" / "adapters.md").read_text("utf-8")
    assert f"]({example.relative_to(shared.ROOT / 'docs').as_posix()})" in page
    assert example.suffix != ".mjs" or f"```js\n{example.read_text('utf-8')}```" in page


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_example_for_node_agrees_whatever_it_prints(folder: Path) -> None:
    noise = """process.stdout.write('{"turn": 0, "call": {"name": "x", "arguments": ""}}\\n'); console.log("x");\n"""
    (folder / "house.mjs").write_text(noise + (EXAMPLES / "house.mjs").read_text("utf-8"))
    agrees(diff(folder, "--adapter", "./house.mjs", "--demand", "agree"))


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no Rust here")
def test_the_example_in_rust_agrees(folder: Path) -> None:
    subprocess.run(["rustc", "-o", "adapter", EXAMPLES / "rust" / "main.rs"], cwd=folder, check=True)
    agrees(diff(folder, "--adapter-command", "./adapter", "--demand", "agree"))


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("go") is None, reason="there is no Go here")
def test_the_example_in_go_agrees(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "go", folder / "adapter")
    (folder / "go.mod").write_text(GO_MODULE)
    subprocess.run(["go", "build", "-o", "warm", "./adapter"], cwd=folder, check=True)  # what it builds is cached
    agrees(diff(folder, "--adapter-command", "go run ./adapter", "--demand", "agree"))


def test_a_command_in_a_shell_that_opens_its_pipe_for_each_line_is_heard(folder: Path) -> None:
    command = script(
        folder,
        """
        say() { echo "$1" > "$TOOLREEL_CALLS"; }
        say '{"ready": {}}'
        while read -r turn; do
          number=${turn#'{"turn": '}
          say '{"call": {"name": "x", "arguments": {}}, "turn": '"${number%%,*}"'}'
          say "no line of the protocol"
          say '{"end": "returned", "turn": '"${number%%,*}"'}'
        done < "$TOOLREEL_TURNS"
        """,
    )
    done = diff(folder, "--adapter-command", command, "--report", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["end"] for row in rows} == {"unasked"}
    assert {row["version"] for row in rows} == {"unversioned"}
    assert [len(row["handed_over"]) for row in rows] == [2, 2]
    assert {row["handed_over"][0]["name"] for row in rows} == {"x"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exit 3", "it ended while it was starting"),
        ('echo hello > "$TOOLREEL_CALLS"', "its first line must be"),
        ("""echo '{"ready": {"profiles": "openai"}}' > "$TOOLREEL_CALLS" """, "its first line must be"),
    ],
)
def test_a_command_that_does_not_greet_is_told_how(folder: Path, text: str, says: str) -> None:
    done = diff(folder, "--adapter-command", script(folder, text))
    assert done.returncode == 2
    assert done.stderr.startswith("Error: --adapter-command sh command.sh: ")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("command", "says"),
    [(" ", "it is empty"), ("sh 'x", "no closing quotation"), ("./nowhere", "is no program that can be run")],
)
def test_a_command_line_that_is_none_is_said(folder: Path, command: str, says: str) -> None:
    done = diff(folder, "--adapter-command", command)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert says in done.stderr


def test_no_adapter_at_all_is_said(folder: Path) -> None:
    done = diff(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "give --adapter NAME or --adapter-command COMMAND" in done.stderr
