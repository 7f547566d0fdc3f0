"""`toolreel show`: parse, read, draw, exit."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from replay import garbage
from replay.corpus import discovery, files, pins
from replay.errors import ToolreelError
from replay.finite import finite
from replay.shell import quoted
from replay.show.picture.reading import read
from replay.show.screen.fixture_table import Column, Wanted
from replay.show.screen.glyphs import glyphs
from replay.show.screen.ink import Brush, DryBrush
from replay.show.screen.turn_lines import Screen
from replay.terminal import colours, printable
from replay.validator import Code, Status, command
from replay.validator.profiles import PROFILES

from .pages import document, page
from .picture import pair, rows
from .screen import fixture_table, pair_views, turn_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from replay.show.picture.pair import Section
    from replay.show.picture.reading import Shown
    from replay.show.picture.rows import Row
    from replay.validator import Allowance

# Events a second where the fixture does not say when each came.
_STEADY: Final = 12.0
_LEAST_WIDTH: Final = 60
_WIDTH: Final = 100  # where there is no terminal


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--all", "every", is_flag=True, help="Unfold runs of text, of arguments and of events that say nothing.")
@click.option("--at", metavar="N", type=click.IntRange(min=0), help="What a client has after event N: a preview.")
@click.option("--finding", metavar="CODE", help="The events around this finding; of a folder, the turns that have it.")
@click.option("--raw", is_flag=True, help="The bytes of each event as they were sent, with their line ends.")
@click.option("--play", is_flag=True, help="Show event after event, in recorded time where there is one.")
@click.option(
    "--speed", type=click.FloatRange(min=0.01), default=1.0, show_default=True, metavar="FACTOR", help="Of --play."
)
@click.option(
    "--only",
    type=click.Choice([status.value for status in Status]),
    help="Of a folder: the turns with this verdict.",
)
@click.option(
    "--profile",
    metavar="PROFILE",
    type=click.Choice(list(PROFILES)),
    help=f"Of a folder: the turns of this wire family: {', '.join(PROFILES)}.",
)
@click.option(
    "--sort",
    type=click.Choice([column.value for column in Column]),
    default=Column.NAME.value,
    show_default=True,
    help="Of a folder: by which column; of numbers the largest first.",
)
@click.option("--accept", metavar="NAME", multiple=True, help="Accept an allowance where the fixture names it.")
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write one page that shows it all, opens by double click and asks nothing of the network.",
)
@click.option("--report", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report.")
@click.pass_context
def show(
    ctx: click.Context,
    *,
    paths: tuple[str, ...],
    every: bool,
    at: int | None,
    finding: str | None,
    raw: bool,
    play: bool,
    speed: float,
    only: str | None,
    profile: str | None,
    sort: str,
    accept: tuple[str, ...],
    html: Path | None,
    report: str,
) -> None:
    """Show a turn: which fragment went to which call, what a client had after an event, which rule was broken where.

    PATH is a fixture; or a folder or a pattern in quotes ('reels/**/*.json'), which gives a table of the turns in it.
    Two fixtures, or a fixture and its pin, stand side by side: what is the same, what moved, what changed.

    Exit codes: 0; 2, an argument is wrong or a file could not be read. What the verdict is does not matter.
    """
    code = None if finding is None else _code(finding)
    names = command.allowances(accept)
    output = _Output(screen=_screen(), html=html, style=report)
    fixtures = discovery.find(paths).some()
    if len(paths) == 2 and not any(map(discovery.is_many, paths)) and _differ(paths):
        _show_pair(*_pair(paths, names), output)
    elif len(fixtures) != 1 or any(map(discovery.is_many, paths)):
        asked = Wanted(only=None if only is None else Status(only), finding=code, profile=profile, sort=Column(sort))
        ctx.exit(_show_many(fixtures, names, asked, output))
    else:
        pace = finite("--speed", speed) if play else None
        view = _View(every=every, raw=raw, at=at, finding=code, pace=pace)
        _show_one(read(fixtures[0], names), view, output)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """Where what is shown goes, and in which form."""

    screen: Screen
    html: Path | None
    style: str

    def put(self, lines: Iterable[str], document: Iterable[str], page: Callable[[], str]) -> None:
        """Write the page where one is wanted; else print the lines, or the document for programs."""
        if self.html is not None:
            files.write(self.html, page().encode())
            click.echo(f"Written: {printable(str(self.html))}")
        else:
            _say(document if self.style == "json" else lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What of one turn is shown; nothing is asked for in particular where all is as here."""

    every: bool = False
    raw: bool = False
    at: int | None = None
    finding: Code | None = None
    pace: float | None = None  # how fast it is played


def _show_one(shown: Shown, view: _View, output: _Output) -> None:
    if view.pace is not None and output.html is None and output.style == "text":
        _play(shown, output.screen, view.pace)
    else:
        output.put(_lines(shown, view, output.screen), document.turn(shown), lambda: page.turn(shown))


def _lines(shown: Shown, view: _View, screen: Screen) -> Iterator[str]:
    if view.raw:
        return turn_lines.raw(shown.picture, screen)
    if view.at is not None:
        return _state(shown, view.at, screen)
    if view.finding is not None:
        return turn_lines.whole(shown, screen, _around(shown, view.finding))
    return turn_lines.whole(shown, screen, (rows.unfolded if view.every else rows.folded)(shown.picture))


def _show_many(fixtures: Sequence[str], accept: Collection[Allowance], asked: Wanted, output: _Output) -> int:
    """Show the table; the exit code: 2 where a file could not be read."""
    with garbage.relaxed():
        found, unread = _read_all(fixtures, accept)
        those = fixture_table.wanted(found, asked)
        output.put(
            fixture_table.lines(those, output.screen),
            document.turns(those),
            lambda: page.folder(those),
        )
    return 2 if unread else 0


def _differ(paths: Sequence[str]) -> bool:
    return os.path.abspath(paths[0]) != os.path.abspath(paths[1])  # noqa: PTH100 - links are names of their own


def _pair(
    paths: Sequence[str], accept: Collection[Allowance]
) -> tuple[tuple[Section, ...], tuple[str, str], tuple[Shown, ...]]:
    """What two paths have beside each other, their titles, and the turns: two, or one and its pin, which is left."""
    left, right = (discovery.find([path]).some()[0] for path in paths)
    pin = next((path for path in paths if path.endswith(discovery.PIN_SUFFIX)), None)
    if left != right or pin is None:
        one, other = read(left, accept), read(right, accept)
        return pair.turns(one, other), (left, right), (one, other)
    shown = read(right, accept)
    if shown.pin is None:
        update = f"toolreel replay --update {quoted(right)}"
        raise ToolreelError(f"{right}: {shown.pinned.value}; to write it: {update}")
    return pair.with_pin(shown.pin, pins.bare(shown.picture.report)), (discovery.pin_path(right), right), (shown,)


def _show_pair(
    sections: tuple[Section, ...], titles: tuple[str, str], shown: tuple[Shown, ...], output: _Output
) -> None:
    output.put(
        pair_views.lines(sections, titles, output.screen),
        pair_views.document(sections, titles),
        lambda: page.two(*shown) if len(shown) == 2 else page.with_pin(*shown),
    )


def _code(name: str) -> Code:
    known = {code.value: code for code in Code}
    if name not in known:
        raise ToolreelError(f"--finding {printable(name)}: no such code; `toolreel rules` lists them")
    return known[name]


def _screen() -> Screen:
    """The terminal, or what stands for one where the output goes elsewhere."""
    width = max(_LEAST_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns)
    brush = Brush() if colours(sys.stdout, os.environ) else DryBrush()
    return Screen(width=width, signs=glyphs(sys.stdout.encoding), brush=brush)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line, color=True)  # what is not wanted was not painted


def _state(shown: Shown, at: int, screen: Screen) -> Iterator[str]:
    last = len(shown.picture.events) - 1
    if at > last:
        raise ToolreelError(f"--at {at}: the turn has no such event; its last one is {last}")
    yield from turn_lines.head(shown, screen)
    yield ""
    yield from turn_lines.state(shown.picture, at, screen)


def _around(shown: Shown, code: Code) -> Iterator[Row]:
    found = [mark.finding for mark in shown.picture.marks if mark.finding.code is code]
    if not found:
        there = ", ".join(dict.fromkeys(mark.finding.code.value for mark in shown.picture.marks))
        raise ToolreelError(f"--finding {code.value}: not in this turn; it has {there or 'no finding'}")
    return rows.around(shown.picture, [finding.event for finding in found])


def _play(shown: Shown, screen: Screen, speed: float) -> None:
    """Print the head, then each row when its event came, or one after the other at a steady pace."""
    picture = shown.picture
    _say(turn_lines.head(shown, screen))
    _say([""])
    timed = all(event.at is not None for event in picture.events)
    began = time.monotonic()
    events: dict[int | None, float] = {
        event.number: (event.at or 0) / 1000 if timed else event.number / _STEADY for event in picture.events
    }
    for line, event in turn_lines.table_by_event(picture, rows.unfolded(picture), screen):
        due = events.get(event, 0.0) / speed
        time.sleep(max(0.0, due - (time.monotonic() - began)))
        _say([line])


def _read_all(fixtures: Iterable[str], accept: Collection[Allowance]) -> tuple[list[Shown], int]:
    """What each fixture shows, and how many could not be read."""
    found, unread = [], 0
    for path in fixtures:
        try:
            found.append(read(path, accept))
        except ToolreelError as error:
            unread += 1
            click.echo(f"Error: {printable(str(error))}", err=True)
    return found, unread
