"""Fixtures rendered to the bytes of a stream, cut, and read again."""

import gzip
import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.builders import verdicts
from support.shared import ROOT

from replay.body import stream
from replay.corpus.loading import line_of, load, spans
from replay.judging import recut
from replay.judging.recut import Cuts
from replay.wire.coding import CodingError
from replay.wire.sse import SSE

EVERY: Final = Cuts(number=None)
CASES: Final = [
    path for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.json")) if ".expected." not in path.name
]


def fixture(*payloads: object, profile: str = "openai", **members: object) -> bytes:
    array = "events" if profile == "anthropic" else "chunks"
    return json.dumps({"profile": profile, "tool_schemas": {}, array: payloads, **members}).encode()


def body(data: bytes) -> bytes:
    return stream.body(load(data)).data


def test_the_text_of_a_payload_is_sent_as_the_file_has_it_but_for_its_line_ends() -> None:
    data = b'{"profile": "openai", "tool_schemas": {}, "chunks": [{"a" : 1.50e0,\r\n "b":"\\u00e9\xc3\xa9"}, [ ]]}'
    assert body(data) == (b'data: {"a" : 1.50e0,"b":"\\u00e9\xc3\xa9"}\n\ndata: [ ]\n\ndata: [DONE]\n\n')


def test_events_of_anthropic_are_named_and_end_without_a_marker() -> None:
    assert body(fixture({"type": "ping"}, {"type": 3}, profile="anthropic")) == (
        b'event: ping\ndata: {"type": "ping"}\n\ndata: {"type": 3}\n\n'
    )


def test_what_transport_says_about_framing_is_followed() -> None:
    told = {"line_ends": ["crlf"], "done": 2, "event_names": ["one", ""]}
    assert body(fixture({}, {}, transport=told)) == (
        b"event: one\r\ndata: {}\r\n\r\ndata: {}\r\n\r\n" + b"data: [DONE]\r\n\r\n" * 2
    )
    packed = stream.body(load(fixture({}, transport={"content_coding": "gzip"})))
    assert packed.coding == "gzip"
    assert gzip.decompress(packed.data) == b"data: {}\n\ndata: [DONE]\n\n"


def test_a_coding_that_needs_a_library_to_be_undone_is_left_out() -> None:
    plain = stream.body(load(fixture({}, transport={"content_coding": "zstd"})))
    assert (plain.coding, plain.data) == ("identity", b"data: {}\n\ndata: [DONE]\n\n")


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("{", b"data: {"),
        ('{"a":1}{"b":2}', b'data: {"a":1}{"b":2}'),
        ("a\nb", b"data: a\ndata: b"),
        ("", b"data: "),
        # what would be read as something else, or cannot be sent, is sent as a JSON string
        ("{}", b'data: "{}"'),
        ('"x"', b'data: "\\"x\\""'),
        ("a\rb", b'data: "a\\rb"'),
        ("[DONE]", b'data: "[DONE]"'),
    ],
)
def test_a_string_in_the_array_is_sent_so_that_it_is_a_string_again(said: str, sent: bytes) -> None:
    data = fixture({}, said)
    assert body(data).split(b"\n\n")[1] == sent
    whole = stream.body(load(data))
    again = stream.payloads(stream.frames([whole.data], whole), whole)
    assert again[0] == {}
    assert isinstance(again[1], str)
    assert len(again) == 2


def test_an_end_marker_in_the_middle_is_sent_as_it_is() -> None:
    assert body(fixture("[DONE]", {}, "[DONE]")).split(b"\n\n")[:3] == [
        b"data: [DONE]",
        b"data: {}",
        b'data: "[DONE]"',
    ]


@pytest.mark.parametrize(
    "path",
    [path if number % 4 == 0 else pytest.param(path, marks=pytest.mark.nightly) for number, path in enumerate(CASES)],
    ids=lambda path: path.stem,
)
def test_every_case_has_the_same_verdict_cut_at_every_position(path: Path) -> None:
    data = path.read_bytes()
    if len(data) > 4096:
        pytest.skip("every position of a long one takes minutes; the seeded cuts have it")
    assert recut.bug(load(data), EVERY, seed=data) is None


@pytest.mark.parametrize(
    "transport",
    [
        {"content_coding": "gzip"},
        {"content_coding": "deflate"},
        {"content_coding": "br"},
        {"line_ends": ["cr", "crlf", "lf"], "byte_order_mark": True, "unterminated_event": True, "done": 0},
        {"comments": [[0, 2], [1, 1]], "ids": [0], "retries": [1], "event_names": ["chunk", ""]},
    ],
)
def test_cuts_go_through_coding_and_framing_too(transport: dict[str, object]) -> None:
    call = verdicts.chunk(verdicts.call('{"text":"hé"}'))
    data = verdicts.fixture(call, verdicts.chunk({}, "tool_calls"), transport=transport)
    assert recut.bug(load(data), EVERY, seed=data) is None


def test_a_reader_that_loses_a_cut_character_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check can fail: with a reader that decodes each piece by itself."""
    right = stream.frames

    def wrong(pieces: Any, of: Any) -> Any:
        text = "".join(piece.decode("utf-8", "replace") for piece in pieces)
        return right([text.encode()], of)

    monkeypatch.setattr(stream, "frames", wrong)
    data = verdicts.fixture(verdicts.chunk(verdicts.call('{"text":"h@"}')), verdicts.chunk({}, "tool_calls"))
    data = data.replace(b"@", "é".encode())
    told = recut.bug(load(data), EVERY, seed=data)
    assert told == "read byte by byte, the stream has another verdict; this is a bug of toolreel: please report it"


def test_a_reader_that_fails_on_a_cut_is_our_bug_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    data = verdicts.fixture(verdicts.chunk({}), transport={"content_coding": "gzip"})
    monkeypatch.setattr(stream, "body", lambda _: stream.Body(data=b"\x1f\x8bno", coding="gzip", framing=SSE))
    with pytest.raises(CodingError):
        recut.bug(load(data), EVERY, seed=data)


def test_the_seeded_positions_are_the_same_each_time_and_others_for_another_fixture() -> None:
    cuts = Cuts(number=5)
    first = recut._positions(1000, cuts, b"a")
    assert list(first) == sorted(set(first))
    assert len(first) == 5
    assert recut._positions(1000, cuts, b"a") == first
    assert recut._positions(1000, cuts, b"b") != first
    assert list(recut._positions(4, cuts, b"a")) == [1, 2, 3]
    assert list(recut._positions(0, cuts, b"a")) == []


# where things stand in the file


def test_each_payload_is_found_in_the_text_whatever_stands_before_and_after_it() -> None:
    data = (
        b' {"x": {"chunks": [1]}, "y": "\\"chunks\\": [", "profile" :"openai","tool_schemas":{} , "chunks"\n:\n'
        b'[ {"a":\n [1]} ,\n"s",[], 1.5e3\n] , "z": [2]} '
    )
    loaded = load(data)
    assert [loaded.text[start:end] for start, end in spans(loaded.text)] == ['{"a":\n [1]}', '"s"', "[]", "1.5e3"]
    assert [line_of(loaded, event) for event in (0, 1, 2, 3, None, 99)] == [3, 5, 5, 5, 5, 5]


def test_a_fixture_without_payloads_has_the_first_line() -> None:
    assert line_of(load(fixture()), None) == 1
    assert line_of(load(b"\xff"), None) == 1
    assert line_of(load(b"[]"), 3) == 1
