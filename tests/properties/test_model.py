"""The kernel against a naive reading of the document: lists that are searched again for every question, no state.

Both must agree on generated turns: every finding with its place and order, every call.
"""

from decimal import Decimal
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import blocks
from support.builders import chunks as built
from support.nightly import examples, nightly
from support.readings.naive import (
    END,
    NAMES,
    TOOLS,
    Found,
    Reached,
    as_model,
    conclude,
    drop,
    identity,
    turn_of,
    unrequested,
    what_is_missing,
)

from replay.validator import Allowance, Code, Limits, Report


def is_given(value: Any) -> bool:
    return value not in (None, [])


def is_legacy_call(value: Any) -> bool:
    """Whether a `function_call` is one: an object says so by a name or arguments."""
    if isinstance(value, dict):
        return any(value.get(member) not in (None, "") for member in ("name", "arguments"))
    return is_given(value)


def parts_of(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    return chunk.get("choices") or []


def is_silent(chunk: dict[str, Any]) -> bool:
    """Whether a chunk carries nothing."""
    told = [
        (name, value)
        for choice in parts_of(chunk)
        for name, value in [*choice["delta"].items(), ("finish_reason", choice["finish_reason"])]
        if name != "role" and value not in (None, "", [])
    ]
    return all(name == "function_call" and not is_legacy_call(value) for name, value in told)


def chunk_model(payloads: list[Any], limits: Limits, context: dict[str, Any]) -> dict[str, Any]:
    found: list[Found] = []
    uses: list[Found] = []
    allowed = context["allow"]
    absent = (None, "", "null") if context["profile"] == "mistral" else (None, "")
    if len(payloads) > limits.max_events:
        found.append(((limits.max_events,), "limit_exceeded", None, None, limits.max_events))
    chunks: list[tuple[int, dict[str, Any]]] = []
    for event, payload in enumerate(payloads[: limits.max_events]):
        if not isinstance(payload, dict):
            found.append(((event, 0), "malformed_event", None, None, event))
        elif payload.get("error"):
            found.append(((event, 0), "stream_error", None, None, event))
        elif payload.get("wrong"):
            found.append(((event, 0), "malformed_event", *payload["wrong"], event))
        else:
            chunks.append((event, payload))
    parts: list[tuple[tuple[float, ...], int, dict[str, Any]]] = [
        ((event, 4, position), event, choice)
        for event, chunk in chunks
        for position, choice in enumerate(parts_of(chunk))
    ]
    finishes = [
        ((*when, 2), choice["index"], choice["finish_reason"], event)
        for when, event, choice in parts
        if choice["finish_reason"]
    ]
    entries: list[dict[str, Any]] = []
    for event, chunk in chunks:
        lacks_choices = "choices" not in chunk and "usage" not in chunk
        if lacks_choices or is_given(chunk.get("tool_calls")) or is_legacy_call(chunk.get("function_call")):
            found.append(((event, 2), "unsupported_event", None, None, event))
    for when, event, choice in parts:
        number, delta, message = choice["index"], choice["delta"], choice.get("message") or {}
        calls = delta["tool_calls"]
        if is_legacy_call(delta.get("function_call")) or is_legacy_call(message.get("function_call")):
            found.append(((*when, 0), "unsupported_event", number, None, event))
        elif is_given(message.get("tool_calls")):
            mirrors = message["tool_calls"] == calls
            kept = uses if mirrors and "message_mirror" in allowed else found
            kept.append(((*when, 0), "message_mirror" if kept is uses else "unsupported_event", number, None, event))
        still_open = not any(other == number and at < when for at, other, _, _ in finishes)
        before = [entry for entry in entries if entry["place"][0] == number]
        whole = [
            call["id"] not in absent and bool(call["function"]["name"]) and call["function"]["arguments"] is not None
            for call in calls
        ]
        counted = (
            "unindexed_whole_call" in allowed
            and still_open
            and all(entry["counted"] for entry in before)
            and all(whole)
            and all(call["index"] is None for call in calls)
        )
        behind_counted = still_open and any(entry["counted"] for entry in before)
        for order, call in enumerate(calls):
            index = call["index"]
            if index is None and counted:
                uses.append(((*when, 1, order, 0), "unindexed_whole_call", number, None, event))
                index = len([entry for entry in entries if entry["place"][0] == number])
            elif index is None or behind_counted:
                found.append(((*when, 1, order, 0), "missing_slot", number, None, event))
                continue
            entries.append(
                {
                    "when": (*when, 1, order),
                    "place": (number, index),
                    "counted": call["index"] is None,
                    "whole": whole[order],
                    "id": None if call["id"] in absent else call["id"],
                    "name": call["function"]["name"],
                    "text": call["function"]["arguments"],
                    "type": call["type"],
                    "event": event,
                }
            )

    def ended(choice: int, when: tuple[float, ...]) -> bool:
        return any(number == choice and at < when for at, number, _, _ in finishes)

    def has_slot(choice: int, when: tuple[float, ...]) -> bool:
        return any(entry["place"][0] == choice and entry["when"] < when for entry in entries)

    listed = list(dict.fromkeys(entry["place"] for entry in entries))[: limits.max_slots]
    taken: list[dict[str, Any]] = []
    for entry in entries:
        late = ended(entry["place"][0], entry["when"])
        if late:
            found.append(((*entry["when"], 0), "delta_after_terminal", *entry["place"], entry["event"]))
        if entry["place"] not in listed:
            found.append(((*entry["when"], 1), "limit_exceeded", None, None, entry["event"]))
        elif not late:
            taken.append(entry)
            if entry["type"] not in (None, "", "function"):
                found.append(((*entry["when"], 2), "unsupported_event", *entry["place"], entry["event"]))
    dropped, lost, texts = drop(taken, limits)
    found += dropped + identity(taken)

    for event, chunk in chunks:
        if is_silent(chunk):
            continue
        before_it = [
            other["id"] for number, other in chunks if number < event and other.get("id") and not is_silent(other)
        ]
        opened = any(entry["when"] < (event,) and not ended(entry["place"][0], (event,)) for entry in taken)
        carries = any(choice["delta"]["tool_calls"] for choice in parts_of(chunk))
        if chunk.get("id") and before_it and before_it[-1] != chunk["id"] and (opened or carries):
            name = "rotating_ids" if "rotating_ids" in allowed else "turn_collision"
            (uses if name in allowed else found).append(((event, 1), name, None, None, event))

    wrong: set[int] = set()
    for when, choice, reason, event in finishes:
        earlier = [other for other in finishes if other[1] == choice and other[0] < when]
        slot = has_slot(choice, when)
        own_places = [entry["place"] for entry in entries if entry["place"][0] == choice and entry["when"] < when]
        came_whole = (
            len(set(own_places)) == len(own_places)
            and all(entry["whole"] for entry in entries if entry["place"] in own_places and entry["when"] < when)
            and set(own_places) <= set(listed)
        )
        excuses = [
            name
            for name, holds in (
                ("named_choice_stop", context["tool_choice"] == "named"),
                ("whole_call_stop", came_whole),
            )
            if holds and name in allowed and reason == "stop" and slot
        ]
        if earlier:
            first_reason = min(earlier)[2]
            if slot or "tool_calls" in (reason, first_reason):
                with_delta = any(part["delta"]["tool_calls"] for _, at, part in parts if at == event)
                repeats = reason == first_reason and not with_delta and "repeated_terminal" in allowed
                name = "repeated_terminal" if repeats else "duplicate_terminal"
                (uses if repeats else found).append(((*when, 0), name, choice, None, event))
        elif reason == "tool_calls" or excuses:
            uses += [((*when, 0), name, choice, None, event) for name in excuses[:1]]
            if not slot:
                found.append(((*when, 0), "terminal_without_call", choice, None, event))
            for place in sorted({entry["place"] for entry in taken if entry["place"][0] == choice}):
                own = [entry for entry in taken if entry["place"] == place]
                found += what_is_missing(own, when, event)
        elif slot:
            wrong.add(choice)
            found.append(((*when, 0), "wrong_terminal", choice, None, event))
        if reason == "function_call" and not slot:
            found.append(((*when, 1), "unsupported_event", choice, None, event))

    for place in {entry["place"] for entry in taken}:
        if not ended(place[0], (END,)):
            found.append(((END, 0, *place), "missing_terminal", *place, None))
    found += unrequested([entry["place"] for entry in entries], context)
    return conclude(found, uses, sorted(listed), taken, wrong, lost, texts, limits, context)


WHOLE = (
    *("{}", '{"a":1}', '{"a":"x"}', '{"b":1}', '{"a":1,"a":2}', '{"a":NaN}', '{"a":-Infinity}', '{"a":1e999}'),
    *('{"a":"\\ud800"}', "\ufeff{}", "[1]", "1", '{"a":1} x', "{}{}", '{"a":[[1]]}', '{"a":[[', '{"a":1,}', "[[[[}"),
    *('{"a":NaN,"a":"\\ud800"}', '\ufeff{"a":1,"a":2}', " ", "\u00a0", '{"a":1.5}'),
)
texts = st.sampled_from([None, "", "", "{", "}", '{"a":', "1", "}", "é", *WHOLE])
calls = st.builds(
    lambda index, identity_, name, text, kind: built.entry(index, text, name=name, id=identity_, type=kind),
    st.sampled_from([0, 0, 0, 1, 1, 2, None]),
    st.sampled_from([None, None, "", "a", "b", "null"]),
    st.sampled_from([None, "", "f", "f", "s", "s", "bad", "g"]),
    texts,
    st.sampled_from([None, None, "function", "", "custom"]),
)


def choice_of(index: int, entries: list[Any], finish: str | None, legacy: Any, beside: str) -> dict[str, Any]:
    messages: dict[str, Any] = {
        "stub": {"function_call": {"arguments": ""}},
        "mirror": {"tool_calls": entries},
        "other": {"tool_calls": [{"id": "z"}]},
        "empty": {"tool_calls": [], "content": "text"},
        "legacy": {"function_call": {"name": "f"}},
    }
    delta = {"tool_calls": entries} | ({} if legacy is None else {"function_call": legacy})
    found = {"index": index, "delta": delta, "finish_reason": finish}
    return found | ({"message": messages[beside]} if beside in messages else {})


choices = st.builds(
    choice_of,
    st.sampled_from([0, 0, 0, 1]),
    st.lists(calls, max_size=2),
    st.sampled_from([None, None, None, "", "tool_calls", "tool_calls", "stop", "stop", "function_call"]),
    st.sampled_from([*[None] * 6, {"name": "f"}, [], {}, {"name": "", "arguments": None}, {"x": 1}, ""]),
    st.sampled_from([*[""] * 12, "mirror", "mirror", "other", "empty", "legacy", "stub"]),
)
# A call that is whole and has no index, as one gateway sends them.
unindexed = st.builds(
    lambda identity_, name, text: built.entry(None, text, name=name, id=identity_, type=None),
    st.sampled_from(["a", "b", "b", "null"]),
    st.sampled_from(["f", "s"]),
    st.sampled_from(["", "{}", '{"a":1}']),
)
whole_choices = st.builds(
    choice_of,
    st.just(0),
    st.lists(unindexed, min_size=1, max_size=2),
    st.sampled_from(["tool_calls", "tool_calls", "stop", None, None]),
    st.none(),
    st.just(""),
)
# What keeps a connection alive, and what only looks as if it did.
silent_deltas: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["role", "content", "refusal", "audio"]), st.sampled_from([None, "", [], {}, "x"]), max_size=2
)
alive_choices = st.builds(
    lambda index, delta, stub: {
        **built.choice(index=index),
        "delta": {"tool_calls": [], "function_call": stub, **delta},
    },
    st.sampled_from([0, 0, 1]),
    silent_deltas,
    st.sampled_from([None, None, {}, {"name": ""}]),
)
# An orderly start of a call, so that many turns get as far as their arguments.
starts = st.builds(
    lambda slot, name, text: built.entry(slot, text, name=name, id=f"call_{slot}", type="function"),
    st.sampled_from([0, 1, 2]),
    st.sampled_from(["f", "s", "s", "bad", "g"]),
    st.sampled_from(["", *WHOLE]),
)


# One more fragment and nothing else, as most payloads are.
fragments = st.builds(
    lambda slot, text: built.chunk(built.choice(built.entry(slot, text, id=None, type=None)), id="x"),
    st.sampled_from([0, 1]),
    st.sampled_from(["", "}"]),
)
orderly_chunks = st.builds(
    lambda first_, second, middle, finish: [
        built.chunk(built.choice(*first_), built.choice(*second, index=1), id="x"),
        *middle,
        built.chunk(built.choice(finish=finish), built.choice(finish="tool_calls", index=1), id="x"),
    ],
    st.lists(starts, max_size=2),
    st.lists(starts, max_size=2),
    st.lists(
        st.builds(partial(built.chunk, id="x"), choices | whole_choices)
        | st.builds(partial(built.chunk, id="y"), alive_choices)
        | fragments,
        max_size=2,
    ),
    st.sampled_from(["tool_calls", "tool_calls", "stop"]),
)
# One call, most of them whole, perhaps more of it, and a reason.
whole_stops = st.builds(
    lambda start, more, finish: [
        built.chunk(built.choice(start), id="x"),
        *more,
        built.chunk(built.choice(finish=finish), id="x"),
    ],
    starts,
    st.lists(fragments, max_size=1),
    st.sampled_from(["stop", "stop", "tool_calls"]),
)
# Whole calls without index over several chunks, with something between them.
counted_chunks = st.builds(
    lambda parts, between, finish: [
        *(built.chunk(part | {"finish_reason": None}, id="x") for part in parts[:-1]),
        *between,
        built.chunk(parts[-1] | {"finish_reason": finish}, id="x"),
    ],
    st.lists(whole_choices, min_size=2, max_size=3),
    st.lists(st.builds(partial(built.chunk, id="x"), choices | alive_choices), max_size=1),
    st.sampled_from(["tool_calls", "stop", None]),
)
chunk_ids = st.sampled_from([None, None, None, "", "x", "x", "y"])
# Wrong in one place, which the member `wrong` names for the model; the kernel ignores that member.
wrong_chunks = st.sampled_from(
    [
        {"wrong": (None, None), "id": 5, "choices": []},
        {"wrong": (None, None), "choices": {}},
        {"wrong": (None, None), "choices": None, "usage": None},
        {"wrong": (None, None), "id": "y", "choices": None},
        {"wrong": (1, None), "id": "y", "choices": [{"index": 1, "delta": 5}]},
        {"wrong": (0, None), "choices": [{"index": 0, "delta": {"tool_calls": [{"index": True}]}}]},
        {"wrong": (0, 1), "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "id": 5}]}}]},
    ]
)
chunk_payloads = st.lists(
    st.builds(lambda cid, parts: {"id": cid, "choices": parts}, chunk_ids, st.lists(choices, min_size=1, max_size=2))
    | st.builds(lambda cid, parts: {"id": cid, "choices": parts}, chunk_ids, st.lists(choices, min_size=1, max_size=2))
    | st.builds(lambda cid, choice: {"id": cid, "choices": [choice]}, chunk_ids, whole_choices)
    | st.builds(lambda cid, alive: {"id": cid, "choices": alive}, chunk_ids, st.lists(alive_choices, max_size=2))
    | st.builds(
        lambda cid, rest: {"id": cid, **rest},
        chunk_ids,
        st.sampled_from([{}, {"usage": {}}, {"choices": None, "usage": {}}]),
    )
    | st.builds(lambda choice: {"choices": [choice], "function_call": {"name": "f"}}, choices)
    | st.builds(lambda cid, choice: {"id": cid, "choices": [choice], "tool_calls": [{"index": 0}]}, chunk_ids, choices)
    | st.sampled_from(["text", {"error": 1, "id": "z"}])
    | wrong_chunks,
    max_size=7,
)
limits = st.sampled_from(
    [
        *[Limits()] * 4,
        Limits(max_nesting=2),
        Limits(max_slots=1),
        Limits(max_slot_bytes=3),
        Limits(max_turn_bytes=9),
        Limits(max_events=3),
    ]
)
contexts = st.fixed_dictionaries(
    {
        "allow": st.sampled_from([set(), set(NAMES)]) | st.sets(st.sampled_from(NAMES)),
        "tool_choice": st.sampled_from([None, "auto", "named", "named", "none"]),
        "parallel": st.sampled_from([None, True, False]),
        "cut": st.sampled_from([False, False, False, True]),
    }
)


def agreed(profile: str, payloads: list[Any], bounds: Limits, context: dict[str, Any]) -> Report:
    """The kernel's report, once it is known to agree with the model."""
    turn = turn_of(profile, TOOLS, bounds, context)
    turn.feed_all(payloads)
    report = turn.close()
    model = block_model if profile == "anthropic" else chunk_model
    assert as_model(report) == model(payloads, bounds, {"profile": profile, **context})
    return report


chunk_profiles = st.sampled_from(["openai", "mistral"])


@settings(max_examples=examples(500), deadline=None)
@given(chunk_profiles, chunk_payloads | orderly_chunks | counted_chunks | whole_stops, limits, contexts)
def test_the_kernel_agrees_with_a_naive_reading_on_chunks(
    profile: str, payloads: list[Any], bounds: Limits, context: dict[str, Any]
) -> None:
    agreed(profile, payloads, bounds, context)


KNOWN_BLOCKS = {
    *("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"),
    *("container_upload", "compaction", "fallback"),
}
TAKEOVERS = {"compaction", "fallback"}
FITS = {
    "text_delta": {"text"},
    "thinking_delta": {"thinking"},
    "input_json_delta": {"tool_use", "server_tool_use", "mcp_tool_use"},
    "compaction_delta": {"compaction"},
}


def is_known(block: str) -> bool:
    return block in KNOWN_BLOCKS or block.endswith("_tool_result")


def is_known_event(kind: str) -> bool:
    return kind.startswith("content_block") or kind in ("message_start", "message_delta", "message_stop", "ping")


def inside(event: int, message: dict[str, Any]) -> list[tuple[float, str, dict[str, Any]]]:
    """The blocks and the stop reason of a `message_start`, as if they were events of their own."""
    found: list[tuple[float, str, dict[str, Any]]] = []
    for index, block in enumerate(message["content"]):
        member = {"index": index, "content_block": block}
        found += [(event + 0.01 + index / 10, "content_block_start", member)]
        found += [(event + 0.02 + index / 10, "content_block_stop", member)]
    return [*found, (event + 0.9, "reason inside", {"delta": {"stop_reason": message.get("stop_reason")}})]


# Inputs of a tool call at its start, and their text as the page on printed objects has it; None of those that are none.
INPUTS: list[tuple[Any, str | None]] = [
    (None, None),
    ({}, None),
    ({"a": 1}, '{"a":1}'),
    ({"a": Decimal("1.0")}, '{"a":1}'),
    ({"a": 2.0}, '{"a":2}'),
    ({"b": [None, True, "é\n"]}, '{"b":[null,true,"é\\n"]}'),
    ({"a": [[Decimal("1e-7")]]}, '{"a":[[1e-7]]}'),
]


def text_of(block: dict[str, Any]) -> str | None:
    return next(text for value, text in INPUTS if value == block["input"])


def block_model(payloads: list[Any], limits: Limits, context: dict[str, Any]) -> dict[str, Any]:
    found: list[Found] = []
    if len(payloads) > limits.max_events:
        found.append(((limits.max_events,), "limit_exceeded", None, None, limits.max_events))
    # What is inside a payload has a place between it and the next one.
    events: list[tuple[float, str, dict[str, Any]]] = []
    for number, payload in enumerate(payloads[: limits.max_events]):
        if not isinstance(payload, dict):
            found.append(((number, 0), "malformed_event", None, None, number))
        elif payload.get("error") or payload.get("type") == "error":
            found.append(((number, 0), "stream_error", None, None, number))
        elif payload.get("wrong"):
            found.append(((number, 0), "malformed_event", *payload["wrong"], number))
        elif payload["type"] != "message_start":
            events.append((number, payload["type"], payload))
        else:
            refused = any(kind != "ping" and is_known_event(kind) for _, kind, _ in events)
            events.append((number, "message_start", payload))
            if refused:
                found.append(((number, 1), "turn_collision", None, None, number))
            else:
                events += inside(number, payload["message"])

    def reasons() -> list[tuple[float, str]]:
        pairs = [
            (event, payload["delta"]["stop_reason"])
            for event, kind, payload in events
            if kind in ("message_delta", "reason inside")
        ]
        return [(event, reason) for event, reason in pairs if reason]

    def first_of(kind: str) -> float:
        return min((event for event, other, _ in events if other == kind), default=END)

    stopped = first_of("message_stop")
    stop_reason = min((event for event, _ in reasons() if event < stopped), default=END)
    blocks = [item for item in events if item[1].startswith("content_block")]
    placed = [item for item in blocks if item[2]["index"] is not None]
    starts = [item for item in placed if item[1] == "content_block_start"]

    def start_of(index: int) -> tuple[float, dict[str, Any]] | None:
        """The first start of an index that counts: after the message's stop only a new tool block is one."""
        for event, _, payload in starts:
            block = payload["content_block"]
            if payload["index"] == index and (event < stopped or block["type"] == "tool_use"):
                return event, block
        return None

    def is_late(index: int) -> bool:
        start = start_of(index)
        return start is not None and start[1]["type"] == "tool_use" and start[0] > min(stop_reason, stopped)

    tools = [
        payload["index"]
        for event, _, payload in starts
        if (start := start_of(payload["index"])) == (event, payload["content_block"]) and start[1]["type"] == "tool_use"
    ]
    listed = tools[: limits.max_slots]
    opened = [index for index in listed if not is_late(index)]
    for index in tools[limits.max_slots :]:
        start = start_of(index)
        assert start is not None
        found.append(((start[0], 1), "limit_exceeded", None, None, int(start[0])))

    def opened_before(event: float) -> bool:
        return any((start := start_of(index)) is not None and start[0] < event for index in opened)

    for event, _, payload in blocks:
        if payload["index"] is None:
            found.append(((event, 0), "missing_slot", 0, None, int(event)))
    entries: list[dict[str, Any]] = []
    closed: list[int] = []
    for event, kind, payload in placed:
        at = int(event)
        index = payload["index"]
        start = start_of(index)
        begun = start is not None and start[0] < event
        earlier_stop = any(
            other < event
            and kind_ == "content_block_stop"
            and p["index"] == index
            and start is not None
            and other > start[0]
            for other, kind_, p in placed
        )
        if event > stopped:
            found.append(((event, 0), "delta_after_terminal", 0, index, at))
        elif kind == "content_block_start" and not begun:
            block = payload["content_block"]
            if block["type"] == "tool_use":
                if event > stop_reason:
                    found.append(((event, 0), "delta_after_terminal", 0, index, at))
                elif index in opened:
                    member = {"when": (event,), "place": (0, index), "text": text_of(block), "event": at}
                    entries.append(member | {"id": block["id"], "name": block["name"]})
            elif not is_known(block["type"]) or (block["type"] in TAKEOVERS and opened_before(event)):
                found.append(((event, 2), "unsupported_event", 0, index, at))
        elif begun and is_late(index) and kind != "content_block_delta":
            continue
        elif kind == "content_block_start":
            assert start is not None
            block = payload["content_block"]
            same = block["type"] == start[1]["type"] and (
                block["type"] != "tool_use"
                or all((block[member] or "") == (start[1][member] or "") for member in ("id", "name"))
            )
            found.append(((event, 3), "duplicate_start" if same else "identity_collision", 0, index, at))
        elif kind == "content_block_stop":
            if not begun or earlier_stop:
                found.append(((event, 0), "duplicate_terminal" if begun else "orphan_event", 0, index, at))
            else:
                closed.append(index)
        else:
            delta = payload["delta"]["type"]
            if is_late(index) and begun:
                if delta == "input_json_delta":
                    found.append(((event, 0), "delta_after_terminal", 0, index, at))
            elif delta not in FITS:
                found.append(((event, 0), "unsupported_event", 0, index, at))
            elif not begun or start[1]["type"] not in FITS[delta]:  # type: ignore[index]
                found.append(((event, 0), "orphan_event", 0, index, at))
            elif earlier_stop or (start[1]["type"] == "tool_use" and event > stop_reason):  # type: ignore[index]
                found.append(((event, 0), "delta_after_terminal", 0, index, at))
            elif index in opened:
                if text_of(start[1]) is not None:  # type: ignore[index]
                    found.append(((event, 0), "unsupported_event", 0, index, at))
                    continue
                member = {"when": (event,), "place": (0, index), "id": None, "name": None, "event": at}
                entries.append(member | {"text": payload["delta"]["partial_json"]})
    dropped, lost, texts = drop(entries, limits)
    found += dropped + identity(entries)
    for index in opened:
        if index in closed:
            own = [entry for entry in entries if entry["place"] == (0, index)]
            end = next(
                e for e, k, p in placed if k == "content_block_stop" and p["index"] == index and e > own[0]["when"][0]
            )
            found += what_is_missing(own, (end,), int(end))
            if not texts[0, index] and (0, index) not in lost:
                texts[0, index] = "{}"

    message_kinds = ("message_start", "message_delta", "message_stop")
    for event, kind, _ in events:
        if kind == "message_stop" and event > stopped:
            found.append(((event, 0), "duplicate_terminal", 0, None, int(event)))
        elif kind != "reason inside" and not is_known_event(kind):
            found.append(((event, 0), "unsupported_event", None, None, int(event)))
    wrong: set[int] = set()
    for event, reason in reasons():
        tool = any(start_of(index)[0] < event for index in tools)  # type: ignore[index]
        if event != stop_reason:
            found.append(((event, 0), "duplicate_terminal", 0, None, int(event)))
        elif reason != "tool_use" and tool:
            wrong.add(0)
            found.append(((event, 0), "wrong_terminal", 0, None, int(event)))
        elif reason == "tool_use" and not tool:
            found.append(((event, 0), "terminal_without_call", 0, None, int(event)))

    around = any(kind in message_kinds for _, kind, _ in events)
    whole = not around or (first_of("message_start") < END and bool(reasons()) and stopped < END)
    for index in opened:
        if index not in closed or not whole:
            found.append(((END, 0, 0, index), "missing_terminal", 0, index, None))
    lacks_terminal = stopped == END and not any(code == "missing_terminal" for _, code, *_ in found)
    if context["cut"] and tools and lacks_terminal:
        found.append(((END, 0, END), "missing_terminal", None, None, None))
    found += unrequested([(0, index) for index in tools], context)
    return conclude(found, [], [(0, index) for index in sorted(listed)], entries, wrong, lost, texts, limits, context)


indices = st.sampled_from([0, 0, 0, 1, 1, 2, None])
block_starts = st.builds(
    lambda index, kind, identity_, name, given_: blocks.start(index, kind, id=identity_, name=name, input=given_),
    indices,
    st.sampled_from(["tool_use"] * 6 + ["text", "thinking", "server_tool_use", "web_tool_result", "compaction", "new"]),
    st.sampled_from([None, "", "a", "a", "b"]),
    st.sampled_from([None, "", "f", "f", "s", "s", "bad", "g"]),
    st.sampled_from([{}, {}, {}, *(value for value, _ in INPUTS)]),
)
block_deltas = st.builds(
    lambda index, kind, text: blocks.delta(index, kind, partial_json=text),
    indices,
    st.sampled_from(["input_json_delta"] * 5 + ["text_delta", "thinking_delta", "compaction_delta", "new_delta"]),
    st.sampled_from(["", "{", "}", '{"a":', "1", "}", "é", *WHOLE]),
)
block_stops = st.builds(blocks.stop, indices)
message_deltas = st.builds(blocks.reason, st.sampled_from([None, "", "tool_use", "tool_use", "end_turn"]))
message_starts = st.builds(
    lambda started, word: blocks.begin(*(one["content_block"] for one in started), stop_reason=word),
    st.lists(block_starts, max_size=2),
    st.sampled_from([None, None, None, "", "tool_use", "end_turn"]),
)
wrong_events = st.sampled_from(
    [
        {"wrong": (None, None), "index": 0},
        {"wrong": (None, None), "type": "message_start", "message": 5},
        {"wrong": (None, None), "type": "message_start", "message": {"content": "x"}},
        {"wrong": (None, None), "type": "message_start", "message": {"stop_reason": 5}},
        {"wrong": (0, 1), "type": "message_start", "message": {"content": [{"type": "text"}, {}], "stop_reason": 5}},
        {"wrong": (0, None), "type": "message_delta", "delta": {"stop_reason": 5}},
        {"wrong": (0, None), "type": "content_block_stop", "index": True},
        {"wrong": (0, 1), "type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": 5}},
    ]
)
block_payloads = st.lists(
    block_starts
    | block_starts
    | block_deltas
    | block_deltas
    | block_stops
    | message_deltas
    | message_starts
    | st.sampled_from([{"type": "message_stop"}, {"type": "ping"}, {"type": "new"}, {"type": "error"}, "text"])
    | wrong_events,
    max_size=9,
)
orderly = st.builds(
    lambda begin, middle: [begin, *middle, blocks.reason(), blocks.STOP],
    message_starts,
    st.lists(block_starts | block_deltas | block_stops, max_size=7),
)


whole_blocks = st.builds(
    lambda index, name, text: blocks.grown(index, [text], name=name),
    st.sampled_from([0, 1, 2]),
    st.sampled_from(["f", "s", "s", "bad", "g"]),
    st.sampled_from(["", *WHOLE]),
)
orderly_blocks = st.lists(whole_blocks, min_size=1, max_size=2).map(
    lambda calls: blocks.turn(*(event for call in calls for event in call))
)


@settings(max_examples=examples(600), deadline=None)
@given(block_payloads | orderly | orderly_blocks, limits, contexts)
def test_the_kernel_agrees_with_a_naive_reading_on_block_events(
    payloads: list[Any], bounds: Limits, context: dict[str, Any]
) -> None:
    agreed("anthropic", payloads, bounds, context)


# What a family cannot give: blocks have no array of calls to be counted twice, chunks no blocks.
OF_RESPONSES = {Code.COPY_MISMATCH, Code.SEQUENCE_BREAK}
NOT_IN_CHUNKS = OF_RESPONSES | {Code.INVALID_FIXTURE, Code.DUPLICATE_START, Code.ORPHAN_EVENT}
NOT_IN_BLOCKS = OF_RESPONSES | {Code.INVALID_FIXTURE, Code.EMPTY_ARGUMENTS}
ALLOWANCES_OF_RESPONSES = {Allowance.BUILTIN_CALLS, Allowance.UNCHECKED_GRAMMAR, Allowance.SEQUENCE_GAPS}


@nightly
def test_the_generated_turns_reach_every_code_many_pairs_of_codes_and_every_allowance() -> None:
    of = {"chunks": Reached(), "blocks": Reached()}

    def count(family: str, report: Report) -> None:
        of[family].count(report)

    @settings(max_examples=1_000, deadline=None, derandomize=True, database=None)
    @given(chunk_profiles, chunk_payloads | orderly_chunks | counted_chunks | whole_stops, limits, contexts)
    def chunks(profile: str, payloads: list[Any], bounds: Limits, context: dict[str, Any]) -> None:
        count("chunks", agreed(profile, payloads, bounds, context))

    @settings(max_examples=1_000, deadline=None, derandomize=True, database=None)
    @given(block_payloads | orderly | orderly_blocks, limits, contexts)
    def blocks(payloads: list[Any], bounds: Limits, context: dict[str, Any]) -> None:
        count("blocks", agreed("anthropic", payloads, bounds, context))

    chunks()
    blocks()
    pairs, passed = of["chunks"].pairs | of["blocks"].pairs, of["chunks"].passed + of["blocks"].passed
    several = of["chunks"].several
    print(f"{len(pairs)} pairs of codes, {passed} turns pass, {several} have calls in several choices")
    assert of["chunks"].codes == set(Code) - NOT_IN_CHUNKS
    assert of["blocks"].codes == set(Code) - NOT_IN_BLOCKS
    assert of["chunks"].used | of["blocks"].used == set(Allowance) - ALLOWANCES_OF_RESPONSES
    assert len(pairs) > 150
    assert passed > 20
    assert several > 100
