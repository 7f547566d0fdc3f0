"""The kernel against a naive reading of the page on Responses: lists that are searched again for every question.

Both must agree on generated turns: every finding with its place and order, every use of an allowance, every call. What
else holds of any payloads is at the end.
"""

import copy
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.made.mutations import hangs_together
from support.nightly import examples, nightly
from support.readings import naive
from support.readings.naive import END, NAMES, STRICT, Reached, argument_code, as_model, once_in_order

from replay.validator import Allowance, Code, Envelope, Limits, Report, State, Turn, judge
from replay.validator._machine.ledger import Ledger
from replay.validator._machine.slots import Slots
from replay.validator.profiles._readers.responses import EVENTS
from replay.validator.profiles.responses import ResponseProtocol

TEXT = {"function_call": "arguments", "custom_tool_call": "input"}
EVENT_OF = {"function_call": "response.function_call_arguments", "custom_tool_call": "response.custom_tool_call_input"}
BUILT_IN = {"apply_patch_call", "local_shell_call", "computer_call", "shell_call", "tool_search_call"}
GRAMMAR = {"type": "string", "format": "grammar"}
TOOLS: dict[str, object] = {
    "f": {},
    "s": STRICT,
    "bad": {"unknown": 1},
    "n.s": STRICT,
    "free": {"type": "string"},
    "short": {"type": "string", "maxLength": 2},
    "bound": GRAMMAR,
}
Place = tuple[int | None, int | None]
NOWHERE: Place = (None, None)


def is_tool(item: dict[str, Any]) -> bool:
    return item["type"] in TEXT


def name_of(item: dict[str, Any]) -> str | None:
    space, name = item.get("namespace"), item.get("name")
    return f"{space}.{name}" if name and space and space != name else name


def text_of(item: dict[str, Any]) -> str | None:
    text: str | None = item.get(TEXT[item["type"]])
    return text


class Reading:
    """The events of a turn as lists, and the questions that the page asks of them."""

    def __init__(self, payloads: list[Any], limits: Limits, context: dict[str, Any]) -> None:
        self.limits = limits
        self.context = context
        self.found: list[Any] = []
        self.uses: list[Any] = []
        self.taken = list(enumerate(payloads[: limits.max_events]))
        if len(payloads) > limits.max_events:
            self.find((limits.max_events, 0), "limit_exceeded", NOWHERE)
        self.good: list[tuple[int, str, dict[str, Any]]] = []
        for event, payload in self.taken:
            if not isinstance(payload, dict):
                self.find((event, 0), "malformed_event", NOWHERE)
            elif (
                payload.get("error") is not None
                or (isinstance(payload.get("response"), dict) and payload["response"].get("error") is not None)
                or payload.get("type") in ("error", "response.failed")
            ):
                self.find((event, 2), "stream_error", NOWHERE)
            elif "wrong" in payload:
                self.find((event, 2), "malformed_event", payload["wrong"])
            else:
                self.good.append((event, payload["type"], payload))
        self.items = [
            (event, kind.rpartition(".")[2], payload.get("output_index"), payload["item"])
            for event, kind, payload in self.good
            if kind.startswith("response.output_item.")
        ]
        self.ends = [
            (event, kind, payload)
            for event, kind, payload in self.good
            if kind in ("response.completed", "response.incomplete")
        ]
        self.end = min((event for event, *_ in self.ends), default=END)
        self.added: dict[int, tuple[int, dict[str, Any]]] = {}
        for event, what, index, item in self.items:
            if what == "added" and index is not None:
                self.added.setdefault(index, (event, item))
        tools = sorted((event, index) for index, (event, item) in self.added.items() if is_tool(item))
        self.tools = [index for _, index in tools]
        self.over = set(self.tools[limits.max_slots :])
        self.late = {index for event, index in tools if event > self.end}
        self.slots = [index for index in self.tools if index not in self.over | self.late]

    def find(self, when: tuple[float, ...], code: str, place: Place) -> None:
        event = None if when[0] == END else int(when[0])
        self.found.append((when, code, *place, event))

    def allowed(self, name: str, when: tuple[float, ...], place: Place) -> bool:
        """Whether an allowance is in force; then it is used."""
        if name not in self.context["allow"]:
            return False
        self.uses.append((when, name, *place, None if when[0] == END else int(when[0])))
        return True

    def item_end(self, index: int) -> float:
        """When the item at an index ends; tool items end before the response does."""
        start, first = self.added[index]
        ends = [
            event
            for event, what, other, item in self.items
            if what == "done" and other == index and event > start and item["type"] == first["type"]
            if not (is_tool(first) and event > self.end)
        ]
        return min(ends, default=END)

    def is_there(self, index: int, event: float) -> bool:
        return index in self.added and self.added[index][0] < event

    def text_events(self, index: int, what: str) -> list[tuple[int, dict[str, Any]]]:
        """The events of the text of the call at an index that come while it is open."""
        start, item = self.added[index]
        kind = f"{EVENT_OF[item['type']]}.{what}"
        return [
            (event, payload)
            for event, other, payload in self.good
            if other == kind and payload.get("output_index") == index
            if start < event < min(self.item_end(index), self.end)
        ]

    def text_end(self, index: int) -> float:
        return min((event for event, _ in self.text_events(index, "done")), default=END)

    # What the page finds.

    def numbers(self) -> None:
        read = [
            (event, payload["sequence_number"])
            for event, payload in self.taken
            if isinstance(payload, dict) and type(payload.get("sequence_number")) is int
            if payload["sequence_number"] >= 0
        ]
        for (_, last), (event, number) in pairwise(read):
            if number != last + 1 and not self.allowed("sequence_gaps", (event, 1), NOWHERE):
                self.find((event, 1), "sequence_break", NOWHERE)

    def any_tool_slot(self, event: float) -> bool:
        return any(self.added[index][0] < event for index in self.tools)

    def lifecycle(self) -> None:
        stages = ("created", "in_progress", "queued", "completed", "incomplete")
        own = [item for item in self.good if item[1].removeprefix("response.") in stages]
        first = next((identity for *_, p in own if (identity := (p.get("response") or {}).get("id"))), None)
        for event, kind, payload in own:
            response = payload.get("response") or {}
            if kind == "response.created":
                before = [other for other, name, _ in own if name == kind and other < event]
                if before or any(other < event for other, *_ in self.items) or self.end < event:
                    self.find((event, 3), "turn_collision", NOWHERE)
            other_id = response.get("id") and response["id"] != first and self.any_tool_slot(event)
            if other_id and not self.allowed("rotating_ids", (event, 3), NOWHERE):
                self.find((event, 3), "turn_collision", NOWHERE)
            if (event, kind, payload) not in self.ends:
                if any(is_tool(item) for item in response.get("output") or []):
                    self.find((event, 4), "unsupported_event", NOWHERE)
            elif event > self.end:
                if self.any_tool_slot(event):
                    self.find((event, 4), "duplicate_terminal", (0, None))
            elif kind == "response.incomplete" or response.get("status") not in (None, "", "completed"):
                if self.any_tool_slot(event):
                    self.find((event, 4), "wrong_terminal", (0, None))
            elif response.get("output") and not any(self.added[index][0] < event for index in self.over):
                self.final_list(event, response["output"])

    def final_list(self, event: int, output: list[dict[str, Any]]) -> None:
        left = sorted(self.slots)
        for order, item in enumerate(output):
            if not is_tool(item):
                continue
            own = [
                index
                for index in left
                if item.get("call_id")
                and self.first(index, "call_id") == item["call_id"]
                and self.added[index][1]["type"] == item["type"]
            ]
            if not own:
                self.find((event, 4, order), "copy_mismatch", (0, None))
                continue
            left.remove(own[0])
            place = (0, own[0])
            for member, value in (("id", item.get("id")), ("name", name_of(item))):
                kept = self.first(own[0], member)
                if value and kept and value != kept:
                    when = (event, 4, order, 0)
                    if member == "name" or not self.allowed("rotating_ids", when, place):
                        self.find(when, "identity_collision", place)
        for index in left:
            self.find((event, 4, len(output), index), "copy_mismatch", (0, index))

    def paired(self, event: int, output: list[dict[str, Any]]) -> list[tuple[int, int, dict[str, Any]]]:
        """Which item of the final list is whose copy: its place in the list, the slot, the item."""
        pairs: list[tuple[int, int, dict[str, Any]]] = []
        for order, item in enumerate(output):
            for index in sorted(self.slots):
                same = is_tool(item) and self.added[index][1]["type"] == item["type"]
                if (
                    same
                    and item.get("call_id")
                    and self.first(index, "call_id") == item["call_id"]
                    and index not in [other for _, other, _ in pairs]
                ):
                    pairs.append((order, index, item))
                    break
        return pairs

    def look_at_kind(self, event: int, index: int | None, item: dict[str, Any]) -> None:
        kind, place = item["type"], (0, index)
        if kind in BUILT_IN:
            of_the_provider = item.get("environment", {}).get("type") in ("container_auto", "container_reference") or (
                item.get("execution") == "server"
            )
            if not of_the_provider and not self.allowed("builtin_calls", (event, 4), place):
                self.find((event, 4), "unsupported_event", place)
        elif kind == "compaction":
            if any(self.added[slot][0] < event for slot in self.slots):
                self.find((event, 4), "unsupported_event", place)
        elif kind == "new_kind":
            self.find((event, 4), "unsupported_event", place)

    def item_events(self) -> None:
        for event, what, index, item in self.items:
            place, when = (0, index), (event, 4)
            if index is None:
                if is_tool(item):
                    self.find(when, "missing_slot", place)
                else:
                    self.look_at_kind(event, index, item)
                continue
            there = self.is_there(index, event)
            first = self.added[index][1] if there else {}
            if event > self.end and (is_tool(item) or (there and is_tool(first))):
                self.find(when, "delta_after_terminal", place)
                if what == "added" and not there and index in self.over:
                    self.find((event, 5), "limit_exceeded", NOWHERE)
            elif what == "added" and there:
                same = [
                    (other["type"], is_tool(other) and (other.get("call_id") or None, name_of(other) or None))
                    for other in (item, first)
                ]
                self.find(when, "duplicate_start" if same[0] == same[1] else "identity_collision", place)
            elif what == "added" and is_tool(item):
                if index in self.over:
                    self.find(when, "limit_exceeded", NOWHERE)
                elif text_of(item):
                    self.find(when, "unsupported_event", place)
            elif not there and is_tool(item):
                self.find(when, "orphan_event", place)
            elif not there or what == "added":
                self.look_at_kind(event, index, item)
            elif self.item_end(index) < event:
                self.find(when, "duplicate_terminal", place)
            elif item["type"] != first["type"]:
                self.find(when, "identity_collision", place)
            elif is_tool(item) and index not in self.over:
                status = item.get("status")
                waits = status == "in_progress" and (item.get("caller") or {}).get("type") == "program"
                if status not in (None, "", "completed") and not waits:
                    self.find((event, 8), "wrong_terminal", place)
                for order, member in enumerate(("call_id", "name")):
                    if self.first(index, member) is None:
                        self.find((event, 9, order), f"missing_{'id' if order == 0 else 'name'}", place)

    def other_events(self) -> None:
        for event, kind, payload in self.good:
            index = payload.get("output_index")
            owner = next((item for item, name in EVENT_OF.items() if kind.startswith(name)), None)
            if kind == "response.new_event":
                self.find((event, 4), "unsupported_event", NOWHERE)
            elif kind == "response.output_text.delta" and index in self.tools and self.is_there(index, event):
                self.find((event, 4), "orphan_event", (0, index))
            elif owner is None:
                continue
            elif index is None:
                self.find((event, 4), "missing_slot", (0, None))
            elif event > self.end:
                self.find((event, 4), "delta_after_terminal", (0, index))
            elif not self.is_there(index, event) or self.added[index][1]["type"] != owner:
                self.find((event, 4), "orphan_event", (0, index))
            elif self.item_end(index) < event or (kind.endswith(".delta") and self.text_end(index) < event):
                self.find((event, 4), "delta_after_terminal", (0, index))
            elif self.text_end(index) < event:
                self.find((event, 4), "duplicate_terminal", (0, index))

    def mentions(self, index: int, member: str) -> list[tuple[int, str]]:
        """What a slot receives of an id or name, in order."""
        start, item = self.added[index]
        given = [(start, item)]
        given += [
            (event, other)
            for event, what, at, other in self.items
            if what == "done" and at == index and event == self.item_end(index)
        ]
        if member == "id":
            given += [
                (event, {"id": payload.get("item_id")})
                for event, payload in self.text_events(index, "delta")
                if event < self.text_end(index)
            ]
            given += [
                (event, {"id": payload.get("item_id")})
                for event, payload in self.text_events(index, "done")
                if event == self.text_end(index)
            ]
        values = [(event, name_of(other) if member == "name" else other.get(member)) for event, other in given]
        return sorted((event, value) for event, value in values if value)

    def first(self, index: int, member: str) -> str | None:
        mentions = self.mentions(index, member)
        return mentions[0][1] if mentions else None

    def identity(self) -> None:
        for member in ("call_id", "name", "id"):
            holders = sorted(
                (*self.mentions(index, member)[0], index) for index in self.slots if self.first(index, member)
            )
            for index in self.slots:
                for event, value in self.mentions(index, member):
                    if value != self.first(index, member):
                        when = (event, 5)
                        if member != "id" or not self.allowed("rotating_ids", when, (0, index)):
                            self.find(when, "identity_collision", (0, index))
            for event, value, index in holders:
                if member != "name" and any(other < event and value == kept for other, kept, _ in holders):
                    when = (event, 6)
                    if member != "id" or not self.allowed("rotating_ids", when, (0, index)):
                        self.find(when, "duplicate_id", (0, index))

    def pieces(self) -> list[tuple[tuple[float, ...], int, bool, str]]:
        """Fragments and full copies of all slots, in order; whether it is a copy, and its text."""
        found: list[tuple[tuple[float, ...], int, bool, str | None]] = []
        for index in self.slots:
            member = TEXT[self.added[index][1]["type"]]
            found += [
                ((event, 7), index, False, payload["delta"])
                for event, payload in self.text_events(index, "delta")
                if event < self.text_end(index)
            ]
            found += [
                ((event, 7), index, True, payload.get(member))
                for event, payload in self.text_events(index, "done")
                if event == self.text_end(index)
            ]
            found += [
                ((event, 7), index, True, item.get(member))
                for event, what, at, item in self.items
                if what == "done" and at == index and event == self.item_end(index)
            ]
        for event, kind, payload in self.ends:
            response = payload.get("response") or {}
            passed = any(self.added[index][0] < event for index in self.over)
            whole = kind == "response.completed" and response.get("status") in (None, "", "completed")
            if event == self.end and whole and not passed:
                found += [
                    ((event, 4, order, 1), index, True, text_of(item))
                    for order, index, item in self.paired(event, response.get("output") or [])
                ]
        return sorted((when, index, copied, text) for when, index, copied, text in found if text is not None)

    def texts(self) -> tuple[dict[int, str], set[int]]:
        """What each slot keeps, and the slots that lose something."""
        kept: dict[int, list[str]] = {index: [] for index in self.slots}
        lost: set[int] = set()
        copied: set[int] = set()
        turn_lost = False
        for when, index, is_copy, text in self.pieces():
            if is_copy and index in lost:
                continue
            had = "".join(kept[index])
            first_copy = is_copy and index not in copied
            copied |= {index} if is_copy else set()
            if is_copy and (had or not first_copy):
                if text != had:
                    self.find(when, "copy_mismatch", (0, index))
            elif index in lost or turn_lost:
                lost.add(index)
            elif len((had + text).encode()) > self.limits.max_slot_bytes:
                lost.add(index)
                self.find(when, "limit_exceeded", (0, index))
            elif len("".join(map("".join, kept.values())).encode()) + len(text.encode()) > self.limits.max_turn_bytes:
                lost.add(index)
                turn_lost = True
                self.find(when, "limit_exceeded", NOWHERE)
            else:
                kept[index].append(text)
        return {index: "".join(parts) for index, parts in kept.items()}, lost

    def end_of_stream(self) -> None:
        whole = self.end < END and any(kind == "response.created" for _, kind, _ in self.good)
        for index in self.slots:
            if self.item_end(index) == END or not whole:
                self.find((END, 0, index), "missing_terminal", (0, index))
        said = any(code == "missing_terminal" for _, code, *_ in self.found)
        if self.context["cut"] and self.tools and self.end == END and not said:
            self.find((END, 0, END), "missing_terminal", NOWHERE)
        if self.tools and self.context["tool_choice"] == "none":
            self.find((END, 0, END, 1), "unrequested_call", NOWHERE)
        if len(self.tools) > 1 and self.context["parallel"] is False:
            self.find((END, 0, END, 2), "unrequested_call", (0, None))

    def verdict(self, index: int, text: str) -> tuple[str, str | None]:
        """The text as it is reported, and what section 6 finds in it."""
        name, place, when = str(self.first(index, "name")), (0, index), (END, 1, index)
        free = self.added[index][1]["type"] == "custom_tool_call"
        if name not in TOOLS:
            return text, "unknown_tool"
        if name == "bad":
            return text, "unsupported_schema"
        if name == "bound" and not (free and self.allowed("unchecked_grammar", when, place)):
            return text, "unsupported_schema"
        if not text.strip(" \t\n\r"):
            stands_for_none = not free and not text and name not in ("s", "n.s")
            if not (stands_for_none and self.allowed("empty_arguments", when, place)):
                return text, "empty_arguments"
            text = "{}"
        if free:
            legal = name in ("free", "bound", "f") or (name == "short" and len(text) <= 2) or name in ("s", "n.s")
            return text, None if legal else "schema_violation"
        known = {"f": "f", "s": "s", "n.s": "s"}.get(name)
        code = argument_code(known or "f", text, empty_is_a_finding=True, max_nesting=self.limits.max_nesting)
        return text, code or (None if known else "schema_violation")

    def report(self) -> dict[str, Any]:
        self.numbers()
        self.lifecycle()
        self.item_events()
        self.other_events()
        self.identity()
        texts, lost = self.texts()
        self.end_of_stream()
        calls = []
        wrong = any(code == "wrong_terminal" and slot is None for _, code, _, slot, _ in self.found)
        for index in sorted(set(self.tools) - self.over):
            named = any((choice, slot) == (0, index) for _, _, choice, slot, _ in self.found)
            blocked = index in self.late or index in lost or named or wrong
            identity_, name = (
                None if index in self.late else self.first(index, member) for member in ("call_id", "name")
            )
            text = texts.get(index, "")
            if not blocked:
                text, code = self.verdict(index, text)
                if code is not None:
                    blocked = True
                    self.find((END, 1, index), code, (0, index))
            calls.append((0, index, identity_, name, text, "blocked" if blocked else "validated"))
        return {
            "findings": once_in_order(self.found),
            "calls": calls,
            "uses": [item[1:] for item in sorted(self.uses, key=lambda item: item[0])],
        }


FRAGMENTS = ["", "", "{", "}", '{"a":', "1", "é", " "]
WHOLE = [
    *("{}", '{"a":1}', '{"a":1}', '{"a":"x"}', "[1]", "{}{}", '{"a":NaN}', "{", "\ufeff{}", '{"a":[[1]]}'),
    *('{"a":1,"a":2}', " ", ""),
]
indices = st.sampled_from([0, 0, 0, 1, 1, 2])
ids = st.sampled_from([None, "", "i0", "i0", "i1", "i2"])
call_ids = st.sampled_from(["c0", "c0", "c1", "c2", None, ""])
names = st.sampled_from(["f", "f", "s", "s", "bad", "g", "free", "short", "bound", None, ""])
tool_types = st.sampled_from(["function_call", "function_call", "custom_tool_call"])


def without(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value is not None}


def tool_item(
    kind: str, identity: str | None, call_id: str | None, name: str | None, text: str | None, **more: Any
) -> dict[str, Any]:
    return without({"type": kind, "id": identity, "call_id": call_id, "name": name, TEXT[kind]: text, **more})


other_items = st.sampled_from(
    [
        {"type": "message", "id": "i0", "content": 5},
        {"type": "message", "id": "i0", "content": 5},
        {"type": "reasoning"},
        {"type": "mcp_call", "arguments": 7},
        {"type": "compaction"},
        {"type": "compaction"},
        {"type": "new_kind"},
        {"type": "apply_patch_call"},
        {"type": "local_shell_call"},
        {"type": "computer_call"},
        {"type": "shell_call", "environment": {"type": "local"}},
        {"type": "shell_call", "environment": {"type": "container_auto"}},
        {"type": "tool_search_call", "execution": "server"},
        {"type": "tool_search_call", "execution": "client"},
    ]
)
statuses = st.sampled_from([None, None, None, "", "completed", "completed", "in_progress", "incomplete"])
callers = st.sampled_from([None, None, None, {"type": "program"}, {"type": "direct"}, {}])
tool_items = st.builds(
    lambda kind, identity, call_id, name, text, space, status, caller: tool_item(
        kind, identity, call_id, name, text, namespace=space, status=status, caller=caller
    ),
    tool_types,
    ids,
    call_ids,
    names,
    st.sampled_from([None, None, "", *WHOLE]),
    st.sampled_from([None, None, None, None, "", "n", "s"]),
    statuses,
    callers,
)
items = tool_items | other_items
lists = st.sampled_from([None, None, []]) | st.lists(items, max_size=3)
responses = st.builds(
    lambda identity, status, output, error: without(
        {"id": identity, "status": status, "output": output, "error": error}
    ),
    st.sampled_from([None, "r0", "r0", "r0", "", "r1"]),
    st.sampled_from([None, None, "", "completed", "completed", "completed", "incomplete", "in_progress"]),
    lists,
    st.sampled_from([*[None] * 19, 1]),
)
lifecycle_events = st.builds(
    lambda kind, response: without({"type": f"response.{kind}", "response": response}),
    st.sampled_from(["created", "created", "in_progress", "queued", "completed", "completed", "incomplete"]),
    st.none() | responses | responses | responses,
)
item_events = st.builds(
    lambda what, index, item: without({"type": f"response.output_item.{what}", "output_index": index, "item": item}),
    st.sampled_from(["added", "done"]),
    st.sampled_from([0, 0, 0, 1, 1, 2, None]),
    items,
)
text_events = st.builds(
    lambda kind, what, index, identity, fragment, text: without(
        {
            "type": f"{EVENT_OF[kind]}.{what}",
            "output_index": index,
            "item_id": identity,
            **({"delta": fragment} if what == "delta" else {TEXT[kind]: text}),
        }
    ),
    tool_types,
    st.sampled_from(["delta", "delta", "done"]),
    st.sampled_from([0, 0, 0, 1, 1, 2, None]),
    ids,
    st.sampled_from([*FRAGMENTS, *WHOLE]),
    st.sampled_from([None, *WHOLE]),
)
# A payload whose shape is wrong names the place for the model; the kernel ignores that member.
strange_events = st.sampled_from(
    [
        "text",
        {"type": "error"},
        {"type": "response.failed"},
        {"type": "response.created", "error": {}},
        {"type": "response.output_text.delta", "output_index": 0, "response": {"error": 1}},
        {"type": "keepalive"},
        {"type": "response.rate_limits.updated", "output_index": 0},
        {"type": "response.new_event"},
        {"type": "response.output_text.delta", "output_index": 0},
        {"type": "response.output_text.delta", "output_index": 1, "delta": 5},
        {"type": "response.output_text.delta"},
        {"type": 5, "wrong": NOWHERE},
        {"type": "keepalive", "sequence_number": -1, "wrong": NOWHERE},
        {"type": "response.completed", "response": 5, "wrong": NOWHERE},
        {"type": "response.created", "response": {"output": [{}]}, "wrong": NOWHERE},
        {"type": "response.output_item.added", "output_index": "0", "item": {"type": "message"}, "wrong": (0, None)},
        {"type": "response.output_item.added", "output_index": 1, "wrong": (0, 1)},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "wrong": (0, 0)},
        {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": 5, "wrong": (0, 0)},
    ]
)
events_of_all_kinds = item_events | text_events | text_events | lifecycle_events | strange_events


@st.composite
def whole_calls(draw: st.DrawFn, index: int, *, alike: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The events of one whole call, and its copy for the final list."""
    kind = draw(tool_types)
    name = draw(
        st.sampled_from(["f", "s", "s", "free", "bound"] if alike else ["f", "s", "bad", "short", "bound", "g", None])
    )
    text = draw(st.sampled_from(WHOLE))
    identity = draw(st.sampled_from([f"i{index}", f"i{index}", f"i{index}", "i0", None]))
    call_id = draw(st.sampled_from([*[f"c{index}"] * 5, "c0", "c0", None]))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=2)))
    parts = [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]
    late = draw(st.sampled_from([False, False, False, True]))
    copies = draw(st.sampled_from([(True, True), (True, True), (True, False), (False, True), (False, False)]))
    item = tool_item(kind, identity, call_id, name, text)
    first = tool_item(
        kind, identity, None if late else call_id, None if late else name, draw(st.sampled_from([None, ""]))
    )
    event, member = EVENT_OF[kind], TEXT[kind]
    found = [{"type": "response.output_item.added", "item": first}]
    if draw(st.sampled_from([True, True, True, False])):
        found += [{"type": f"{event}.delta", "item_id": identity, "delta": part} for part in parts]
    found += [without({"type": f"{event}.done", "item_id": identity, member: text if copies[0] else None})]
    last = item if copies[1] else {key: value for key, value in item.items() if key != member}
    found += [{"type": "response.output_item.done", "item": {**last, "status": "completed"}}]
    return [without({**payload, "output_index": index}) for payload in found], item


@st.composite
def turns(draw: st.DrawFn) -> list[Any]:
    """An orderly turn of calls that grow in any mixture, with a few things changed; or any events at all."""
    chance = draw(st.randoms(use_true_random=False))
    payloads: list[Any]
    if draw(st.sampled_from([False, False, False, True])):
        payloads = draw(st.lists(events_of_all_kinds, max_size=9))
    else:
        alike = draw(st.booleans())
        calls = [draw(whole_calls(index, alike=alike)) for index in range(draw(st.integers(1, 3)))]
        queues = [list(events) for events, _ in calls]
        payloads = []
        while any(queues):
            queue = chance.choice([queue for queue in queues if queue])
            payloads.append(queue.pop(0))
        copies = [copy.deepcopy(item) for _, item in calls]
        if draw(st.booleans()):
            chance.shuffle(copies)
        output = draw(st.sampled_from([None, [], copies, copies, copies]))
        payloads.insert(0, {"type": "response.created", "response": {"id": "r0", "output": []}})
        end = draw(st.sampled_from(["completed", "completed", "completed", "completed", "incomplete"]))
        payloads.append({"type": f"response.{end}", "response": without({"id": "r0", "output": output})})
        for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 3]))):
            edit(draw, payloads, copies)
    number(draw, payloads)
    return payloads


def edit(draw: st.DrawFn, payloads: list[Any], copies: list[Any]) -> None:
    """Take one payload away, double it, move it, put another there, or give it or a copy another member."""
    place = draw(st.integers(0, len(payloads) - 1)) if payloads else 0
    action = draw(st.sampled_from(["put", "put", "put", "remove", "double", "move", "change", "change", "copies"]))
    if action == "put" or not payloads:
        payloads.insert(draw(st.integers(0, len(payloads))), draw(events_of_all_kinds))
    elif action == "remove":
        payloads.pop(place)
    elif action == "double":
        payloads.insert(draw(st.integers(place, len(payloads))), copy.deepcopy(payloads[place]))
    elif action == "move":
        payloads.insert(draw(st.integers(0, len(payloads) - 1)), payloads.pop(place))
    elif action == "copies" and copies:
        change = draw(st.sampled_from(["pop", "double", "text", "name", "call_id", "id"]))
        if change == "pop":
            copies.pop()
        elif change == "double":
            copies.append(copy.deepcopy(copies[0]))
        elif change == "text":
            copies[0][TEXT[copies[0]["type"]]] = draw(st.sampled_from(WHOLE))
        else:
            copies[-1][change] = draw(st.sampled_from(["c0", "i0", "i1", "f", ""]))
    elif isinstance(payloads[place], dict):
        payload = payloads[place] = copy.deepcopy(payloads[place])
        if "item_id" in payload:
            payload["item_id"] = draw(st.sampled_from(["i0", "i1", "i9", ""]))
        elif "item" in payload and is_tool(payload["item"]):
            payload["item"][draw(st.sampled_from(["id", "call_id", "name", "namespace"]))] = draw(
                st.sampled_from(["i0", "i1", "c0", "c1", "s", "n", ""])
            )
        elif isinstance(payload.get("response"), dict) and "wrong" not in payload:
            payload["response"]["id"] = draw(st.sampled_from(["r1", ""]))


def number(draw: st.DrawFn, payloads: list[Any]) -> None:
    """Give the payloads their numbers in the sequence: right, none, or some wrong ones."""
    how = draw(st.sampled_from(["right", "right", "right", "none", "some", "wrong"]))
    start = draw(st.sampled_from([0, 0, 1, 7]))
    for place, payload in enumerate(payloads):
        if how == "none" or not isinstance(payload, dict):
            start -= how == "right"
            continue
        if payload.get("sequence_number") == -1:
            start -= 1
            continue
        payload = payloads[place] = dict(payload)
        payload["sequence_number"] = start + place
        if how == "some" and draw(st.booleans()):
            payload["sequence_number"] = None
        elif how == "wrong" and draw(st.sampled_from([False, False, True])):
            payload["sequence_number"] = draw(st.integers(0, 5))


limits = st.sampled_from(
    [
        *[Limits()] * 5,
        Limits(max_nesting=2),
        Limits(max_slots=1),
        Limits(max_slots=2),
        Limits(max_slot_bytes=3),
        Limits(max_turn_bytes=9),
        Limits(max_events=6),
    ]
)
contexts = st.fixed_dictionaries(
    {
        "allow": st.sampled_from([set(), set(), set(NAMES)]) | st.sets(st.sampled_from(NAMES)),
        "cut": st.sampled_from([False, False, False, True]),
        "tool_choice": st.sampled_from([None, None, "auto", "none"]),
        "parallel": st.sampled_from([None, None, True, False]),
    }
)

PERMISSIVE = {"allow": NAMES, "cut": False, "tool_choice": None, "parallel": None}


def turn_of(bounds: Limits, context: dict[str, Any]) -> Turn:
    return naive.turn_of("openai-responses", TOOLS, bounds, context)


def agreed(payloads: list[Any], bounds: Limits, context: dict[str, Any]) -> Report:
    """The kernel's report, once it is known to agree with the model."""
    turn = turn_of(bounds, context)
    turn.feed_all(payloads)
    report = turn.close()
    assert as_model(report) == Reading(payloads, bounds, context).report()
    return report


@settings(max_examples=examples(600), deadline=None)
@given(turns(), limits, contexts)
def test_the_kernel_agrees_with_a_naive_reading_on_responses(
    payloads: list[Any], bounds: Limits, context: dict[str, Any]
) -> None:
    agreed(payloads, bounds, context)


# What a response cannot give: the end of one with calls and of one without is the same word.
NOT_HERE = {Code.INVALID_FIXTURE, Code.TERMINAL_WITHOUT_CALL}
USED_HERE = {
    Allowance.EMPTY_ARGUMENTS,
    Allowance.ROTATING_IDS,
    Allowance.BUILTIN_CALLS,
    Allowance.UNCHECKED_GRAMMAR,
    Allowance.SEQUENCE_GAPS,
}


@nightly
def test_the_generated_turns_reach_every_code_many_pairs_of_codes_and_every_allowance() -> None:
    reached = Reached()

    @settings(max_examples=1_000, deadline=None, derandomize=True, database=None)
    @given(turns(), limits, contexts)
    def count(payloads: list[Any], bounds: Limits, context: dict[str, Any]) -> None:
        reached.count(agreed(payloads, bounds, context))

    count()
    print(f"{len(reached.pairs)} pairs of codes, {reached.passed} turns pass")
    assert reached.codes == set(Code) - NOT_HERE
    assert reached.used == USED_HERE
    assert len(reached.pairs) > 150
    assert reached.passed > 10


@settings(max_examples=examples(150), deadline=None)
@given(turns(), limits, contexts)
def test_a_turn_fed_piece_by_piece_and_looked_at_between_gives_the_same_report(
    payloads: list[Any], bounds: Limits, context: dict[str, Any]
) -> None:
    turn = turn_of(bounds, context)
    before = turn.snapshot()
    for payload in payloads:
        turn.feed(payload)
        after = turn.snapshot()
        assert State.VALIDATED not in {call.state for call in after.calls}
        assert after.findings[: len(before.findings)] == before.findings
        assert sum(call.size for call in before.calls) <= sum(call.size for call in after.calls)
        before = after
    report = turn.close()
    assert report.findings[: len(before.findings)] == before.findings
    whole = Envelope(
        profile="openai-responses",
        tool_schemas=TOOLS,
        payloads=payloads,
        allow=tuple(Allowance(name) for name in context["allow"]),
        stream_end="upstream_disconnected" if context["cut"] else None,
        tool_choice=context["tool_choice"],
        parallel_tool_calls=context["parallel"],
    )
    assert report == judge(whole, accept=list(Allowance), limits=bounds)
    hangs_together(report)


class Whole(ResponseProtocol):
    def take(self, payload: object, event: int) -> None:
        self.take_whole(payload, event)


@settings(max_examples=examples(300), deadline=None)
@given(turns(), limits, contexts)
def test_a_plain_fragment_taken_at_once_is_taken_as_one_read_whole(
    payloads: list[Any], bounds: Limits, context: dict[str, Any]
) -> None:
    outcomes = []
    for machine in (ResponseProtocol, Whole):
        ledger = Ledger(frozenset(Allowance(name) for name in context["allow"]))
        slots = Slots(ledger, bounds)
        taking = machine(slots, ledger, tool_choice=None)
        for event, payload in enumerate(payloads):
            taking.take(payload, event)
        taking.end()
        listed = [(s.choice, s.index, s.id, s.name, s.text(), s.size, s.lost, s.position) for s in slots.ascending()]
        outcomes.append((ledger.findings, ledger.uses, listed, slots.open, slots.size))
    assert outcomes[0] == outcomes[1]


scalars = st.sampled_from([None, True, False, -1, 0, 1, 2**31 - 1, 2**31, 10**400, 1.0, "", "a", "\ud800", "completed"])
keys = st.sampled_from(
    "type sequence_number output_index item item_id id call_id name namespace arguments input status caller delta"
    " response output error environment execution".split()
)
types = st.sampled_from([*sorted(EVENTS), *TEXT, "message", "shell_call", "tool_search_call", "compaction"])
json_values = st.recursive(
    scalars | types, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=12
)


@settings(max_examples=examples(300), deadline=None)
@given(
    st.lists(
        json_values
        | st.builds(lambda kind, rest: {**rest, "type": kind}, types, st.dictionaries(keys, json_values, max_size=5)),
        max_size=6,
    ),
    turns(),
    limits,
)
def test_any_payloads_give_a_report(strange: list[Any], orderly: list[Any], bounds: Limits) -> None:
    turn = turn_of(bounds, PERMISSIVE)
    for payload in [*orderly[: len(orderly) // 2], *strange, *orderly[len(orderly) // 2 :]]:
        turn.feed(payload)
    hangs_together(turn.close())


def test_payloads_nested_past_every_stack_are_taken() -> None:
    value: Any = {}
    for level in range(100_000):
        value = [value] if level % 2 else {"item": value}
    turn = turn_of(Limits(), PERMISSIVE)
    for kind in sorted(EVENTS):
        for member in ("type", "sequence_number", "output_index", "item", "item_id", "delta", "response", "arguments"):
            turn.feed({"type": kind, "output_index": 0, "delta": "", "item": {"type": "function_call"}, member: value})
        turn.feed({"type": kind, "output_index": 0, "item": {"type": "function_call", "caller": {"type": value}}})
        turn.feed({"type": kind, "response": {"output": [{"type": "function_call", "arguments": value}]}})
    hangs_together(turn.close())
