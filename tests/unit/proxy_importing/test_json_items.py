"""Items of an array in a JSON document of any size: the same however it is read, and never held whole."""

import io
import itertools
import json
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy_addon.importing.entries import BrokenError
from proxy_addon.importing.readers.json_items import JsonItem, items

PATHS = (("log", "entries"), ("interactions",))
DOCUMENT = r"""
{"a": {"entries": [0, "]"]}, "log": {"pages": [{"x": "]}\\\""}], "entries": [ {"t": "\"}] \\", "n": [[], {}]} ,
 "te\u0078t", -1.5e3, true, null, [] ,{}], "x": "\u005d"}, "interactions" : [1], "z": [[1], {"log": {"entries": [9]}}]}
"""


def in_pieces(data: bytes, size: int) -> Callable[[int], bytes]:
    file = io.BytesIO(data)
    return lambda wanted: file.read(min(wanted, size))


def found(data: bytes, *, size: int = 1 << 20, limit: int = 1 << 20) -> list[JsonItem]:
    return list(items(in_pieces(data, size), paths=PATHS, limit=limit))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 4096])
def test_the_items_are_the_same_in_pieces_of_any_size(size: int) -> None:
    whole = found(DOCUMENT.encode())
    assert found(DOCUMENT.encode(), size=size) == whole
    assert [json.loads(item.data or b"") for item in whole] == [
        {"t": '"}] \\', "n": [[], {}]},
        "text",
        -1500.0,
        True,
        None,
        [],
        {},
        1,
    ]
    assert [item.path for item in whole] == [("log", "entries")] * 7 + [("interactions",)]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.integers(1, 40),
    st.booleans(),
)
def test_any_items_come_back_as_they_were(value: object, size: int, ascii_only: bool) -> None:
    document = {"version": 1, "interactions": [value, value], "about": value}
    data = json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    read = [json.loads((item.data or b"").decode("utf-8", "surrogatepass")) for item in found(data, size=size)]
    assert read == [value, value]


def test_an_offset_is_that_of_the_item_in_the_document() -> None:
    data = DOCUMENT.encode()
    for item in found(data, size=5):
        assert item.data is not None
        assert data[item.offset :].startswith(item.data)


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_an_item_over_the_limit_is_stepped_over(size: int) -> None:
    data = json.dumps({"interactions": ["a", "b" * 100, ["c" * 100], "d"]}).encode()
    assert [item.data for item in found(data, size=size, limit=20)] == [b'"a"', None, None, b'"d"']


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_a_document_that_breaks_off_anywhere_says_so_with_its_place(size: int) -> None:
    data = DOCUMENT.strip().encode()
    for end in range(len(data)):
        with pytest.raises(BrokenError) as caught:
            found(data[:end], size=size)
        assert caught.value.place == f"byte {end}"
        assert "ends too early" in caught.value.what


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[]", "byte 0"),
        ('{"interactions": [1,]}', "byte 20"),
        ('{"interactions": [1 2]}', "byte 20"),
        ('{"interactions" [1]}', "byte 16"),
        ("{interactions: [1]}", "byte 1"),
        ('{"interactions": ,}', "byte 17"),
        ('{"interactions": [1]} {}', "byte 22"),
        ('{"log": {"entries": 1}}', "whole document"),
        ("{}", "whole document"),
    ],
)
def test_what_is_no_document_with_a_list_says_where(text: str, place: str) -> None:
    with pytest.raises(BrokenError) as caught:
        found(text.encode())
    assert caught.value.place == place


def test_an_empty_list_is_a_list() -> None:
    assert found(b'\xef\xbb\xbf{"log": {"entries": []}}', size=1) == []


def test_a_big_document_is_read_within_a_small_memory() -> None:
    item = b'{"text": "' + rb"\"data: {}\n" * 50_000 + b'"}'
    count = 100
    document = itertools.chain(
        [b'{"about": "'], [b"x" * 1_000_000] * 50, [b'", "interactions": ['], [item + b","] * count, [b"0]}"]
    )

    def read(document: Iterator[bytes]) -> Callable[[int], bytes]:
        left = bytearray()

        def some(size: int) -> bytes:
            while len(left) < size and (piece := next(document, b"")):
                left.extend(piece)
            taken = bytes(left[:size])
            del left[:size]
            return taken

        return some

    tracemalloc.start()
    try:
        lengths = [len(found.data or b"") for found in items(read(document), paths=PATHS, limit=1 << 20)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lengths == [len(item)] * count + [1]
    assert peak < 10_000_000  # the document has 100 MB, an item half of one
