"""A second fault in the same turn: a call that ends at a limit and has bad arguments, a lost id and an error.

What the rules say of two faults follows from what they say of each. The arguments of a call that the first one blocks
are not looked into, so they add nothing; of two findings with one code and place the first stays; all others stand side
by side:

    ended-by-length + nan    wrong_terminal         the call is blocked, and its arguments are not parsed
    call-behind-terminal + nan    delta_after_terminal of the late call, non_finite_number of the first
    no-object + broken-payload    malformed_event, at the event of whichever comes first
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from replay.validator import Code

from .kinds import KINDS
from .kinds.arguments import ARGUMENTS, BAD_CALLS
from .kinds.kind import NotInThisError, at_slot, at_turn, before_call
from .kinds.legal import LEGAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .calls import Payload
    from .kinds.arguments import Bad
    from .kinds.kind import Expected, Kind, Made
    from .recording import Recording

# What becomes of a kind of a recording that has this fault as well.
Second: TypeAlias = Callable[["Recording", "Kind"], "Made"]

# Kinds without a call: a request that forbids them is obeyed.
_WITHOUT_CALL: Final = frozenset({"terminal-without-call", "malformed-call-claimed", "index-lost"})
# Kinds with other arguments of their own, or without the first call: bad arguments of it have no place there.
_WITHOUT_ARGUMENTS: Final = frozenset(
    {kind.name for kind in ARGUMENTS}
    | _WITHOUT_CALL
    | {"other-choice", "object-for-text", "text-for-object", "continued-as-other", "continues-nothing"}
    # Each of its calls would be as bad as the first.
    | {"too-many-calls"}
)


def with_second(one: Recording, kind: Kind, name: str) -> Made:
    """The turn of a fault that has the fault of this name as well; `NotInThisError` where they do not go together."""
    if kind.name == name or kind in LEGAL or one.profile not in KINDS[name].of:
        raise NotInThisError(f"{kind.name} and {name} do not go together")
    return SECONDS[name](one, kind)


def _bad(one: Recording, kind: Kind, *, bad: Bad) -> Made:
    """The first call of the kind has bad arguments, which are found where nothing blocks it."""
    if kind.name in _WITHOUT_ARGUMENTS:
        raise NotInThisError(f"{kind.name} has no arguments that could be bad")
    found = bad(one)
    made = kind.make(replace(one, first=found.call))
    expected = at_slot(one, found.code, found.call, path=found.path)
    if any(_blocks(other, expected) for other in made.expected):
        return made
    return replace(made, expected=(*made.expected, expected))


def _blocks(finding: Expected, of: Expected) -> bool:
    """Whether a finding keeps the arguments of a slot from being looked at."""
    same = finding.choice == of.choice
    return same and (finding.slot == of.slot or finding.code is Code.WRONG_TERMINAL)


def _inserted(one: Recording, kind: Kind, *, payloads: Callable[[Recording], list[Payload]], code: Code) -> Made:
    """A payload of another sort stands behind the first one of the call."""
    made = kind.make(one)
    at = before_call(one) + 1
    if not made.numbered or at > len(made.payloads):
        raise NotInThisError(f"{kind.name} has no room for another payload")
    new = payloads(one)
    moved = [
        finding if finding.event is None or finding.event < at else replace(finding, event=finding.event + len(new))
        for finding in made.expected
    ]
    return replace(
        made,
        payloads=[*made.payloads[:at], *new, *made.payloads[at:]],
        expected=once([*moved, at_turn(code, at)]),
        comments=tuple(event if event < at else event + len(new) for event in made.comments),
    )


def once(findings: Iterable[Expected]) -> tuple[Expected, ...]:
    """Of findings with one code and place the first; those of the end of the stream come last."""
    found: dict[tuple[object, ...], Expected] = {}
    for finding in sorted(findings, key=lambda one: (one.event is None, one.event or 0)):
        found.setdefault((finding.code, finding.choice, finding.slot), finding)
    return tuple(found.values())


def _forbidden(one: Recording, kind: Kind) -> Made:
    """The request forbade calls."""
    if kind.name in _WITHOUT_CALL:
        raise NotInThisError(f"{kind.name} has no call that could be forbidden")
    made = kind.make(one)
    return replace(made, expected=once([*made.expected, at_turn(Code.UNREQUESTED_CALL)]), tool_choice="none")


# By the name of the kind that has this fault alone.
SECONDS: Final[Mapping[str, Second]] = {
    **{name: partial(_bad, bad=bad) for name, bad in BAD_CALLS.items()},
    "error-in-the-middle": partial(_inserted, payloads=lambda one: one.wire.error(), code=Code.STREAM_ERROR),
    "no-object": partial(_inserted, payloads=lambda _: [[1]], code=Code.MALFORMED_EVENT),
    "broken-payload": partial(_inserted, payloads=lambda _: ['{"broken'], code=Code.MALFORMED_EVENT),
    "unknown-event": partial(_inserted, payloads=lambda one: [one.wire.unknown], code=Code.UNSUPPORTED_EVENT),
    "call-forbidden": _forbidden,
}
