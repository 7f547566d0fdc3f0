"""A picture as JSON, for programs: ASCII, one object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.terminal import printable_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.show.picture.model import Act, Event, Lane, Marked
    from replay.show.picture.reading import Shown


def turn(shown: Shown) -> Iterator[str]:
    """One turn: its verdict, its lanes, and what each event did."""
    picture = shown.picture
    members = {
        **_summary(shown),
        "lanes": [_lane(lane) for lane in picture.lanes],
        "timeline": [_event(event) for event in picture.events],
        "findings": [_mark(mark) for mark in picture.marks],
        "end": [_text(piece) for piece in picture.tail],
    }
    yield printable_json(members, indent=1)


def turns(those: Sequence[Shown]) -> Iterator[str]:
    """Many turns, without what happened inside them."""
    yield printable_json({"turns": [_summary(one) for one in those]}, indent=1)


def _summary(shown: Shown) -> dict[str, object]:
    picture = shown.picture
    return {
        "fixture": shown.path,
        "status": picture.report.status.value,
        "executable": picture.report.executable,
        "profile": picture.report.profile,
        "model": picture.model,
        "stream_end": picture.stream_end,
        "events": len(picture.events),
        "calls": len(picture.report.calls),
        "codes": [finding.code.value for finding in picture.report.findings],
        "pin": shown.pinned.value.replace(" ", "_"),
        "clients": [
            {"client": client.name, "version": client.version, "outcome": client.outcome.value}
            for client in shown.clients
        ],
    }


def _lane(lane: Lane) -> Mapping[str, object]:
    return {
        "kind": lane.kind.value,
        "choice": lane.choice,
        "slot": lane.slot,
        "id": lane.id,
        "name": lane.name,
        "text": lane.text,
        "state": lane.state.value if lane.state else None,
    }


def _event(event: Event) -> Mapping[str, object]:
    return {
        "event": event.number,
        "label": event.label,
        "bytes": len(event.raw),
        "milliseconds": event.at,
        "did": [_act(act) for act in event.acts],
    }


def _act(act: Act) -> Mapping[str, object]:
    return {"lane": act.lane, "did": [did.value for did in act.did], "text": act.text, "bytes": act.size}


def _mark(mark: Marked) -> Mapping[str, object]:
    return {**mark.finding.as_dict(), "lane": mark.lane}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
