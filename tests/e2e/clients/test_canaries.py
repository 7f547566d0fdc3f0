"""No word of an exchange reaches a file or a log: canaries in every position, sent by the official clients.

The streams and the way they are served are those of `test_streams.py`; here request and response are full of
secrets, and every file and log line of the recorder is searched for traces of them.
"""

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from support.nightly import nightly
from support.planted import canaries
from support.planted.canaries import Planted
from support.processes import clients
from support.processes.recorder import Recorder
from support.readings import streams
from support.sockets.provider import Answer, Framing, Provider, Request

from replay.validator import InvalidFixture, judge, read_envelope

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

STREAM_HEADER = "x-test-stream"

# Shorter than a segment, and prime: fragments, names and canaries are cut at ever different places.
PIECE = 211


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was planted and what came of it."""

    planted: dict[str, Planted]
    cases: dict[str, str]
    results: dict[str, clients.Result]
    requests: list[Request]
    summary: dict[str, Any]
    files: dict[str, bytes]
    printed: str


def _answer(planted: dict[str, Planted]) -> Callable[[Request], Answer]:
    def answer(request: Request) -> Answer:
        mine = planted[request.header(STREAM_HEADER)[0]]
        body, content_type = mine.stream.body, mine.stream.meta["content_type"]
        head = ({"content-type": content_type} if content_type else {}) | mine.response_headers
        return Answer(
            pieces=[body[at : at + PIECE] for at in range(0, len(body), PIECE)],
            headers=list(head.items()),
            framing=Framing.LENGTH,
        )

    return answer


@pytest.fixture(
    scope="module", params=["bundled sample", *(pytest.param(name, marks=nightly) for name in ("bundled", "all"))]
)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    interpreter = clients.python()
    bodies = [one for one in streams.SETS[request.param]() if one.meta["api"] in clients.DRIVEN]
    planted = {one.name: canaries.plant(streams.as_asked(one)) for one in bodies}
    cases = {name: f"turn-{number:03d}" for number, name in enumerate(planted)}
    with Provider(_answer(planted)) as provider:
        upstreams = streams.upstreams((one.stream for one in planted.values()), provider.url)
        with Recorder(tmp_path_factory.mktemp(request.param) / "reels", *upstreams) as recorder:
            calls = [
                clients.Call(
                    name=name,
                    api=one.stream.meta["api"],
                    url=recorder.url(one.stream.upstream),
                    path=one.path,
                    model=one.stream.meta["model"],
                    request=one.stream.request,
                    headers={STREAM_HEADER: name, "x-toolreel-case": cases[name], **one.request_headers},
                    drain=True,
                )
                for name, one in planted.items()
            ]
            results = clients.drive(interpreter, calls)
            summary = recorder.stop()
            return Run(
                planted=planted,
                cases=cases,
                results=results,
                requests=provider.requests,
                summary=summary,
                files=recorder.files(),
                printed=recorder.output + recorder.errors,
            )


def test_the_canaries_went_through_the_recorder_in_both_directions(run: Run) -> None:
    for request in run.requests:
        head = repr(request.headers)
        assert canaries.canary("header") in head
        assert canaries.canary("query") in request.target
        for position in canaries.REQUEST[2:]:
            assert canaries.canary(position).encode() in request.body, position
    assert len(run.requests) == len(run.planted)
    assert {name: one.bytes for name, one in run.results.items()} == {
        name: len(one.stream.body) for name, one in run.planted.items()
    }
    seen = {position for one in run.planted.values() for position in one.response_positions}
    assert seen == set(canaries.RESPONSE)


def test_no_planted_stream_is_refused_or_lost(run: Run) -> None:
    assert (run.summary["refused"], run.summary["dropped"], run.summary["bugs"]) == ({}, {}, {})
    assert set(run.files) == {f"{case}.json" for case in run.cases.values()}


def test_no_trace_of_a_canary_is_in_a_file_a_file_name_or_a_log_line(run: Run) -> None:
    traces = {
        f"{position}, {form}": trace
        for position in (*canaries.REQUEST, *canaries.RESPONSE)
        for form, trace in canaries.traces(position).items()
    }
    texts = {
        "what the recorder printed": run.printed.encode(),
        "file names": " ".join(run.files).encode(),
    }
    texts |= {f"fixture {name}": data for name, data in run.files.items()}
    for place, text in texts.items():
        for view in canaries.views(text):
            # Compared without its case, too: a name that was lower-cased is no better hidden.
            folded = view.lower()
            found = [label for label, trace in traces.items() if trace in view or trace.lower() in folded]
            assert not found, place


def test_every_fixture_has_the_verdict_of_the_planted_stream(run: Run) -> None:
    for name, one in run.planted.items():
        read = read_envelope(run.files[f"{run.cases[name]}.json"])
        assert not isinstance(read, InvalidFixture), name
        raw = streams.envelope(one.stream)
        schemas = dict(raw.tool_schemas)
        assert streams.verdict(judge(read), schemas) == streams.verdict(judge(raw), schemas), name


@pytest.mark.parametrize("stream", streams.read(streams.BUNDLED, canaries.PROFILES), ids=lambda stream: stream.name)
def test_the_search_finds_each_canary_where_nothing_was_masked(stream: streams.Stream) -> None:
    planted = canaries.plant(stream)
    payloads = streams.envelope(planted.stream).payloads
    unmasked = json.dumps({"request": json.loads(planted.stream.request or ""), "chunks": payloads}).encode()
    found = {
        position
        for view in canaries.views(unmasked)
        for position in (*canaries.REQUEST, *canaries.RESPONSE)
        if canaries.canary(position).encode() in view
    }
    assert found == {*canaries.REQUEST, *planted.response_positions} - {"header", "query", "response_header"}


def test_the_search_finds_a_canary_in_each_encoding() -> None:
    secret = canaries.canary("text")
    traces = canaries.traces("text")
    assert json.loads(b'"%b"' % traces["escaped"]) == secret
    for shift in range(3):
        assert traces[f"base64 at {shift}"] in base64.b64encode(b"x" * shift + secret.encode() + b"tail")
    assert traces["hex"] in (b"before" + secret.encode() + b"behind").hex().encode()
