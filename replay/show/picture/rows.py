"""A picture as rows to be read from top to bottom: what each event did, and the findings where they arose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .model import Did

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .model import Act, Event, Marked, Picture

# Runs of this length, and longer ones, are folded: of words and of events that say nothing, and of arguments.
_RUN: Final = 2
_RUN_OF_ARGUMENTS: Final = 9
_FOLDED: Final[Mapping[tuple[Did, ...], int]] = {
    (Did.TEXT,): _RUN,
    (Did.REASONING,): _RUN,
    (Did.NOTHING,): _RUN,
    (Did.ARGUMENTS,): _RUN_OF_ARGUMENTS,
}
# What is shown around a finding that was asked for.
_AROUND: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line: an act, or a run of equal ones. `last` is the last event of a run; both are None at the end."""

    first: int | None
    last: int | None = None
    lane: int
    words: tuple[str, ...]
    text: str = field(default="", repr=False)
    size: int = 0
    is_fragment: bool = False  # whether the text is a piece of a text
    finding: Marked | None = None
    at: int | None = None  # when, in milliseconds


def folded(picture: Picture) -> Iterator[Row]:
    """All rows; runs that say the same of one lane stand as one."""
    events = picture.events
    at = 0
    while at < len(events):
        run = _run(picture, at)
        if len(run) >= _FOLDED.get(events[at].acts[0].did, len(events) + 1):
            yield _of_run(run)
        else:
            for event in run:
                yield from _of_event(picture, event)
        at += len(run)
    yield from _of_end(picture)


def unfolded(picture: Picture) -> Iterator[Row]:
    """All rows, one for each act."""
    for event in picture.events:
        yield from _of_event(picture, event)
    yield from _of_end(picture)


def around(picture: Picture, events: Sequence[int | None]) -> Iterator[Row]:
    """The rows of these events and of the few around each; None is the end of the stream."""
    last = len(picture.events)
    centres = [last if event is None else event for event in events]
    near = {at for centre in centres for at in range(centre - _AROUND, centre + _AROUND + 1)}
    for row in unfolded(picture):
        if (last if row.first is None else row.first) in near:
            yield row


def _run(picture: Picture, at: int) -> Sequence[Event]:
    """The event, and those behind it that do the same in the same lane and have no finding."""
    events = picture.events
    first = _only_act(picture, events[at])
    end = at + 1
    if first is not None and first.did in _FOLDED:
        key = (first.lane, first.did, events[at].label)
        while end < len(events):
            act = _only_act(picture, events[end])
            if act is None or (act.lane, act.did, events[end].label) != key:
                break
            end += 1
    return events[at:end]


def _only_act(picture: Picture, event: Event) -> Act | None:
    return event.acts[0] if len(event.acts) == 1 and not picture.marks_at(event.number) else None


def _of_run(run: Sequence[Event]) -> Row:
    first = run[0].acts[0]
    word = run[0].label if first.did == (Did.NOTHING,) else first.did[0].value
    return Row(
        first=run[0].number,
        last=run[-1].number,
        lane=first.lane,
        words=(word, f"{len(run)} events"),
        text="".join(event.acts[0].text for event in run),
        size=sum(event.acts[0].size for event in run),
        is_fragment=first.is_fragment,
        at=run[-1].at,
    )


def _of_event(picture: Picture, event: Event) -> Iterator[Row]:
    marked = {mark.lane for mark in picture.marks_at(event.number)}
    for act in event.acts:
        did = tuple(did for did in act.did if did is not Did.BLOCKED or act.lane not in marked)
        if not did:
            continue  # the finding says it
        words = (event.label,) if did == (Did.NOTHING,) else tuple(one.value for one in did)
        yield Row(
            first=event.number,
            lane=act.lane,
            words=words,
            text=act.text,
            size=act.size,
            is_fragment=act.is_fragment,
            at=event.at,
        )
    for mark in picture.marks_at(event.number):
        yield Row(first=event.number, lane=mark.lane, words=(mark.finding.code.value,), finding=mark, at=event.at)


def _of_end(picture: Picture) -> Iterator[Row]:
    yield Row(first=None, lane=0, words=picture.ending(), size=sum(map(len, picture.tail)))
    for mark in picture.marks_at(None):
        yield Row(first=None, lane=mark.lane, words=(mark.finding.code.value,), finding=mark)
