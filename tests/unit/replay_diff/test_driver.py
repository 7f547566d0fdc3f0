"""The driver as a process of its own, as `toolreel diff` starts it, with adapters that need no client."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import replay.adapters

DRIVER = Path(replay.adapters.__file__).with_name("driver.py")
TURN = {"number": 0, "base_url": "http://127.0.0.1:1", "profile": "openai", "tools": {"say": {"type": "object"}}}
ADAPTERS = """
def calls(turn):
    turn.hand_over("say", {"text": turn.model}, id="call_1")
    return [{"name": "say", "arguments": "{}"}]

def broken(turn):
    turn.nothing

def refusing(turn):
    raise RuntimeError("the text of an error is never said")

calls.profiles = ("openai", "mistral")
"""


def drive(folder: Path, target: str, *turns: object) -> list[str]:
    """The lines of the driver for these turns."""
    (folder / "own.py").write_text(ADAPTERS, "utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-I", str(DRIVER), target],
        cwd=folder,
        input="".join(json.dumps(turn) + "\n" for turn in turns),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def of_turn(line: str) -> Any:
    number, _, text = line.partition(" ")
    assert number == "0"
    return json.loads(text)


def test_an_adapter_of_the_working_folder_is_driven(tmp_path: Path) -> None:
    ready, *said = drive(tmp_path, "own:calls", TURN)
    assert json.loads(ready)["ready"]["profiles"] == ["openai", "mistral"]
    assert [of_turn(line) for line in said] == [
        {"call": {"name": "say", "arguments": {"text": "gpt-4o-mini"}, "id": "call_1"}},
        {"call": {"name": "say", "arguments": "{}"}},
        {"end": "returned", "error": None},
    ]


def test_an_adapter_that_says_nothing_speaks_every_api(tmp_path: Path) -> None:
    [ready] = drive(tmp_path, "own:broken")
    assert json.loads(ready)["ready"]["profiles"] == [
        "openai",
        "mistral",
        "anthropic",
        "openai-responses",
        "bedrock-converse",
        "cohere-v2",
    ]


def test_how_a_turn_ended_is_said_and_never_the_text_of_an_error(tmp_path: Path) -> None:
    assert of_turn(drive(tmp_path, "own:broken", TURN)[1]) == {"end": "broken", "error": "AttributeError"}
    assert of_turn(drive(tmp_path, "own:refusing", TURN)[1]) == {"end": "refused", "error": "RuntimeError"}


def test_a_module_that_is_missing_is_said(tmp_path: Path) -> None:
    assert json.loads(drive(tmp_path, "nowhere:at_all")[0]) == {"missing": "nowhere"}
    assert json.loads(drive(tmp_path, "own:nothing")[0]) == {"missing": "own:nothing"}
