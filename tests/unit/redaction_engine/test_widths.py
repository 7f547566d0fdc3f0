"""`--lengths exact`: text and arguments keep their widths in UTF-8, the fixture says so, and nothing else changes."""

import json

import pytest
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Proved, Widths
from redaction.masks.arguments import Lengths, mask_arguments
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer", "maximum": 99}}}
NAMES = frozenset({"city", "n"})


@pytest.mark.parametrize(
    "fragments",
    [
        ['{"city": "Os', "lo, Nor", 'way"}'],
        ['{"city":"Tr\u00e6', '\u00f8nd"}'],
        ['{"city":"a\\nb', 'c"}'],
        ['{ "city" :\n', '"x" , "n":4', "2}"],
        ['{"city":"x","n":tr', "ue}"],
        ['{"city":"cut he'],
        ['{"city":"x"} and', " more prose"],
        ["I am sor", "ry, no"],
        ["", '{"city"', "", ':"Oslo"}', ""],
    ],
)
def test_every_fragment_keeps_its_width(fragments: list[str]) -> None:
    masked = mask_arguments(fragments, SCHEMA, NAMES, Lengths.WIDTHS)
    assert [len(text.encode()) for text in masked] == [len(text.encode()) for text in fragments]
    assert not any(word in "".join(masked) for word in ("Oslo", "Nor", "cut", "more", "sor"))


def test_the_schema_comes_before_the_width() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string", "pattern": "^[A-Z]{4}$"}}}
    assert mask_arguments(['{"city":"OSLO"}'], schema, NAMES, Lengths.WIDTHS) == ['{"city":"XXXX"}']


def test_a_cut_inside_an_escape_comes_before_the_width() -> None:
    masked = mask_arguments(['{"city":"\\u00', 'e6sir"}'], SCHEMA, NAMES, Lengths.WIDTHS)
    assert json.loads("".join(masked))
    assert masked[0].endswith("\\u00")


def turn(text: str, city: str) -> dict[str, object]:
    call = {"index": 0, "id": "call_9", "function": {"name": "find", "arguments": json.dumps({"city": city})}}
    return {
        "profile": "openai",
        "tool_schemas": {"find": SCHEMA},
        "chunks": [
            {"id": "c1", "choices": [{"index": 0, "delta": {"content": text}}]},
            {"id": "c1", "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]},
        ],
    }


def test_a_fixture_with_widths_says_so_and_is_still_data_only() -> None:
    found = redact(exchange_of(turn("Certainly, Ms Miller", "Oslo")), widths=Widths.KEPT)
    assert isinstance(found, Proved)
    fixture = json.loads(found.fixture.data)
    assert fixture["capture"]["lengths"] == "exact"
    assert fixture["capture"]["rung"] == "widths"
    assert fixture["chunks"][0]["choices"][0]["delta"]["content"] == "x" * len("Certainly, Ms Miller")
    assert not list(scan_fixture(found.fixture.data))


def test_without_the_claim_a_run_of_placeholders_is_a_stranger() -> None:
    found = redact(exchange_of(turn("Certainly, Ms Miller", "Oslo")), widths=Widths.KEPT)
    assert isinstance(found, Proved)
    hits = list(scan_fixture(found.fixture.data.replace(b'"lengths":"exact",', b"")))
    assert [hit.place for hit in hits] == ["text of content"]


def test_by_default_lengths_say_nothing() -> None:
    one, other = (
        redact(exchange_of(turn(text, city))) for text, city in (("Yes", "Oslo"), ("Certainly, Ms Miller", "Bergen"))
    )
    assert isinstance(one, Proved)
    assert isinstance(other, Proved)
    assert one.fixture.data == other.fixture.data
