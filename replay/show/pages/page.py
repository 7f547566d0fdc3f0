"""One self-contained page: its head, its style, its script, what it shows. Nothing in it asks the network for anything.

The policy in the head allows the one style sheet and the one script by their hashes, and nothing else; so even a text
that got into the page unescaped could not run. The page is a function of what it shows: the same bytes each time.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.show.pages import markdown
from replay.show.screen import pair_views
from replay.validator import Code
from replay.validator.rules import page as rule_page
from replay.validator.rules import summary

from . import folder_view
from .markup import EMPTY, Markup, join, opening, tag, text
from .turn_view import view

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.judging.coverage import Survey
    from replay.show.picture.pair import Section
    from replay.show.picture.reading import Shown

_FOLDER: Final = Path(__file__).parent
KEYS: Final = (
    ("j", "k", "next and previous event"),
    ("f", "F", "next and previous finding"),
    ("g", "G", "first event, and the end"),
    ("/", "", "filter"),
)


def turn(shown: Shown) -> str:
    """The page of one turn."""
    status = shown.picture.report.status.value.replace("_", " ")
    codes = dict.fromkeys(finding.code for finding in shown.picture.report.findings)
    return document(f"{status}: {shown.path}", tag("main", view(shown), id="main"), rules(codes), kind="turn")


def folder(those: Sequence[Shown], survey: Survey, title: str) -> str:
    """The page of many turns."""
    codes = [code for code in Code if any(found.code is code for one in those for found in one.picture.report.findings)]
    main = tag("main", folder_view.folder(those, survey, title), id="main")
    return document(title, main, rules(codes), folder_view.stored(those), kind="folder")


def pair(sections: Sequence[Section], titles: tuple[str, str], shown: Sequence[Shown]) -> str:
    """The page of two turns, or of a turn and its pin."""
    main = tag("main", pair_views.html(sections, titles, shown), id="main")
    return document(f"{titles[0]} : {titles[1]}", main, kind="pair")


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
