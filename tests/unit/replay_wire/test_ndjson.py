"""Newline-delimited JSON alone: lines, the last one, the bound, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.wire.framing import EventTooLongError, Frame, LineEnd, RenderError, Tail
from replay.wire.ndjson import NDJSON, JsonLines


def read(body: bytes, *cuts: int, limit: int = 1000) -> tuple[list[str], Tail]:
    stream = JsonLines(limit=limit)
    found: list[Frame] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        found += stream.feed(body[start:end])
    tail = stream.close()
    return [frame.data for frame in (*found, *tail.frames)], tail


@given(st.binary(max_size=100) | st.text('{}":,\r\n 1', max_size=60).map(str.encode), st.data())
def test_any_bytes_give_the_same_lines_at_any_cut(body: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(body)), max_size=6)))
    assert read(body, *cuts) == read(body)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1), max_size=5))
def test_what_is_written_reads_back(lines: list[str]) -> None:
    written = [line for line in lines if line.strip(" \t")]
    for end in (LineEnd.LF, LineEnd.CRLF):
        body = b"".join(NDJSON.render(Frame(data=line), line_end=end) for line in written)
        found, tail = read(body)
        assert found == written
        assert tail.line_ends == (frozenset({end}) if written else frozenset())


@pytest.mark.parametrize("last", ["{}", ' {"a":{}} ', '{"a":1,"a":2}', "{}\r"])
def test_a_last_object_ends_itself(last: str) -> None:
    found, tail = read(b"{}\n" + last.encode())
    assert found == ["{}", last]
    assert not tail.pending


@pytest.mark.parametrize("last", ["12", "[]", '"a"', "{}{}", '{"a":', "{a:1}", "null", "x"])
def test_anything_else_without_its_line_end_never_arrived(last: str) -> None:
    found, tail = read(b"{}\n" + last.encode())
    assert found == ["{}"]
    assert tail.pending


def test_a_line_over_the_bound_is_refused_then_and_ever_after() -> None:
    assert read(b'{"a":1}\n' * 3, limit=7)[0] == ['{"a":1}'] * 3
    stream = JsonLines(limit=7)
    for piece in (b'{"a":12}', b"", b"\n"):
        with pytest.raises(EventTooLongError):
            stream.feed(piece)
    with pytest.raises(EventTooLongError):
        stream.close()


@pytest.mark.parametrize("data", ["a\nb", "\ud800"])
def test_what_has_no_form_is_not_written(data: str) -> None:
    with pytest.raises(RenderError):
        NDJSON.render(Frame(data=data))
    with pytest.raises(RenderError):
        NDJSON.render(Frame(data="", broken=True))
