"""YAML cassettes as plain data: no tag runs anything, no alias multiplies anything, whatever breaks has its line."""

import io
import time

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

from proxy_addon.importing.entries import BrokenError  # noqa: E402
from proxy_addon.importing.readers.yaml_items import MAX_NESTING, STRANGE, items  # noqa: E402


def found(text: str | bytes) -> list[object]:
    file = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return [value for _, value in items(file, keys=("interactions", "others"))]


def test_values_are_read_as_the_safe_loader_reads_them() -> None:
    text = """
about: [1, {a: b}]
interactions:
- {a: 1, b: 0x10, c: 1_000, d: 1.5, e: true, f: no, g: null, h: ~, i: , j: "1", k: '', l: .inf}
- plain text
- - nested
  - [list, "of: things"]
- |+
  data: 1

- !!binary |
  H4sI
  AAAA
- !!str 12
- {? 1 : one, 2: two}
others: [last]
"""
    document = yaml.safe_load(text)
    expected = [*document["interactions"], *document["others"]]
    expected[6] = {"1": "one", "2": "two"}  # keys are names
    assert found(text) == expected


def test_times_stay_the_text_that_they_are() -> None:
    assert found("interactions: [2024-01-01, 2024-13-45, 2024-01-01T10:00:00Z]") == [
        "2024-01-01",
        "2024-13-45",
        "2024-01-01T10:00:00Z",
    ]


@pytest.mark.parametrize(
    "tagged",
    [
        "!!python/object/apply:os.system ['touch PATH']",
        "!!python/object/new:os.system ['touch PATH']",
        "!!python/name:os.system ''",
        '!!python/object/apply:builtins.eval {args: [\'open("PATH", "w")\']}',
        "!!set {a, b}",
        "!ruby/object:OpenStruct {a: b}",
        "!!timestamp 2024-01-01",
        "!!binary '*'",
    ],
)
def test_a_tag_that_stands_for_more_than_data_is_strange_and_runs_nothing(tagged: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "made"
    assert found(f"interactions:\n- {tagged.replace('PATH', str(path))}\n- after\n") == [STRANGE, "after"]
    assert not path.exists()


def test_the_texts_and_lists_of_old_python_are_data() -> None:
    assert found("interactions: [!!python/unicode a, !!python/str b, !!python/tuple [c], !binary aGk=]") == [
        "a",
        "b",
        ["c"],
        b"hi",
    ]


def test_an_alias_is_the_value_that_it_names() -> None:
    one, other, late = found("a: &x {h: [1]}\ninteractions: [*x, &y [*x], *y]")
    assert one == {"h": [1]}
    assert other == [one] == late


def test_an_alias_of_something_around_it_does_not_hang() -> None:
    assert found("interactions:\n- &x [*x]\n") == [[STRANGE]]


@pytest.mark.parametrize("nest", ["[{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}]", "{{<<: [{0}, {0}, {0}, {0}]}}"])
def test_neither_aliases_nor_merges_multiply(nest: str) -> None:
    lines = ["a0: &a0 {k: v}"] + [f"a{n}: &a{n} {nest.format(f'*a{n - 1}')}" for n in range(1, 60)]
    started = time.monotonic()
    assert len(found("\n".join([*lines, "interactions: [*a59]"]))) == 1
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("interactions:\n- a\n- [b\n", "line 4"),
        ("interactions:\n- a\n- {b: *nothing}\n  c: d\n", "line 4"),
        ("interactions:\n- 'a\n", "line 3"),
        ("interactions:\n- a\n\t- b\n", "line 3"),
        ("- a\n- b\n", "line 1"),
        ("just text", "line 1"),
    ],
)
def test_a_broken_document_says_its_line_and_nothing_of_its_text(text: str, line: str) -> None:
    with pytest.raises(BrokenError) as caught:
        found(text)
    assert caught.value.place == line
    assert caught.value.__context__ is None


@pytest.mark.parametrize("text", ["", "a: b", "interactions: text", "# nothing"])
def test_a_document_without_a_list_of_interactions_is_none(text: str) -> None:
    with pytest.raises(BrokenError, match="no list at interactions, others"):
        found(text)


@pytest.mark.parametrize("data", [b"interactions:\n- \x00\n", b"interactions:\n- \xff\xfe\xff\n"])
def test_bytes_that_are_no_text_are_a_broken_document(data: bytes) -> None:
    with pytest.raises(BrokenError):
        found(data)


def test_nesting_is_bounded() -> None:
    deep = "".join("  " * depth + "-\n" for depth in range(1, MAX_NESTING * 2))
    with pytest.raises(BrokenError, match=r"line \d+: nested deeper than"):
        found("interactions:\n-\n" + deep)


def test_an_empty_list_is_a_list() -> None:
    assert found("interactions: []\nversion: 1\n") == []


def test_a_list_alone_and_a_document_that_is_one_item_are_read_where_they_are_asked_for() -> None:
    keys, single = ("", "requests", "responses"), ("request", "response")

    def told(text: str) -> list[tuple[str, object]]:
        return list(items(io.BytesIO(text.encode()), keys=keys, single=single))

    assert told("- {request: a}\n- b\n") == [("", {"request": "a"}), ("", "b")]
    assert told("response: b\nother: c\nrequest: a\n") == [("", {"response": "b", "request": "a"})]
    assert told("requests: [a]\nresponses: [b]\n") == [("requests", "a"), ("responses", "b")]
    with pytest.raises(BrokenError, match="no list"):
        told("request: a\n")
