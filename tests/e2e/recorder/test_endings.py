"""How a stream ended when its client left or the recorder was stopped, as the fixture tells it.

What the provider does to it is in `test_beside.py`, beside what the client sees.
"""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

import pytest
from support.builders.turns import DONE, call, request
from support.nightly import nightly
from support.processes.command import PATIENCE, environment
from support.processes.recorder import COMMAND, Recorder
from support.sockets.provider import Answer, End, Provider, Wait
from support.sockets.wire import Client, post

pytest.importorskip("mitmproxy")

TARGET = "/openai/v1/chat/completions"
TURN = call('{"ci', 'ty": "Oslo"}')
CUT = TURN[:2]  # a call, and half of its arguments


def endings(recorder: Recorder) -> list[str]:
    """The `stream_end` of each fixture."""
    return [json.loads(data)["capture"]["stream_end"] for data in recorder.files().values()]


@pytest.mark.parametrize("leave", [Client.close, Client.reset])
def test_a_client_that_leaves_is_named_and_the_provider_sees_it_go(tmp_path: Path, leave: object) -> None:
    answer = Answer(pieces=CUT, end=End.HOLD)
    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        client = Client(recorder.port)
        client.send(post(TARGET, request()))
        client.read_until(CUT[-1])
        assert callable(leave)
        leave(client)
        assert provider.gone.wait(30)
        assert recorder.stop()["written"] == 1
        assert endings(recorder) == ["client_disconnected"]


def test_a_client_that_leaves_right_behind_the_marker_has_the_whole_stream(tmp_path: Path) -> None:
    answer = Answer(pieces=(*TURN, DONE), end=End.HOLD)
    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        with Client(recorder.port) as client:
            client.send(post(TARGET, request()))
            client.read_until(DONE)
        assert provider.gone.wait(30)
        recorder.stop()
        assert endings(recorder) == ["complete"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_live_stream_may_finish_after_the_first_signal(tmp_path: Path, number: signal.Signals) -> None:
    wait = Wait()
    answer = Answer(pieces=(*CUT, wait, *TURN[2:], DONE))
    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        with Client(recorder.port) as client:
            client.send(post(TARGET, request()))
            client.read_until(CUT[-1])
            recorder.signal(number)
            _wait_until_refused(recorder.port)
            wait.go.set()
            assert client.read_all().endswith(b"0\r\n\r\n")
        assert recorder.ended() == 0
        assert recorder.summary()["written"] == 1
        assert endings(recorder) == ["complete"]


def test_a_terminal_that_is_closed_ends_the_recorder_as_the_first_signal_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system sends the signal; a shell sends one more."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    wait = Wait()
    answer = Answer(pieces=(*CUT, wait, *TURN[2:], DONE))
    with Provider(answer) as provider, a_terminal() as (ours, theirs):
        options = f"--out {tmp_path / 'out'} --port 0 --upstream openai={provider.url}"
        process = subprocess.Popen(
            [*COMMAND, *options.split()],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        try:
            theirs.close()
            said = b""
            while not (found := re.search(rb'"port": (\d+)', said)):
                said += ours.read(4096)
            port = int(found[1])
            with Client(port) as client:
                client.send(post(TARGET, request()))
                client.read_until(CUT[-1])
                ours.close()
                _wait_until_refused(port)
                process.send_signal(signal.SIGHUP)
                wait.go.set()
                assert client.read_all().endswith(b"0\r\n\r\n")
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
    (fixture,) = (tmp_path / "out").iterdir()
    assert json.loads(fixture.read_bytes())["capture"]["stream_end"] == "complete"
    assert not list((tmp_path / "tmp").iterdir())


@contextmanager
def a_terminal() -> Iterator[tuple[FileIO, FileIO]]:
    """Both ends of one."""
    ours, theirs = pty.openpty()
    with FileIO(ours) as mine, FileIO(theirs, "r+") as others:
        yield mine, others


def test_signals_that_come_quickly_leave_the_summary_and_the_exit_code_as_they_are(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out") as recorder:
        while recorder.process.poll() is None:
            recorder.signal(signal.SIGTERM)
            time.sleep(0.0005)
        assert recorder.ended() == 0
        assert recorder.summary()["captured"] == 0
        assert recorder.errors == ""


# A module of this name is imported when Python starts; the module it waits for, when the recorder starts.
WHILE_STARTING = """
import os, signal, sys
def swallowed(number):
    try:
        os.kill(os.getpid(), number)
    except BaseException:
        pass  # as the interpreter does where it calls back from an import
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            {happens}
sys.meta_path.insert(0, Finder())
"""


def starts(folder: Path, *, module: str, happens: str) -> subprocess.CompletedProcess[str]:
    """A recorder to which something happens while it imports a module; run to its end."""
    for name in ("patch", "tmp"):
        (folder / name).mkdir()
    (folder / "patch" / "sitecustomize.py").write_text(WHILE_STARTING.format(module=module, happens=happens))
    found = environment()
    paths = os.pathsep.join([str(folder / "patch"), found["PYTHONPATH"]])
    return subprocess.run(
        [*COMMAND, "--out", str(folder / "out"), "--port", "0"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**found, "PYTHONPATH": paths, "TMPDIR": str(folder / "tmp")},
        check=False,
    )


@pytest.mark.parametrize("module", ["proxy_addon.recorder.banner", "mitmproxy.version", "mitmproxy.tools.dump"])
@pytest.mark.parametrize("how", [pytest.param("os.kill(os.getpid(), {})", marks=nightly), "swallowed({})"])
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=nightly)])
def test_a_signal_while_it_starts_ends_it_without_a_word(
    tmp_path: Path, number: signal.Signals, how: str, module: str
) -> None:
    done = starts(tmp_path, module=module, happens=how.format(int(number)))
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, "", "")
    assert not list((tmp_path / "tmp").iterdir())


def test_a_fault_while_it_starts_is_named_as_it_is(tmp_path: Path) -> None:
    done = starts(tmp_path, module="mitmproxy.tools.dump", happens="raise LookupError('CANARY7f3')")
    assert done.stderr == "toolreel: internal error (LookupError); the recorder ends. Please report it.\n"
    assert (done.returncode, done.stdout) == (1, "")


def _wait_until_refused(port: int) -> None:
    """Until the listener is closed."""
    while True:
        try:
            Client(port).close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            pass  # closed between the two
        time.sleep(0.01)


def test_a_live_stream_is_marked_at_the_deadline(tmp_path: Path) -> None:
    answer = Answer(pieces=CUT, end=End.HOLD)
    options = ("--drain", "0.2")
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(TARGET, request()))
        client.read_until(CUT[-1])
        assert recorder.stop()["written"] == 1
        assert endings(recorder) == ["proxy_stopped"]


def test_a_second_signal_ends_the_recorder_at_once_with_its_summary(tmp_path: Path) -> None:
    answer = Answer(pieces=CUT, end=End.HOLD)
    options = ("--drain", "3600")
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(TARGET, request()))
        client.read_until(CUT[-1])
        recorder.signal()
        _wait_until_refused(recorder.port)
        summary = recorder.stop()
        assert summary["captured"] == 1
        assert recorder.errors.count("\n") <= 1  # at most the decision on that stream
        assert "Traceback" not in recorder.errors


def test_a_killed_recorder_leaves_no_file_of_a_live_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    answer = Answer(pieces=CUT, end=End.HOLD)
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
        Client(recorder.port) as client,
    ):
        client.send(post(TARGET, request()))
        client.read_until(CUT[-1])
        recorder.signal(signal.SIGKILL)
        assert recorder.ended() == -signal.SIGKILL
        assert recorder.files() == {}
        assert [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()] == []
