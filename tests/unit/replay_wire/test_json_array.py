"""JSON arrays alone: elements as they end, what is between them, the bound, and the way back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.wire.framing import EventTooLongError, Frame, RenderError
from replay.wire.json_array import JSON_ARRAY, JsonArray


def read(body: bytes, *cuts: int, limit: int = 1000) -> tuple[list[str | None], bool]:
    """The text of each element, None for a broken rest; and whether something never arrived."""
    stream = JsonArray(limit=limit)
    found: list[Frame] = []
    for start, end in zip((0, *cuts), (*cuts, len(body)), strict=True):
        found += stream.feed(body[start:end])
    return [None if frame.broken else frame.data for frame in found], stream.close().pending


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"\\{}[]é', max_size=4), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text('a"\\{}[]é', max_size=4), values, max_size=3)


@given(st.lists(objects, max_size=4), st.booleans(), st.data())
def test_elements_are_those_of_the_array_at_any_cut(array: list[object], readable: bool, data: st.DataObject) -> None:
    body = json.dumps(array, ensure_ascii=False, indent=2 if readable else None).encode()
    cuts = sorted(data.draw(st.sets(st.integers(0, len(body)), max_size=6)))
    found, pending = read(body, *cuts, limit=1 << 20)
    assert [json.loads(text or "") for text in found] == array
    assert not pending


@given(st.binary(max_size=60) | st.text('[]{}",\\: a', max_size=60).map(str.encode), st.data())
def test_any_bytes_give_the_same_elements_at_any_cut(body: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(body)), max_size=6)))
    assert read(body, *cuts) == read(body)


def test_an_element_is_there_with_its_last_byte() -> None:
    stream = JsonArray()
    assert stream.feed(b'[{"a":"}"') == []
    assert [frame.data for frame in stream.feed(b"}")] == ['{"a":"}"}']


@pytest.mark.parametrize("body", [b"[1]", b"[{},,{}]", b"[{}]{}", b"[,", b"{}{}", b"x", b"[[]]", b"]", b"[{} {}]"])
def test_what_should_not_stand_there_takes_the_rest_with_it(body: bytes) -> None:
    found, pending = read(body)
    assert found[-1] is None
    assert found.count(None) == 1
    assert pending


def test_an_element_over_the_bound_is_refused_then_and_ever_after() -> None:
    assert read(b'[{"a":1},{"a":2}]', limit=7) == (['{"a":1}', '{"a":2}'], False)
    stream = JsonArray(limit=7)
    for piece in (b'[{"a":12}', b"]"):
        with pytest.raises(EventTooLongError):
            stream.feed(piece)
    with pytest.raises(EventTooLongError):
        stream.close()


@given(st.lists(objects, min_size=1, max_size=4))
def test_what_is_written_reads_back(written: list[object]) -> None:
    elements = [JSON_ARRAY.render(Frame(data=json.dumps(value, ensure_ascii=False))) for value in written]
    body = JSON_ARRAY.opening + JSON_ARRAY.separator.join(elements) + JSON_ARRAY.closing
    found, pending = read(body, limit=1 << 20)
    assert [json.loads(text or "") for text in found] == written
    assert not pending


def test_what_has_no_form_is_not_written() -> None:
    for frame in (Frame(data="\ud800"), Frame(data="", broken=True)):
        with pytest.raises(RenderError):
            JSON_ARRAY.render(frame)
