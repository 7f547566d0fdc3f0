"""The wire kernel on bytes that nobody wrote: cuts never matter, and nothing but its own errors comes out."""

import gzip
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from replay.wire.coding import CodingError, Undecodable, decoder
from replay.wire.framing import EventTooLongError, Frame, Tail
from replay.wire.sse import EventStream

# Pieces that mean something to the reader, so that random bodies are more than one long line.
TOKENS = (
    b"data", b"event", b"id", b"retry", b":", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"x", b"7", b"\0",
    b"\xef\xbb\xbf", "é".encode(), "\u2028".encode(), b"\xff", b"\xe2\x82",
)  # fmt: skip
bodies = st.lists(st.sampled_from(TOKENS), max_size=40).map(b"".join) | st.binary(max_size=60)


@st.composite
def cut_bodies(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    body = draw(bodies)
    places = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    return body, [body[start:end] for start, end in pairwise([0, *places, len(body)])]


def read(pieces: list[bytes], limit: int) -> tuple[list[Frame], Tail] | None:
    stream = EventStream(limit=limit)
    try:
        frames = [frame for piece in pieces for frame in stream.feed(piece)]
        return frames, stream.close()
    except EventTooLongError:
        return None


@given(cut_bodies(), st.sampled_from([0, 3, 10, 1000]))
@example((b"\r\n", [b"\r", b"\n"]), 1000)
def test_no_cut_of_an_event_stream_changes_what_is_read(cut: tuple[bytes, list[bytes]], limit: int) -> None:
    body, pieces = cut
    assert read(pieces, limit) == read([body], limit)
    assert read([body[at : at + 1] for at in range(len(body))], limit) == read([body], limit)


def reference(body: bytes) -> list[tuple[str, str, str]]:
    """The standard's own algorithm, on the whole text at once: event name, data, last event id."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]  # what ends no line is no line
    found, data, name, last, buffer = [], "", "", "", ""
    for line in lines:
        if not line:
            last = buffer
            if data:
                found.append((name or "message", data.removesuffix("\n"), last))
            data, name = "", ""
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data += value + "\n"
        elif field == "event":
            name = value
        elif field == "id" and "\0" not in value:
            buffer = value
    return found


@given(bodies)
def test_what_is_read_is_what_the_standards_own_algorithm_reads(body: bytes) -> None:
    result = read([body], 1000)
    assert result is not None
    found, last = [], ""
    for frame in result[0]:
        for one in (*frame.blocks, frame):
            last = one.id if one.id is not None else last
        found.append((frame.event or "message", frame.data, last))
    assert found == reference(body)


def undone(pieces: list[bytes], limit: int) -> bytes | Undecodable:
    undo = decoder("gzip", limit=limit)
    try:
        text = b"".join([undo.feed(piece) for piece in pieces])
        undo.close()
    except CodingError as error:
        return error.why
    return text


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Gzip members, padding and garbage, perhaps with a byte changed or the end cut off."""
    parts = st.binary(max_size=40).map(gzip.compress) | st.just(b"\0\0") | st.binary(max_size=4)
    body = bytearray(b"".join(draw(st.lists(parts, max_size=4))))
    if body and draw(st.booleans()):
        body[draw(st.integers(0, len(body) - 1))] ^= draw(st.integers(1, 255))
    return bytes(body[: draw(st.integers(0, len(body)))])


@given(damaged(), st.sampled_from([0, 5, 1000]))
@example(gzip.compress(b"12", mtime=0) + gzip.compress(b"3456", mtime=0)[:-8] + b"no sum", 5)
def test_no_cut_of_a_gzip_body_changes_what_is_decoded_or_why_it_is_not(body: bytes, limit: int) -> None:
    whole = undone([body], limit)
    assert undone([body[at : at + 1] for at in range(len(body))], limit) == whole


@given(st.lists(st.binary(max_size=200), max_size=4))
def test_gzip_gives_back_what_was_compressed(parts: list[bytes]) -> None:
    assert undone([b"".join(map(gzip.compress, parts))], 1000) == b"".join(parts)
