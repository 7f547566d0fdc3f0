"""Free text, keys and numbers planted in every place of a fixture and of its pin: the scan names each of them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, TypeAlias

import orjson
import pytest
from support.builders import items
from support.builders.blocks import STOP, begin, grow, reason, start, stop
from support.nightly import examples, sampled
from support.recorded.exchanges import exchange_of
from support.streamed import bedrock, cohere, gemini, ollama

from redaction.captured.exchange import Exchange, Proved
from redaction.fixture import canonical_of
from redaction.proof.files.pin_files import laid_out
from redaction.proof.leak import Leak
from redaction.proof.readback import read_back
from redaction.proof.scan import scan_fixture, scan_pin
from redaction.redactor import redact
from replay.corpus import pins
from replay.families import FAMILIES, array
from replay.validator import Allowance, judge, read_envelope

SECRET: Final = "Mara Lindqvist"
DIGITS: Final = "4111111111111111"
# What a place is replaced by: text, text inside, and numbers whose writing carries digits.
VALUES: Final[Sequence[object]] = (
    SECRET,
    [SECRET],
    [[SECRET]],
    {SECRET: 0},
    {SECRET: None},
    int(DIGITS),
    [int(DIGITS)],
    Decimal(f"0E+{DIGITS}"),
    Decimal(f"0.{DIGITS}"),
    Decimal("0." + "0" * 40),
    True,
)
MEMBERS: Final[Sequence[object]] = (None, {}, [], 0, False, "", "x")

Way: TypeAlias = tuple[str | int, ...]

SCHEMA: Final = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
        "unit": {"enum": ["celsius", "kelvin"]},
        "day": {"$ref": "#/$defs/day"},
        "n": {"type": ["integer", "null"], "minimum": 1, "multipleOf": 0.5},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "prefixItems": [True]},
    },
    "required": ["city"],
    "dependentRequired": {"unit": ["city"]},
    "additionalProperties": False,
    "$defs": {"day": {"type": "string", "format": "date"}},
    "anyOf": [{"const": 1}, True],
}
TEXT: Final = '{"city":"Oslo","unit":"celsius","day":"2024-05-17","tags":[1,"b",3],"n":0}'


def chunks(cut: int) -> list[object]:
    """A turn with two calls, the second of a tool that nobody declared, and one payload that is none."""

    def of(delta: object, finish: str | None = None) -> object:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 17, "model": "gpt-4o", "choices": [choice]}

    def call(index: int, **members: object) -> object:
        return of({"tool_calls": [{"index": index, **members}]})

    return [
        of(
            {
                "role": "assistant",
                "content": "Certainly",
                "reasoning_details": [{"type": "reasoning.text", "text": "a"}],
            }
        ),
        call(0, id="a", type="function", function={"name": "weather", "arguments": ""}),
        call(0, function={"arguments": TEXT[:cut]}),
        call(0, function={"arguments": TEXT[cut:]}),
        call(1, id="b", type="function", function={"name": "other", "arguments": "{}"}),
        of({}, "tool_calls"),
        of({}, "tool_calls"),
        {
            "id": "c1",
            "choices": [],
            "usage": {"prompt_tokens": 5, "prompt_tokens_details": {"cached": 1}},
            "note": "hi",
        },
        '{"cut',
    ]


EVENTS: Final = [
    begin(id="m", type="message", role="assistant"),
    start(0, id="t", name="weather", input={"a": 1}),
    grow(0, TEXT[:20]),
    grow(0, TEXT[20:]),
    stop(0),
    {**reason(usage={"output_tokens": 3}), "delta": {"stop_reason": "tool_use", "stop_sequence": None}},
    STOP,
]


def _response(status: str, *output: object) -> object:
    said = {"id": "r", "object": "response", "status": status, "instructions": "Be brief", "model": "gpt-4o"}
    return {**said, "output": output, "tools": [{"type": "function", "name": "weather"}], "usage": {"input_tokens": 5}}


CALL: Final = items.call(id="f", call_id="a", name="weather", arguments=TEXT)
OTHER: Final = items.custom(id="g", call_id="b", name="other", namespace="crm", input="x")
NUMBERED: Final = items.numbered(
    [
        {"type": "response.created", "response": _response("in_progress")},
        items.added(0, {"type": "reasoning", "id": "e", "summary": []}),
        items.grow(0, "Certainly", "response.reasoning_text", content_index=0),
        items.added(1, {**CALL, "arguments": ""}),
        items.grow(1, TEXT[:20], item_id="f"),
        items.grow(1, TEXT[20:], item_id="f"),
        items.whole(1, TEXT, item_id="f"),
        items.done(1, {**CALL, "status": "completed"}),
        items.added(2, {**OTHER, "input": ""}),
        items.grow(2, "free text", items.INPUT, obfuscation="abc"),
        items.done(2, {**OTHER, "input": "another text"}),
        {"type": "response.completed", "response": _response("completed", CALL, OTHER)},
    ]
)

CONVERSE: Final = [
    {"messageStart": {"role": "assistant", "p": "abc"}},
    bedrock.delta(0, text="Certainly", p="abcdefghij"),
    bedrock.stop(0),
    bedrock.start(1, toolUseId="a", name="weather"),
    bedrock.grow(1, TEXT[:20]),
    bedrock.grow(1, TEXT[20:]),
    bedrock.stop(1),
    bedrock.start(2, toolUseId="b", name="other"),
    bedrock.grow(2),
    bedrock.stop(2),
    bedrock.end(note="hi"),
    {"metadata": {"usage": {"inputTokens": 5}}},
    '{"cut',
]
COHERE: Final = [
    {"id": "m", **cohere.begin(note="hi")},
    {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "Certainly"}}},
    cohere.start(0, id="a", name="weather", arguments=""),
    cohere.grow(0, TEXT[:20]),
    cohere.grow(0, TEXT[20:]),
    cohere.stop(0),
    cohere.start(1, id="b", name="other", arguments="{}"),
    cohere.stop(1),
    cohere.end(usage={"tokens": {"input_tokens": 5}}),
    '{"cut',
]

VALUE: Final = json.loads(TEXT)
GEMINI: Final = [
    gemini.chunk({"text": "Certainly", "thought": True, "note": "hi"}, responseId="r"),
    gemini.chunk(gemini.call(id="a", name="weather", args=VALUE), responseId="r"),
    gemini.chunk(gemini.call(id="b", name="other", willContinue=True)),
    gemini.chunk(
        gemini.call(
            partialArgs=[
                {"jsonPath": "$.city", "stringValue": "Os", "willContinue": True},
                {"jsonPath": "$['city']", "stringValue": "lo"},
                {"jsonPath": "$.own[0]", "numberValue": 5},
                {"jsonPath": "$.flag", "boolValue": True},
                {"jsonPath": "$.none", "nullValue": "NULL_VALUE"},
            ]
        )
    ),
    gemini.chunk({"text": ""}, reason="STOP"),
    gemini.chunk({"text": ""}, reason="STOP"),
    '{"cut',
]
OLLAMA: Final = [
    ollama.line(content="Certainly", note="hi"),
    ollama.line(ollama.call("weather", VALUE, id="a", type="function"), ollama.call("other", {"a": 5})),
    ollama.end(),
    ollama.end(),
    '{"cut',
]

PAYLOADS: Final[Mapping[str, Sequence[object]]] = {
    "openai": chunks(20),
    "mistral": chunks(20),
    "anthropic": EVENTS,
    "openai-responses": NUMBERED,
    "bedrock-converse": CONVERSE,
    "cohere-v2": COHERE,
    "gemini": GEMINI,
    "ollama": OLLAMA,
}


def exchange(profile: str) -> Exchange:
    allow = ["repeated_terminal"]
    sent = exchange_of(
        {
            "profile": profile,
            "tool_schemas": {"weather": SCHEMA},
            "allow": allow,
            array(profile): list(PAYLOADS[profile]),
        }
    )
    before = b": hello\n\nretry: 5\nid: 7\n" if FAMILIES[profile].framing.marked else b""
    body = before + sent.body
    return replace(sent, body=body, user_agent="OpenAI/Python 1.2.3")


def redacted(profile: str) -> bytes:
    found = redact(exchange(profile))
    assert isinstance(found, Proved), found
    return found.fixture.data


def pinned(data: bytes) -> bytes:
    """A pin with each member that there can be."""
    report = judge(read_envelope(data), accept=[Allowance.REPEATED_TERMINAL])
    return pins.write(
        pins.Pin(
            report=pins.bare(report),
            adapter=pins.Adapter(name="openai-python", version="1.2.3"),
            accept=frozenset({Allowance.REPEATED_TERMINAL}),
            limits={"max_events": 100_000, "max_nesting": 64},
        )
    )


def ways(value: object, way: Way = ()) -> Iterator[tuple[Way, object]]:
    """Every place in a JSON value, the whole one excepted."""
    inner: Sequence[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for step, one in inner:
        yield (*way, step), one
        yield from ways(one, (*way, step))


def planted(start: object, exempt: Callable[[Way], bool]) -> Iterator[tuple[str, object]]:
    """The value with one thing more, or one thing else, in each place that is not exempt."""
    for way, was in [((), start), *ways(start)]:
        if exempt(way):
            continue
        for value in VALUES if way else ():
            # Arguments keep their booleans, and so do members that decide, and whatever clients look at in a call.
            if repr(was) != repr(value) and not (value is True and (_in_object(way, start) or way[-1] in BOOLEANS)):
                yield f"{way} replaced by {value!r}", _with(start, way, value)
        if isinstance(was, dict):
            # Arguments may have a member of any name, and one without letters says nothing.
            for key in (SECRET,) if way[-1:] and way[-1] in OBJECTS else (SECRET, ""):
                for value in MEMBERS:
                    yield f"{way} with {key!r}: {value!r}", _with(start, (*way, key), value)
        elif isinstance(was, list):
            for value in [one for one in VALUES if one is not True or not _in_object(way, start)]:
                yield f"{way} with {value!r}", _with(start, way, [*was, value])


# Where arguments stand as an object; what clients look at in a call, whose type is told with which boolean it is; and
# with it the booleans that decide.
OBJECTS: Final = frozenset({"input", "args", "arguments"})
LOOKED_AT: Final = frozenset(
    {"index", "output_index", "content_index", "contentBlockIndex", "finishReason"}
    | {"id", "item_id", "call_id", "toolUseId", "responseId", "name", "namespace"}
    | {"arguments", "args", "input", "delta", "stringValue", "nullValue"}
)
BOOLEANS: Final = frozenset({"thought", "willContinue", "boolValue", "done"} | LOOKED_AT)


def _in_object(way: Way, start: object) -> bool:
    """Whether a place is in the object of a call's arguments."""
    here: Any = start
    for step in way[:-1]:
        here = here[step]
        if step in OBJECTS and isinstance(here, dict):
            return True
    return False


def _with(start: object, way: Way, value: object) -> object:
    changed: Any = deepcopy(start)
    here = changed
    for step in way[:-1]:
        here = here[step]
    here[way[-1]] = value
    return changed


def missed(cases: Iterator[tuple[str, object]], scan: Callable[[object], list[Leak]]) -> list[str]:
    found = []
    tried = 0
    for name, value in sampled(cases):
        tried += 1
        hits = scan(value)
        if not hits or any(text in repr(hits) for text in (SECRET, DIGITS)):
            found.append(f"{name}: {hits}")
    assert tried > examples(100)
    return found


def scanned(value: object) -> list[Leak]:
    """What is found in a fixture, its own layout excepted: that one is only said where nothing else is."""
    data = canonical_of(value)
    if data is None or repr(read_back(data)) != repr(value):
        data = orjson.dumps(value, default=lambda number: orjson.Fragment(str(number).lower()))
    return [hit for hit in scan_fixture(data) if hit.rule != "layout"]


# In a schema stand the application's own words, so text is planted where it has none.
def _in_schemas(way: Way) -> bool:
    return way[:1] == ("tool_schemas",)


@pytest.mark.parametrize("profile", tuple(FAMILIES))
def test_what_is_written_is_clean(profile: str) -> None:
    data = redacted(profile)
    assert list(scan_fixture(data)) == []
    assert list(scan_pin(pinned(data), data)) == []


@pytest.mark.parametrize("profile", tuple(FAMILIES))
def test_whatever_is_planted_in_a_fixture_is_found(profile: str) -> None:
    assert missed(planted(read_back(redacted(profile)), _in_schemas), scanned) == []


# What a keyword takes that is the application's: anything but this is no declaration.
DECLARATIONS: Final[Mapping[str, Callable[[object], bool]]] = {
    "pattern": lambda value: isinstance(value, str),
    "required": lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
    "enum": lambda value: isinstance(value, list),
    "const": lambda _: True,
    "uniqueItems": lambda value: isinstance(value, bool),
    "additionalProperties": lambda value: isinstance(value, bool),
    **dict.fromkeys(
        ("minLength", "minimum", "multipleOf"),
        lambda value: isinstance(value, (int, Decimal)) and not isinstance(value, bool),
    ),
}


def _keywords(schema: Any, way: Way) -> Iterator[Way]:
    """The places of the keywords in a schema."""
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        yield (*way, keyword)
        if keyword in ("properties", "$defs"):
            for name, inner in value.items():
                yield from _keywords(inner, (*way, keyword, name))
        elif keyword in ("anyOf", "prefixItems"):
            for at, inner in enumerate(value):
                yield from _keywords(inner, (*way, keyword, at))
        elif keyword == "items":
            yield from _keywords(value, (*way, keyword))


def _planted_in_schemas(fixture: Any) -> Iterator[tuple[str, object]]:
    schema = fixture["tool_schemas"]["weather"]
    for way in _keywords(schema, ("tool_schemas", "weather")):
        for value in VALUES:
            if not DECLARATIONS.get(str(way[-1]), lambda _: False)(value):
                # A schema that is `true` declares nothing and says nothing.
                if value is True and way[-1] in ("items", "not"):
                    continue
                yield f"{way} is {value!r}", _with(fixture, way, value)
        for value in MEMBERS:
            yield f"{way} beside it {value!r}", _with(fixture, (*way[:-1], SECRET), value)


def test_text_that_declares_nothing_is_found_in_a_schema() -> None:
    assert missed(_planted_in_schemas(read_back(redacted("openai"))), scanned) == []


@pytest.mark.parametrize(
    "schema",
    [
        SECRET,
        None,
        [SECRET],
        {"unknown_keyword": 1},
        {"unknown_keyword": Decimal("1.0")},
        {"unknown_keyword": SECRET},
        {"anyOf": SECRET},
        {"anyOf": {SECRET: True}},
        {"properties": [SECRET]},
        {"dependentRequired": {"a": SECRET}},
        {"dependentRequired": {"a": {SECRET: 0}}},
        {"type": []},
        {"type": ["string", SECRET]},
        {"format": ["date"]},
        {"$ref": SECRET},
        {"$ref": [SECRET]},
        {"$ref": f"#{SECRET}"},
        {"$ref": "#Mara"},
        {"$ref": "#/Mara"},
        {"$ref": "#/properties/Mara"},
        {"$ref": "#/4111/1111/1111/1111"},
        {"$ref": "#/items/items/items"},
        {"$ref": "#/%24defs", "$defs": {}},
        {"$ref": "#/$defs/Mara", "$defs": {"Mara": True}},
        {"$ref": "##"},
        {"const": 1, "$id": SECRET},
    ],
    ids=str,
)
def test_a_schema_that_no_mask_writes_is_found(schema: object) -> None:
    fixture: Any = read_back(redacted("openai"))
    fixture["tool_schemas"]["planted"] = schema
    hits = scanned(fixture)
    assert hits
    assert "Mara" not in repr(hits)


def scan_of(fixture: bytes) -> Callable[[object], list[Leak]]:
    def scan(value: object) -> list[Leak]:
        text = orjson.dumps(value, default=lambda number: orjson.Fragment(str(number).lower()))
        data = laid_out(text) if isinstance(value, dict) else text
        return [hit for hit in scan_pin(data, fixture) if hit.rule != "layout"]

    return scan


@pytest.mark.parametrize("profile", tuple(FAMILIES))
def test_whatever_is_planted_in_a_pin_is_found(profile: str) -> None:
    data = redacted(profile)
    pin = json.loads(pinned(data))
    assert {"adapter", "accept", "limits"} <= pin.keys()
    assert pin["calls"]
    assert pin["findings"]
    assert missed(planted(pin, lambda _: False), scan_of(data)) == []


def test_the_planted_pin_has_a_path_and_the_use_of_an_allowance() -> None:
    pin = json.loads(pinned(redacted("openai")))
    assert any(finding.get("path") for finding in pin["findings"])
    assert pin["allowances"]


@pytest.mark.parametrize(
    "path",
    [
        SECRET,
        f"/{SECRET}",
        "/city/Mara",
        "/tags/4111111111111111",
        "/tags/00",
        "/tags/01",
        "/tag~s",
        "tags",
        "/tags/",
        "//",
    ],
)
def test_a_path_that_leads_nowhere_in_the_arguments_is_found(path: str) -> None:
    data = redacted("openai")
    pin = json.loads(pinned(data))
    finding = next(one for one in pin["findings"] if "path" in one)
    for good in ("", "/tags", "/tags/0", None):
        finding["path"] = good
        assert scan_of(data)(pin) == []
    finding["path"] = path
    assert [hit.place for hit in scan_of(data)(pin)] == ["path of a finding"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"status": "', '"status": "Mara", "status": "'),
        ('"choice": 0', '"choice": -0'),
        ('"choice": 0', '"choice": 0e4111111111111111'),
        ('"choice": 0', '"choice": 0.0'),
        ('"rules": 2', '"rules": 2.0'),
        ('"rules": 2', '"rules": 3'),
        ('"rules": 2', '"rules": true'),
        ('"executable": false', '"executable": true'),
        ('"executable": false', '"executable": 0'),
        ('"max_nesting": 64', '"max_nesting": 4111111111111111'),
        ('"max_nesting": 64', '"max_words": 64'),
        ('"version": "1.2.3"', '"version": "sk-live"'),
        ('"version": "1.2.3"', '"version": "1.2.3", "build": 1'),
        ('"state": "validated"', '"state": "Mara"'),
        ('"state": "validated"', '"mood": "x"'),
        ("\n}\n", "\n}\nMara"),
        ("{\n", "\ufeff{\n"),
        ("{\n", "{ \t \t\t \n"),
        ("\n}\n", "\n}\n\t \t"),
        ('"weather"', '"\\u0077eather"'),
    ],
)
def test_an_edit_of_the_text_of_a_pin_is_found(old: str, new: str) -> None:
    data = redacted("openai")
    text = pinned(data).decode()
    text = text.replace('"state": "blocked"', '"state": "validated"')
    assert list(scan_pin(text.encode(), data)) == []
    assert old in text
    hits = list(scan_pin(text.replace(old, new, 1).encode(), data))
    assert hits
    assert not any(word in repr(hits) for word in ("Mara", "sk-live", DIGITS))


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b"\xff", b"[" * 20 + b"]" * 20])
def test_what_is_no_pin_is_said_to_be_none(data: bytes) -> None:
    assert list(scan_pin(data, redacted("openai")))


def test_the_pin_of_what_is_no_fixture_is_not_proved() -> None:
    assert [hit.rule for hit in scan_pin(pinned(redacted("openai")), b"{}")] == ["structure"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"created":0', '"created":-0'),
        ('"created":0', '"created":0e4111111111111111'),
        ('"created":0', '"created":0E0'),
        ('"created":0', '"created":0.0000000041111'),
        ('"created":0', '"created":0.000'),
        ('"index":0', '"index":0.50000'),
        ('"index":0', '"index":5e-1'),
        ('"index":0', '"index":-0'),
        ('"created":0', '"created":0,"created":4111'),
        ('"finish_reason":null', '"\\u0066inish_reason":null'),
        ('"fixture_version": 1', '"fixture_version": 1e0'),
        ('"fixture_version": 1', '"fixture_version": true'),
        ('"fixture_version": 1', '"fixture_version":  1'),
        ('"created":0,', '"created":0,\t \t\t '),
        ("\n]\n}\n", "\n]\n}\n\n"),
        ("\n]\n}\n", "\n]\n}\n \t \t"),
        ("\n]\n}\n", "\n]\n}\nMara"),
        ("{\n", "\ufeff{\n"),
        ("{\n", "{\r\n"),
        ('"minLength":1', '"minLength":1e0'),
        ('"minLength":1', '"minLength":1,"minLength":1'),
    ],
)
def test_an_edit_of_the_text_of_a_fixture_is_found(old: str, new: str) -> None:
    text = redacted("openai").decode()
    assert old in text
    hits = list(scan_fixture(text.replace(old, new, 1).encode()))
    assert hits
    assert not any(word in repr(hits) for word in ("Mara", DIGITS))


def test_a_nested_key_is_not_named_by_the_key_around_it() -> None:
    fixture: Any = read_back(redacted("openai"))
    fixture["chunks"][0][SECRET] = {SECRET: {SECRET: None}}
    assert {hit.place for hit in scanned(fixture)} == {"key in payload", "key in an unknown key"}


@pytest.mark.parametrize("indent", [None, 1, 2, 4, "\t"])
def test_a_file_may_have_the_layout_of_a_usual_writer(indent: int | str | None) -> None:
    data = redacted("openai")
    pin = pinned(data)
    assert list(scan_fixture(json.dumps(json.loads(data), indent=indent).encode())) == []
    assert list(scan_pin(json.dumps(json.loads(pin), indent=indent).encode() + b"\n", data)) == []


def test_a_file_may_have_the_line_ends_of_windows() -> None:
    data = redacted("openai")
    assert list(scan_fixture(data.replace(b"\n", b"\r\n"))) == []
    assert list(scan_pin(pinned(data).replace(b"\n", b"\r\n"), data)) == []
