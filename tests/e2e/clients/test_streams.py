"""The whole job on real input: recorded bodies, a real recorder, the official clients.

A local provider serves each recorded body in network-sized pieces. Every stream is asked for three times: straight, and
through two recorders, one that names its fixtures by call and one that names them by shape; and where the client has
a helper for the streams of an API, as often by that. The tests then compare what the client got, what was written, and
what the raw stream says.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pytest
from support.nightly import nightly
from support.processes import clients
from support.processes.recorder import Recorder
from support.readings import streams
from support.readings.streams import Stream
from support.sockets.provider import Answer, Provider, Request

from replay.validator import InvalidFixture, judge, read_envelope

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

# What one TCP segment carries on Ethernet: the size in which a provider's bytes reach a client.
SEGMENT = 1448

STREAM_HEADER = "x-test-stream"
WAY_HEADER = "x-test-way"
CASE_HEADER = "x-toolreel-case"

# What the name of a call ends with that is made by the client's helper for streams.
BY_HELPER = " by helper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What one recorder left: its summary and its files, by name."""

    summary: dict[str, Any]
    files: dict[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Everything that was observed, by the name of the call. `named` and `by_shape` are the two recordings."""

    streams: dict[str, Stream]
    cases: dict[str, str]
    straight: dict[str, clients.Result]
    recorded: dict[str, clients.Result]
    recorded_by_shape: dict[str, clients.Result]
    requests: dict[str, dict[str, Request]]
    named: Recording
    by_shape: Recording


def _answer(found: dict[str, Stream]) -> Callable[[Request], Answer]:
    def answer(request: Request) -> Answer:
        stream = found[request.header(STREAM_HEADER)[0]]
        content_type = stream.meta["content_type"]
        return Answer(
            pieces=[stream.body[at : at + SEGMENT] for at in range(0, len(stream.body), SEGMENT)],
            headers=[("Content-Type", content_type)] if content_type else [],
        )

    return answer


def _call(name: str, stream: Stream, way: str, url: str, *, drain: bool, headers: dict[str, str]) -> clients.Call:
    return clients.Call(
        name=f"{way}: {name}",
        api=stream.meta["api"],
        url=url,
        path=stream.meta["path"],
        model=stream.meta["model"],
        request=stream.request,
        headers={STREAM_HEADER: name, WAY_HEADER: way, **headers},
        drain=drain,
        helper=name.endswith(BY_HELPER),
    )


def _asked(found: list[Stream]) -> dict[str, Stream]:
    """The streams by the name of each call that asks for them."""
    helped = [one for one in found if one.meta["api"] in clients.HELPED]
    return {one.name: one for one in found} | {f"{one.name}{BY_HELPER}": one for one in helped}


IN_NODE: Final = "all of Node's"


@pytest.fixture(
    scope="module",
    params=["bundled sample", *(pytest.param(name, marks=nightly) for name in ("bundled", "all", IN_NODE))],
)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    in_node = request.param == IN_NODE
    bodies = streams.SETS["all" if in_node else request.param]()
    driven = clients.IN_NODE if in_node else clients.DRIVEN
    found = _asked([streams.as_asked(stream) for stream in bodies if stream.meta["api"] in driven])
    drive = partial(clients.drive, clients.python())
    if in_node:
        drive = partial(clients.drive, clients.node(), driver=clients.NODE_DRIVER)
    cases = {name: f"turn-{number:03d}" for number, name in enumerate(found)}
    work = tmp_path_factory.mktemp("recorded")
    with Provider(_answer(found)) as provider:
        upstreams = streams.upstreams(found.values(), provider.url)
        with Recorder(work / "named", *upstreams) as named, Recorder(work / "by-shape", *upstreams) as by_shape:
            calls = []
            for name, one in found.items():
                case = {CASE_HEADER: cases[name]}
                calls += [
                    _call(name, one, "straight", provider.url, drain=True, headers={}),
                    _call(name, one, "named", named.url(one.upstream), drain=True, headers=case),
                    # Here the clients stop where they stop by themselves, most of them at `[DONE]`.
                    _call(name, one, "by shape", by_shape.url(one.upstream), drain=False, headers={}),
                ]
            results = drive(calls)
            recordings = [Recording(summary=one.stop(), files=one.files()) for one in (named, by_shape)]
    straight, recorded, recorded_by_shape = (
        {name: results[f"{way}: {name}"] for name in found} for way in ("straight", "named", "by shape")
    )
    requests: dict[str, dict[str, Request]] = {name: {} for name in found}
    for received in provider.requests:
        requests[received.header(STREAM_HEADER)[0]][received.header(WAY_HEADER)[0]] = received
    return Run(
        streams=found,
        cases=cases,
        straight=straight,
        recorded=recorded,
        recorded_by_shape=recorded_by_shape,
        requests=requests,
        named=recordings[0],
        by_shape=recordings[1],
    )


def test_the_client_receives_exactly_the_bytes_that_the_provider_sent(run: Run) -> None:
    sent = {name: hashlib.sha256(stream.body).hexdigest() for name, stream in run.streams.items()}
    assert {name: result.sha256 for name, result in run.straight.items()} == sent
    assert {name: result.sha256 for name, result in run.recorded.items()} == sent


def test_the_client_sees_the_same_events_and_fails_the_same_way_as_without_the_recorder(run: Run) -> None:
    def seen(results: dict[str, clients.Result]) -> dict[str, object]:
        return {name: (one.status, one.events, one.events_sha256, one.error) for name, one in sorted(results.items())}

    assert seen(run.recorded) == seen(run.straight)
    assert seen(run.recorded_by_shape) == seen(run.straight)
    # Or nothing would have been compared: few are the bodies that a client refuses.
    whole = [name for name, one in run.straight.items() if one.error is None and one.events > 0]
    assert {run.streams[name].meta["api"] for name in whole} == {one.meta["api"] for one in run.streams.values()}
    assert len(whole) >= (0.9 if len(run.streams) > 20 else 0.8) * len(run.straight)


def test_the_response_head_reaches_the_client_as_it_was_sent(run: Run) -> None:
    heads = {name: result.head for name, result in run.straight.items()}
    assert {name: result.head for name, result in run.recorded.items()} == heads


def test_the_provider_receives_the_same_request_and_never_the_case_header(run: Run) -> None:
    for name, received in run.requests.items():
        straight, named, by_shape = received["straight"], received["named"], received["by shape"]
        assert straight.body, name
        for through in (named, by_shape):
            assert (through.method, through.target, through.body) == (straight.method, straight.target, straight.body)
            assert not through.header(CASE_HEADER), name
        if (recorded := run.streams[name].request) is not None:
            assert json.loads(straight.body) == json.loads(recorded), name


def test_every_stream_becomes_a_fixture_or_is_of_a_shape_already_there_and_none_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    count = len(run.streams)
    bodies = len({stream.name for stream in run.streams.values()})
    with capsys.disabled():
        for title, recording in (("named", run.named), ("by shape", run.by_shape)):
            summary = recording.summary
            print(
                f"\n{title}: {bodies} streams in {count} calls, {summary['written']} fixtures, "
                f"{summary['same_shape']} duplicates, {sum(summary['refused'].values())} refusals",
                end="",
            )
        verdicts = Counter(json.loads(data)["profile"] for data in run.named.files.values())
        print(f"; fixtures by profile: {dict(verdicts)}", end="")
        errors = Counter(one.error for one in run.straight.values() if one.error is not None)
        print(f"; errors of the client: {dict(errors)}", end=" ")
    for recording in (run.named, run.by_shape):
        summary = recording.summary
        assert summary["refused"] == {}
        assert summary["dropped"] == {}
        assert summary["bugs"] == {}
        assert summary["passed"] == {}
        assert summary["captured"] == summary["written"] + summary["same_shape"] == count
        assert len(recording.files) == summary["written"]  # and nothing beside the fixtures is there
    assert set(run.named.files) == {f"{case}.json" for case in run.cases.values()}


def test_every_fixture_has_the_verdict_of_its_raw_stream(run: Run) -> None:
    statuses: Counter[str] = Counter()
    for name, stream in run.streams.items():
        read = read_envelope(run.named.files[f"{run.cases[name]}.json"])
        assert not isinstance(read, InvalidFixture), name
        raw = streams.envelope(stream)
        allow = tuple(allowance.value for allowance in read.allow)
        for accepted in ((), allow):
            masked = streams.verdict(judge(read, accept=read.allow if accepted else ()), dict(raw.tool_schemas))
            expected = streams.verdict(
                streams.judged(stream, allow=allow) if accepted else judge(raw), dict(raw.tool_schemas)
            )
            assert masked == expected, name
        assert read.stream_end == raw.stream_end, name
        assert read.tool_choice == raw.tool_choice, name
        rounded = b'"pieces":"rounded"' in run.named.files[f"{run.cases[name]}.json"]
        assert len(read.payloads) == len(raw.payloads) or (rounded and len(read.payloads) < len(raw.payloads)), name
        statuses[str(expected["status"])] += 1
    assert statuses["pass"]
    assert statuses["blocked"]
    assert statuses["not_applicable"]


def test_a_fixture_named_by_its_shape_is_one_of_those_named_by_stream(run: Run) -> None:
    def bare(data: bytes) -> object:
        fixture = json.loads(data)
        return {key: fixture.get(key) for key in ("profile", "tool_schemas", "chunks", "events", "allow")}

    named = [bare(data) for data in run.named.files.values()]
    assert all(bare(data) in named for data in run.by_shape.files.values())
