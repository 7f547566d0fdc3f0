"""What must hold of redaction for any input: a result, the same verdict and pieces, no canary, no interference."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.builders import blocks, items
from support.nightly import examples
from support.planted.canaries import PIECE
from support.recorded.exchanges import body_of, request_body
from support.streamed import bedrock, cohere

from redaction.captured.argument_texts import argument_texts, groups
from redaction.captured.exchange import Ending, Exchange, Proved, Reason, Refused
from redaction.families import FAMILIES
from redaction.redactor import redact
from replay.families import array
from replay.validator import read_envelope
from replay.validator.envelope import Envelope

QUICK = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
profiles = st.sampled_from(sorted(FAMILIES))

# Reasons that say something about the traffic. Any other would be a fault of the masks.
HONEST = (
    Reason.NO_EVENTS,
    Reason.CODING,
    Reason.BODY_LIMIT,
    Reason.EVENT_LIMIT,
    Reason.FRAMING,
    Reason.CARRIED,
)


def envelope_of(result: Proved) -> Envelope:
    envelope = read_envelope(result.fixture.data)
    assert isinstance(envelope, Envelope)
    return envelope


def views(result: Proved) -> list[str]:
    envelope = envelope_of(result)
    return [result.fixture.data.decode(), *argument_texts(envelope.profile, envelope.payloads)]


@QUICK
@given(profiles, st.binary(max_size=300), st.sampled_from([None, "gzip", "acme"]), st.sampled_from(list(Ending)))
def test_any_bytes_give_a_result(profile: str, body: bytes, coding: str | None, ending: Ending) -> None:
    result = redact(
        Exchange(profile=profile, provider="p", body=body, content_coding=coding, ending=ending, request_body=body)
    )
    assert isinstance(result, Proved) or result.reason in HONEST


pieces = st.sampled_from(
    [
        b"data: ",
        b"data:",
        b"\n\n",
        b"\r\n\r\n",
        b"\n",
        b"\r",
        b": ",
        b"event: x\n",
        b"id: \n",
        b"{",
        b"}",
        b'"a":1',
        b"[DONE]",
    ]
)


@QUICK
@given(profiles, st.lists(pieces | st.binary(max_size=8), max_size=30))
def test_any_event_stream_gives_a_result(profile: str, parts: list[bytes]) -> None:
    result = redact(Exchange(profile=profile, provider="p", body=b"".join(parts)))
    assert isinstance(result, Proved) or result.reason in HONEST


WORDS = """
id choices index delta tool_calls function name arguments type finish_reason message error code content text usage
model content_block partial_json stop_reason input function_call reasoning_details secret unknown_1
message_start content_block_start content_block_delta content_block_stop message_delta message_stop tool_use
input_json_delta text_delta stop [DONE]
response output output_index item item_id call_id namespace sequence_number status part summary caller
response.created response.in_progress response.completed response.incomplete response.output_item.added
response.output_item.done response.function_call_arguments.delta response.function_call_arguments.done
response.custom_tool_call_input.delta response.custom_tool_call_input.done response.output_text.delta
function_call custom_tool_call reasoning completed in_progress
""".split()
words = st.sampled_from(WORDS) | st.text(max_size=4)
numbers = st.integers(-2, 3) | st.sampled_from([5000, 2**31 - 1, 2**31, 10**20, 1.0, 0.5, 1e300])
values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=5),
    max_leaves=12,
)


@QUICK
@given(
    profiles,
    st.lists(values, min_size=1, max_size=5),
    values,
    st.sampled_from([(), ("message_mirror", "unindexed_whole_call")]),
)
def test_any_payloads_are_proved(profile: str, payloads: list[object], request: object, allow: tuple[str, ...]) -> None:
    exchange = Exchange(
        profile=profile,
        provider="p",
        body=body_of(profile, payloads),
        request_body=json.dumps(request).encode(),
        allow=allow,
    )
    result = redact(exchange)
    # What a carrier holds may be of no family at all, and texts alone may start as a body of another framing does.
    honest = {Reason.CARRIED, *([Reason.FRAMING] if all(isinstance(one, str) for one in payloads) else [])}
    assert isinstance(result, Proved) or result.reason in honest


def call(fragments: Sequence[str], schema: object, profile: str, *, text: str = "Hello", name: str = "t") -> Exchange:
    """One call of the tool `name` in these fragments, some text before it."""
    request = json.loads(request_body(profile, {name: schema}))
    return Exchange(
        profile=profile,
        provider="p",
        body=body_of(profile, _TOLD[profile](fragments, text, name)),
        request_body=json.dumps({**request, "user": text}).encode(),
    )


def _chat(fragments: Sequence[str], text: str, name: str) -> list[object]:
    entries = [{"index": 0, "id": "call_9", "function": {"name": name, "arguments": ""}}]
    entries += [{"index": 0, "function": {"arguments": one}} for one in fragments]
    choices: list[object] = [{"index": 0, "delta": {"content": text}}]
    choices += [{"index": 0, "delta": {"tool_calls": [entry]}} for entry in entries]
    choices += [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
    return [{"id": "chatcmpl-9", "created": len(text), "choices": [choice]} for choice in choices]


def _messages(fragments: Sequence[str], text: str, name: str) -> list[object]:
    said = [blocks.block(0, "text", text=""), blocks.delta(0, "text_delta", text=text), blocks.stop(0)]
    return [*blocks.turn(*said, *blocks.grown(1, fragments, name=name), id="msg_9", usage={"input_tokens": len(text)})]


def _responses(fragments: Sequence[str], text: str, name: str) -> list[object]:
    """The text of the call comes in fragments and in three copies."""
    called = items.grown(1, items.call(9, name=name), fragments)
    return [*items.turn(*items.said(0, [text]), *called, instructions=text, created_at=len(text))]


def _converse(fragments: Sequence[str], text: str, name: str) -> list[object]:
    said = [bedrock.delta(0, text=text), bedrock.stop(0)]
    grown = [bedrock.grow(1, one) for one in fragments]
    usage = {"metadata": {"usage": {"inputTokens": len(text)}}}
    return [bedrock.BEGIN, *said, bedrock.start(1, name=name), *grown, bedrock.stop(1), bedrock.end(), usage]


def _cohere(fragments: Sequence[str], text: str, name: str) -> list[object]:
    plan = {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": text}}}
    grown = [cohere.grow(0, one) for one in fragments]
    start = cohere.start(0, name=name, arguments="")
    return [cohere.begin(), plan, start, *grown, cohere.stop(0), cohere.end(usage={"cached_tokens": len(text)})]


_TOLD: Final[Mapping[str, Callable[[Sequence[str], str, str], list[object]]]] = {
    "openai": _chat,
    "mistral": _chat,
    "anthropic": _messages,
    "openai-responses": _responses,
    "bedrock-converse": _converse,
    "cohere-v2": _cohere,
}
# Those whose calls come in fragments of text.
told = st.sampled_from(list(_TOLD))


def cut(text: str, at: Sequence[int]) -> list[str]:
    bounds = [0, *sorted(min(one, len(text)) for one in at), len(text)]
    return [text[low:high] for low, high in pairwise(bounds)]


names = st.sampled_from(["city", "n", "x9", "Foo Bar", "é", ""])
patterns = st.sampled_from(
    [
        "^[a-z]+$",
        "^\\d{3}$",
        "[A-Z]",
        "^(foo|bar)[0-9]*$",
        "^.{2,4}$",
        "^[^@]+@[^@]+$",
        "^$",
        "\\bid\\b",
        r"^\+?[1-9]\d{1,14}$",
    ]
)
formats = st.sampled_from("date date-time email uri uuid ipv4 ipv6 hostname uri-reference json-pointer time".split())
schemas = st.recursive(
    st.sampled_from([{}, {"type": "string"}, {"type": "integer"}, {"type": ["array", "null"]}, {"const": "foo"}, True])
    | st.builds(lambda low, more: {"minLength": low, "maxLength": low + more}, st.integers(0, 4), st.integers(0, 30))
    | st.builds(
        lambda low, more: {"minimum": low, "maximum": low + more}, st.sampled_from([0, 1, -5, 0.5]), st.integers(0, 99)
    )
    | st.builds(lambda factor: {"multipleOf": factor, "exclusiveMinimum": 0}, st.sampled_from([1, 5, 0.01, 0.3]))
    | st.builds(lambda pattern: {"pattern": pattern}, patterns)
    | st.builds(lambda name: {"format": name}, formats)
    | st.sampled_from([{"enum": ["foo", 1, None]}, {"enum": ["x", 0]}]),
    lambda inner: (
        st.builds(
            lambda properties, rest: {"type": "object", "properties": properties, "additionalProperties": rest},
            st.dictionaries(names, inner, max_size=3),
            st.booleans() | inner,
        )
        | st.builds(lambda items, unique: {"items": items, "uniqueItems": unique}, inner, st.booleans())
        | st.builds(
            lambda word, one, two: {word: [one, two]}, st.sampled_from(["anyOf", "oneOf", "allOf"]), inner, inner
        )
        | st.builds(lambda one: {"not": one}, inner)
        | st.builds(lambda one, two: {"if": one, "then": two}, inner, inner)
        | st.builds(lambda pattern, one: {"patternProperties": {pattern: one}}, patterns, inner)
    ),
    max_leaves=5,
)
texts = st.sampled_from(
    [
        "",
        "a",
        "foo",
        "Hello World",
        "foo12",
        "2021-03-04",
        "ann@b.co",
        'é\n"\\',
        "😀",
        "https://acme.example/p?q=1",
        "123",
    ]
) | st.text(max_size=10).filter(lambda text: text.isprintable())
arguments = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.sampled_from([2.5, 99.99, 10**18]) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
cuts = st.lists(st.integers(0, 120), max_size=6)
breaks = st.none() | st.tuples(
    st.integers(0, 80), st.sampled_from(["", '"', "{", "}", "\\", ",", "x", "0", "\t", "\\ud800"])
)


def broken(text: str, how: tuple[int, str] | None) -> str:
    """The text cut off, with something else behind."""
    return text if how is None else text[: how[0]] + how[1]


@settings(QUICK, max_examples=examples(300))
@given(told, schemas, arguments, cuts, breaks, st.booleans())
def test_a_call_is_proved_on_the_most_private_rung_in_the_same_pieces(
    profile: str, schema: object, value: object, at: list[int], how: tuple[int, str] | None, ascii_only: bool
) -> None:
    text = broken(json.dumps({"city": value}, ensure_ascii=ascii_only), how)
    fragments = cut(text, at)
    whole = {"type": "object", "properties": {"city": schema}}
    result = redact(call(fragments, whole, profile))
    assert isinstance(result, Proved)
    assert result.rung == "canonical"
    masked = [piece.text for group in groups(profile, envelope_of(result).payloads) for piece in group.pieces]
    assert [bool(one) for one in masked][-len(fragments) :] == [bool(one) for one in fragments]


def replayed(result: Proved) -> Exchange:
    """The traffic that a fixture stands for."""
    fixture: dict[str, Any] = json.loads(result.fixture.data)
    profile = fixture["profile"]
    return Exchange(
        profile=profile,
        provider="p",
        body=body_of(profile, fixture[array(profile)]),
        request_body=request_body(profile, fixture["tool_schemas"]),
    )


@QUICK
@given(told, schemas, arguments, cuts, breaks)
def test_masking_twice_is_masking_once(
    profile: str, schema: object, value: object, at: list[int], how: tuple[int, str] | None
) -> None:
    text = broken(json.dumps({"city": value}), how)
    once = redact(call(cut(text, at), {"type": "object", "properties": {"city": schema}}, profile))
    assert isinstance(once, Proved)
    again = redact(replayed(once))
    assert isinstance(again, Proved)
    assert envelope_of(again).payloads == envelope_of(once).payloads
    assert envelope_of(again).tool_schemas == envelope_of(once).tool_schemas


CANARY = "Zq7vX2mTz9Lp4Wk8Rf3B"
KINDS = st.sampled_from(
    [
        CANARY,
        f"é{CANARY}ü",
        f'"{CANARY}\\',
        f"{CANARY}\n{CANARY}",
        f"😀{CANARY}",
        "".join(f"\\u{ord(letter):04x}" for letter in CANARY),
    ]
)


def holds_canary(text: str) -> bool:
    return any(CANARY[at : at + PIECE] in text for at in range(len(CANARY) - PIECE + 1))


@QUICK
@given(told, KINDS, schemas, cuts, breaks, st.sampled_from(["value", "key", "item", "deep", "tail"]), st.booleans())
def test_a_canary_is_in_no_byte_and_no_assembled_text(
    profile: str, secret: str, schema: object, at: list[int], how: tuple[int, str] | None, place: str, ascii_only: bool
) -> None:
    value = {
        "value": {"city": secret},
        "key": {secret: 1, "city": {secret: secret}},
        "item": {"city": [secret, 1, secret]},
        "deep": {"a": {"b": [{"c": secret}]}},
        "tail": {},
    }[place]
    text = json.dumps(value, ensure_ascii=ascii_only) + (secret if place == "tail" else "")
    whole = {"type": "object", "properties": {"city": schema}}
    result = redact(call(cut(broken(text, how), at), whole, profile, text=secret, name="t"))
    assert isinstance(result, Proved)
    assert not any(map(holds_canary, views(result)))
    assert not holds_canary(repr(result))


def twin(value: object, pick: random.Random) -> object:
    """The same shape with other user data: texts, numbers and undeclared keys of any length, equal ones apart."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return pick.randrange(10 ** pick.randrange(1, 16))  # of larger ones it is told whether a double holds them
    if isinstance(value, str):
        return "".join(pick.choice("abcXYZ 019-_é.") for _ in range(pick.randrange(1, 40)))
    if isinstance(value, list):
        return [twin(inner, pick) for inner in value]
    assert isinstance(value, dict)
    return {
        (key if key == "city" else f"{at}{twin('', pick)}"): twin(inner, pick)
        for at, (key, inner) in enumerate(value.items())
    }


@QUICK
@given(told, arguments, st.integers(0, 2**32))
def test_captures_that_differ_in_user_data_alone_give_the_same_fixture(profile: str, value: object, seed: int) -> None:
    whole = {"type": "object", "properties": {"city": {}}}
    found = []
    for number in range(2):
        pick = random.Random(seed + number)
        text = json.dumps(twin({"city": value}, pick), ensure_ascii=pick.random() < 0.5)
        # One cut in a string of digits is one class; here every fragment holds the whole text.
        result = redact(call([text], whole, profile, text=str(twin("", pick))))
        assert isinstance(result, Proved)
        found.append(result.fixture.data)
    assert found[0] == found[1]


@QUICK
@given(
    st.text(alphabet="abcXYZ 019", min_size=3, max_size=40),
    st.text(alphabet="abcXYZ 019", min_size=3, max_size=40),
    st.data(),
)
def test_where_a_string_was_cut_and_how_long_it_was_is_not_kept(one: str, two: str, data: st.DataObject) -> None:
    whole = {"type": "object", "properties": {"city": {"type": "string"}}}
    count = data.draw(st.integers(0, 2))
    found = []
    for text in (one, two):
        inside = data.draw(st.lists(st.integers(1, len(text) - 1), min_size=count, max_size=count, unique=True))
        start = len('{"city":"')
        fragments = cut(json.dumps({"city": text}, separators=(",", ":")), [start + at for at in inside])
        result = redact(call(fragments, whole, "openai"))
        assert isinstance(result, Proved)
        found.append(result.fixture.data)
    assert found[0] == found[1]


def test_a_refusal_says_nothing_of_the_exchange() -> None:
    result = redact(Exchange(profile="openai", provider="p", body=CANARY.encode(), content_coding=CANARY))
    assert isinstance(result, Refused)
    assert not holds_canary(repr(result))
