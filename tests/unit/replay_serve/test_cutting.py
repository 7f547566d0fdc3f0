"""Writes of a body: every mode gives the same bytes, and cuts fall where they are said to."""

import gzip
import json
import zlib
from itertools import accumulate

import pytest

from replay.body.rendering import Rendered
from replay.errors import ToolreelError
from replay.serve.cutting import Cuts, Mode, chosen, pieces, positions, read_cuts, split
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.framing import Frame
from replay.wire.places import Place, places
from replay.wire.sse import SSE

FRAMES = (
    b'event: a\r\ndata: {"k":"\\u00e9\\"x","n":1}\r\n\r\n',
    'data: {"s":"ü€😀"}\n\n'.encode(),
    b": hello\ndata:[1]\r\r",
)
BODY = b"".join(FRAMES)
ALL_MODES = [
    Cuts(),
    Cuts(mode=Mode.ALL),
    Cuts(mode=Mode.SOME, number=5),
    Cuts(mode=Mode.SOME, number=10_000),
    Cuts(mode=Mode.SEED, number=0),
    Cuts(mode=Mode.SEED, number=7),
    Cuts(mode=Mode.READS),
]


def rendered(*, coding: str = "identity", end: str = "complete") -> Rendered:
    return Rendered(status=200, content_type=None, coding=coding, framing=SSE, frames=FRAMES, stream_end=end)


@pytest.mark.parametrize("cuts", ALL_MODES)
def test_the_pieces_joined_are_the_body(cuts: Cuts) -> None:
    assert b"".join(piece.data for piece in pieces(rendered(), cuts, {})) == BODY
    coded = b"".join(piece.data for piece in pieces(rendered(coding="gzip"), cuts, {}))
    assert gzip.decompress(coded) == BODY


def test_one_write_a_frame_is_the_default_and_each_coded_one_can_be_decoded_when_it_comes() -> None:
    assert [piece.data for piece in pieces(rendered(), Cuts(), {})] == list(FRAMES)
    unpack = zlib.decompressobj(31)
    assert [unpack.decompress(piece.data) for piece in pieces(rendered(coding="gzip"), Cuts(), {})] == list(FRAMES)


def test_the_coding_of_a_cut_stream_is_cut_too() -> None:
    body = b"".join(piece.data for piece in pieces(rendered(coding="gzip", end="upstream_disconnected"), Cuts(), {}))
    unpack = zlib.decompressobj(31)
    assert unpack.decompress(body) == BODY
    assert not unpack.eof


def test_every_byte_by_itself() -> None:
    found = pieces(rendered(), Cuts(mode=Mode.ALL), {})
    assert [piece.data for piece in found] == [BODY[at : at + 1] for at in range(len(BODY))]
    assert [piece.data for piece in found[1:3]] == [BODY[1:2], BODY[2:3]]
    assert len(found) == len(BODY)


def place_of(left: bytes, right: bytes) -> Place:
    return places([left + right])[len(left) - 1]


@pytest.mark.parametrize(
    ("left", "right", "place"),
    [
        (b"da", b"ta: {}\n\n", Place.FIELD),
        (b"data:", b" {}\n\n", Place.FIELD),
        (b"data: {", b"}\n\n", Place.STRUCTURE),
        (b"data:{", b"}\n\n", Place.STRUCTURE),
        (b'data: {"a', b'":1}\n\n', Place.STRING),
        (b'data: {"a"', b":1}\n\n", Place.STRUCTURE),
        (b'data: {"a\\', b'"":1}\n\n', Place.ESCAPE),
        (b'data: {"a\\"', b'":1}\n\n', Place.STRING),
        (b'data: {"\\u0', b'0e9":1}\n\n', Place.ESCAPE),
        (b'data: {"\\u00e', b'9":1}\n\n', Place.ESCAPE),
        (b'data: {"\\u00e9', b'":1}\n\n', Place.STRING),
        (b'data: {"\\\\', b'":1}\n\n', Place.STRING),
        (b'data: "\xf0\x9f', b'\x98\x80"\n\n', Place.UTF8),
        (b"data: {}\r", b"\n\r\n", Place.LINE_END),
        (b"data: {}\n", b"\n", Place.FIELD),
    ],
)
def test_a_cut_is_of_the_class_that_it_falls_into(left: bytes, right: bytes, place: Place) -> None:
    assert place_of(left, right) is place


def test_between_two_frames_is_a_class_of_its_own() -> None:
    found = places(FRAMES)
    assert [at + 1 for at, place in enumerate(found) if place is Place.FRAME] == list(
        accumulate(len(frame) for frame in FRAMES[:-1])
    )


def test_a_few_cuts_reach_every_class_that_tears_a_frame_and_are_the_same_every_time() -> None:
    found = chosen(FRAMES, 6)
    assert {places(FRAMES)[at - 1] for at in found} == set(Place) - {Place.FRAME}
    assert chosen(FRAMES, 6) == found
    assert len(split(BODY, found)) == 7


def test_a_seed_chooses_how_many_cuts_there_are_and_where_and_always_the_same() -> None:
    found = [positions(rendered(), read_cuts(f"seed:{seed}"), {}) for seed in range(60)]
    assert found == [positions(rendered(), read_cuts(f"seed:{seed}"), {}) for seed in range(60)]
    sizes = [len(one) for one in found]
    assert min(sizes) <= 2
    assert max(sizes) > len(BODY) / 2
    assert {at for one in found for at in one} == set(range(1, len(BODY)))
    assert len({tuple(one) for one in found}) > 50


@pytest.mark.parametrize("text", ["all", "frames", "reads", "1", "40", "seed:0", "seed:7"])
def test_an_option_that_was_read_is_told_as_it_was_given(text: str) -> None:
    assert read_cuts(text).option == text


@pytest.mark.parametrize("text", ["", "0", "-1", "seed:", "seed:-1", "seed:x", "seed", "at", "N", "1" * 10, "seed:٣"])
def test_what_is_no_cut_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(ToolreelError, match=r"must be all, reads, frames, a number .* as seed:7"):
        read_cuts(text)


def test_recorded_reads_end_in_their_frame_and_class() -> None:
    reads = [[0, "escape"], [0, "line_end"], [1, "utf8"], [1, "frame"], [9, "frame"], ["x", "frame"], [1, "nonsense"]]
    found = [piece.data for piece in pieces(rendered(), Cuts(mode=Mode.READS), {"reads": reads})]
    assert found[0].endswith(b"\\")
    assert found[1].endswith(b"\r")
    assert found[2].endswith(b"\xc3")
    assert found[3].endswith(b"\n\n")
    assert len(found) == 5
    assert b"".join(found) == BODY


def test_recorded_times_go_with_the_pieces_where_there_is_one_for_each() -> None:
    times = [0, 40, 30]
    assert [piece.at for piece in pieces(rendered(), Cuts(), {"milliseconds": times})] == [0, 40, 40]
    for wrong in ([1], [0, 1, True], "x", [0, -1, 2], json.loads("[0, 1.5, 2]")):
        assert [piece.at for piece in pieces(rendered(), Cuts(), {"milliseconds": wrong})] == [None] * 3


def places_in(framing: str, body: bytes) -> str:
    """The first letter of each place."""
    return "".join(place.value[0] for place in places([body], framing))


def test_lines_and_arrays_have_no_field_names() -> None:
    assert places_in("ndjson", b'{"a":1}\n{"b') == "ssssssssss"
    assert Place.FIELD not in places([b'[{"a":"\xc3\xbc"},\r\n{"b":1}]'], "json")
    assert places([b'{"a":"b'], "ndjson")[-1] is Place.STRING


def test_a_string_that_a_broken_line_leaves_open_ends_with_the_line() -> None:
    assert places([b'{"a\n{"b":1}'], "ndjson")[4] is Place.STRUCTURE


def test_lengths_headers_and_checksums_of_a_message_are_fields_and_its_payload_is_json() -> None:
    payload = '{"a":"b\\n\u00fc"}'
    message = AWS_EVENT_STREAM.render(Frame(kind="event", event="x", data=payload))
    found = places([message, message], "eventstream")
    start = message.index(b'{"a"')
    end = start + len(payload.encode())
    assert set(found[: start - 1]) == {Place.FIELD}
    assert set(found[end : len(message) - 1]) == {Place.FIELD}
    assert found[len(message) - 1] is Place.FRAME
    assert {*found[start : end - 1]} == {Place.STRUCTURE, Place.STRING, Place.ESCAPE, Place.UTF8}
    assert found[len(message) :] == found[: len(message) - 1]
