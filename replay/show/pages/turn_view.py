"""One turn as HTML: verdict, findings, lanes, what was assembled, events, bytes. It can be read without script."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from replay.show.pages import markdown
from replay.show.picture.model import Did, Kind
from replay.show.screen.turn_lines import VERDICTS, counted, raw_lines
from replay.validator.rules import summary

from . import svg
from .markup import EMPTY, Markup, join, tag, text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.show.picture.model import Act, Event, Lane, Marked, Picture
    from replay.show.picture.reading import Shown
    from replay.validator import Code

# Rows are laid out in groups of so many, and only those groups that are near the window.
GROUP: Final = 100
_BAD: Final = ' class="bad"'
_JOINT: Final = re.compile(r"(?<=[a-z])([._])(?=[a-z])")


def view(shown: Shown) -> Markup:
    """The whole of a turn, in the order in which it is read."""
    picture = shown.picture
    parts = [_verdict(shown)]
    if picture.events:
        parts += [_lanes(picture), tag("div", class_="step"), _panels(picture)]
    return tag("article", *parts, class_="turn", data_events=len(picture.events))


def _verdict(shown: Shown) -> Markup:
    picture = shown.picture
    status = picture.report.status
    return tag(
        "section",
        tag("p", text(status.value.replace("_", " ")), class_=f"stamp {status.value}"),
        tag("div", tag("h1", text(shown.path)), tag("p", text(f"{VERDICTS[status]}.".capitalize())), class_="says"),
        tag("dl", *_facts(shown)),
        _findings(picture),
        class_="verdict",
    )


def _facts(shown: Shown) -> Iterator[Markup]:
    picture = shown.picture
    size = sum(len(event.raw) for event in picture.events) + sum(map(len, picture.tail))
    facts = [
        ("profile", picture.report.profile or "none"),
        ("model", picture.model or ""),
        ("stream", f"{counted(len(picture.events), 'event')}, {size:,} bytes, {picture.stream_end}"),
        ("pin", shown.pinned.value),
        ("allowances", ", ".join(dict.fromkeys(use.name.value for use in picture.report.allowances))),
    ]
    for name, value in facts:
        if value:
            yield tag("div", tag("dt", text(name)), tag("dd", text(value)))
    if shown.clients:
        outcomes = [
            tag("li", text(f"{one.name} {one.version} "), tag("b", text(one.outcome.value)), class_=one.outcome.value)
            for one in shown.clients
        ]
        yield tag("div", tag("dt", text("clients")), tag("dd", tag("ul", *outcomes, class_="clients")))


def _findings(picture: Picture) -> Markup:
    """By code, in the order in which the first of each arose: what its rule says, then where."""
    by_code: dict[Code, list[Marked]] = {}
    for mark in picture.marks:
        by_code.setdefault(mark.finding.code, []).append(mark)
    if not by_code:
        return EMPTY
    return tag("ol", *(_code(picture, code, marks) for code, marks in by_code.items()), class_="findings")


def _code(picture: Picture, code: Code, marks: Sequence[Marked]) -> Markup:
    return tag(
        "li",
        tag(
            "p",
            tag("a", text(code.value), href=f"#rule-{code.value}", class_="code"),
            text(" "),
            markdown.inline(summary(code)),
        ),
        tag("ul", *(_finding(picture, mark) for mark in marks)),
    )


def _finding(picture: Picture, mark: Marked) -> Markup:
    found = mark.finding
    path = tag("code", text(found.path or "/")) if found.path is not None else EMPTY
    return tag(
        "li",
        tag("a", text(_place(found.event)), href=f"#{_anchor(found.event)}", class_="place"),
        tag("span", text(picture.lanes[mark.lane].label), class_="lane"),
        tag("span", path, text(" "), markdown.message(found.message), class_="quiet"),
    )


def _place(event: int | None) -> str:
    return "at the end" if event is None else f"event {event}"


def _anchor(event: int | None) -> str:
    return "end" if event is None else f"event-{event}"


def _lanes(picture: Picture) -> Markup:
    labels = [_lane_label(lane) for lane in picture.lanes]
    return tag(
        "section",
        tag("h2", text("Lanes")),
        tag(
            "div",
            tag("ul", *labels, class_="labels"),
            tag("div", svg.lanes(picture), class_="strip", tabindex="0", role="group", aria_label="Lanes, scrollable"),
            class_="reel",
        ),
        tag("ul", *_legend(picture), class_="legend"),
        class_="film",
    )


def _lane_label(lane: Lane) -> Markup:
    name = tag("code", text(lane.name)) if lane.name else EMPTY
    return tag("li", text(f"{lane.label} "), name)


_LEGEND: Final = (
    ("opened", "opened"),
    ("named", "id or name"),
    ("arguments", "arguments"),
    ("untaken", "not taken"),
    ("closed", "closed"),
    ("text", "text"),
    ("reasoning", "reasoning"),
    ("finish", "finish"),
    ("finding", "finding"),
    ("end", "end"),
)


def _legend(picture: Picture) -> Iterator[Markup]:
    there = svg.signs(picture)
    for name, words in _LEGEND:
        if name in there:
            yield tag("li", svg.sample(name), text(words))


def _panels(picture: Picture) -> Markup:
    return tag(
        "div",
        tag(
            "section",
            tag("h2", text("Assembled")),
            tag("p", class_="moment", role="status"),
            *_assembled(picture),
            class_="assembled",
            data_panel="assembled",
        ),
        tag(
            "section",
            tag("h2", text("Events")),
            *_groups("events", [_event(picture, event) for event in picture.events], _end(picture)),
            class_="listing",
            data_panel="events",
        ),
        tag(
            "section",
            tag("h2", text("Raw")),
            *_groups("raw", [_raw(event) for event in picture.events], _raw_end(picture)),
            class_="listing",
            data_panel="raw",
        ),
        class_="panels",
    )


def _groups(name: str, rows: Sequence[Markup], last: Markup) -> Iterator[Markup]:
    """The rows in lists that the browser lays out one by one, when they come near the window."""
    every = [*rows, last]
    for start in range(0, len(every), GROUP):
        yield tag("ol", *every[start : start + GROUP], class_=f"rows {name}", start=start)


def _assembled(picture: Picture) -> Iterator[Markup]:
    pieces: dict[int, list[tuple[int, Act]]] = {}
    for event in picture.events:
        for act in event.acts:
            pieces.setdefault(act.lane, []).append((event.number, act))
    for number, lane in enumerate(picture.lanes):
        acts = pieces.get(number, [])
        if lane.kind is Kind.CALL:
            yield _call(number, lane, acts)
        elif lane.kind is not Kind.TURN:
            body = tag("pre", _fragments(number, acts), class_="words")
            yield tag("div", tag("h3", text(lane.label)), body, class_="lane", data_l=number)


def _call(number: int, lane: Lane, acts: Sequence[tuple[int, Act]]) -> Markup:
    """A call as it stands at the end. When it became what, the script reads from the attributes."""
    first = {did: next((event for event, act in acts if did in act.did), None) for did in Did}
    assert lane.state is not None, "a call has a state"
    state = lane.state.value
    pieces = [act for _, act in acts if Did.ARGUMENTS in act.did]
    size = sum(act.size for act in pieces)
    body = _fragments(number, acts) if pieces else tag("i", text(lane.text or "no arguments"))
    named = [first[did] for did in (Did.ID, Did.NAME)]
    return tag(
        "div",
        tag(
            "h3",
            tag("span", text(lane.label), class_="slot"),
            tag("code", text(lane.name or "no name"), class_="name", data_e=first[Did.NAME], data_l=number),
            tag("span", text(state), class_=f"state {state}"),
        ),
        tag(
            "p",
            tag("code", text(lane.id or "no id"), data_e=first[Did.ID], data_l=number),
            text(f" {size:,} bytes in {counted(len(pieces), 'fragment')}"),
            class_="quiet",
        ),
        tag("pre", body, class_="args"),
        class_="lane call",
        data_l=number,
        data_opened=first[Did.OPENED],
        data_named=None if None in named else max(event for event in named if event is not None),
        data_closed=first[Did.CLOSED],
        data_blocked=first[Did.BLOCKED],
        data_state=state,
    )


def _fragments(number: int, acts: Sequence[tuple[int, Act]]) -> Markup:
    """The pieces of a lane, one behind the other: together they are its text, and each knows its event."""
    return join(
        tag("span", visible(act.text), data_e=event, data_l=number) for event, act in acts if act.brings and act.text
    )


def _event(picture: Picture, event: Event) -> Markup:
    """One row. Written out, since a page has one for each event of each turn."""
    number, marks = event.number, picture.marks_at(event.number)
    acts = "".join(_act(picture, number, act) for act in event.acts if _says(act, marks))
    return Markup(
        f'<li id="event-{number}" data-e="{number}"{_BAD if marks else ""}><a href="#event-{number}">{number}</a>'
        f'<span class="type">{_breakable(event.label)}</span><span class="size">{len(event.raw):,} B</span>'
        f"{acts}{''.join(_mark(picture, mark) for mark in marks)}</li>"
    )


@lru_cache(maxsize=1024)
def _breakable(label: str) -> Markup:
    """A type such as `response.output_text.delta`, which may go on in the next line behind each dot and underscore."""
    return Markup(_JOINT.sub(r"\1<wbr>", text(label)))


def _says(act: Act, marks: Sequence[Marked]) -> bool:
    """Whether an act is worth a line: that a call is blocked says the finding."""
    if act.did == (Did.BLOCKED,):
        return all(mark.lane != act.lane for mark in marks)
    return act.did != (Did.NOTHING,)


def _act(picture: Picture, event: int, act: Act) -> Markup:
    piece = f'<code data-e="{event}" data-l="{act.lane}">{visible(act.text)}</code>' if act.text else ""
    if act.did == (Did.FINISH,):
        piece = tag("b", text(act.text))
    words = ", ".join([did.value for did in act.did])
    lane = picture.lanes[act.lane].label
    said = f" {words} " if words != lane else " "
    return Markup(f'<p><span class="lane">{text(lane)}</span>{text(said)}{piece}</p>')


def _mark(picture: Picture, mark: Marked) -> Markup:
    found = mark.finding
    return tag(
        "p",
        tag("span", text(picture.lanes[mark.lane].label), class_="lane"),
        text(" "),
        tag("a", text(found.code.value), href=f"#rule-{found.code.value}", class_="code"),
        text(" "),
        markdown.message(found.message),
        class_="mark",
    )


def _end(picture: Picture) -> Markup:
    marks = picture.marks_at(None)
    return tag(
        "li",
        tag("a", text("end"), href="#end"),
        tag("span", text(", ".join(picture.ending())), class_="type"),
        tag("span", text(f"{sum(map(len, picture.tail)):,} B"), class_="size"),
        *(_mark(picture, mark) for mark in marks),
        id="end",
        data_e=len(picture.events),
        class_="bad" if marks else None,
    )


def _raw(event: Event) -> Markup:
    return Markup(f'<li data-e="{event.number}"><pre>{_bytes(event.raw)}</pre></li>')


def _raw_end(picture: Picture) -> Markup:
    return tag("li", tag("pre", join(map(_bytes, picture.tail))), data_e=len(picture.events), class_="tail")


def _bytes(data: bytes) -> Markup:
    """Bytes as text; a line end of the stream is a sign, and so is whatever cannot be seen."""
    return join(map(visible, raw_lines(data.decode("utf-8", "backslashreplace"))))
