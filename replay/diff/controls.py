"""The healthy turns that an adapter must hand over before it is believed that it hands over nothing on purpose.

For example, an adapter that never asks for anything agrees with every turn that may not be executed. So for each tool
that a fixture calls the adapter is asked for a healthy turn with the same tools and one call of that one; only where
it hands over exactly this call does its outcome of the fixture count.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from replay.adapters.healthy import TURNS, HealthyCall
from replay.corpus.loading import load
from replay.families import array
from replay.validator import Call, InvalidFixture, State, Status, judge

from .samples import ABSENT, sample
from .turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Where a fixture declares no tool, its control declares this one: that an adapter speaks the API can be seen all the
# same.
STAND_IN: Final[Mapping[str, object]] = {
    "look_up": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
}


@dataclass(frozen=True, slots=True)
class Need:
    """What a control has to show: that the adapter hands over a call of this tool, beside these, in this API."""

    profile: str
    tools: str  # as JSON
    name: str


def needs(turn: Turn) -> frozenset[Need]:
    """What has to be shown before the outcome of a turn counts: one for each declared tool that it calls.

    One that calls none of its tools needs the first of them that can be called at all: that the adapter speaks the API.
    """
    called = {call.name for call in turn.report.calls if call.name in turn.tools and call.name is not None}
    tools = turn.tools if called or _callable(turn.tools) else STAND_IN
    text = json.dumps(tools, default=str)
    return frozenset(Need(profile=turn.fixture.profile, tools=text, name=name) for name in called or {_callable(tools)})


def _callable(tools: Mapping[str, object]) -> str:
    """The first tool for which arguments are found; of a schema without its words, there may be none."""
    return next((name for name, schema in tools.items() if _arguments(schema) is not None), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A healthy turn, and what it shows where it is handed over."""

    need: Need
    turn: Turn


def controls(turns: Sequence[Turn]) -> tuple[Control, ...]:
    """One for each need of these turns that a healthy turn can be made for, numbered after them."""
    wanted = {need: turn for turn in turns for need in sorted(needs(turn), key=str)}
    made = [(need, one) for need, turn in wanted.items() if (one := _healthy(turn, need)) is not None]
    return tuple(Control(need=need, turn=replace(one, number=len(turns) + at)) for at, (need, one) in enumerate(made))


def shown_by(turns: Iterable[Turn]) -> frozenset[Need]:
    """What is shown by fixtures whose calls were handed over: by those that pass, and need no allowance for it."""
    return frozenset(
        need
        for turn in turns
        if turn.report.status is Status.PASS and not turn.report.allowances
        for need in needs(turn)
    )


def _healthy(like: Turn, need: Need) -> Turn | None:
    """A turn with these tools and one whole call; None where no arguments are found, or the API has no such turn."""
    tools = like.tools if need.name in like.tools else STAND_IN
    custom = _is_text(tools[need.name])
    arguments = _arguments(tools[need.name])
    form = TURNS.get(need.profile)
    if form is None or arguments is None:
        return None
    call = HealthyCall(id=form.identity, name=need.name, arguments=arguments, custom=custom)
    value = {"profile": need.profile, "tool_schemas": tools, array(need.profile): form.payloads(call)}
    loaded = load(json.dumps(value, default=float).encode("ascii"))
    if isinstance(loaded.envelope, InvalidFixture):
        return None
    # What the rules say of a schema that they do not know is no matter here: this call is to be handed over.
    expected = Call(choice=0, slot=0, id=call.id, name=call.name, arguments=arguments, state=State.VALIDATED)
    report = replace(judge(loaded.envelope), status=Status.PASS, findings=(), calls=(expected,))
    return Turn(path=like.path, fixture=replace(like.fixture, loaded=loaded), report=report)


def _is_text(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


def _arguments(schema: object) -> str | None:
    """Arguments that the schema accepts, as they are streamed; a tool whose schema is no object's is given none."""
    value = sample(schema)
    if _is_text(schema):
        return value if isinstance(value, str) else None
    if not isinstance(value, dict):
        value = ABSENT if isinstance(schema, dict) and schema.get("type") == "object" else {}
    return None if value is ABSENT else json.dumps(value, default=float, separators=(",", ":"))
