"""The kernel against a naive reading of the document: lists that are searched again for every question, no state.

Both must agree on generated turns: every finding with its place and order, every call.
"""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from replay.validator import Limits, Report, Turn

END = float("inf")
Found = tuple[tuple[float, ...], str, int | None, int | None, int | None]  # when, code, choice, slot, event
TOOLS: dict[str, object] = {"f": {}, "bad": {"unknown": 1}}


def once_in_order(found: list[Found]) -> list[tuple[str, int | None, int | None, int | None]]:
    kept: list[tuple[str, int | None, int | None, int | None]] = []
    for _, code, choice, slot, event in sorted(found, key=lambda item: item[0]):
        explained = code == "terminal_without_call" and any(choice == other for _, other, _, _ in kept)
        if not explained and (code, choice, slot) not in [item[:3] for item in kept]:
            kept.append((code, choice, slot, event))
    return kept


def argument_code(name: str, text: str, *, empty_is_a_finding: bool) -> str | None:
    if name not in TOOLS:
        return "unknown_tool"
    if name == "bad":
        return "unsupported_schema"
    if empty_is_a_finding and not text.strip():
        return "empty_arguments"
    if text.startswith("{}"):
        return "trailing_data" if text[2:].strip() else None
    return "malformed_arguments"


def drop(entries: list[dict[str, Any]], limits: Limits) -> tuple[list[Found], set[tuple[int, int]], dict[Any, str]]:
    """What the byte limits find, the slots that lose a fragment, and the text that each slot keeps."""
    found: list[Found] = []
    lost: set[tuple[int, int]] = set()
    texts: dict[Any, str] = {}
    turn_lost = False
    for entry in entries:
        place, text = entry["place"], entry["text"]
        texts.setdefault(place, "")
        if text is None:
            continue
        if place in lost or turn_lost:
            lost.add(place)
        elif len((texts[place] + text).encode()) > limits.max_slot_bytes:
            lost.add(place)
            found.append(((*entry["when"], 5), "limit_exceeded", *place, entry["event"]))
        elif sum(len(kept.encode()) for kept in texts.values()) + len(text.encode()) > limits.max_turn_bytes:
            turn_lost = True
            lost.add(place)
            found.append(((*entry["when"], 5), "limit_exceeded", None, None, entry["event"]))
        else:
            texts[place] += text
    return found, lost, texts


def first(values: list[dict[str, Any]], member: str) -> dict[str, Any] | None:
    return next((value for value in values if value[member]), None)


def identity(entries: list[dict[str, Any]]) -> list[Found]:
    """Collisions and repeated ids."""
    found: list[Found] = []
    holders: list[tuple[tuple[float, ...], int, str, tuple[int, int], int]] = []
    for place in {entry["place"] for entry in entries}:
        own = [entry for entry in entries if entry["place"] == place]
        for entry in own:
            for member in ("id", "name"):
                kept = first(own, member)
                if entry[member] and kept is not None and entry[member] != kept[member]:
                    found.append(((*entry["when"], 3), "identity_collision", *place, entry["event"]))
        kept = first(own, "id")
        if kept is not None:
            holders.append((kept["when"], place[0], kept["id"], place, kept["event"]))
    for when, choice, identity_, place, event in holders:
        if any(other[:3] < (when,) and other[1:3] == (choice, identity_) for other in holders if other[0] < when):
            found.append(((*when, 4), "duplicate_id", *place, event))
    return found


def what_is_missing(own: list[dict[str, Any]], when: tuple[float, ...], event: int) -> list[Found]:
    place = own[0]["place"]
    return [
        ((*when, place[1], order), f"missing_{member}", *place, event)
        for order, member in enumerate(("id", "name"))
        if first(own, member) is None
    ]


def chunk_model(payloads: list[Any], limits: Limits) -> dict[str, Any]:
    found: list[Found] = []
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
    entries: list[dict[str, Any]] = []
    finishes: list[tuple[tuple[float, ...], int, str, int]] = []
    for event, chunk in chunks:
        if "choices" not in chunk:
            found.append(((event, 2), "unsupported_event", None, None, event))
        for position, choice in enumerate(chunk.get("choices", [])):
            when, number = (event, 4, position), choice["index"]
            if choice["delta"].get("function_call"):
                found.append(((*when, 0), "unsupported_event", number, None, event))
            for order, call in enumerate(choice["delta"]["tool_calls"]):
                if call["index"] is None:
                    found.append(((*when, 1, order, 0), "missing_slot", number, None, event))
                    continue
                entries.append(
                    {
                        "when": (*when, 1, order),
                        "place": (number, call["index"]),
                        "id": call["id"],
                        "name": call["function"]["name"],
                        "text": call["function"]["arguments"],
                        "type": call["type"],
                        "event": event,
                    }
                )
            if choice["finish_reason"]:
                finishes.append(((*when, 2), number, choice["finish_reason"], event))

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
        before = [other["id"] for number, other in chunks if number < event and other.get("id")]
        opened = any(entry["when"] < (event,) and not ended(entry["place"][0], (event,)) for entry in taken)
        carries = any(choice["delta"]["tool_calls"] for choice in chunk.get("choices", []))
        if chunk.get("id") and before and before[-1] != chunk["id"] and (opened or carries):
            found.append(((event, 1), "turn_collision", None, None, event))

    wrong: set[int] = set()
    for when, choice, reason, event in finishes:
        earlier = [other for other in finishes if other[1] == choice and other[0] < when]
        slot = has_slot(choice, when)
        if earlier:
            if slot or "tool_calls" in (reason, min(earlier)[2]):
                found.append(((*when, 0), "duplicate_terminal", choice, None, event))
        elif reason == "tool_calls":
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
    return conclude(found, sorted(listed), taken, wrong, lost, texts, empty_is_a_finding=True)


def conclude(
    found: list[Found],
    listed: list[tuple[int, int]],
    taken: list[dict[str, Any]],
    wrong: set[int],
    lost: set[tuple[int, int]],
    texts: dict[Any, str],
    *,
    empty_is_a_finding: bool,
) -> dict[str, Any]:
    """Arguments, calls and the verdict."""
    calls = []
    for place in listed:
        own = [entry for entry in taken if entry["place"] == place]
        named = any(item[2:4] == place for item in found)
        blocked = not own or named or place[0] in wrong or place in lost
        identity_, name = ((kept := first(own, member)) and kept[member] for member in ("id", "name"))
        if not blocked:
            code = argument_code(str(name), texts[place], empty_is_a_finding=empty_is_a_finding)
            if code is not None:
                blocked = True
                found.append(((END, 1, *place), code, *place, None))
        calls.append((*place, identity_, name, texts.get(place, ""), "blocked" if blocked else "validated"))
    return {"findings": once_in_order(found), "calls": calls}


def as_model(report: Report) -> dict[str, Any]:
    return {
        "findings": [(item.code.value, item.choice, item.slot, item.event) for item in report.findings],
        "calls": [
            (call.choice, call.slot, call.id, call.name, call.arguments, call.state.value) for call in report.calls
        ],
    }


texts = st.sampled_from([None, "", "{", "}", "{}", " ", "é"])
calls = st.builds(
    lambda index, identity_, name, text, kind: {
        "index": index,
        "id": identity_,
        "type": kind,
        "function": {"name": name, "arguments": text},
    },
    st.sampled_from([0, 0, 0, 1, 1, 2, None]),
    st.sampled_from([None, None, "", "a", "b"]),
    st.sampled_from([None, "", "f", "f", "bad", "g"]),
    texts,
    st.sampled_from([None, None, "function", "", "custom"]),
)
choices = st.builds(
    lambda index, entries, finish, legacy: {
        "index": index,
        "delta": {"tool_calls": entries, "function_call": legacy},
        "finish_reason": finish,
    },
    st.sampled_from([0, 0, 0, 1]),
    st.lists(calls, max_size=2),
    st.sampled_from([None, None, None, "", "tool_calls", "tool_calls", "stop", "function_call"]),
    st.sampled_from([None, None, None, None, {}]).map(lambda value: None if value is None else {"name": "f"}),
)
chunk_ids = st.sampled_from([None, None, None, "", "x", "x", "y"])
# Wrong in one place, which the member `wrong` names for the model; the kernel ignores that member.
wrong_chunks = st.sampled_from(
    [
        {"wrong": (None, None), "id": 5, "choices": []},
        {"wrong": (None, None), "choices": {}},
        {"wrong": (1, None), "id": "y", "choices": [{"index": 1, "delta": 5}]},
        {"wrong": (0, None), "choices": [{"index": 0, "delta": {"tool_calls": [{"index": True}]}}]},
        {"wrong": (0, 1), "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "id": 5}]}}]},
    ]
)
chunk_payloads = st.lists(
    st.builds(lambda cid, parts: {"id": cid, "choices": parts}, chunk_ids, st.lists(choices, min_size=1, max_size=2))
    | st.builds(lambda cid, parts: {"id": cid, "choices": parts}, chunk_ids, st.lists(choices, min_size=1, max_size=2))
    | st.builds(lambda cid: {"id": cid}, chunk_ids)
    | st.sampled_from(["text", {"error": 1, "id": "z"}])
    | wrong_chunks,
    max_size=7,
)
limits = st.sampled_from(
    [Limits(), Limits(), Limits(max_slots=1), Limits(max_slot_bytes=3), Limits(max_turn_bytes=4), Limits(max_events=3)]
)


@settings(max_examples=500, deadline=None)
@given(chunk_payloads, limits)
def test_the_kernel_agrees_with_a_naive_reading_on_chunks(payloads: list[Any], bounds: Limits) -> None:
    turn = Turn(profile="openai", tool_schemas=TOOLS, limits=bounds)
    for payload in payloads:
        turn.feed(payload)
    assert as_model(turn.close()) == chunk_model(payloads, bounds)


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


def block_model(payloads: list[Any], limits: Limits) -> dict[str, Any]:
    found: list[Found] = []
    if len(payloads) > limits.max_events:
        found.append(((limits.max_events,), "limit_exceeded", None, None, limits.max_events))
    events: list[tuple[int, str, dict[str, Any]]] = []
    for event, payload in enumerate(payloads[: limits.max_events]):
        if not isinstance(payload, dict):
            found.append(((event, 0), "malformed_event", None, None, event))
        elif payload.get("error") or payload.get("type") == "error":
            found.append(((event, 0), "stream_error", None, None, event))
        elif payload.get("wrong"):
            found.append(((event, 0), "malformed_event", *payload["wrong"], event))
        else:
            events.append((event, payload["type"], payload))

    def reasons() -> list[tuple[int, str]]:
        pairs = [(event, payload["delta"]["stop_reason"]) for event, kind, payload in events if kind == "message_delta"]
        return [(event, reason) for event, reason in pairs if reason]

    def first_of(kind: str) -> float:
        return min((event for event, other, _ in events if other == kind), default=END)

    stopped = first_of("message_stop")
    stop_reason = min((event for event, _ in reasons() if event < stopped), default=END)
    blocks = [item for item in events if item[1].startswith("content_block")]
    placed = [item for item in blocks if item[2]["index"] is not None]
    starts = [item for item in placed if item[1] == "content_block_start"]

    def start_of(index: int) -> tuple[int, dict[str, Any]] | None:
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
        found.append(((start[0], 1), "limit_exceeded", None, None, start[0]))

    def opened_before(event: int) -> bool:
        return any((start := start_of(index)) is not None and start[0] < event for index in opened)

    for event, _, payload in blocks:
        if payload["index"] is None:
            found.append(((event, 0), "missing_slot", 0, None, event))
    entries: list[dict[str, Any]] = []
    closed: list[int] = []
    for event, kind, payload in placed:
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
            found.append(((event, 0), "delta_after_terminal", 0, index, event))
        elif kind == "content_block_start" and not begun:
            block = payload["content_block"]
            if block["type"] == "tool_use":
                if event > stop_reason:
                    found.append(((event, 0), "delta_after_terminal", 0, index, event))
                elif index in opened:
                    member = {"when": (event,), "place": (0, index), "text": None, "event": event}
                    entries.append(member | {"id": block["id"], "name": block["name"]})
                    if block["input"]:
                        found.append(((event, 2), "unsupported_event", 0, index, event))
            elif not is_known(block["type"]) or (block["type"] in TAKEOVERS and opened_before(event)):
                found.append(((event, 2), "unsupported_event", 0, index, event))
        elif begun and is_late(index) and kind != "content_block_delta":
            continue
        elif kind == "content_block_start":
            assert start is not None
            block = payload["content_block"]
            same = block["type"] == start[1]["type"] and (
                block["type"] != "tool_use"
                or all((block[member] or "") == (start[1][member] or "") for member in ("id", "name"))
            )
            found.append(((event, 3), "duplicate_start" if same else "identity_collision", 0, index, event))
        elif kind == "content_block_stop":
            if not begun or earlier_stop:
                found.append(((event, 0), "duplicate_terminal" if begun else "orphan_event", 0, index, event))
            else:
                closed.append(index)
        else:
            delta = payload["delta"]["type"]
            if is_late(index) and begun:
                if delta == "input_json_delta":
                    found.append(((event, 0), "delta_after_terminal", 0, index, event))
            elif delta not in FITS:
                found.append(((event, 0), "unsupported_event", 0, index, event))
            elif not begun or start[1]["type"] not in FITS[delta]:  # type: ignore[index]
                found.append(((event, 0), "orphan_event", 0, index, event))
            elif earlier_stop or (start[1]["type"] == "tool_use" and event > stop_reason):  # type: ignore[index]
                found.append(((event, 0), "delta_after_terminal", 0, index, event))
            elif index in opened:
                member = {"when": (event,), "place": (0, index), "id": None, "name": None, "event": event}
                entries.append(member | {"text": payload["delta"]["partial_json"]})
    dropped, lost, texts = drop(entries, limits)
    found += dropped + identity(entries)
    for index in opened:
        if index in closed:
            own = [entry for entry in entries if entry["place"] == (0, index)]
            at = next(
                e for e, k, p in placed if k == "content_block_stop" and p["index"] == index and e > own[0]["event"]
            )
            found += what_is_missing(own, (at,), at)
            if not texts[0, index] and (0, index) not in lost:
                texts[0, index] = "{}"

    message_kinds = ("message_start", "message_delta", "message_stop")
    for event, kind, payload in events:
        earlier = [item for item in events if item[0] < event]
        if kind == "message_start":
            if any(other in message_kinds or other.startswith("content_block") for _, other, _ in earlier):
                found.append(((event, 1), "turn_collision", None, None, event))
            if payload["message"]["content"]:
                found.append(((event, 2), "unsupported_event", None, None, event))
        elif kind == "message_stop" and event > stopped:
            found.append(((event, 0), "duplicate_terminal", 0, None, event))
        elif kind not in (*message_kinds, "ping") and not kind.startswith("content_block"):
            found.append(((event, 0), "unsupported_event", None, None, event))
    wrong: set[int] = set()
    for event, reason in reasons():
        tool = any(start_of(index)[0] < event for index in tools)  # type: ignore[index]
        if event != stop_reason:
            found.append(((event, 0), "duplicate_terminal", 0, None, event))
        elif reason != "tool_use" and tool:
            wrong.add(0)
            found.append(((event, 0), "wrong_terminal", 0, None, event))
        elif reason == "tool_use" and not tool:
            found.append(((event, 0), "terminal_without_call", 0, None, event))

    around = any(kind in message_kinds for _, kind, _ in events)
    whole = not around or (first_of("message_start") < END and bool(reasons()) and stopped < END)
    for index in opened:
        if index not in closed or not whole:
            found.append(((END, 0, 0, index), "missing_terminal", 0, index, None))
    return conclude(
        found, [(0, index) for index in sorted(listed)], entries, wrong, lost, texts, empty_is_a_finding=False
    )


indices = st.sampled_from([0, 0, 0, 1, 1, 2, None])
block_starts = st.builds(
    lambda index, kind, identity_, name, given_: {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": kind, "id": identity_, "name": name, "input": given_},
    },
    indices,
    st.sampled_from(["tool_use"] * 6 + ["text", "thinking", "server_tool_use", "web_tool_result", "compaction", "new"]),
    st.sampled_from([None, "", "a", "a", "b"]),
    st.sampled_from([None, "", "f", "f", "f", "bad", "g"]),
    st.sampled_from([None, {}, {}, {}, {"x": 1}]),
)
block_deltas = st.builds(
    lambda index, kind, text: {
        "type": "content_block_delta",
        "index": index,
        "delta": {"type": kind, "partial_json": text},
    },
    indices,
    st.sampled_from(["input_json_delta"] * 5 + ["text_delta", "thinking_delta", "compaction_delta", "new_delta"]),
    st.sampled_from(["", "{", "}", "{}", " ", "é"]),
)
block_stops = st.builds(lambda index: {"type": "content_block_stop", "index": index}, indices)
message_deltas = st.builds(
    lambda reason: {"type": "message_delta", "delta": {"stop_reason": reason}},
    st.sampled_from([None, "", "tool_use", "tool_use", "end_turn"]),
)
message_starts = st.builds(
    lambda content: {"type": "message_start", "message": {"content": content}},
    st.sampled_from([[], [], [], [{"type": "tool_use"}]]),
)
wrong_events = st.sampled_from(
    [
        {"wrong": (None, None), "index": 0},
        {"wrong": (None, None), "type": "message_start", "message": 5},
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
orderly = st.lists(block_starts | block_deltas | block_stops, max_size=7).map(
    lambda middle: [
        {"type": "message_start", "message": {"content": []}},
        *middle,
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
)


@settings(max_examples=700, deadline=None)
@given(block_payloads | orderly, limits)
def test_the_kernel_agrees_with_a_naive_reading_on_block_events(payloads: list[Any], bounds: Limits) -> None:
    turn = Turn(profile="anthropic", tool_schemas=TOOLS, limits=bounds)
    for payload in payloads:
        turn.feed(payload)
    assert as_model(turn.close()) == block_model(payloads, bounds)
