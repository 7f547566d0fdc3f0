"""How a stream ended when its client left or the recorder was stopped, as the fixture tells it.

What the provider does to it is in `test_recorder_beside.py`, beside what the client sees.
"""

import json
import signal
import time
from pathlib import Path

import pytest
from support.provider import Answer, End, Provider, Wait
from support.recorder import Recorder
from support.turns import DONE, call, request
from support.wire import Client, post

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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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
