"""Whatever becomes of the recording, the traffic goes on: its bytes, and each of them at its time."""

import fcntl
import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request, text
from support.nightly import nightly
from support.processes.command import PATIENCE, environment
from support.processes.recorder import COMMAND, Recorder
from support.sockets.provider import Answer, End, Provider, Wait
from support.sockets.wire import Client, ask, body_of, post

CHAT: Final = "/v1/chat/completions"
TARGET: Final = f"/openai{CHAT}"
TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)


def served(recorder: Recorder, *headers: str) -> None:
    """One turn through the recorder, whole."""
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in TURN) + b"0\r\n\r\n"
    assert body_of(ask(recorder.port, post(TARGET, request(), *headers))) == chunks


def test_each_piece_arrives_at_its_time_while_the_redaction_hangs_and_after_it_was_killed(tmp_path: Path) -> None:
    waits: list[Wait] = []

    def pieces() -> Iterator[bytes | Wait]:
        for piece in TURN:
            waits.append(Wait())
            yield piece
            yield waits[-1]

    def in_steps(recorder: Recorder, *headers: str) -> None:
        """The provider sends each piece only when the one before it has arrived."""
        waits.clear()
        with Client(recorder.port) as client:
            client.send(post(TARGET, request(), *headers))
            for at, piece in enumerate(TURN):
                client.read_until(piece)
                waits[at].go.set()
            assert client.read_all().endswith(b"0\r\n\r\n")

    with (
        Provider(lambda _: Answer(pieces=pieces())) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
    ):
        first = recorder.redaction
        os.kill(first, signal.SIGSTOP)
        in_steps(recorder, "X-Toolreel-Case: hangs")
        in_steps(recorder, "X-Toolreel-Case: waits")
        os.kill(first, signal.SIGKILL)  # in the middle of the first of the two
        (lost, written) = recorder.decisions(2)
        assert (lost["event"], lost["case"], lost["why"]) == (
            "dropped",
            "hangs",
            "bug in the redaction (process ended)",
        )
        assert (written["event"], written["file"]) == ("written", "waits.json")  # by another process
        assert recorder.redaction != first
        summary = recorder.stop()
    assert (summary["captured"], summary["written"]) == (2, 1)
    assert summary["dropped"] == {"bug in the redaction (process ended)": 1}


def test_a_queue_that_holds_half_the_memory_drops_the_newest_captures_and_no_traffic(tmp_path: Path) -> None:
    long = b": " + b"x" * 100_000 + b"\n\n"
    sent = 20  # of which five hold half a mebibyte
    with (
        Provider(Answer(pieces=(long, *TURN))) as provider,
        Recorder(
            tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json", "--max-memory", "1"
        ) as recorder,
    ):
        stopped = recorder.redaction
        os.kill(stopped, signal.SIGSTOP)
        for number in range(sent):
            ask(recorder.port, post(TARGET, request(), f"X-Toolreel-Case: turn-{number}"))
        lines = recorder.decisions(sent - 5)
        os.kill(stopped, signal.SIGCONT)
        summary = recorder.stop()
    assert {line["why"] for line in lines} == {"writer behind, queue full"}
    assert all("the newest is given up" in str(line["do"]) for line in lines)
    assert [line["case"] for line in lines] == [f"turn-{number}" for number in range(5, sent)]
    assert summary["dropped"] == {"writer behind, queue full": sent - 5}
    assert (summary["captured"], summary["written"]) == (sent, 5)


@nightly
def test_two_thousand_short_turns_wait_for_a_redaction_that_hangs(tmp_path: Path) -> None:
    sent = 2_000
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
    ):
        stopped = recorder.redaction
        os.kill(stopped, signal.SIGSTOP)
        for _ in range(sent):
            served(recorder)
        os.kill(stopped, signal.SIGCONT)
        summary = recorder.stop()
    assert (summary["captured"], summary["written"], summary["same_shape"]) == (sent, 1, sent - 1)


def test_over_the_memory_for_all_captures_the_stream_passes_and_is_counted(tmp_path: Path) -> None:
    """One stream that is held takes all of it; the next finds no room."""
    wait = Wait()
    big = b": " + b"x" * 900_000 + b"\n\n"
    answers = iter([Answer(pieces=(big, wait, *TURN)), Answer(pieces=(big, *TURN))])
    options = ("--max-memory", "1", "--max-body", "1")
    with (
        Provider(lambda _: next(answers)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        with Client(recorder.port) as client:
            client.send(post(TARGET, request()))
            client.read_until(big[-1000:])
            assert ask(recorder.port, post(TARGET, request())).endswith(b"0\r\n\r\n")
            wait.go.set()
            assert client.read_all().endswith(b"0\r\n\r\n")
        summary = recorder.stop()
    assert (summary["written"], summary["dropped"]) == (1, {"captures over --max-memory": 1})


@contextmanager
def a_full_disk(folder: Path) -> Iterator[None]:
    """A file system of some kilobytes; skips where none can be mounted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here (needs root and the right to mount)")
    try:
        (folder / "filler").write_bytes(bytes(4096))
        yield
    finally:
        subprocess.run(["umount", folder], check=False, capture_output=True)


def test_a_full_disk_costs_the_files_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    with (
        a_full_disk(tmp_path / "out"),
        Provider(Answer(pieces=(*text(["word "] * 200), DONE))) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        assert ask(recorder.port, post(TARGET, request())).endswith(b"0\r\n\r\n")
        summary = recorder.stop()
        assert summary["dropped"] == {"file not written (ENOSPC)": 1}
        assert list(recorder.files()) == ["filler"]


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs prlimit")
def test_a_limit_on_the_size_of_files_costs_the_files_and_room_again_is_used(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
    ):
        infinity = resource.RLIM_INFINITY
        resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (100, infinity))
        served(recorder)
        (lost,) = recorder.decisions(1)
        assert (lost["event"], lost["why"]) == ("dropped", "file not written (EFBIG)")
        assert recorder.files() == {}
        resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (infinity, infinity))
        served(recorder)
        summary = recorder.stop()
        assert (summary["captured"], summary["written"]) == (2, 1)


def test_a_folder_that_becomes_a_file_costs_the_files(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--log", "json") as recorder,
    ):
        (tmp_path / "out").rmdir()
        (tmp_path / "out").write_text("a file of somebody")
        served(recorder)
        assert recorder.decisions(1)[0]["why"] == "file not written (ENOTDIR)"
        summary = recorder.stop()
        assert (summary["captured"], summary["written"]) == (1, 0)
        assert (tmp_path / "out").read_text() == "a file of somebody"


# Python imports a module of this name from its path when it starts, in the recorder and in its redaction.
RAISING: Final = """
import redaction.redactor
def redact(exchange, **options):
    if b"CANARY7f3" in exchange.request_body:
        raise ValueError("CANARY7f3 is the text of the exception", exchange.request_body)
    return original(exchange, **options)
original, redaction.redactor.redact = redaction.redactor.redact, redact
"""
RAISING_TAP: Final = """
import proxy_addon.recorder.capture
def feed(self, piece):
    raise ValueError("CANARY7f3", piece)
proxy_addon.recorder.capture.Capture.feed = feed
"""
RAISING_HOOKS: Final = """
import proxy_addon.recorder.requests.live
def broken(*_):
    raise ValueError("CANARY7f3")
proxy_addon.recorder.requests.live.streams = broken
"""


def patched(folder: Path, source: str) -> dict[str, str]:
    """Variables of a process in which `source` has run."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(source)
    return {"PYTHONPATH": os.pathsep.join([str(folder), environment()["PYTHONPATH"]])}


def test_a_redaction_that_raises_costs_its_capture_and_says_only_what_kind(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(
            tmp_path / "out", "--upstream", f"openai={provider.url}", variables=patched(tmp_path / "patch", RAISING)
        ) as recorder,
    ):
        assert body_of(ask(recorder.port, post(TARGET, request(content="CANARY7f3")))).endswith(b"0\r\n\r\n")
        served(recorder)
        summary = recorder.stop()
        assert (summary["written"], summary["dropped"]) == (1, {"bug in the redaction (ValueError)": 1})
        assert "CANARY7f3" not in recorder.errors + recorder.output


@pytest.mark.parametrize(
    ("source", "part", "found"),
    [
        (RAISING_TAP, "dropped", {"bug in the recorder while it listened": 1}),
        (RAISING_HOOKS, "bugs", {"ValueError": 1}),
    ],
    ids=["tap", "hooks"],
)
def test_a_bug_in_the_recorder_costs_the_capture_and_not_the_stream(
    tmp_path: Path, source: str, part: str, found: dict[str, int]
) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(
            tmp_path / "out", "--upstream", f"openai={provider.url}", variables=patched(tmp_path / "patch", source)
        ) as recorder,
    ):
        served(recorder)
        summary = recorder.stop()
        assert (summary["written"], summary[part]) == (0, found)
        assert "CANARY7f3" not in recorder.errors + recorder.output


def test_a_log_that_nobody_reads_holds_up_neither_traffic_nor_fixtures_nor_the_end(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with Provider(Answer(pieces=TURN)) as provider:
        process = subprocess.Popen(
            [*COMMAND, *f"--out {tmp_path / 'out'} --port 0 --report json --upstream openai={provider.url}".split()],
            stdout=subprocess.PIPE,
            stderr=writing,
            text=True,
            env=environment(),
        )
        try:
            assert process.stdout is not None
            ready = next(line for line in process.stdout if line.startswith("ready "))
            port = int(ready.partition('"port": ')[2].rstrip("}\n"))
            _fill(writing)
            for number in range(5):
                assert ask(port, post(TARGET, request(), f"X-Toolreel-Case: case{number}")).endswith(b"0\r\n\r\n")
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
            os.close(reading)
            os.close(writing)
    assert process.returncode == 0
    assert '"written": 5' in said
    assert '"lines_lost": 5' in said
    assert len(list((tmp_path / "out").iterdir())) == 5


def _fill(writing: int) -> None:
    """Fill a pipe, so that whoever writes next waits for a reader."""
    flags = fcntl.fcntl(writing, fcntl.F_GETFL)
    fcntl.fcntl(writing, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        for size in (65536, 4096, 1):
            while True:
                try:
                    os.write(writing, b"x" * size)
                except BlockingIOError:
                    break
    finally:
        fcntl.fcntl(writing, fcntl.F_SETFL, flags)


def test_the_second_signal_does_not_wait_for_a_redaction_that_hangs(tmp_path: Path) -> None:
    answers = iter([Answer(pieces=TURN), Answer(pieces=TURN[:2], end=End.HOLD)])
    with (
        Provider(lambda _: next(answers)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--drain", "3600") as recorder,
        Client(recorder.port) as held,
    ):
        os.kill(recorder.redaction, signal.SIGSTOP)
        served(recorder)
        held.send(post(TARGET, request()))
        held.read_until(TURN[1])
        recorder.signal()
        assert recorder.process.poll() is None
        while _listens(recorder.port):
            pass
        recorder.signal(signal.SIGTERM)
        assert recorder.ended() == 0
        assert recorder.summary()["dropped"] == {"recorder stopped at once": 2}
        assert recorder.files() == {}


def _listens(port: int) -> bool:
    try:
        Client(port).close()
    except ConnectionError:
        return False
    return True


def test_the_same_traffic_twice_gives_the_same_folder_byte_for_byte(tmp_path: Path) -> None:
    def answers() -> Iterator[Answer]:
        for words in (["a"], ["b", "c"], ["d"]):
            yield Answer(pieces=(*text(words), DONE))
        yield Answer(pieces=TURN)
        yield Answer(pieces=TURN[:2], end=End.FIN)
        yield Answer(pieces=(*call("{", call_id="call_ZyXwVu9876543210ZyXwVu98"), DONE))

    folders: list[dict[str, bytes]] = []
    summaries: list[dict[str, Any]] = []
    for run in ("one", "two"):
        waiting = answers()
        with (
            Provider(lambda _, waiting=waiting: next(waiting)) as provider,  # type: ignore[misc]
            Recorder(tmp_path / run, "--upstream", f"openai={provider.url}") as recorder,
        ):
            for number in range(6):
                case = ("X-Toolreel-Case: case",) if number > 2 else ()
                ask(recorder.port, post(TARGET, request(), *case))
            summaries.append(recorder.stop())
            folders.append(recorder.files())
    assert folders[0] == folders[1]
    assert summaries[0] == summaries[1]
    assert (summaries[0]["written"], summaries[0]["same_shape"]) == (5, 1)
    assert {"case.json", "case+2.json", "case+3.json"} < set(folders[0])


@pytest.mark.parametrize(
    ("options", "written", "part", "found"),
    [
        (("--max-fixtures", "1"), 1, "dropped", {"over --max-fixtures": 2}),
        (("--max-bytes", "10"), 0, "dropped", {"over --max-bytes": 3}),
        (("--sample", "2"), 2, "left_out", {"not in the sample (--sample)": 1}),
        (("--only", "blocked"), 1, "left_out", {"another verdict (--only)": 2}),
        (("--only", "pass"), 1, "left_out", {"another verdict (--only)": 2}),
        (("--only", "calls"), 2, "left_out", {"another verdict (--only)": 1}),
    ],
    ids=["fixtures", "bytes", "sample", "blocked", "pass", "calls"],
)
def test_what_is_not_wanted_is_counted_and_passes(
    tmp_path: Path, options: tuple[str, ...], written: int, part: str, found: dict[str, int]
) -> None:
    answers = iter([(*text(["a"]), DONE), TURN, (*call("{"), DONE)])  # not applicable, pass, blocked
    with (
        Provider(lambda _: Answer(pieces=next(answers))) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        for _ in range(3):
            assert ask(recorder.port, post(TARGET, request())).endswith(b"0\r\n\r\n")
        summary = recorder.stop()
    assert (summary["captured"], summary["written"], summary[part]) == (3, written, found)
