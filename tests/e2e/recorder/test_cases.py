"""Turns of a case through a real recorder, and played again by a real server, each to the request of its number."""

import json
import threading
from pathlib import Path
from signal import SIGKILL

import pytest
from support.builders.turns import DONE, call, request, text
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, End, Provider, Request
from support.sockets.wire import Client, ask, post

from replay.serve.answers import Answers
from replay.serve.matching import FixtureMatcher, Order
from replay.serve.served_fixtures import fill
from replay.serve.server import Server

pytest.importorskip("mitmproxy")

CHAT = "/v1/chat/completions"
CASE = "X-Toolreel-Case: agent"
TOOLS = (*call('{"ci', 'ty": "Oslo"}'), DONE)
TEXT = (*text(["a", "b", "c"]), DONE)
OTHER = (*call('{"city": "Rome", "days": 1}'), DONE)


def asked(recorder: Recorder, count: int, *headers: str) -> None:
    for _ in range(count):
        ask(recorder.port, post(f"/openai{CHAT}", request(), CASE, *headers))


def recorded(out: Path, *turns: tuple[bytes, ...], options: tuple[str, ...] = ()) -> dict[str, object]:
    """One run of the recorder in which an application asks for these turns, one after the other; its summary."""
    waiting = iter(turns)
    with (
        Provider(lambda _: Answer(pieces=next(waiting))) as provider,
        Recorder(out, "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        asked(recorder, len(turns))
        recorder.signal()
        code = recorder.ended()
        return {**recorder.summary(), "code": code, "said": recorder.errors}


def played(out: Path, count: int) -> list[str]:
    """The turns that a server gives to as many requests of the case, as the calls or the text that they have."""
    answers = Answers(FixtureMatcher(fill(sorted(out.glob("*.json"))).fixtures, order=Order.ONCE))
    with Server(answers) as server:
        port = int(server.url.rpartition(":")[2])
        bodies = [ask(port, post(CHAT, request(), CASE)) for _ in range(count)]
    kinds = (("599", b"toolreel_no_fixture"), ("tools", b'"tool_calls":['), ("text", b'"content":"x"'))
    return [next(kind for kind, sign in kinds if sign in body) for body in bodies]


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_turns_that_look_alike_are_kept_and_played_each_in_its_turn(tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = recorded(out, TOOLS, TOOLS, TEXT)
    assert (summary["written"], summary["same_shape"]) == (3, 0)
    assert played(out, 4) == ["tools", "tools", "text", "599"]
    again = recorded(out, TOOLS, TOOLS, TEXT, options=("--once",))
    assert (again["written"], again["same_shape"], again["code"]) == (0, 3, 0)


def test_interleaved_turns_have_the_numbers_of_their_requests(tmp_path: Path) -> None:
    came, over = threading.Event(), threading.Event()

    def answer(seen: Request) -> Answer:
        if seen.header("x-number") == ["2"]:
            return Answer(pieces=TEXT)
        came.set()
        over.wait(60)  # not even the head is sent before the second turn is over
        return Answer(pieces=TOOLS)

    with Provider(answer) as provider, Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
        with Client(recorder.port) as first:
            first.send(post(f"/openai{CHAT}", request(), CASE, "X-Number: 1"))
            assert came.wait(60)
            asked(recorder, 1, "X-Number: 2")
            over.set()
            assert first.read_until(b"[DONE]")
        assert recorder.stop()["written"] == 2
    assert played(tmp_path / "out", 2) == ["tools", "text"]


def test_what_is_no_turn_takes_no_number_and_a_turn_that_was_cut_does(tmp_path: Path) -> None:
    answers = iter(
        [
            Answer(pieces=(b"{}",), status=429, headers=(("Content-Type", "application/json"),)),
            Answer(pieces=TOOLS[:2], end=End.RST),
            Answer(pieces=TEXT),
        ]
    )
    with (
        Provider(lambda _: next(answers)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        asked(recorder, 3)
        assert recorder.stop()["written"] == 2
        files = {name: json.loads(data) for name, data in recorder.files().items()}
    ends = {name: found["capture"]["stream_end"] for name, found in files.items()}
    assert ends == {"agent.json": "upstream_disconnected", "agent+2.json": "complete"}


@pytest.mark.parametrize("turns", [(TOOLS, OTHER, TEXT), (TOOLS, TOOLS), (TOOLS, TOOLS, TEXT, TEXT), (TEXT,)])
def test_a_later_run_that_differs_writes_nothing_unless_it_is_to(
    turns: tuple[tuple[bytes, ...], ...], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    recorded(out, TOOLS, TOOLS, TEXT)
    before = contents(out)
    for options, code in (((), 0), (("--once",), 1)):
        summary = recorded(out, *turns, options=options)
        assert (summary["written"], summary["code"], contents(out)) == (0, code, before)
        assert summary["captured"] == len(turns)
        assert "--rewrite" in str(summary["said"])
    recorded(out, *turns, options=("--rewrite",))
    fresh = tmp_path / "fresh"
    recorded(fresh, *turns)
    assert contents(out) == contents(fresh)


def test_a_turn_that_is_missing_is_told_and_no_other_one_takes_its_place(tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = recorded(
        out,
        TOOLS,
        TEXT,
        TOOLS,
    )
    assert summary["written"] == 3
    (out / "agent+2.json").unlink()
    assert played(out, 2) == ["tools", "599"]


def test_a_recorder_that_is_killed_leaves_whole_turns(tmp_path: Path) -> None:
    out = tmp_path / "out"
    recorded(out, TOOLS, TOOLS, TEXT)
    waiting = iter([TOOLS, OTHER])
    with (
        Provider(lambda _: Answer(pieces=next(waiting))) as provider,
        Recorder(out, "--rewrite", "--log", "json", "--upstream", f"openai={provider.url}") as recorder,
    ):
        asked(recorder, 2)
        recorder.decisions(2)
        recorder.signal(SIGKILL)
        recorder.ended()
    assert played(out, 3) == ["tools", "tools", "599"]  # the old third turn went with the second
