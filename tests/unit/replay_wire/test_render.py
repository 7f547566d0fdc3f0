"""Rendering alone, and the round trip through the reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.wire.framing import Block, Frame, LineEnd, RenderError
from replay.wire.sse import SSE, EventStream, collect, render_blocks

# What an event stream can carry: no CR (it ends a line), no lone surrogate (it has no UTF-8).
texts = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]))
names = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))
ids = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]))
beside = {
    "event": names,
    "id": st.none() | ids,
    "retry": st.none() | st.text("0123456789", min_size=1),
    "comments": st.integers(0, 3),
}
blocks = st.lists(st.builds(Block, **beside), max_size=3).map(tuple)
frames = st.builds(Frame, data=texts, blocks=blocks, **beside)


def test_a_frame_is_written_as_the_standard_reads_it() -> None:
    frame = Frame(data="a\n b", event="tick", id="7", retry="15", comments=1)
    assert SSE.render(frame) == b":\nid: 7\nevent: tick\nretry: 15\ndata: a\ndata:  b\n\n"
    assert SSE.render(Frame(data=""), line_end=LineEnd.CR) == b"data: \r\r"


def test_the_end_marker_is_an_event_of_its_own() -> None:
    assert SSE.end_marker() == b"data: [DONE]\n\n"
    assert SSE.end_marker(line_end=LineEnd.CRLF) == b"data: [DONE]\r\n\r\n"
    assert SSE.is_end_marker("[DONE]")
    assert not SSE.is_end_marker("[done]")


@given(st.lists(frames), blocks, st.sampled_from(LineEnd))
def test_reading_what_was_rendered_gives_the_same_frames(
    given_frames: list[Frame], last: tuple[Block, ...], line_end: LineEnd
) -> None:
    stream = EventStream()
    body = b"".join(SSE.render(frame, line_end=line_end) for frame in given_frames)
    assert stream.feed(body + render_blocks(last, line_end=line_end)) == given_frames
    tail = stream.close()
    assert not tail.pending
    assert tail.blocks == last
    assert tail.line_ends <= {line_end}


@given(st.lists(texts.filter(lambda text: text != "[DONE]")), st.integers(0, 2), st.sampled_from(LineEnd))
def test_reading_what_was_rendered_gives_the_same_texts(given_texts: list[str], done: int, line_end: LineEnd) -> None:
    body = b"".join(SSE.render(Frame(data=text), line_end=line_end) for text in given_texts)
    body += SSE.end_marker(line_end=line_end) * done
    found = collect(EventStream().feed(body), lambda frame: frame.data)
    assert found.items == given_texts
    assert found.done == done


@pytest.mark.parametrize(
    "frame",
    [
        Frame(data="SECRET\r"),
        Frame(data="SECRET\ud800"),
        Frame(data="", event="SECRET\n"),
        Frame(data="", event="SECRET\r"),
        Frame(data="", event="SECRET\udfff"),
        Frame(data="", id="SECRET\n"),
        Frame(data="", id="SECRET\0"),
        Frame(data="", retry="SECRET"),
        Frame(data="", retry=""),
        Frame(data="", retry="１"),
    ],
)
def test_what_no_stream_can_carry_is_refused_without_showing_it(frame: Frame) -> None:
    with pytest.raises(RenderError) as error:
        SSE.render(frame)
    assert "SECRET" not in repr(error.value)
    assert error.value.__context__ is None
