"""A fixture to its picture: the turn is judged again, and taken apart into what each event did.

What happened to a call is what the validator's own turn shows before and after each payload, and what it tells its
listener of a text that it did not take, so a picture can never disagree with the verdict. What is no call is read by
the rows of the wire family. Knows no terminal, no HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.body.rendering import render
from replay.families import FAMILIES, Words
from replay.validator import InvalidFixture, State, invalid_report, turn_of
from replay.validator.limits import DEFAULT_LIMITS
from replay.validator.listener import Fate, Form

from .beside_calls import sayings
from .by_path import brought, is_laid, text_of
from .model import COMPLETE, Act, Did, Event, Kind, Lane, Marked, Picture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from replay.corpus.loading import Loaded
    from replay.validator import Allowance, Call, Envelope, Limits, Progress, Report, Snapshot
    from replay.validator.listener import Heard

    from .beside_calls import Saying

_Place = tuple[int, int]  # choice and slot
_Key = tuple[Kind, int | None, int | None]  # of a lane: kind, choice, slot
# Where each kind of words is shown, and as what.
_KIND: Final = {Words.TEXT: Kind.TEXT, Words.REASONING: Kind.REASONING, Words.FINISH: Kind.TURN}
_DID: Final = {Words.TEXT: Did.TEXT, Words.REASONING: Did.REASONING, Words.FINISH: Did.FINISH}
# What a text of a call is shown as, where the call did not take it.
_UNTAKEN: Final = {Fate.LATE: Did.LATE, Fate.NOT_TAKEN: Did.NOT_TAKEN, Fate.ALONE: Did.NOT_TAKEN}
# The longest type of a payload that is shown; a longer one is cut.
_MAX_LABEL: Final = 60


def picture(loaded: Loaded, *, accept: Collection[Allowance] = (), limits: Limits = DEFAULT_LIMITS) -> Picture:
    """The picture of a fixture, judged with these options. What is no envelope has no events, and its one finding."""
    envelope = loaded.envelope
    if isinstance(envelope, InvalidFixture):
        report = invalid_report(envelope)
        lanes = (Lane(kind=Kind.TURN, label=Kind.TURN.value),)
        marks = tuple(Marked(finding=finding, lane=0) for finding in report.findings)
        return Picture(report=report, model=None, stream_end=COMPLETE, lanes=lanes, events=(), marks=marks, tail=())
    return _Drawing(envelope, accept, limits).picture(loaded)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What one payload did to one call."""

    event: int
    place: _Place
    did: tuple[Did, ...]
    start: int  # of the bytes that it brought, within the call's
    end: int


class _Drawing:
    """A turn while it is fed, and what was seen of each payload."""

    def __init__(self, envelope: Envelope, accept: Collection[Allowance], limits: Limits) -> None:
        self._envelope = envelope
        self._untaken: dict[int, list[Heard]] = {}  # by event
        self._laid: dict[tuple[int, int | None], list[Heard]] = {}  # by choice and slot
        self._turn = turn_of(envelope, accept=accept, limits=limits, listener=self._hear)

    def _hear(self, heard: Heard) -> None:
        if is_laid(heard):
            self._laid.setdefault((heard.choice, heard.slot), []).append(heard)
        if heard.fate is not Fate.TAKEN and text_of(heard) and heard.form is not Form.COPY:
            self._untaken.setdefault(heard.event, []).append(heard)

    def picture(self, loaded: Loaded) -> Picture:
        """Feed the whole turn, then take it apart."""
        payloads = self._envelope.payloads
        changes = [tuple(_changes(at, before, after)) for at, (before, after) in enumerate(self._steps())]
        report = self._turn.close()
        rows = FAMILIES[self._envelope.profile].said
        said = [tuple(sayings(payload, rows)) for payload in payloads]
        lanes = _lanes(report, {_lane_of(one) for those in said for one in those})
        numbers = {(lane.kind, lane.choice, lane.slot): at for at, lane in enumerate(lanes)}
        pieces = _Pieces(report.calls, self._laid)
        rendered = render(loaded)
        times = _times(loaded.value, len(payloads))
        events = [
            Event(
                number=at,
                label=_label(payload),
                raw=rendered.frames[at],
                acts=(
                    *(_called(change, numbers, pieces) for change in changes[at]),
                    *(_left(heard, numbers) for heard in self._untaken.get(at, ())),
                    *(_spoken(one, numbers) for one in said[at]),
                )
                or (Act(lane=0, did=(Did.NOTHING,)),),
                at=times[at],
            )
            for at, payload in enumerate(payloads)
        ]
        return Picture(
            report=report,
            model=_model(loaded.value, payloads),
            stream_end=self._envelope.stream_end or COMPLETE,
            lanes=lanes,
            events=tuple(events),
            marks=_marks(report, numbers),
            tail=rendered.frames[len(payloads) :],
            done=rendered.done,
            half=rendered.half,
        )

    def _steps(self) -> Iterator[tuple[Snapshot, Snapshot]]:
        """The turn before and after each payload, as it is fed."""
        before = self._turn.snapshot()
        for payload in self._envelope.payloads:
            self._turn.feed(payload)
            after = self._turn.snapshot()
            yield before, after
            before = after


class _Pieces:
    """The text that each payload brought to each call."""

    def __init__(self, calls: Sequence[Call], laid: Mapping[tuple[int, int | None], Sequence[Heard]]) -> None:
        self._texts = {(call.choice, call.slot): _bytes(call.arguments) for call in calls}
        self._laid = {
            (call.choice, call.slot): brought(laid[call.choice, call.slot], call.arguments)
            for call in calls
            if (call.choice, call.slot) in laid
        }

    def of(self, change: _Change) -> bytes:
        """The piece of a change, in UTF-8."""
        laid = self._laid.get(change.place)
        if laid is not None:
            return _bytes(laid.get(change.event, ""))
        return self._texts[change.place][change.start : change.end]


def _changes(event: int, before: Snapshot, after: Snapshot) -> Iterator[_Change]:
    """What a payload did to each call that it did anything to."""
    old = {(call.choice, call.slot): call for call in before.calls}
    for call in after.calls:
        was = old.get((call.choice, call.slot))
        if was == call:
            continue
        yield _Change(
            event=event,
            place=(call.choice, call.slot),
            did=tuple(_deeds(was, call)),
            start=was.size if was else 0,
            end=call.size,
        )


def _deeds(was: Progress | None, now: Progress) -> Iterator[Did]:
    if was is None:
        yield Did.OPENED
    if now.id is not None and (was is None or was.id != now.id):
        yield Did.ID
    if now.name is not None and (was is None or was.name != now.name):
        yield Did.NAME
    if now.size > (was.size if was else 0):
        yield Did.ARGUMENTS
    if now.ended and not (was and was.ended):
        yield Did.CLOSED
    if now.state is State.BLOCKED and not (was and was.state is State.BLOCKED):
        yield Did.BLOCKED


def _called(change: _Change, numbers: Mapping[_Key, int], pieces: _Pieces) -> Act:
    piece = pieces.of(change)
    return Act(
        lane=numbers[Kind.CALL, *change.place],
        did=change.did,
        text=piece.decode("utf-8", "surrogatepass"),
        size=len(piece),
    )


def _left(heard: Heard, numbers: Mapping[_Key, int]) -> Act:
    """A text that no call took, in the lane of the call that it names; in the turn's where there is none."""
    lane = numbers.get((Kind.CALL, heard.choice, heard.slot), 0)
    text = text_of(heard)
    return Act(lane=lane, did=(_UNTAKEN[heard.fate],), text=text, size=len(_bytes(text)))


def _spoken(one: Saying, numbers: Mapping[_Key, int]) -> Act:
    key = _lane_of(one)
    did = _DID[one.words]
    return Act(lane=numbers[key], did=(did,), text=one.text, size=len(_bytes(one.text)))


def _lane_of(one: Saying) -> _Key:
    """The key of the lane that some words are in; a finish is the turn's."""
    kind = _KIND[one.words]
    return kind, None if kind is Kind.TURN else one.choice, None


def _lanes(report: Report, spoken: set[_Key]) -> tuple[Lane, ...]:
    """The turn, then what was said, then the calls."""
    choices = {choice for _, choice, _ in spoken if choice is not None} | {call.choice for call in report.calls}
    prefixes = {choice: f"choice {choice} " for choice in choices} if len(choices) > 1 else {}
    turn: _Key = (Kind.TURN, None, None)
    words = sorted(spoken - {turn}, key=lambda key: (list(Kind).index(key[0]), key[1] or 0))
    return (
        Lane(kind=Kind.TURN, label=Kind.TURN.value),
        *(
            Lane(kind=kind, choice=choice, label=prefixes.get(choice or 0, "") + kind.value)
            for kind, choice, _ in words
        ),
        *(_call_lane(call, prefixes.get(call.choice, "")) for call in report.calls),
    )


def _marks(report: Report, numbers: Mapping[_Key, int]) -> tuple[Marked, ...]:
    """The findings, each in the lane of the call that it names, else in the turn's."""
    return tuple(
        Marked(finding=finding, lane=numbers.get((Kind.CALL, finding.choice, finding.slot), 0))
        for finding in report.findings
    )


def _call_lane(call: Call, prefix: str) -> Lane:
    return Lane(
        kind=Kind.CALL,
        choice=call.choice,
        slot=call.slot,
        label=f"{prefix}slot {call.slot}",
        id=call.id,
        name=call.name,
        text=call.arguments,
        state=call.state,
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _label(payload: object) -> str:
    """What kind of payload: its type where it says one. One that is a text is no JSON, and broken."""
    if isinstance(payload, str):
        return "broken"
    kind = payload.get("type") if isinstance(payload, dict) else None
    return kind[:_MAX_LABEL] if isinstance(kind, str) and kind else "chunk"


def _model(value: Mapping[str, object], payloads: Sequence[object]) -> str | None:
    """The model, as `capture` says it; else as the first payload does, itself or in the message that it begins."""
    capture = value.get("capture")
    first = payloads[0] if payloads else None
    holders = [capture, first, *(first.values() if isinstance(first, dict) else ())]
    names = (holder.get("model") for holder in holders if isinstance(holder, dict))
    return next((name for name in names if isinstance(name, str) and name), None)


def _times(value: Mapping[str, object], count: int) -> Sequence[int | None]:
    """When each event came, where `transport` has a time for each, or for each read."""
    transport = value.get("transport")
    transport = transport if isinstance(transport, dict) else {}
    told, reads = transport.get("milliseconds"), transport.get("reads")
    if not isinstance(told, list) or not all(type(one) is int and one >= 0 for one in told):
        return [None] * count
    if isinstance(reads, list):
        return _times_of_reads(reads, told, count)
    return told[:count] if len(told) >= count else [None] * count


def _times_of_reads(reads: Sequence[object], told: Sequence[int], count: int) -> Sequence[int | None]:
    """When each event was whole: with the first read that ended behind it."""
    found: list[int | None] = []
    for read, at in zip(reads, told, strict=False):
        match read:
            case [int() as event, str() as place]:
                whole = min(event + (place == "frame"), count)
                found += [at] * (whole - len(found))
    return found + [None] * (count - len(found))
