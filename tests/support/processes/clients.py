"""Runs the drivers of `tests/clients` in the environments of the clients and reads their results."""

import json
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from support.shared import ROOT

DRIVER: Final = ROOT / "tests" / "clients" / "drive.py"
NODE_DRIVER: Final = ROOT / "tests" / "clients" / "drive.mjs"

CLIENTS: Final = ("anthropic", "mistralai", "openai", "requests")

# The APIs for whose streams the clients have a helper, beside the method that gives the bare events.
HELPED: Final = frozenset({"openai.responses"})
# The APIs that the driver in Python knows, and those that the one in Node does.
DRIVEN: Final = frozenset({"openai.chat", "anthropic.messages", "mistral.chat", "openai.responses"})
IN_NODE: Final = frozenset({"openai.chat", "openai.responses"})

# For one API's streams together; the whole set takes a few seconds.
PATIENCE: Final = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One streamed call. `drain` reads on after the client has stopped at `[DONE]`, as a real one does not.

    `helper` has the client's helper for streams read it.
    """

    name: str
    api: str
    url: str
    path: str
    model: str
    request: str | None
    headers: dict[str, str]
    drain: bool
    helper: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the client received. `typed` tells whether its typed method could say the recorded request."""

    name: str
    status: int
    head: list[list[str]]
    bytes: int
    sha256: str
    events: int
    events_sha256: str
    error: str | None
    typed: bool


def python() -> Path:
    """The interpreter of the clients' environment; skips the test where there is none."""
    folder = _folder()
    found = folder / "bin" / "python"
    if not found.exists():
        pytest.skip(f"no clients' environment in {folder.name}: `sh scripts/test` makes it")
    if not _complete(found):
        pytest.skip(f"the clients' environment in {folder.name} lacks a client: remove it and run `sh scripts/test`")
    return found


def python_with(package: str) -> Path:
    """The interpreter of the clients' environment; skips the test where it lacks this package."""
    found = _folder() / "bin" / "python"
    ask = [found, "-c", f"import {package}"]
    if not found.exists() or subprocess.run(ask, check=False, capture_output=True).returncode:
        pytest.skip(f"the clients' environment lacks {package}")
    return found


@cache
def _complete(interpreter: Path) -> bool:
    """Whether every client is there; to import them would take seconds."""
    ask = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
    return not subprocess.run([interpreter, "-c", ask, *CLIENTS], check=False, capture_output=True).returncode


def node() -> Path:
    """The Node that drives the official client; skips the test where there is none, or where it has no client."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("not installed: Node")
    if not (_node_folder() / "node_modules" / "openai").is_dir():
        pytest.skip(f"no Node client in {_node_folder().name}: `sh scripts/test` installs it where npm is")
    return Path(found)


def node_with(package: str) -> Path:
    """The Node that drives a client; skips the test where there is none, or where it has no such package."""
    found = node()
    if not (_node_folder() / "node_modules" / package).is_dir():
        pytest.skip(f"the clients for Node in {_node_folder().name} lack {package}: `sh scripts/test` installs them")
    return found


def node_folder() -> Path:
    """The folder whose node_modules hold the Node client."""
    return _node_folder()


def _folder() -> Path:
    return Path(os.environ.get("TOOLREEL_CLIENTS_VENV", ROOT / ".venv-clients"))


def _node_folder() -> Path:
    return Path(os.environ.get("TOOLREEL_CLIENTS_NODE", _folder() / "node"))


def drive(interpreter: Path, calls: Iterable[Call], driver: Path = DRIVER) -> dict[str, Result]:
    """Make the calls, each API's in a process of its own and all processes at once; the results by name."""
    by_api: defaultdict[str, list[Call]] = defaultdict(list)
    for call in calls:
        by_api[call.api].append(call)
    with ThreadPoolExecutor() as pool:
        finished = pool.map(lambda mine: _process([interpreter, driver], mine), by_api.values())
        return {result.name: result for results in finished for result in results}


def _process(command: list[Path], calls: list[Call]) -> list[Result]:
    usual = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    done = subprocess.run(
        command,
        input="\n".join(json.dumps(asdict(call)) for call in calls),
        capture_output=True,
        text=True,
        env={**usual, "TOOLREEL_CLIENTS_NODE": str(_node_folder())},
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [Result(**json.loads(line)) for line in done.stdout.splitlines()]
