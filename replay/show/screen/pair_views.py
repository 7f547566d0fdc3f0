"""A pair of turns in a terminal and as HTML: two columns, and a sign between them that says how they compare."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING, Final

from replay.judging.comparison.timeline import same_until
from replay.show.pages import svg
from replay.show.pages.markup import EMPTY, Markup, tag, text, visible
from replay.show.picture.pair import How
from replay.show.screen.glyphs import clean, fitted, padded
from replay.show.screen.ink import Ink
from replay.terminal import printable_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.show.picture.pair import Line, Section
    from replay.show.picture.reading import Shown
    from replay.show.screen.turn_lines import Screen

SIGNS: Final[Mapping[How, str]] = {How.SAME: "=", How.MOVED: "~", How.CHANGED: "!", How.LEFT: "<", How.RIGHT: ">"}
_INKS: Final[Mapping[How, tuple[Ink, ...]]] = {
    How.SAME: (Ink.QUIET,),
    How.MOVED: (Ink.STRONG,),
    How.CHANGED: (Ink.BAD,),
    How.LEFT: (Ink.BAD,),
    How.RIGHT: (Ink.BAD,),
}
# Runs of lines that are the same are folded from this length on, where they are events.
_RUN: Final = 3
_WHAT: Final = 30


def lines(sections: Sequence[Section], titles: tuple[str, str], screen: Screen) -> Iterator[str]:
    """The terminal's view. What is the same is counted; all of it is shown in the page."""
    half = (screen.width - _what_width(sections) - 9) // 2
    wide = _what_width(sections)
    differing = [section.title for section in sections if section.differs]
    yield screen.brush.paint(f"differ: {', '.join(differing)}" if differing else "the same", Ink.STRONG)
    names = [os.path.basename(title) for title in titles]  # noqa: PTH119 - a text
    shown = names if names[0] != names[1] else titles
    left, right = (fitted(clean(title, screen.signs), half, screen.signs) for title in shown)
    yield f"  {'':<{wide}}  {padded(left, half)}     {right}"
    for section in sections:
        yield ""
        yield screen.brush.paint(section.title, Ink.QUIET)
        for how, group in groupby(section.lines, key=lambda line: line.how):
            run = list(group)
            if how is How.SAME and len(run) >= _RUN:
                yield screen.brush.paint(f"  {len(run):,} the same", Ink.QUIET)
            else:
                yield from (_line(line, half, wide, screen) for line in run)
    yield ""
    meanings = "   ".join(f"{sign} {how.value}" for how, sign in SIGNS.items())
    yield screen.brush.paint(f"  {meanings}", Ink.QUIET)


def _what_width(sections: Sequence[Section]) -> int:
    widths = (len(line.what) for section in sections for line in section.lines)
    return min(_WHAT, max(widths, default=0))


def _line(line: Line, half: int, wide: int, screen: Screen) -> str:
    what, left, right = (clean(one, screen.signs) for one in (line.what, line.left, line.right))
    if line.how is How.CHANGED:
        start = _parting(left, right, half)
        if start:
            left, right = screen.signs.more + left[start:], screen.signs.more + right[start:]
    parts = (
        padded(fitted(what, wide, screen.signs), wide),
        padded(fitted(left, half, screen.signs), half),
        fitted(right, half, screen.signs),
    )
    return screen.brush.paint(f"  {parts[0]}  {parts[1]}  {SIGNS[line.how]}  {parts[2]}", *_INKS[line.how]).rstrip()


def _parting(left: str, right: str, half: int) -> int:
    """From where long texts are shown, so that the place where they part is in sight."""
    at = same_until(left, right)
    return max(0, at - half // 2) if at > half - 4 else 0


def document(sections: Sequence[Section], titles: tuple[str, str]) -> Iterator[str]:
    """The pair as JSON."""
    members = {
        section.title: [
            {"how": line.how.value, "what": line.what, "left": line.left, "right": line.right} for line in section.lines
        ]
        for section in sections
    }
    same = not any(section.differs for section in sections)
    yield printable_json({"left": titles[0], "right": titles[1], "same": same, **members}, indent=1)


def html(sections: Sequence[Section], titles: tuple[str, str], shown: Sequence[Shown]) -> Markup:
    """The page's view: what differs first, then the lanes of both, then every line."""
    differing = [section.title for section in sections if section.differs]
    status = "blocked" if differing else "pass"
    head = tag(
        "section",
        tag("p", text("differs" if differing else "the same"), class_=f"stamp {status}"),
        tag(
            "div",
            tag("h1", text(titles[0]), text("  :  "), text(titles[1])),
            tag("p", text(f"What differs: {', '.join(differing)}." if differing else "Nothing differs.")),
            class_="says",
        ),
        class_="verdict",
    )
    return tag(
        "article",
        head,
        *(_film(one) for one in shown if one.picture.events),
        *(_section(section, titles) for section in sections if section.lines),
        class_="pair",
    )


def _film(one: Shown) -> Markup:
    labels = [tag("li", text(f"{lane.label} "), tag("code", text(lane.name or ""))) for lane in one.picture.lanes]
    told = f"Lanes of {one.path}"
    strip = tag("div", svg.lanes(one.picture), class_="strip", tabindex="0", role="group", aria_label=told)
    return tag(
        "section",
        tag("h2", text(f"{one.path}: {one.picture.report.status.value.replace('_', ' ')}"), class_="file"),
        tag("div", tag("ul", *labels, class_="labels"), strip, class_="reel"),
        class_="film",
    )


def _section(section: Section, titles: tuple[str, str]) -> Markup:
    heads = ("", titles[0], "", titles[1])
    rows = [
        tag(
            "tr",
            tag("th", text(line.what), scope="row"),
            tag("td", _side(line.left)),
            tag("td", tag("abbr", text(SIGNS[line.how]), title=line.how.value), class_="how"),
            tag("td", _side(line.right)),
            class_=line.how.name.lower(),
        )
        for line in section.lines
    ]
    return tag(
        "section",
        tag("h2", text(section.title)),
        tag(
            "div",
            tag(
                "table",
                tag("thead", tag("tr", *(tag("td", text(head)) for head in heads))),
                tag("tbody", *rows),
                class_="sides",
            ),
            class_="wide",
        ),
        class_="part",
    )


def _side(value: str) -> Markup:
    return tag("code", visible(value)) if value else EMPTY
