"""Every recorded stream of the three APIs: proved on the most private rung, same verdict, no raw text left.

What must not be left is looked for here by code of its own: it shares nothing with the gate but the protocol's words.
"""

import json
import re
from collections.abc import Iterator
from functools import cache

import pytest
from support import shared
from support.nightly import thirds
from support.readings import streams

from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Ending, Exchange, Proved, Refused
from redaction.families import FAMILIES
from redaction.families.models import MODEL_FAMILIES, PUBLIC_MODELS
from redaction.families.tables.treatments import ByType, Formed, Rule, Unlisted
from redaction.redactor import redact
from replay.validator import judge, read_envelope
from replay.validator.envelope import Envelope

SIZE = 8
# What stands between the words of a JSON text. Its shape is no secret.
STRUCTURE = re.compile(r'[{}\[\],:"]+')
# Ids and references as a policy writes them: a prefix of the provider's or of JSON Schema's, and an ordinal.
ORDINAL = re.compile(
    r"(?:chatcmpl-|cmpl-|msg_|call_?|toolu_|tooluse_|chat_|item_)0[0-9]{4,7}|#/(?:\$defs|definitions)/def_[0-9]+"
)


@cache
def recorded() -> dict[str, streams.Stream]:
    """The streams that the suite carries, and those beside the checkout where they are."""
    folders = [streams.BUNDLED, shared.beside("streams")]
    return {one.name: one for folder in folders if folder is not None for one in streams.read(folder)}


@cache
def redacted(name: str) -> Proved | Refused:
    stream = recorded()[name]
    _, pending = streams.events(stream.body)
    return redact(
        Exchange(
            profile=stream.profile,
            provider=stream.upstream,
            request_body=None if stream.request is None else stream.request.encode(),
            content_type=stream.meta["content_type"],
            body=stream.body,
            ending=Ending.CLOSE if pending else Ending.MESSAGE_END,
        )
    )


def strings(start: object) -> Iterator[str]:
    """Every key and string of a JSON value."""
    if isinstance(start, str):
        yield start
    elif isinstance(start, dict):
        for key, inner in start.items():
            yield key
            yield from strings(inner)
    elif isinstance(start, list):
        for inner in start:
            yield from strings(inner)


def grams(text: str) -> set[str]:
    return {text[at : at + SIZE] for at in range(len(text) - SIZE + 1)}


def protocol_words() -> set[str]:
    """What the tables name, and what `capture` and `transport` say."""
    found = {
        *PUBLIC_MODELS,
        *MODEL_FAMILIES,
        "unknown-model",
        "other_",
        "undeclared_",
    }
    waiting = [family.table for family in FAMILIES.values()]
    while waiting:
        table = waiting.pop()
        if isinstance(table, Rule):
            found |= table.words
        elif isinstance(table, list):
            waiting += table
        elif isinstance(table, ByType):
            waiting += [table.other, *table.tables.values()]
        elif isinstance(table, Unlisted):
            waiting.append(table.table)
        elif isinstance(table, Formed):
            waiting += [table.other, table.table]
        else:
            found |= table.keys()
            waiting += table.values()
    return found


def declared_words(schema: object) -> Iterator[str]:
    """The names and values that an application's schema declares: no title, description, default or example."""
    if isinstance(schema, list):
        for inner in schema:
            yield from declared_words(inner)
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        yield keyword
        if keyword in ("properties", "patternProperties", "dependentSchemas") and isinstance(value, dict):
            yield from value
            yield from declared_words(list(value.values()))
        elif keyword in ("$defs", "definitions") and isinstance(value, dict):
            yield from declared_words(list(value.values()))
        elif keyword in ("enum", "const", "required", "pattern", "format", "type", "dependentRequired"):
            yield from strings(value)
        elif keyword not in ("title", "description", "default", "examples", "$comment", "$schema"):
            yield from declared_words(value)


@pytest.mark.parametrize("name", thirds(sorted(recorded())))
def test_a_stream_is_proved_on_the_most_private_rung_with_its_verdict(name: str) -> None:
    stream = recorded()[name]
    found = redacted(name)
    assert isinstance(found, Proved), found
    assert found.rung == "canonical"
    envelope = read_envelope(found.fixture.data)
    assert isinstance(envelope, Envelope)
    schemas = streams.schemas(stream)
    assert streams.verdict(judge(envelope), schemas) == streams.verdict(streams.judged(stream), schemas)


@pytest.mark.parametrize("name", thirds(sorted(recorded())))
def test_no_eight_characters_of_a_stream_are_left(name: str) -> None:
    stream = recorded()[name]
    found = redacted(name)
    assert isinstance(found, Proved), found
    fixture = json.loads(found.fixture.data)
    envelope = read_envelope(found.fixture.data)
    assert isinstance(envelope, Envelope)
    request = json.loads(stream.request or "{}")
    schemas = streams.schemas(stream)

    texts, _ = streams.events(stream.body)
    payloads = [value for value in map(_value, texts) if value is not None]
    raw = {*strings(request), *strings(payloads), *argument_texts(stream.profile, payloads)}
    said = (fixture["tool_schemas"], envelope.payloads)
    kept = [*(text for part in said for text in strings(part)), *argument_texts(stream.profile, envelope.payloads)]
    known = {*protocol_words(), *schemas, *(word for schema in schemas.values() for word in declared_words(schema))}

    left = {gram for text in kept for word in STRUCTURE.split(ORDINAL.sub("", text)) for gram in grams(word)}
    left -= {gram for word in known for gram in grams(word)}
    assert left & {gram for text in raw for gram in grams(text)} == set()


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def test_streams_of_all_profiles_are_there() -> None:
    assert {one.profile for one in recorded().values()} == set(FAMILIES)


def test_the_streams_beside_the_checkout_are_there() -> None:
    shared.folder("streams")
    assert len(recorded()) > len(streams.read(streams.BUNDLED))
