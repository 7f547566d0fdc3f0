"""A turn in a terminal: head, lanes and rows; what a client had after an event; its bytes. Gives lines, prints none."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.corpus.discovery import pin_path
from replay.shell import quoted
from replay.show.picture import preview, rows
from replay.show.picture.cells import Cell, grid, merged, runs, spoken_only
from replay.show.picture.model import Kind
from replay.show.picture.reading import Pinned
from replay.validator import Status
from replay.validator.rules import summary

from .glyphs import UNICODE, Glyphs, clean, columns, fitted, padded
from .ink import BY_STATUS, Brush, DryBrush, Ink

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replay.show.picture.model import Lane, Picture
    from replay.show.picture.preview import Part
    from replay.show.picture.reading import Shown
    from replay.show.picture.rows import Row
    from replay.validator import Code

# Lanes are drawn in this many bands below each other; where that is not enough, a column stands for several events.
_MAX_BANDS: Final = 4
_LONGEST_LABEL: Final = 28
_SHORTEST_RUN: Final = 4
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
VERDICTS: Final[Mapping[Status, str]] = {
    Status.PASS: "every call of the turn may be considered for execution",
    Status.BLOCKED: "no call of the turn may be executed",
    Status.NOT_APPLICABLE: "the turn has no tool call",
    Status.INVALID: "the file is no fixture",
}
PREVIEW: Final = "a preview, not to be executed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What lines are made for: so many columns, these signs, this brush."""

    width: int = 80
    signs: Glyphs = UNICODE
    brush: Brush = field(default_factory=DryBrush)


def head(shown: Shown, screen: Screen) -> Iterator[str]:
    """The verdict, then what the turn is and what is known of it beside the verdict."""
    picture, brush = shown.picture, screen.brush
    status = picture.report.status
    word = status.value.replace("_", " ")
    path = fitted(clean(shown.path, screen.signs), screen.width - columns(word) - 2, screen.signs)
    yield f"{brush.paint(word, Ink.STRONG, BY_STATUS[status])}  {brush.paint(path, Ink.STRONG)}"
    yield from textwrap.wrap(_sentence(picture), screen.width)
    yield ""
    facts = [
        ("profile", f"{picture.report.profile or 'none'}{f', model {picture.model}' if picture.model else ''}"),
        ("stream", f"{counted(len(picture.events), 'event')}, {_size(picture):,} bytes, {picture.stream_end}"),
        ("pin", _pin(shown)),
        ("clients", _clients(shown)),
    ]
    for name, text in facts:
        if text:
            lines = textwrap.wrap(clean(text, screen.signs), screen.width - 11) or [""]
            yield f"  {brush.paint(f'{name:<9}', Ink.QUIET)}{lines[0]}"
            yield from (f"{'':<11}{line}" for line in lines[1:])


def _sentence(picture: Picture) -> str:
    findings = picture.report.findings
    how_many = f" ({counted(len(findings), 'finding')})" if findings else ""
    return f"{VERDICTS[picture.report.status]}{how_many}".capitalize()


def counted(number: int, noun: str) -> str:
    """So many of something, in the plural where that is right."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _size(picture: Picture) -> int:
    return sum(len(event.raw) for event in picture.events) + sum(map(len, picture.tail))


def _pin(shown: Shown) -> str:
    """How the verdict compares with the pin, and how to see both."""
    if shown.pinned is not Pinned.CHANGED:
        return shown.pinned.value
    return f"{shown.pinned.value}; see: toolreel show {quoted(pin_path(shown.path))} {quoted(shown.path)}"


def _clients(shown: Shown) -> str:
    if not shown.clients:
        return ""
    against = [f"{client.name} {client.version}: {client.outcome.value}" for client in shown.disagreeing]
    agree = len(shown.clients) - len(against)
    return "; ".join([*against, *([f"{agree} agree"] if agree else [])])


def lanes(picture: Picture, screen: Screen) -> Iterator[str]:
    """A lane for each call and for what was said, a column for each event; below them what the signs mean."""
    rows_of_cells = grid(picture)
    labels = [lane_label(lane, screen.signs) for lane in picture.lanes]
    width = max(columns(label) for label in labels)
    room = max(20, screen.width - width - 4)
    spread = _columns(picture, room)
    drawn = [merged(row, spread) for row in rows_of_cells]
    for start in range(0, len(spread), room):
        band = range(start, min(start + room, len(spread)))
        yield f"  {'':<{width}}  {screen.brush.paint(_ruler(spread, band, len(picture.events)), Ink.QUIET)}".rstrip()
        for label, row in zip(labels, drawn, strict=True):
            signs = [_sign(row[at], spread[at], screen) for at in band]
            yield f"  {padded(label, width)}  {''.join(signs)}".rstrip()
    yield ""
    yield from _legend(drawn, spread, screen)


def lane_label(lane: Lane, signs: Glyphs) -> str:
    """What stands before a lane: its slot, and the name of its tool."""
    name = f" {clean(lane.name, signs)}" if lane.name else ""
    return fitted(f"{lane.label}{name}", _LONGEST_LABEL, signs)


def _columns(picture: Picture, room: int) -> list[range]:
    """What each column stands for: an event; where they are too many, a run of words, then several events."""
    count = len(picture.events)
    end = range(count, count + 1)
    if count < room:
        return [*(range(at, at + 1) for at in range(count)), end]
    found = list(runs(spoken_only(picture), _SHORTEST_RUN))
    if len(found) < room * _MAX_BANDS:
        return [*found, end]
    share = -(-count // (room * _MAX_BANDS - 1))
    return [*(range(at, min(at + share, count)) for at in range(0, count, share)), end]


def _ruler(spread: Sequence[range], band: range, events: int) -> str:
    """The number of the event at each tenth column, where there is room for it."""
    line = ""
    for column in band:
        place = column - band.start
        at = spread[column].start
        wanted = column == band.start or (place >= len(line) + 2 and place % 10 == 0)
        if wanted and at < events and place + len(str(at)) <= len(band):
            line = line.ljust(place) + str(at)
    return line


def _sign(cell: Cell, column: range, screen: Screen) -> str:
    words = cell in (Cell.TEXT, Cell.REASONING)
    sign = screen.signs.folded if words and len(column) > 1 else screen.signs.cells[cell]
    if cell is Cell.FINDING:
        return screen.brush.paint(sign, Ink.BAD, Ink.STRONG)
    return screen.brush.paint(sign, Ink.QUIET) if cell in (Cell.WAITING, Cell.NOTHING) or words else sign


_MEANINGS: Final[Mapping[Cell, str]] = {
    Cell.OPENED: "opened",
    Cell.NAMED: "id or name",
    Cell.ARGUMENTS: "arguments",
    Cell.UNTAKEN: "not taken",
    Cell.CLOSED: "closed",
    Cell.WHOLE: "whole",
    Cell.REASONING: "reasoning",
    Cell.TEXT: "text",
    Cell.FINISH: "finish",
    Cell.FINDING: "finding",
    Cell.END: "end",
}


def _legend(drawn: Iterable[Sequence[Cell]], spread: Sequence[range], screen: Screen) -> Iterator[str]:
    there = {cell for row in drawn for cell in row}
    parts = [f"{screen.signs.cells[cell]} {word}" for cell, word in _MEANINGS.items() if cell in there]
    longest = max(map(len, spread))
    if longest > 1:
        parts.append(f"{screen.signs.folded} a run of words, in one column")
    line = ""
    for part in parts:
        if line and len(line) + len(part) + 3 > screen.width - 2:
            yield f"  {screen.brush.paint(line, Ink.QUIET)}"
            line = ""
        line += ("   " if line else "") + part
    yield f"  {screen.brush.paint(line, Ink.QUIET)}"


def table(picture: Picture, those: Iterable[Row], screen: Screen) -> Iterator[str]:
    """Rows under each other: event, lane, what it did, bytes, fragment; a finding with its rule's sentence."""
    return (line for line, _ in table_by_event(picture, those, screen))


def table_by_event(picture: Picture, those: Iterable[Row], screen: Screen) -> Iterator[tuple[str, int | None]]:
    """The lines of a table, each with the event that it is about; None for the end and for the title."""
    listed = list(those)
    sheet = _Sheet(picture, listed, screen)
    yield sheet.title(), None
    before: int | None = -1
    for row in listed:
        if before is not None and row.first is not None and row.first > before + 1:
            yield f"  {screen.brush.paint(screen.signs.more, Ink.QUIET)}", row.first
        for line in sheet.finding(row) if row.finding else (sheet.line(row),):
            yield line, row.first
        before = row.last if row.last is not None else row.first


class _Sheet:
    """The columns of a table, wide enough for what stands in them."""

    def __init__(self, picture: Picture, those: Sequence[Row], screen: Screen) -> None:
        self._picture = picture
        self._screen = screen
        self._told: set[Code] = set()  # whose rule's sentence stands above
        self._event = max([len("event"), *(len(self._number(row)) for row in those)])
        self._lane = max([len("lane"), *(len(picture.lanes[row.lane].label) for row in those)])
        plain = [len(", ".join(row.words)) for row in those if row.finding is None]
        self._did = min(max([len("what"), *plain]), max(30, screen.width // 3))
        self._room = screen.width - self._event - self._lane - self._did - 5 - 8 - 2

    def title(self) -> str:
        """The names of the columns."""
        did = f"{'what':<{self._did}}"
        line = f"  {'event':>{self._event}}  {'lane':<{self._lane}}  {did}  {'bytes':>5}  fragment"
        return self._screen.brush.paint(line, Ink.QUIET)

    def line(self, row: Row) -> str:
        """One row that is no finding."""
        signs, brush = self._screen.signs, self._screen.brush
        words = fitted(clean(", ".join(row.words), signs), self._did, signs)
        size = f"{row.size:>5,}" if row.size else " " * 5
        place = f"  {self._number(row):>{self._event}}  {self._label(row):<{self._lane}}"
        start = f"{place}  {padded(words, self._did)}  {size}"
        return f"{start}  {brush.paint(self._text(row), Ink.WORDS)}".rstrip()

    def finding(self, row: Row) -> Iterator[str]:
        """A row with `>` before it; below it what is so, and the sentence of its rule."""
        assert row.finding is not None
        found, brush = row.finding.finding, self._screen.brush
        place = f"> {self._number(row):>{self._event}}  {self._label(row):<{self._lane}}  {found.code.value}"
        path = f", path {clean(found.path, self._screen.signs)}" if found.path is not None else ""
        yield brush.paint(f"{place}{path}", Ink.BAD, Ink.STRONG)
        indent = " " * (self._event + self._lane + 6)
        room = max(40, self._screen.width - len(indent))
        sentence = summary(found.code) if found.code not in self._told else ""
        self._told.add(found.code)
        for text, ink in ((found.message, Ink.BAD), (sentence, Ink.QUIET)):
            for line in textwrap.wrap(clean(text, self._screen.signs), room):
                yield f"{indent}{brush.paint(line, ink)}"

    def _number(self, row: Row) -> str:
        if row.first is None:
            return "end"
        return str(row.first) if row.last is None else f"{row.first}{self._screen.signs.to}{row.last}"

    def _label(self, row: Row) -> str:
        return self._picture.lanes[row.lane].label

    def _text(self, row: Row) -> str:
        signs, lane = self._screen.signs, self._picture.lanes[row.lane]
        if row.is_fragment:
            return fragment(row.text, self._room, signs)
        if lane.kind is Kind.CALL:
            given = " ".join(
                text for word, text in (("name", lane.name), ("id", lane.id)) if text and word in row.words
            )
            return fitted(clean(given, signs), self._room, signs)
        return fitted(clean(row.text, signs), self._room, signs)


def fragment(text: str, room: int, signs: Glyphs) -> str:
    """A fragment between two signs, so that a space at its end is seen."""
    inner = max(8, room - columns(signs.before) - columns(signs.behind))
    return f"{signs.before}{fitted(clean(text, signs), inner, signs)}{signs.behind}"


def state(picture: Picture, event: int, screen: Screen) -> Iterator[str]:
    """What a client had after an event."""
    brush, signs = screen.brush, screen.signs
    title = f"After event {event} (the last is {len(picture.events) - 1}): {PREVIEW}."
    yield brush.paint(title, Ink.STRONG)
    yield ""
    parts = list(preview.after(picture, event))
    if not parts:
        yield "  no call yet, and no text"
    for part in parts:
        lane = part.lane
        words = [*_standing(part), f"{part.size:,} bytes"]
        given = [clean(text, signs) for text in (part.name, part.id) if text]
        inks = {preview.Standing.BLOCKED: (Ink.BAD,), preview.Standing.VALIDATED: (Ink.GOOD,)}
        told = brush.paint(", ".join(words), *(inks.get(part.standing, ()) if part.standing else ()))
        yield fitted(f"  {brush.paint(lane.label, Ink.STRONG)}  {'  '.join([*given, told])}", 10_000, signs)
        for line in _wrapped(clean(part.text, signs), screen.width - 6):
            yield f"    {brush.paint(line, Ink.WORDS)}"


def _standing(part: Part) -> Iterator[str]:
    """Where a call stands, in words; a blocked one that was closed is both."""
    if part.standing is not None:
        yield part.standing.value
        if part.standing is preview.Standing.BLOCKED and part.closed:
            yield preview.Standing.CLOSED.value


def _wrapped(text: str, room: int) -> Iterator[str]:
    """The text in lines of so many columns, cut wherever it must be: arguments have no words."""
    line: list[str] = []
    left = room
    for character in text:
        wide = columns(character)
        if wide > left:
            yield "".join(line)
            line, left = [], room
        line.append(character)
        left -= wide
    if line:
        yield "".join(line)


def raw(picture: Picture, screen: Screen) -> Iterator[str]:
    """The bytes of each event as they were sent, a line for each of theirs, its line end visible."""
    width = len(str(max(0, len(picture.events) - 1)))
    for event in picture.events:
        yield from _raw(str(event.number).rjust(width), event.raw, screen)
    for piece in picture.tail:
        yield from _raw("end".rjust(width), piece, screen)


def _raw(number: str, data: bytes, screen: Screen) -> Iterator[str]:
    signs, brush = screen.signs, screen.brush
    text = data.decode("utf-8", "backslashreplace")
    for at, line in enumerate(raw_lines(text)):
        stripped = line.rstrip("\r\n")
        end = line[len(stripped) :].replace("\r", signs.carriage).replace("\n", signs.line_end)
        before = number if at == 0 else " " * len(number)
        yield f"{brush.paint(before, Ink.QUIET)}  {clean(stripped, signs)}{brush.paint(end, Ink.QUIET)}"


def raw_lines(text: str) -> list[str]:
    """The lines of an event stream, each with its line end: those that its framing knows, and no other."""
    return _LINE.findall(text)


def whole(shown: Shown, screen: Screen, those: Iterable[Row] | None = None) -> Iterator[str]:
    """All of it: head, lanes, rows, and where the findings are explained."""
    picture = shown.picture
    yield from head(shown, screen)
    if picture.events:
        yield ""
        yield from lanes(picture, screen)
    yield ""
    yield from table(picture, rows.folded(picture) if those is None else those, screen)
    codes = dict.fromkeys(finding.code.value for finding in picture.report.findings)
    if codes:
        yield ""
        yield f"Explained by: toolreel rules {' '.join(codes)}"
