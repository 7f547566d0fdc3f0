"""The driver as a process of its own, as `toolreel diff` starts it, with adapters that need no client."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import replay.adapters

DRIVER = Path(replay.adapters.__file__).with_name("driver.py")
TURN = {"turn": 0, "base_url": "http://127.0.0.1:1", "profile": "openai", "tools": {"say": {"type": "object"}}}
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
    paths = {"TOOLREEL_TURNS": folder / "turns", "TOOLREEL_CALLS": folder / "calls"}
    for path in paths.values():
        os.mkfifo(path)
    # Open for both directions: no end waits for the other. What is said in one test has room in a pipe.
    asked, said = (os.open(path, os.O_RDWR | os.O_NONBLOCK) for path in paths.values())
    os.write(asked, b"".join(json.dumps(turn).encode() + b"\n" for turn in turns))
    process = subprocess.Popen(
        [sys.executable, "-B", "-E", "-s", str(DRIVER), target],
        cwd=folder,
        env={**os.environ, **{name: str(path) for name, path in paths.items()}},
        stderr=subprocess.DEVNULL,
    )
    lines = b""
    while process.poll() is None:
        time.sleep(0.01)
        with contextlib.suppress(BlockingIOError):
            lines += os.read(said, 65536)
        if b"\n" in lines and lines.count(b'"end"') == len(turns) and asked >= 0:
            os.close(asked)
            asked = -1
    with contextlib.suppress(BlockingIOError):
        lines += os.read(said, 65536)
    os.close(said)
    assert process.returncode == 0
    for path in paths.values():
        path.unlink()
    return lines.decode("ascii").splitlines()


def of_turn(line: str) -> Any:
    assert line.startswith('{"turn": 0, ')
    return {name: value for name, value in json.loads(line).items() if name != "turn"}


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
        "gemini",
        "ollama",
    ]


def test_how_a_turn_ended_is_said_and_never_the_text_of_an_error(tmp_path: Path) -> None:
    assert of_turn(drive(tmp_path, "own:broken", TURN)[1]) == {"end": "broken", "error": "AttributeError"}
    assert of_turn(drive(tmp_path, "own:refusing", TURN)[1]) == {"end": "refused", "error": "RuntimeError"}


def test_a_module_that_is_missing_is_said(tmp_path: Path) -> None:
    assert json.loads(drive(tmp_path, "nowhere:at_all")[0]) == {"missing": "nowhere", "place": ""}
