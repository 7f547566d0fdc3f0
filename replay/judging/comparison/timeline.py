"""What happened to a slot around an event: the turn is judged again, and looked at before and after each payload.

Knows the validator's public turn alone, so it reads no provider's payloads and agrees with the verdict by itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.validator import Limits, State, turn_of
from replay.validator.listener import Fate, Form, Heard

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from replay.validator import Allowance, Call, Envelope, Finding, Progress, Snapshot

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """What a timeline is about: a place, the event there (None for the end of the stream), and a word for it."""

    choice: int | None
    slot: int | None
    event: int | None
    word: str


def around(
    envelope: Envelope,
    finding: Finding,
    *,
    accept: Collection[Allowance] = (),
    limits: Limits | None = None,
) -> tuple[Moment, ...]:
    """The moments around a finding, of its slot, or of every slot of its choice or turn where it names none."""
    spot = _Spot(choice=finding.choice, slot=finding.slot, event=finding.event, word=finding.code.value)
    return _moments_around(envelope, spot, accept, limits)


def parting(
    envelope: Envelope,
    pinned: Call,
    found: Call,
    *,
    accept: Collection[Allowance] = (),
    limits: Limits | None = None,
) -> tuple[int, tuple[Moment, ...]]:
    """The event that makes a call of the turn another one than the pinned call of its slot, and the moments around it.

    That is the event that brings the first byte that differs, or the last one of arguments that end too early; where
    they are the same, the one after which the call has its id and its name.
    """
    data, other = (call.arguments.encode("utf-8", "surrogatepass") for call in (found, pinned))
    size = min(same_until(data, other) + 1, len(data))

    def reached(count: int) -> int:
        turn = turn_of(envelope, accept=accept, limits=limits or Limits())
        turn.feed_all(envelope.payloads[:count])
        there = [call for call in turn.snapshot().calls if (call.choice, call.slot) == (found.choice, found.slot)]
        if data == other:
            return any((call.id, call.name) == (found.id, found.name) for call in there)
        return any(call.size >= size for call in there)

    last = len(envelope.payloads) - 1
    event = max(0, min(last, bisect_left(range(last + 2), 1, key=reached) - 1))
    spot = _Spot(choice=found.choice, slot=found.slot, event=event, word="differs")
    return event, _moments_around(envelope, spot, accept, limits)


def same_until(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items from the start on the two share."""
    differs = (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(differs, min(len(one), len(other)))


def _moments_around(
    envelope: Envelope, spot: _Spot, accept: Collection[Allowance], limits: Limits | None
) -> tuple[Moment, ...]:
    last = len(envelope.payloads) - 1
    at = last if spot.event is None else spot.event
    watched = range(max(0, at - _BEFORE), min(last, at + _AFTER) + 1)
    moments: list[Moment] = []
    texts = _Texts()
    turn = turn_of(envelope, accept=accept, limits=limits or Limits(), listener=texts.take)
    before = turn.snapshot()
    for event, payload in enumerate(envelope.payloads):
        texts.clear()
        turn.feed(payload)
        if event + 1 in watched or event in watched:
            after = turn.snapshot()
            if event in watched:
                moments += _moments(event, before, after, spot, texts)
            before = after
    if spot.event is None:
        moments.append(Moment(event=None, here=True, choice=spot.choice, slot=spot.slot, words=(spot.word,)))
    return _nearest(moments)


class _Texts:
    """The listener of a turn: the text that each slot took from the payload that was fed last."""

    def __init__(self) -> None:
        self._taken: defaultdict[tuple[int, int | None], str] = defaultdict(str)

    def clear(self) -> None:
        self._taken.clear()

    def take(self, heard: Heard) -> None:
        if heard.fate is Fate.TAKEN and heard.form is not Form.COPY:
            self._taken[heard.choice, heard.slot] += heard.text

    def of(self, place: _Place) -> str:
        """The text, in which a half of a surrogate pair is replaced: it can be printed."""
        return self._taken[place].encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _moments(event: int, before: Snapshot, after: Snapshot, spot: _Spot, texts: _Texts) -> Iterator[Moment]:
    """What one payload did to the slots that the timeline is about."""
    here = event == spot.event
    codes = [found for found in after.findings[len(before.findings) :] if _concerns(spot, found.choice, found.slot)]
    old = {(call.choice, call.slot): call for call in before.calls}
    told = False
    for call in after.calls:
        place = (call.choice, call.slot)
        if not _concerns(spot, *place):
            continue
        was = old.get(place)
        words = _changes(was, call)
        fragment = texts.of(place) if call.size > (was.size if was else 0) else None
        mine = [found.code.value for found in codes if (found.choice, found.slot) == place]
        if words or mine or fragment is not None:
            told = True
            yield Moment(
                event=event, here=here, choice=call.choice, slot=call.slot, words=(*mine, *words), fragment=fragment
            )
    rest = [found for found in codes if (found.choice, found.slot) not in {(c.choice, c.slot) for c in after.calls}]
    if rest or (here and not told):
        words = tuple(found.code.value for found in rest) or ((spot.word,) if here else ())
        yield Moment(event=event, here=here, choice=spot.choice, slot=spot.slot, words=words)


def _concerns(spot: _Spot, choice: int | None, slot: int | None) -> bool:
    """Whether a place is within that of the timeline, or around it."""
    if spot.choice is None or choice is None:
        return True
    return choice == spot.choice and (spot.slot is None or slot is None or slot == spot.slot)


def _changes(old: Progress | None, new: Progress) -> tuple[str, ...]:
    """What happened to a call, in words."""
    words = []
    if old is None:
        words.append("opened")
    if new.id is not None and (old is None or old.id != new.id):
        words.append("id arrives")
    if new.name is not None and (old is None or old.name != new.name):
        words.append("name arrives")
    start = 0 if old is None else old.size
    if new.size > start:
        words.append(f"+{new.size - start} bytes")
    if new.state is State.TERMINAL and (old is None or old.state is not State.TERMINAL):
        words.append("terminal")
    if new.state is State.BLOCKED and (old is None or old.state is not State.BLOCKED):
        words.append("blocked from here on")
    return tuple(words)


def _nearest(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moment itself, and the few on each side of it."""
    heres = [index for index, moment in enumerate(moments) if moment.here] or [len(moments) - 1]
    return tuple(moments[max(0, heres[0] - _KEPT_BEFORE) : heres[-1] + 1 + _KEPT_AFTER])
