"""What happened to a slot around an event: the turn is judged again, and looked at before and after each payload.

Knows the validator's public turn alone, so it reads no provider's payloads and agrees with the verdict by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .validator import Limits, State, Turn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from .validator import Allowance, Envelope, Finding
    from .validator.turn import Progress, Snapshot

# Payloads that are looked at around the event. Interleaved calls take turns, so a few are not enough.
_BEFORE: Final = 40
_AFTER: Final = 12
# Moments that are kept: enough to see what led there and what came of it.
_KEPT_BEFORE: Final = 3
_KEPT_AFTER: Final = 2

_Place = tuple[int, int]  # choice, slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What one payload did, in words; the moment of the finding is `here`. An event of None is the end of the stream.

    `fragment` is the argument text that the payload brought, where the call has it: data of the fixture.
    """

    event: int | None
    here: bool
    choice: int | None = None
    slot: int | None = None
    words: tuple[str, ...] = ()
    fragment: str | None = None


def around(
    envelope: Envelope,
    finding: Finding,
    *,
    accept: Collection[Allowance] = (),
    limits: Limits | None = None,
) -> tuple[Moment, ...]:
    """The moments around a finding, of its slot, or of every slot of its choice or turn where it names none."""
    last = len(envelope.payloads) - 1
    at = last if finding.event is None else finding.event
    watched = range(max(0, at - _BEFORE), min(last, at + _AFTER) + 1)
    moments: list[Moment] = []
    steps: list[tuple[int, Snapshot, Snapshot]] = []
    turn = Turn(
        profile=envelope.profile,
        tool_schemas=envelope.tool_schemas,
        allow=envelope.allow,
        accept=accept,
        stream_end=envelope.stream_end,
        tool_choice=envelope.tool_choice,
        limits=limits or Limits(),
    )
    before = turn.snapshot()
    for event, payload in enumerate(envelope.payloads):
        turn.feed(payload)
        if event + 1 in watched or event in watched:
            after = turn.snapshot()
            if event in watched:
                steps.append((event, before, after))
            before = after
    texts = {(call.choice, call.slot): call.arguments.encode("utf-8", "surrogatepass") for call in turn.close().calls}
    for event, earlier, later in steps:
        moments += _moments(event, earlier, later, finding, texts)
    if finding.event is None:
        moments.append(
            Moment(event=None, here=True, choice=finding.choice, slot=finding.slot, words=(finding.code.value,))
        )
    return _nearest(moments)


def _moments(
    event: int, before: Snapshot, after: Snapshot, finding: Finding, texts: Mapping[_Place, bytes]
) -> Iterator[Moment]:
    """What one payload did to the slots that the finding is about."""
    here = event == finding.event
    codes = [found for found in after.findings[len(before.findings) :] if _concerns(finding, found.choice, found.slot)]
    old = {(call.choice, call.slot): call for call in before.calls}
    told = False
    for call in after.calls:
        place = (call.choice, call.slot)
        if not _concerns(finding, *place):
            continue
        words, fragment = _changes(old.get(place), call, texts.get(place, b""))
        mine = [found.code.value for found in codes if (found.choice, found.slot) == place]
        if words or mine or fragment is not None:
            told = True
            yield Moment(
                event=event, here=here, choice=call.choice, slot=call.slot, words=(*mine, *words), fragment=fragment
            )
    rest = [found for found in codes if (found.choice, found.slot) not in {(c.choice, c.slot) for c in after.calls}]
    if rest or (here and not told):
        words = tuple(found.code.value for found in rest) or ((finding.code.value,) if here else ())
        yield Moment(event=event, here=here, choice=finding.choice, slot=finding.slot, words=words)


def _concerns(finding: Finding, choice: int | None, slot: int | None) -> bool:
    """Whether a place is within that of the finding, or around it."""
    if finding.choice is None or choice is None:
        return True
    return choice == finding.choice and (finding.slot is None or slot is None or slot == finding.slot)


def _changes(old: Progress | None, new: Progress, text: bytes) -> tuple[tuple[str, ...], str | None]:
    words = []
    if old is None:
        words.append("opened")
    if new.id is not None and (old is None or old.id != new.id):
        words.append("id arrives")
    if new.name is not None and (old is None or old.name != new.name):
        words.append("name arrives")
    start = 0 if old is None else old.size
    fragment = None
    if new.size > start:
        words.append(f"+{new.size - start} bytes")
        fragment = text[start : new.size].decode("utf-8", "replace")
    if new.state is State.TERMINAL and (old is None or old.state is not State.TERMINAL):
        words.append("terminal")
    if new.state is State.BLOCKED and (old is None or old.state is not State.BLOCKED):
        words.append("blocked from here on")
    return tuple(words), fragment


def _nearest(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moment itself, and the few on each side of it."""
    heres = [index for index, moment in enumerate(moments) if moment.here] or [len(moments) - 1]
    return tuple(moments[max(0, heres[0] - _KEPT_BEFORE) : heres[-1] + 1 + _KEPT_AFTER])
