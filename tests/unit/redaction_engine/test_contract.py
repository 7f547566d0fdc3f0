"""What a fixture says of declared tools: words of those that the turn names, shapes of the others, or ordinals."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.families import FAMILIES
from support.made import captures
from support.nightly import at_night, examples
from support.recorded.exchanges import exchange_of
from support.streamed.pieces import Call, Turn

from redaction.captured.exchange import Contract, Exchange, Proved, Uncalled, Words
from redaction.masks.contract.words import ByShape, Renamed
from redaction.masks.tool_schemas import mask_schema
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact
from replay.validator import Code, Report
from replay.validator.schema import unsupported, violation

RENAMED = Contract(words=Words.NONE)
VALUES = Contract(words=Words.NO_VALUES)
ALL_TOOLS = Contract(uncalled=Uncalled.AS_CALLED)
WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"enum": ["Trondheim", "Ghent"]}, "days": {"type": "integer", "maximum": 73511}},
    "required": ["city"],
}
MAIL: dict[str, Any] = {
    "type": "object",
    "properties": {"recipient": {"type": "string", "pattern": "@acme"}, "urgency": {"const": 4711}},
    "required": ["recipient"],
}
TOOLS = {"get_weather": WEATHER, "send_mail": MAIL}


def chunks(fragments: Sequence[str], *names: str) -> list[dict[str, Any]]:
    """A call in these fragments; the names come with the first ones."""
    entries: list[dict[str, Any]] = [{"index": 0, "function": {"arguments": text}} for text in fragments]
    for entry, name in zip(entries, names, strict=False):
        entry["function"]["name"] = name
    entries[0]["id"] = "call_1"
    choices = [{"index": 0, "delta": {"tool_calls": [entry]}} for entry in entries]
    return [
        {"id": "c", "choices": [choice]}
        for choice in (*choices, {"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    ]


def called(
    text: str | Sequence[str], *names: str, tools: Mapping[str, object] = TOOLS, contract: Contract = RENAMED
) -> Proved:
    """The proved fixture of a call of the first tool, or of one with these names."""
    fragments = [text] if isinstance(text, str) else text
    turn = {
        "profile": "openai",
        "tool_schemas": tools,
        "chunks": chunks(fragments, *(names or [next(iter(tools))])),
        "capture": {"tool_choice": "auto"},
    }
    found = redact(exchange_of(turn), contract=contract)
    assert isinstance(found, Proved), found
    assert list(scan_fixture(found.fixture.data)) == []
    return found


def fixture(found: Proved) -> Any:
    return json.loads(found.fixture.data)


def arguments(found: Proved) -> str:
    calls = [one for chunk in fixture(found)["chunks"] for one in chunk["choices"][0]["delta"].get("tool_calls", ())]
    return "".join(call["function"]["arguments"] for call in calls)


def codes(report: Report) -> list[Code]:
    return [finding.code for finding in report.findings]


# -- tools that the turn does not name


def test_a_tool_that_is_not_called_says_nothing_but_its_shape() -> None:
    found = fixture(called('{"city":"Ghent"}', contract=Contract()))
    assert found["tool_schemas"] == {
        "get_weather": WEATHER,
        "tool_2": {
            "type": "object",
            "properties": {"field_1": {"type": "string", "pattern": "pattern_1"}, "field_2": {"const": 1}},
            "required": ["field_1"],
        },
    }


def test_all_tools_keep_their_words_where_that_is_asked_for() -> None:
    assert fixture(called('{"city":"Ghent"}', contract=ALL_TOOLS))["tool_schemas"] == TOOLS


def test_pieces_of_a_name_name_a_tool() -> None:
    found = called(["{", "}"], "send_", "mail", contract=Contract())
    assert list(fixture(found)["tool_schemas"]) == ["tool_1", "send_mail"]
    assert codes(found.report) == [Code.IDENTITY_COLLISION]


def test_a_name_that_is_refused_names_a_tool() -> None:
    found = called(["{", "}"], "get_weather", "send_mail", contract=Contract())
    assert list(fixture(found)["tool_schemas"]) == ["get_weather", "send_mail"]


@pytest.mark.parametrize("name", ["lookup", "tool_1", "tool_2"])
@pytest.mark.parametrize("contract", [Contract(), RENAMED, ALL_TOOLS], ids=["default", "renamed", "all tools"])
def test_an_unknown_tool_stays_unknown(name: str, contract: Contract) -> None:
    found = called('{"city":"Ghent"}', name, contract=contract)
    assert codes(found.report) == [Code.UNKNOWN_TOOL]
    assert '"undeclared_1"' in found.fixture.data.decode()


def test_a_called_tool_may_be_called_as_a_shape_is() -> None:
    tools = {"send_mail": MAIL, "tool_1": WEATHER}
    found = called('{"city":"Ghent"}', "tool_1", tools=tools, contract=Contract())
    assert list(fixture(found)["tool_schemas"]) == ["tool_3", "tool_1"]
    assert codes(found.report) == []


# -- ordinals


def test_names_and_listed_values_become_ordinals() -> None:
    found = called(['{"city":"Gh', 'ent","days":3}'])
    assert fixture(found)["capture"]["renamed"] == "contract"
    assert fixture(found)["tool_schemas"]["tool_1"] == {
        "type": "object",
        "properties": {"field_1": {"enum": ["value_1", "value_2"]}, "field_2": {"type": "integer", "maximum": 73511}},
        "required": ["field_1"],
    }
    assert arguments(found) == '{"field_1":"value_2","field_2":0}'
    assert codes(found.report) == []


def test_listed_values_alone_can_be_renamed() -> None:
    found = called('{"city":"Ghent"}', contract=VALUES)
    assert fixture(found)["capture"]["renamed"] == "values"
    assert arguments(found) == '{"city":"value_2"}'
    assert list(fixture(found)["tool_schemas"]) == ["get_weather", "tool_2"]


def test_the_same_declaration_has_the_same_words_whatever_is_called() -> None:
    one, other = (
        called('{"city":"Ghent"}', contract=replace(RENAMED, uncalled=Uncalled.AS_CALLED)),
        called('{"recipient":"x"}', "send_mail", contract=replace(RENAMED, uncalled=Uncalled.AS_CALLED)),
    )
    assert fixture(one)["tool_schemas"] == fixture(other)["tool_schemas"]


@pytest.mark.parametrize("names", [("get_", "weather"), ("g", "et_w", "eat", "her"), ("get_weather", "get_weather")])
def test_pieces_of_a_name_make_its_ordinal(names: tuple[str, ...]) -> None:
    found = called(["{", *" " * len(names), "}"], *names)
    calls = [one for chunk in fixture(found)["chunks"] for one in chunk["choices"][0]["delta"].get("tool_calls", ())]
    pieces = [call["function"]["name"] for call in calls if "name" in call["function"]]
    assert "".join(pieces) in ("tool_1", "tool_1tool_1")
    assert found.unfaithful == ()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_word_is_laid_over_as_many_pieces_as_the_declared_one(size: int) -> None:
    text = '{"city":"Trondheim"}'
    found = called([text[at : at + size] for at in range(0, len(text), size)])
    assert json.loads(arguments(found)) == {"field_1": "value_1"}
    sent = [one for chunk in fixture(found)["chunks"] for one in chunk["choices"][0]["delta"].get("tool_calls", ())]
    assert len(sent) == len(range(0, len(text), size))
    assert all(call["function"]["arguments"] for call in sent)


@pytest.mark.parametrize(
    "text",
    [
        '{"city":"Ghent","field_1":"value_2"}',
        '{"city":"value_1"}',
        '{"city":"Oslo"}',
        '{"days":2}',
        '{"city":"Ghent","days":"3"}',
        '{"city":"Ghent"} {}',
        '{"city":"Ghe',
        '{"city":"Ghent","city":"Ghent"}',
        "[]",
        '{"city":"Ghent","days":99999}',
    ],
)
def test_the_verdict_is_that_of_the_declared_words(text: str) -> None:
    assert codes(called(text).report) == codes(called(text, contract=Contract()).report)


# -- schemas


SCHEMAS: list[tuple[object, object]] = [
    (
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}}},
        {"properties": {"field_1": {"$ref": "#/properties/field_2"}, "field_2": {"type": "string"}}},
    ),
    (
        {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["a"]}}},
        {"dependentRequired": {"field_1": ["field_2"]}, "dependentSchemas": {"field_3": {"required": ["field_1"]}}},
    ),
    (
        {"enum": ["a", 4711, 2.5, {"k": ["a"]}, None, True]},
        {"enum": ["value_1", 1, 2.5, {"field_1": ["value_1"]}, None, True]},
    ),
    ({"const": "usr_4711"}, {"const": "value_1"}),
    ({"enum": ["ab", "abc"], "maxLength": 2, "type": "string"}, {"enum": ["value_1"], "type": "string"}),
    ({"const": 7, "minimum": 9}, {"const": 1, "enum": []}),
    (
        {"propertyNames": {"enum": ["a", "b"]}, "properties": {"b": {}}},
        {"propertyNames": {"enum": ["value_1", "value_2"]}, "properties": {"value_2": {}}},
    ),
    (
        {"patternProperties": {"^x-": {}}, "properties": {"x-acme": {}, "acme": {}}},
        {"patternProperties": {"^x-": {}}, "properties": {"x-": {}, "field_2": {}}},
    ),
    (
        {"anyOf": [{"const": "a"}, {"not": {"const": "a"}}]},
        {"anyOf": [{"const": "value_1"}, {"not": {"const": "value_1"}}]},
    ),
]


@pytest.mark.parametrize(("schema", "wanted"), SCHEMAS)
def test_a_renamed_schema_judges_renamed_values_alike(schema: object, wanted: object) -> None:
    plain = mask_schema(schema)
    renamed = mask_schema(schema, Renamed(plain, Words.NONE))
    assert json.loads(json.dumps(renamed, default=float)) == wanted
    assert unsupported(renamed) is None


@pytest.mark.parametrize("schema", [*(schema for schema, _ in SCHEMAS), WEATHER, MAIL])
def test_a_shape_is_its_own_shape(schema: object) -> None:
    shape = mask_schema(schema, ByShape())
    assert mask_schema(shape, ByShape()) == shape
    assert (unsupported(shape) is None) is (unsupported(schema) is None)


def test_a_value_that_another_keyword_forbids_is_no_longer_listed() -> None:
    schema = {"properties": {"a": {"enum": ["ab", "abc"], "maxLength": 2}}}
    words = Renamed(mask_schema(schema), Words.NONE)
    renamed = mask_schema(schema, words)
    assert violation(renamed, {words.known("a"): words.known("ab")}) is None
    assert called('{"a":"abc"}', tools={"t": schema}).report.findings[0].code is Code.SCHEMA_VIOLATION


# -- every family


class Steady(random.Random):
    """Chance that has one result, however often it was asked: as often as a text is long."""

    def random(self) -> float:
        return 0.5

    def getrandbits(self, _: int, /) -> int:
        return 0


def of(words: Sequence[str], profile: str) -> Exchange:
    """A call of the first of two tools, whose declaration is the same but for its words."""
    tool, other, name, member, inner, one, two, three, key = words
    schema = {
        "type": "object",
        "properties": {
            name: {"enum": [one, two, {key: [three]}]},
            member: {"type": "object", "properties": {inner: {"type": "string"}}, "required": [inner]},
        },
        "required": [name],
    }
    value = {name: two, member: {inner: "Mara", "made up": 1}}
    text = json.dumps(value)
    call = Call(tool, value, text, [text], call_id="abcdefgh1")
    made = Turn(profile, Steady(), {tool: schema, other: {"properties": {name: {"const": one}}}}, [call], [])
    return captures.exchange(made, captures.payloads(made))


WORDS = ("lookup_acme", "drop_acme", "tenant", "member", "given_name", "gold plan", "s", "Ünal", "k")
OTHER_WORDS = ("x", "find_the_customer", "q", "contents_of_it", "z", "1", "2 3", "4711 Rue d'Ulm", "house number")


@pytest.mark.parametrize("profile", FAMILIES)
@pytest.mark.parametrize("contract", [RENAMED, replace(RENAMED, uncalled=Uncalled.AS_CALLED)], ids=["called", "all"])
def test_two_declarations_that_differ_in_words_alone_have_one_fixture(profile: str, contract: Contract) -> None:
    one, other = (redact(of(words, profile), contract=contract) for words in (WORDS, OTHER_WORDS))
    assert isinstance(one, Proved), one
    assert isinstance(other, Proved), other
    assert one.fixture.data == other.fixture.data
    assert list(scan_fixture(one.fixture.data)) == []
    for word in (*WORDS, *OTHER_WORDS):
        assert len(word) < 3 or word in ("member",) or json.dumps(word) not in one.fixture.data.decode(), word


@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(120), deadline=None)
def test_where_a_word_was_cut_is_told_by_the_number_of_cuts_alone(seed: int) -> None:
    chance = random.Random(seed)
    tokens = ["{", "NAME", ":", "VALUE", ",", "MEMBER", ":", "[", "OTHER", "]", "}"]
    cuts = [chance.randrange(3) if token.isupper() else 0 for token in tokens]
    found = []
    for words in (("city", "Trondheim", "stops", "Ghent"), ("destination", "AMS-3", "via!", "Bruges or so")):
        name, value, member, other = words
        schema = {"properties": {name: {"enum": [value, "-"]}, member: {"items": {"enum": [other]}}}}
        said = dict(zip(("NAME", "VALUE", "MEMBER", "OTHER"), words, strict=True))
        fragments = [""]
        for token, count in zip(tokens, cuts, strict=True):
            text = json.dumps(said[token]) if token in said else token
            at = sorted(chance.sample(range(1, len(text)), count))
            parts = [text[low:high] for low, high in zip([0, *at], [*at, len(text)], strict=True)]
            fragments[-1] += parts[0]
            fragments += parts[1:]
        found.append(called(fragments, tools={"t": schema}).fixture.data)
    assert found[0] == found[1]


FOUND = [(profile, code) for profile, family in FAMILIES.items() for code in family.faults]


@pytest.mark.parametrize("kind", at_night(FOUND, but=FOUND[::7]), ids=" ".join)
def test_every_finding_stays_under_other_words(kind: tuple[str, str]) -> None:
    profile, code = kind
    made = captures.faulty(code, profile, random.Random(f"{profile} {code}"))
    plain = redact(made)
    assert isinstance(plain, Proved), plain
    names = [name for name in fixture(plain)["tool_schemas"] if not name.startswith("tool_")]
    for contract in (RENAMED, VALUES):
        found = redact(made, contract=contract)
        assert isinstance(found, Proved), found
        assert codes(found.report) == codes(plain.report)
        assert list(scan_fixture(found.fixture.data)) == []
        assert contract is VALUES or not any(name in found.fixture.data.decode() for name in names)


# -- the scan


@pytest.mark.parametrize(
    ("ordinal", "word", "place"),
    [
        ("tool_1", "get_weather", "declared tool"),
        ("field_1", "city", "declared name"),
        ("value_1", "Trondheim", "declared value"),
        ("value_2", "Ghent", "declared value"),
    ],
)
def test_a_fixture_that_says_that_its_words_are_ordinals_has_no_others(ordinal: str, word: str, place: str) -> None:
    data = called('{"city":"Ghent"}').fixture.data
    assert [leak.place for leak in scan_fixture(data.replace(ordinal.encode(), word.encode()))] == [place]
    silent = data.replace(b'"renamed":"contract",', b"")
    assert list(scan_fixture(silent.replace(ordinal.encode(), word.encode()))) == []


@pytest.mark.parametrize("word", ["all", "names", "", True])
def test_how_words_were_renamed_is_one_of_two_words(word: object) -> None:
    data = called('{"city":"Ghent"}').fixture.data
    other = data.replace(b'"renamed":"contract"', b'"renamed":' + json.dumps(word).encode())
    assert "capture.renamed" in [leak.place for leak in scan_fixture(other)]
