"""One self-contained page: its head, its style, its script, what it shows. Nothing in it asks the network for anything.

The policy in the head allows the one style sheet and the one script by their hashes, and nothing else; so even a text
that got into the page unescaped could not run. The page is a function of what it shows: the same bytes each time.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.corpus import pins
from replay.corpus.discovery import pin_path
from replay.judging.coverage import survey_of
from replay.show.pages import markdown
from replay.show.picture import pair, reading
from replay.show.screen import pair_views
from replay.validator import Code
from replay.validator.rules import page as rule_page
from replay.validator.rules import summary

from . import folder_view
from .markup import EMPTY, Markup, join, opening, tag, text
from .source import Drawn, Of, View, element
from .turn_view import view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from replay.show.picture.pair import Section
    from replay.show.picture.reading import Shown

_FOLDER: Final = Path(__file__).parent
KEYS: Final = (
    ("j", "k", "next and previous event"),
    ("f", "F", "next and previous finding"),
    ("g", "G", "first event, and the end"),
    ("/", "", "filter"),
)


def drawn(those: Drawn) -> str:
    """The page of these files. A function of them alone: the same bytes each time."""
    return _VIEWS[those.view]([reading.shown(one) for one in those.sources], those.of)


def turn(shown: Shown) -> str:
    """The page of one turn."""
    status = shown.picture.report.status.value.replace("_", " ")
    codes = dict.fromkeys(finding.code for finding in shown.picture.report.findings)
    main = tag("main", view(shown), id="main")
    return document(f"{status}: {shown.path}", main, rules(codes), _source([shown], View.TURN), kind="turn")


def folder(those: Sequence[Shown], of: Of = Of.SHOW) -> str:
    """The page of many turns."""
    codes = [code for code in Code if any(found.code is code for one in those for found in one.picture.report.findings)]
    title = folder_view.title(those, of)
    main = tag("main", folder_view.folder(those, survey_of(one.source.fixture for one in those), title), id="main")
    stored = folder_view.stored(those)
    return document(title, main, rules(codes), stored, _source(those, View.FOLDER, of), kind="folder")


def two(one: Shown, other: Shown) -> str:
    """The page of two turns."""
    return _beside(pair.turns(one, other), (one.path, other.path), (one, other), View.PAIR)


def with_pin(shown: Shown) -> str:
    """The page of a turn and its pin, which can be read."""
    assert shown.pin is not None
    sections = pair.with_pin(shown.pin, pins.bare(shown.picture.report))
    return _beside(sections, (pin_path(shown.path), shown.path), (shown,), View.WITH_PIN)


_VIEWS: Final[Mapping[View, Callable[[Sequence[Shown], Of], str]]] = {
    View.TURN: lambda those, _: turn(*those),
    View.FOLDER: folder,
    View.PAIR: lambda those, _: two(*those),
    View.WITH_PIN: lambda those, _: with_pin(*those),
}


def _beside(sections: Sequence[Section], titles: tuple[str, str], shown: Sequence[Shown], seen: View) -> str:
    main = tag("main", pair_views.html(sections, titles, shown), id="main")
    return document(f"{titles[0]} : {titles[1]}", main, _source(shown, seen), kind="pair")


def _source(those: Iterable[Shown], seen: View, of: Of = Of.SHOW) -> Markup:
    return element(Drawn(view=seen, of=of, sources=[one.source for one in those]))


def document(title: str, *parts: Markup, kind: str) -> str:
    """A whole page around these parts."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        opening("meta", charset="utf-8"),
        opening("meta", name="generator", content="toolreel show"),  # by which `scan` knows a page
        opening("meta", http_equiv="Content-Security-Policy", content=policy),
        opening("meta", name="viewport", content="width=device-width, initial-scale=1"),
        opening("meta", name="referrer", content="no-referrer"),
        opening("meta", name="color-scheme", content="light dark"),
        tag("title", text(title)),
        tag("style", style),
    )
    body = tag("body", _top(), *parts, _foot(), tag("script", script), data_kind=kind)
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _asset(name: str) -> Markup:
    """A file of our own, as it stands in the page."""
    return Markup((_FOLDER / name).read_text("utf-8"))


def _hash(asset: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()}"


def _top() -> Markup:
    return tag(
        "header",
        tag("a", text("Skip to the turn"), href="#main", class_="skip"),
        tag("span", tag("b", text("toolreel")), text(" show"), class_="brand"),
        tag("div", class_="tools"),
        class_="top",
    )


def _foot() -> Markup:
    keys = [
        tag("li", *(tag("kbd", text(key)) for key in (one, other) if key), text(f" {words}"))
        for one, other, words in KEYS
    ]
    return tag(
        "footer",
        tag("ul", *keys, class_="keys"),
        tag(
            "p",
            text("A verdict is eligibility, never authorization. This page asks the network for nothing."),
        ),
    )


def rules(codes: Iterable[Code]) -> Markup:
    """The pages of these codes, each with its legal twin."""
    found = [
        tag(
            "details",
            tag("summary", tag("code", text(code.value)), text(" "), markdown.inline(summary(code))),
            markdown.html(rule_page(code)),
            id=f"rule-{code.value}",
            class_="rule",
        )
        for code in codes
    ]
    if not found:
        return EMPTY
    return tag("section", tag("h2", text("Rules")), join(found), class_="rules", aria_label="Rules")
