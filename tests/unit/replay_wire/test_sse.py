"""The event stream reader alone: what a frame and a tail say, at every cut, within the bound."""

import time

import pytest

from replay.wire.framing import Block, EventTooLongError, Frame, LineEnd, Tail
from replay.wire.sse import EventStream


def read(body: bytes, *cuts: int, limit: int = 1000) -> tuple[list[Frame], Tail]:
    stream = EventStream(limit=limit)
    found: list[Frame] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        found += stream.feed(body[start:end])
    return found, stream.close()


def at_every_cut(body: bytes, limit: int = 1000) -> tuple[list[Frame], Tail]:
    whole = read(body, limit=limit)
    for cut in range(len(body) + 1):
        assert read(body, cut, limit=limit) == whole, f"cut at {cut}"
    assert read(body, *range(1, len(body)), limit=limit) == whole
    return whole


def test_a_frame_has_every_field_as_written() -> None:
    body = b": hi\nid: 7\nevent: tick\nretry: 0015\ndata:  a\ndata\ndata:b\n\n"
    frames, tail = at_every_cut(body)
    assert frames == [Frame(data=" a\n\nb", event="tick", id="7", retry="0015", comments=1)]
    assert tail == Tail(pending=False, comments=0, line_ends=frozenset({LineEnd.LF}))


def test_an_event_without_a_name_has_the_empty_one() -> None:
    frames, _ = read(b"event: x\n\ndata: a\n\nevent\ndata: b\n\n")
    assert frames[0].blocks == (Block(event="x"),)
    assert [frame.event for frame in frames] == ["", ""]


def test_a_block_without_data_is_no_event_and_stands_before_the_next_one_or_at_the_end() -> None:
    frames, tail = at_every_cut(b"id: 1\nretry: 5\n: c\n\n:\n\nid: 3\ndata: a\n\n: d\n\n\nid: 2\n\nretry: 6\n:\n")
    before = (Block(id="1", retry="5", comments=1), Block(comments=1))
    assert frames == [Frame(data="a", id="3", blocks=before)]
    assert tail == Tail(
        pending=True,
        comments=1,
        retry="6",
        blocks=(Block(comments=1), Block(), Block(id="2")),
        line_ends=frozenset({LineEnd.LF}),
    )


@pytest.mark.parametrize(
    "rest",
    [b"data: b\n", b"data: b", b"d", b"event: x\n", b"id: 1\n", b"unknown\n", b": half a comment"],
)
def test_an_event_half_received_is_no_event_and_pending(rest: bytes) -> None:
    frames, tail = at_every_cut(b"data: a\n\n" + rest)
    assert [frame.data for frame in frames] == ["a"]
    assert tail.pending


@pytest.mark.parametrize("rest", [b"", b"\n\n", b": a whole comment\n", b"id: 1\n\n", b"\r"])
def test_nothing_is_pending_where_no_event_was_begun(rest: bytes) -> None:
    _, tail = at_every_cut(b"data: a\n\n" + rest)
    assert not tail.pending


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        (b"", set()),
        (b"data: a", set()),
        (b"data: a\n\n", {LineEnd.LF}),
        (b"data: a\r\n\r\n", {LineEnd.CRLF}),
        (b"data: a\r\r", {LineEnd.CR}),
        (b"data: a\r\n\r", {LineEnd.CRLF, LineEnd.CR}),
        (b"data: a\n\rdata: b\r\n\n", {LineEnd.LF, LineEnd.CR, LineEnd.CRLF}),
    ],
)
def test_the_tail_names_the_line_ends_seen(body: bytes, ends: set[LineEnd]) -> None:
    _, tail = at_every_cut(body)
    assert tail.line_ends == ends


def test_the_event_is_given_at_the_cr_that_ends_it_without_waiting_for_an_lf() -> None:
    stream = EventStream()
    assert stream.feed(b"data: a\r\n") == []
    assert [frame.data for frame in stream.feed(b"\r")] == ["a"]
    assert stream.feed(b"\n") == []
    assert not stream.close().pending


@pytest.mark.parametrize(
    ("body", "data", "bom"),
    [
        (b"\xef\xbb\xbfdata: a\n\n", ["a"], True),
        (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", [], True),
        (b"\ndata: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"], False),
        (b"\n\xef\xbb\xbfdata: a\n\n", [], False),
        (b"\xef\xbb\xbf", [], True),
        (b"\xef\xbbdata: a\n\n", [], False),
    ],
)
def test_one_byte_order_mark_is_dropped_at_the_very_beginning(body: bytes, data: list[str], bom: bool) -> None:
    frames, tail = at_every_cut(body)
    assert [frame.data for frame in frames] == data
    assert tail.bom is bom


def test_a_body_that_is_only_a_byte_order_mark_has_nothing_pending() -> None:
    assert not at_every_cut(b"\xef\xbb\xbf")[1].pending


def test_bytes_that_are_no_utf8_are_replaced_and_noted_on_data_lines_only() -> None:
    frames, _ = at_every_cut(b"event: \xff\n: \xff\n\xff: x\ndata: a\n\ndata: b\ndata: \xe2\x82\n\ndata: c\n\n")
    assert frames == [
        Frame(data="a", event="\ufffd", comments=1),
        Frame(data="b\n\ufffd", utf8=False),
        Frame(data="c"),
    ]


def test_a_replacement_character_that_was_sent_is_utf8() -> None:
    frames, _ = at_every_cut("data: \ufffd\n\n".encode())
    assert frames == [Frame(data="\ufffd")]


def test_only_cr_and_lf_end_a_line() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1dh\x1ei"
    frames, _ = at_every_cut(f"data: {text}\n\n".encode())
    assert [frame.data for frame in frames] == [text]


def test_an_id_with_a_nul_is_ignored_and_a_retry_is_ascii_digits() -> None:
    frames, _ = at_every_cut("id: 1\nid: 2\x003\nretry: 7\nretry: 1x\nretry: １\nretry:\nretry: -1\ndata\n\n".encode())
    assert frames == [Frame(data="", id="1", retry="7")]


def test_a_retry_of_five_thousand_digits_is_kept_as_text() -> None:
    frames, _ = read(b"retry: " + b"9" * 5000 + b"\ndata: a\n\n", limit=10_000)
    assert frames[0].retry == "9" * 5000


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        (b"data: 6789\n\n", 10),
        (b"data: 6789", 10),
        (b"data:a\ndata:b\n\n", 12),
        (b"data:a\n\ndata:b\n\n", 6),
        (b": comments are not kept\n" * 3 + b"data:a\n\n", 23),
        (b"unknown: nor is this\n" * 3 + b"data:a\n\n", 20),
    ],
)
def test_an_event_of_exactly_the_limit_is_read_and_one_byte_more_is_not(body: bytes, fits: int) -> None:
    at_every_cut(body, limit=fits)
    for cuts in [(), tuple(range(1, len(body))), *[(cut,) for cut in range(len(body))]]:
        with pytest.raises(EventTooLongError) as error:
            read(body, *cuts, limit=fits - 1)
        assert error.value.limit == fits - 1


def test_an_event_that_was_too_long_stays_so() -> None:
    stream = EventStream(limit=3)
    for act in (lambda: stream.feed(b"data"), lambda: stream.feed(b"\n\n"), stream.close):
        with pytest.raises(EventTooLongError):
            act()


def test_a_frame_a_tail_and_an_error_show_no_captured_text() -> None:
    frames, tail = read(b"id: SECRET\nevent: SECRET\nretry: 98765\ndata: SECRET\n\nid: SECRET\nretry: 98765\n\n")
    shown = f"{frames!r} {tail!r} {EventTooLongError(3)!r} {EventStream()!r}"
    assert "SECRET" not in shown
    assert "98765" not in shown


def test_time_is_linear_in_the_length_of_one_line_fed_byte_by_byte() -> None:
    def seconds(size: int) -> float:
        stream = EventStream()
        start = time.perf_counter()
        for _ in range(size):
            stream.feed(b"x")
        return time.perf_counter() - start

    seconds(1000)
    small = min(seconds(50_000) for _ in range(3))
    large = min(seconds(400_000) for _ in range(2))
    assert large < 8 * small * 4, "eight times the bytes took more than four times eight times as long"
