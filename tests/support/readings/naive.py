"""What the naive readings of a turn share: lists that are searched again for every question, and what is told of them.

They are for the tests that compare the kernel with them. Knows no payload.
"""

import json
import math
from itertools import combinations
from typing import Any

from replay.validator import Allowance, Code, Limits, Report, Turn

END = float("inf")
Found = tuple[tuple[float, ...], str, int | None, int | None, int | None]  # when, code, choice, slot, event
STRICT = {"properties": {"a": {"type": "integer"}}, "additionalProperties": False}
TOOLS: dict[str, object] = {"f": {}, "s": STRICT, "bad": {"unknown": 1}}
NO_PROPERTIES = {"f", "bad"}
# The families in which a call without a byte of arguments stands for one with none.
STANDS_FOR_NONE = {"anthropic", "bedrock-converse", "cohere-v2"}
NAMES = [allowance.value for allowance in Allowance]


def once_in_order(found: list[Found]) -> list[tuple[str, int | None, int | None, int | None]]:
    kept: list[tuple[str, int | None, int | None, int | None]] = []
    for _, code, choice, slot, event in sorted(found, key=lambda item: item[0]):
        explained = code == "terminal_without_call" and any(choice == other for _, other, _, _ in kept)
        if not explained and (code, choice, slot) not in [item[:3] for item in kept]:
            kept.append((code, choice, slot, event))
    return kept


def overflow(text: str, limit: int) -> float:
    """Where brackets first nest deeper than the limit; the generated texts have none in strings."""
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "[{") - (character in "]}")
        if depth > limit:
            return index
    return END


def argument_code(name: str, text: str, *, empty_is_a_finding: bool, max_nesting: int) -> str | None:
    """Section 4 by `json`, asked again for each rule."""
    if name not in TOOLS:
        return "unknown_tool"
    if name == "bad":
        return "unsupported_schema"
    if empty_is_a_finding and not text.strip(" \t\n\r"):
        return "empty_arguments"
    body = text.removeprefix("\ufeff").lstrip(" \t\n\r")
    noted: set[str] = set()

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) < len(pairs):
            noted.add("duplicate_key")
        return dict(pairs)

    def number(digits: str) -> float:
        if math.isinf(float(digits)):
            noted.add("non_finite_number")
        return float(digits)

    decoder = json.JSONDecoder(
        object_pairs_hook=members,
        parse_constant=lambda _: noted.add("non_finite_number"),
        parse_float=number,
    )
    try:
        value, end = decoder.raw_decode(body)
    except ValueError as error:
        at = getattr(error, "pos", 0)
        return "limit_exceeded" if overflow(body, max_nesting) < at else "malformed_arguments"
    if overflow(body, max_nesting) < end:
        return "limit_exceeded"
    if body[end:].strip(" \t\n\r"):
        return "trailing_data"
    if text.startswith("\ufeff") or "\\ud800" in body:
        noted.add("invalid_unicode")
    for code in ("non_finite_number", "duplicate_key", "invalid_unicode"):
        if code in noted:
            return code
    if not isinstance(value, dict):
        return "non_object_arguments"
    legal = name != "s" or all(key == "a" and type(member) is int for key, member in value.items())
    return None if legal else "schema_violation"


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


def unrequested(places: list[tuple[int, int]], context: dict[str, Any]) -> list[Found]:
    """What the request forbade, of all tool slots of the turn."""
    found: list[Found] = []
    if places and context["tool_choice"] == "none":
        found.append(((END, 0.5, -1), "unrequested_call", None, None, None))
    for choice in {choice for choice, _ in places}:
        if context["parallel"] is False and len({index for other, index in places if other == choice}) > 1:
            found.append(((END, 0.5, choice), "unrequested_call", choice, None, None))
    return found


def conclude(
    found: list[Found],
    uses: list[Found],
    listed: list[tuple[int, int]],
    taken: list[dict[str, Any]],
    wrong: set[int],
    lost: set[tuple[int, int]],
    texts: dict[Any, str],
    limits: Limits,
    context: dict[str, Any],
) -> dict[str, Any]:
    """Arguments, calls and the verdict."""
    calls = []
    for place in listed:
        own = [entry for entry in taken if entry["place"] == place]
        named = any(item[2:4] == place for item in found)
        blocked = not own or named or place[0] in wrong or place in lost
        identity_, name = ((kept := first(own, member)) and kept[member] for member in ("id", "name"))
        text = texts.get(place, "")
        if not blocked:
            is_finding = context["profile"] not in STANDS_FOR_NONE
            code = argument_code(str(name), text, empty_is_a_finding=is_finding, max_nesting=limits.max_nesting)
            if code == "empty_arguments" and not text and name in NO_PROPERTIES and code in context["allow"]:
                uses.append(((END, 1, *place), code, *place, None))
                text, code = "{}", None
            if code is not None:
                blocked = True
                found.append(((END, 1, *place), code, *place, None))
        calls.append((*place, identity_, name, text, "blocked" if blocked else "validated"))
    ordered = sorted(uses, key=lambda item: item[0])
    return {"findings": once_in_order(found), "calls": calls, "uses": [item[1:] for item in ordered]}


def as_model(report: Report) -> dict[str, Any]:
    return {
        "findings": [(item.code.value, item.choice, item.slot, item.event) for item in report.findings],
        "calls": [
            (call.choice, call.slot, call.id, call.name, call.arguments, call.state.value) for call in report.calls
        ],
        "uses": [(use.name.value, use.choice, use.slot, use.event) for use in report.allowances],
    }


def turn_of(profile: str, tools: dict[str, object], bounds: Limits, context: dict[str, Any]) -> Turn:
    """A turn that is judged in this context."""
    return Turn(
        profile=profile,
        tool_schemas=tools,
        allow=[Allowance(name) for name in context["allow"]],
        accept=list(Allowance),
        stream_end="upstream_disconnected" if context["cut"] else None,
        tool_choice=context["tool_choice"],
        parallel_tool_calls=context["parallel"],
        limits=bounds,
    )


class Reached:
    """What generated turns come to: codes, pairs of codes, allowances, and how many pass or go over several choices."""

    def __init__(self) -> None:
        self.codes: set[Code] = set()
        self.pairs: set[frozenset[Code]] = set()
        self.used: set[Allowance] = set()
        self.passed = self.several = 0

    def count(self, report: Report) -> None:
        mine = {finding.code for finding in report.findings}
        self.codes |= mine
        self.pairs |= set(map(frozenset, combinations(mine, 2)))
        self.used |= {use.name for use in report.allowances}
        self.passed += report.executable
        self.several += len({call.choice for call in report.calls}) > 1
