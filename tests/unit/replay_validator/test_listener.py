"""What a turn tells a listener of each text, in every family; and that it judges the same without one."""

from typing import Any

import pytest
from support.builders import items
from support.builders.blocks import begin, grow, reason, start, stop
from support.builders.chunks import chunk_of, entry
from support.shared import ROOT

from replay.validator import Envelope, Limits, Turn, judge, read_envelope
from replay.validator.listener import Fate, Form, Heard

ENTRY = ("choices", 0, "delta", "tool_calls", 0, "function", "arguments")


def told(profile: str, *payloads: object, **options: Any) -> list[Heard]:
    heard: list[Heard] = []
    turn = Turn(profile=profile, tool_schemas={}, listener=heard.append, **options)
    for payload in payloads:
        turn.feed(payload)
    return heard


def brief(heard: list[Heard]) -> list[tuple[int, int | None, str, str, str | None, str]]:
    """What matters of most: event, slot, fate, form, name, text."""
    return [(one.event, one.slot, one.fate.name, one.form.name, one.name, one.text) for one in heard]


def test_a_chunk_tells_fragments_names_and_what_comes_behind_the_finish_reason() -> None:
    heard = told(
        "openai",
        chunk_of(entry(0, name="f"), entry(1, "{", name="g")),
        chunk_of(entry(0, "{}"), finish="tool_calls"),
        chunk_of(entry(0, "x")),
        chunk_of(entry(None, "y")),
    )
    assert brief(heard) == [
        (0, 0, "TAKEN", "NAME", "f", ""),
        (0, 1, "TAKEN", "FRAGMENT", "g", "{"),
        (1, 0, "TAKEN", "FRAGMENT", None, "{}"),
        (2, 0, "LATE", "FRAGMENT", None, "x"),
        (3, None, "ALONE", "FRAGMENT", None, "y"),
    ]
    assert [one.path for one in heard if one.text] == [(*ENTRY[:4], 1, *ENTRY[5:]), ENTRY, ENTRY, ENTRY]


def test_a_mirror_is_told_beside_the_text_it_repeats() -> None:
    calls = [entry(0, "{}")]
    (heard,) = told("openai", chunk_of(*calls, message={"tool_calls": calls}))
    assert heard.mirror == ("choices", 0, "message", *ENTRY[3:])


def test_nothing_is_told_of_a_payload_that_is_a_finding() -> None:
    assert (
        told("openai", chunk_of(entry(0, "{}"), {"index": "1"}), None, {"error": {}, **chunk_of(entry(0, "x"))}) == []
    )


def test_what_a_limit_drops_is_told_as_not_taken() -> None:
    limits = Limits(max_slots=1, max_slot_bytes=1)
    heard = told("openai", chunk_of(entry(0, "{")), chunk_of(entry(0, "}")), chunk_of(entry(1, "{")), limits=limits)
    assert [one.fate for one in heard] == [Fate.TAKEN, Fate.NOT_TAKEN, Fate.NOT_TAKEN]


def test_a_block_tells_its_fragments_and_what_belongs_to_no_call() -> None:
    heard = told(
        "anthropic",
        grow(0, "a"),
        stop(1),
        start(0),
        grow(0, "b"),
        stop(0),
        grow(0, "c"),
        grow(None, "d"),
        start(2, "server_tool_use"),
        grow(2, "e"),
        reason(),
        grow(2, "f"),
    )
    assert brief(heard) == [
        (0, 0, "NOT_TAKEN", "FRAGMENT", None, "a"),
        (1, 1, "NOT_TAKEN", "STRAY_END", None, ""),
        (2, 0, "TAKEN", "NAME", "f", ""),
        (3, 0, "TAKEN", "FRAGMENT", None, "b"),
        (5, 0, "LATE", "FRAGMENT", None, "c"),
        (6, None, "ALONE", "FRAGMENT", None, "d"),
        (8, 2, "NOT_TAKEN", "FRAGMENT", None, "e"),
        (10, 2, "LATE", "FRAGMENT", None, "f"),
    ]


def test_an_input_that_comes_whole_is_told_as_an_object() -> None:
    begun = begin({"type": "tool_use", "input": {"a": 1}})
    heard = told("anthropic", begun, start(1, input={"b": 1.0}), grow(1, "x"), start(1, input={"c": 1}), begun)
    assert [(one.slot, one.fate, one.form, one.text, one.path[:2]) for one in heard] == [
        (0, Fate.TAKEN, Form.OBJECT, '{"a":1}', ("message", "content")),
        (1, Fate.TAKEN, Form.OBJECT, '{"b":1}', ("content_block", "input")),
        (1, Fate.LATE, Form.FRAGMENT, "x", ("delta", "partial_json")),
        (1, Fate.ALONE, Form.OBJECT, '{"c":1}', ("content_block", "input")),
        (0, Fate.ALONE, Form.OBJECT, '{"a":1}', ("message", "content")),
    ]


def test_a_response_tells_fragments_copies_and_what_comes_behind_the_text() -> None:
    heard = told(
        "openai-responses",
        items.added(0, items.call()),
        items.grow(0, "{}"),
        items.whole(0, "{}"),
        items.grow(0, "x"),
        items.done(0, items.call(arguments="{}")),
        items.response(output=[{"type": "message"}, items.call(arguments="[]")]),
    )
    assert [(one.event, one.fate.name, one.form.name, one.text, one.path) for one in heard] == [
        (0, "TAKEN", "NAME", "", ()),
        (1, "TAKEN", "FRAGMENT", "{}", ("delta",)),
        (2, "TAKEN", "COPY", "{}", ("arguments",)),
        (3, "LATE", "FRAGMENT", "x", ("delta",)),
        (4, "TAKEN", "NAME", "", ()),
        (4, "TAKEN", "COPY", "{}", ("item", "arguments")),
        (5, "TAKEN", "COPY", "[]", ("response", "output", 1, "arguments")),
    ]


def test_a_copy_before_any_fragment_is_the_text_itself() -> None:
    heard = told("openai-responses", items.added(0, items.custom()), items.done(0, items.custom(input="x")))
    assert [(one.form, one.text) for one in heard] == [(Form.NAME, ""), (Form.NAME, ""), (Form.FRAGMENT, "x")]
    assert all(one.is_free_text for one in heard)


def test_the_report_is_the_same_with_and_without_a_listener() -> None:
    read = [
        read_envelope(path.read_bytes())
        for path in (ROOT / "tests/data/cases").glob("*.json")
        if ".expected." not in path.name
    ]
    envelopes = [envelope for envelope in read if isinstance(envelope, Envelope)]
    for envelope in envelopes:
        turn = Turn(
            profile=envelope.profile,
            tool_schemas=envelope.tool_schemas,
            stream_end=envelope.stream_end,
            tool_choice=envelope.tool_choice,
            parallel_tool_calls=envelope.parallel_tool_calls,
            listener=lambda _: None,
        )
        turn.feed_all(envelope.payloads)
        assert turn.close() == judge(envelope)
    assert len(envelopes) > 100


@pytest.mark.parametrize("profile", ["openai", "anthropic", "openai-responses"])
def test_a_text_is_in_no_repr(profile: str) -> None:
    payloads = [chunk_of(entry(0, "secret", name="secret")), start(0, input={"secret": 1}), items.added(0, None)]
    assert "secret" not in repr(told(profile, *payloads, grow(0, "secret")))
