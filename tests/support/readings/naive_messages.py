"""A naive reading of a turn of Bedrock's converse or Cohere's chat, by what each payload was meant to say.

Lists that are searched again for every question, and no state. Knows no payload: a test brings what each one means.
"""

from typing import Any, NamedTuple

from support.readings.naive import END, Found, conclude, drop, identity, unrequested, what_is_missing

from replay.validator import Limits


class Told(NamedTuple):
    """What a payload means. `group`: of a start the kind of its block, of a delta what it is a piece of."""

    kind: str
    index: int | None = None
    group: str = ""
    id: str | None = None
    name: str | None = None
    fragment: str | None = None
    unsupported: bool = False
    reason: str | None = None
    place: tuple[int | None, int | None] = (None, None)


Sent = tuple[Any, Told]
BLOCK_EVENTS = ("start", "delta", "stop")
# By what a delta is a piece of, the blocks that it fits. A delta of any other sort is not known.
FITS = {"input": ("call", "server"), "content": ("other",), "both": (), "piece": ("call",)}
COMPLETE = {"bedrock-converse": "tool_use", "cohere-v2": "TOOL_CALL"}
CLAIMS = {"bedrock-converse": ("tool_use", "malformed_tool_use"), "cohere-v2": ("TOOL_CALL",)}


def model(sent: list[Sent], limits: Limits, context: dict[str, Any]) -> dict[str, Any]:
    found: list[Found] = []
    if len(sent) > limits.max_events:
        found.append(((limits.max_events,), "limit_exceeded", None, None, limits.max_events))
    told = [(event, one) for event, (_, one) in enumerate(sent[: limits.max_events])]
    named = {"malformed": "malformed_event", "error": "stream_error", "unknown": "unsupported_event"}
    found += [((at, 0), named[one.kind], *one.place, at) for at, one in told if one.kind in named]
    blocks = [(at, one) for at, one in told if one.kind in BLOCK_EVENTS]
    ends = [(at, one) for at, one in told if one.kind == "end"]
    stopped = min((at for at, _ in ends), default=END)
    begins = [(at, one) for at, one in told if one.kind == "begin"]
    for at, one in begins:
        if any(before < at for before, _ in blocks + ends + begins):
            found.append(((at, 0), "turn_collision", None, None, at))
        elif one.unsupported:
            found.append(((at, 0), "unsupported_event", None, None, at))
    found += [((at, 0), "missing_slot", 0, None, at) for at, one in blocks if one.index is None]
    placed = [(at, one) for at, one in blocks if one.index is not None]

    def start_of(index: int | None) -> tuple[int, Told] | None:
        """What began the block of an index: a start, or a piece that needs none; after the end only a call's start."""
        return next(
            (
                (at, one if one.kind == "start" else one._replace(group="other", id=None, name=None))
                for at, one in placed
                if one.index == index
                and (one.kind == "start" or (one.kind, one.group) == ("delta", "content"))
                and (at < stopped or (one.kind, one.group) == ("start", "call"))
            ),
            None,
        )

    def stop_of(index: int | None) -> float:
        """When the block of an index stopped."""
        start = start_of(index)
        begun = END if start is None else start[0]
        stops = (at for at, one in placed if one.kind == "stop" and one.index == index)
        return next((at for at in stops if begun < at < stopped), END)

    tools = [
        one.index
        for at, one in placed
        if (start := start_of(one.index)) is not None and start[0] == at and start[1].group == "call"
    ]
    indices = [index for index in tools if index is not None]
    listed = indices[: limits.max_slots]
    for index in indices[limits.max_slots :]:
        start = start_of(index)
        assert start is not None
        found.append(((start[0], 1), "limit_exceeded", None, None, start[0]))
    opened = [index for index in listed if (start := start_of(index)) is not None and start[0] < stopped]

    entries: list[dict[str, Any]] = []
    for at, one in placed:
        assert one.index is not None
        start = start_of(one.index)
        begun = start is not None and start[0] < at
        kind = "" if start is None else start[1].group
        member = {"when": (at,), "place": (0, one.index), "text": one.fragment, "event": at}
        entry = member | {"id": one.id, "name": one.name}
        here = (0, one.index, at)
        if at > stopped:
            found.append(((at, 0), "delta_after_terminal", *here))
        elif one.kind == "start" and begun:
            assert start is not None
            same = (one.group, one.id, one.name) == (start[1].group, start[1].id, start[1].name)
            found.append(((at, 0), "duplicate_start" if same else "identity_collision", *here))
        elif one.kind == "start":
            if one.group == "call" and one.index in opened:
                entries.append(entry)
            if one.unsupported and (one.group != "call" or one.index in opened):
                found.append(((at, 2), "unsupported_event", *here))
        elif one.kind == "stop":
            if not begun or stop_of(one.index) < at:
                found.append(((at, 0), "duplicate_terminal" if begun else "orphan_event", *here))
        elif one.group not in FITS:
            found.append(((at, 0), "unsupported_event", *here))
        elif not begun and one.group == "content":
            continue
        elif not begun or kind not in FITS[one.group]:
            found.append(((at, 0), "orphan_event", *here))
        elif stop_of(one.index) < at:
            found.append(((at, 0), "delta_after_terminal", *here))
        elif one.index in opened:
            entries.append(entry)
    dropped, lost, texts = drop(entries, limits)
    found += dropped + identity(entries)
    for index in opened:
        end = stop_of(index)
        if end < END:
            found += what_is_missing([one for one in entries if one["place"] == (0, index)], (end,), int(end))
            if not texts[0, index] and (0, index) not in lost:
                texts[0, index] = "{}"

    wrong: set[int] = set()
    for at, one in ends:
        any_call = any(start is not None and start[0] < at for start in map(start_of, indices))
        if at > stopped:
            found.append(((at, 0), "duplicate_terminal", 0, None, at))
        elif one.reason and any_call and one.reason != COMPLETE[context["profile"]]:
            wrong.add(0)
            found.append(((at, 0), "wrong_terminal", 0, None, at))
        elif one.reason in CLAIMS[context["profile"]] and not any_call:
            found.append(((at, 0), "terminal_without_call", 0, None, at))
    whole = not (begins or ends) or (bool(begins) and any(one.reason for _, one in ends))
    for index in opened:
        if stop_of(index) == END or not whole:
            found.append(((END, 0, 0, index), "missing_terminal", 0, index, None))
    if context["cut"] and indices and not ends and not any(code == "missing_terminal" for _, code, *_ in found):
        found.append(((END, 0, END), "missing_terminal", None, None, None))
    found += unrequested([(0, index) for index in indices], context)
    return conclude(found, [], [(0, index) for index in sorted(listed)], entries, wrong, lost, texts, limits, context)
