"""`toolreel record -- COMMAND …`: the command gets the variables, its signals and its exit code are its own."""

import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, piped, run
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Provider

TURN: Final = (*call('{"city": "Oslo"}'), DONE)

# Posts a turn as a client of OpenAI would, prints a line of its own, and ends as it is told.
CLIENT: Final = """
import os, sys, urllib.request
asked = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    data=os.environ["ASKED"].encode(),
    headers={"content-type": "application/json"},
)
print("length", len(urllib.request.urlopen(asked).read()))
sys.exit(int(sys.argv[1]))
"""
BY_PROXY: Final = CLIENT.replace('os.environ["OPENAI_BASE_URL"]', 'os.environ["HOST_ITSELF"] + "/v1"')

# Says that it is there, and what signals come, until the last one that it is told of.
LISTENER: Final = """
import signal, sys, time
def hear(number, _):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        sys.exit(7)
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, hear)
print("there", flush=True)
time.sleep(60)
"""


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(Answer(pieces=TURN)) as found:
        yield found


@pytest.mark.parametrize("code", [0, 3])
def test_a_command_is_recorded_and_its_exit_code_and_output_are_its_own(
    tmp_path: Path, provider: Provider, code: int
) -> None:
    words = ("record", "--out", tmp_path / "out", "--upstream", f"openai={provider.url}", "--report", "json")
    done = run(*words, "--", sys.executable, "-c", CLIENT, str(code), variables={"ASKED": request().decode()})
    assert (done.returncode, done.stdout) == (code, f"length {len(b''.join(TURN))}\n")
    summary = json.loads(done.stderr.splitlines()[-1])
    assert (summary["captured"], summary["written"]) == (1, 1)
    (fixture,) = (tmp_path / "out").iterdir()
    assert json.loads(fixture.read_bytes())["capture"]["stream_end"] == "complete"


def test_a_command_comes_by_the_proxy_with_the_bundle_where_that_is_said(tmp_path: Path) -> None:
    root, context = authority(tmp_path)
    with Provider(Answer(pieces=TURN), tls=context) as provider:
        words = ("record", "--out", tmp_path / "out", "--upstream", f"openai={provider.url}", "--upstream-ca", root)
        variables = {
            "ASKED": request().decode(),
            "HOST_ITSELF": provider.url,
            "TOOLREEL_DATA": str(tmp_path / "data"),
            "NO_PROXY": "127.0.0.1",
        }
        ending = ("--report", "json", "--way", "proxy", "--", sys.executable, "-c", BY_PROXY, "0")
        done = run(*words, *ending, variables=variables)
    assert done.returncode == 0, done.stderr
    (fixture,) = (tmp_path / "out").iterdir()
    assert json.loads(fixture.read_bytes())["capture"]["mode"] == "forward"


def test_signals_are_the_commands_until_it_has_ended(tmp_path: Path) -> None:
    words = ("record", "--out", tmp_path / "out", "--report", "json", "--", sys.executable, "-c", LISTENER)
    process, output, errors = piped(*words, folder=tmp_path)
    with output, errors:
        assert output.readline() == "there\n"
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
            assert output.readline() == f"{number.name}\n"
        assert process.wait(PATIENCE) == 7
        assert json.loads(errors.read().splitlines()[-1])["captured"] == 0


def test_a_command_that_a_signal_ends_has_the_code_of_a_shell(tmp_path: Path) -> None:
    ending = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    done = run("record", "--out", tmp_path / "out", "--", sys.executable, "-c", ending)
    assert done.returncode == 128 + signal.SIGKILL


def test_what_was_required_and_is_missing_is_1_where_the_command_ended_with_0(tmp_path: Path) -> None:
    for code, expected in ((0, 1), (5, 5)):
        ending = ("--require-recorded", "any", "--", sys.executable, "-c", f"raise SystemExit({code})")
        done = run("record", "--out", tmp_path / "out", *ending)
        assert done.returncode == expected
        assert "toolreel: nothing of any was recorded" in done.stderr


def test_a_command_that_is_none_is_an_error_before_anything_is_made(tmp_path: Path) -> None:
    started = time.monotonic()
    done = run("record", "--out", tmp_path / "out", "--", "no-such-command", "--version")
    assert done.returncode == 2
    assert done.stderr.endswith("Error: no-such-command: no command that can be run; check its name, and PATH\n")
    assert not (tmp_path / "out").exists()
    assert time.monotonic() - started < PATIENCE
