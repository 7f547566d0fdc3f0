"""The Python of docs/serve.md runs as it stands, with a stand-in for the official client, which is no dependency.

It has the few names of the client that the page uses, and asks over HTTP as the client does.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support import shared
from support.builders import verdicts

PAGE: Final = (shared.ROOT / "docs" / "serve.md").read_text("utf-8")
BLOCKS: Final = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

STAND_IN: Final = """
import json
import urllib.request
from types import SimpleNamespace


class OpenAI:
    def __init__(self, *, base_url, api_key, max_retries):
        self.base_url = base_url
        self.chat = SimpleNamespace(completions=self)

    def create(self, **asked):
        request = urllib.request.Request(self.base_url + "/chat/completions", json.dumps(asked).encode())
        with urllib.request.urlopen(request) as answer:
            for line in answer:
                if line.startswith(b"data: {"):
                    yield json.loads(line[6:], object_hook=lambda members: SimpleNamespace(**members))
"""


def block(text: str) -> str:
    (found,) = (one for one in BLOCKS if text in one)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder with the fixture that the page names."""
    calls = [verdicts.chunk(verdicts.call("{}", slot=at, identity=f"call_{at}", name="pay")) for at in range(2)]
    data = verdicts.fixture(*calls, verdicts.chunk({}, "tool_calls"), tool_schemas={"pay": {"type": "object"}})
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "checkout-double-call.json").write_bytes(data)
    return tmp_path


def environment(*more: Path) -> dict[str, str]:
    places = os.pathsep.join(str(place) for place in (shared.ROOT, *more))
    return {"PATH": os.environ["PATH"], "PYTHONPATH": places, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run(folder: Path, *command: object, beside: tuple[Path, ...] = ()) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment(*beside),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    place = tmp_path / "stand-in"
    place.mkdir()
    (place / "openai.py").write_text(STAND_IN)
    return place


def test_every_block_of_the_page_is_run_here() -> None:
    assert sorted(BLOCKS) == sorted([block("toolreel_server"), block("served_fixtures.fill")])


def test_the_server_of_the_page_serves_from_a_library(folder: Path, stand_in: Path) -> None:
    run(folder, sys.executable, "-W", "error", "-c", block("served_fixtures.fill"), beside=(stand_in,))


def test_the_test_of_the_page_passes(folder: Path, stand_in: Path) -> None:
    (folder / "test_page.py").write_text(block("toolreel_server"))
    [pins] = re.findall(r"so pin it first: `toolreel (.*)`\.$", PAGE, re.MULTILINE)
    run(folder, sys.executable, "-m", "replay.cli", *pins.split())
    arguments = ("-q", "-p", "replay.pytest_plugin", "-W", "error", "-p", "no:cacheprovider", "test_page.py")
    shown = run(folder, sys.executable, "-m", "pytest", *arguments, beside=(stand_in,))
    assert "1 passed" in shown
