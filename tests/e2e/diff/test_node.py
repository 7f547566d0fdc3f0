"""`toolreel diff` with Node adapters, whose clients are written here to do what a client must not."""

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
from support.processes import orphans

# What the adapter `node-ai-raw` needs of its client: it asks, and runs what the tools of the turn are given by `RUN`.
PACKAGES: Final = {
    "ai": """
exports.jsonSchema = (schema) => schema;
exports.stepCountIs = () => null;
exports.tool = (made) => made;
exports.streamText = ({ model, tools }) => ({
  fullStream: (async function* () {
    await (await fetch(model + "/chat/completions", { method: "POST", body: '{"stream":true}' })).text();
    RUN
  })(),
});
""",
    "@ai-sdk/openai": "exports.createOpenAI = ({ baseURL }) => ({ chat: () => baseURL });",
    "@ai-sdk/anthropic": "exports.createAnthropic = () => () => null;",
}


def fixture(finish: str | None) -> bytes:
    chunks = [verdicts.chunk(verdicts.call("{}")), *([verdicts.chunk({}, finish)] if finish else [])]
    return verdicts.fixture(*chunks, tool_schemas={"say": {"type": "object"}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A fixture that is blocked before one that passes."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "cut.json").write_bytes(fixture(None))
    (tmp_path / "reels" / "one.json").write_bytes(fixture("tool_calls"))
    return tmp_path


def client(folder: Path, run: str) -> None:
    for name, source in PACKAGES.items():
        package = folder / "node_modules" / name
        package.mkdir(parents=True)
        (package / "index.js").write_text(source.replace("RUN", run))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "replay.cli", "diff", "reels", *arguments]


def environment() -> dict[str, str]:
    return {**{k: v for k, v in os.environ.items() if k != "CI"}, "PYTHONPATH": str(shared.ROOT)}


def diff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_call_that_comes_late_counts_for_its_own_turn(folder: Path) -> None:
    client(folder, 'setTimeout(() => tools.say.execute({}, { toolCallId: "call_1" }), 300);')
    done = diff(folder, "--adapter", "node-ai-raw", "--report", "jsonl")
    found = {Path(row["fixture"]).stem: row for row in map(json.loads, done.stdout.splitlines())}
    assert {name: (row["outcome"], row["end"]) for name, row in found.items()} == {
        "cut": ("unsafe", "late"),
        "one": ("crash", "late"),
    }


def test_a_client_that_is_not_there_is_said_with_the_folder_and_what_installs_it(folder: Path) -> None:
    done = diff(folder, "--adapter", "node-openai", "--node-folder", "clients")
    assert done.returncode == 2
    assert done.stderr == (
        "Error: --adapter node-openai: openai is not to be found in clients/node_modules; install it there: "
        "npm install openai; or name another folder: --node-folder PATH\n"
    )


@pytest.mark.parametrize("hang", ["await new Promise(() => setInterval(() => {}, 1000));", "for (;;);"])
def test_an_adapter_that_hangs_ends_with_the_command(folder: Path, hang: str) -> None:
    client(folder, hang)
    process = subprocess.Popen(command("--adapter", "node-ai-raw"), cwd=folder, env=environment())
    assert orphans.outlive(process, folder) == []
