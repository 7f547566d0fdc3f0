"""Many turns as HTML: how many of each verdict, a table, what the corpus has of each kind, what clients made of it."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Final

from replay.diff.outcomes import Outcome
from replay.diff.reporting import MEANS
from replay.judging.coverage import NO_PROFILE, Kind, possible
from replay.show.screen.fixture_table import NUMBERS, Column, cells, common_folder
from replay.store import names
from replay.validator import Code, Status
from replay.validator.profiles import PROFILES

from .markup import EMPTY, Markup, join, tag, text
from .source import Of, packed
from .turn_view import view

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replay.judging.coverage import Survey
    from replay.show.picture.reading import Shown

# Best last, so that what needs a look stands first.
_STATUSES: Final = (Status.BLOCKED, Status.INVALID, Status.PASS, Status.NOT_APPLICABLE)
# A page leads with the verdict, also where it is narrow.
_COLUMNS: Final = (
    Column.NAME,
    Column.VERDICT,
    Column.FINDINGS,
    Column.CLIENTS,
    Column.PIN,
    Column.PROFILE,
    Column.MODEL,
    Column.EVENTS,
    Column.CALLS,
)
# An outcome in a cell: told apart without colour.
_SIGNS: Final[Mapping[Outcome, str]] = {
    Outcome.AGREE: "·",
    Outcome.UNSAFE: "U",
    Outcome.WRONG: "W",
    Outcome.LOST: "L",
    Outcome.CRASH: "C",
    Outcome.HANG: "H",
    Outcome.SPLIT: "S",
    Outcome.NO_CONTROL: "?",
}
# What a page of turns is called, by the command that collected them; that of `show` by the folder they are in.
_TITLES: Final[Mapping[Of, str]] = {Of.REPLAY: "toolreel replay", Of.DIFF: "toolreel diff", Of.PYTEST: "pytest"}


def title(those: Sequence[Shown], of: Of) -> str:
    """What the page is called. It says nothing but words of ours, and where the fixtures are."""
    folders = {os.path.dirname(one.path) for one in those}  # noqa: PTH120 - a text
    alike = len({os.path.isabs(folder) for folder in folders}) == 1  # noqa: PTH117 - a text
    return _TITLES.get(of) or (names.common(folders) if alike else "") or "Turns"


def folder(those: Sequence[Shown], survey: Survey, title: str) -> Markup:
    """The overview. The script puts a turn in its place when one is opened."""
    return tag(
        "article",
        _verdicts(those, title),
        _table(those),
        _coverage(survey),
        _clients(those),
        class_="folder",
    )


def stored(those: Sequence[Shown]) -> Markup:
    """The turns themselves, each packed in an element that nothing shows and nothing runs."""
    return join(
        tag("script", packed(view(one).encode()), type="text/plain", class_="stored", data_t=number)
        for number, one in enumerate(those)
    )


def _verdicts(those: Sequence[Shown], title: str) -> Markup:
    counts = Counter(one.picture.report.status for one in those)
    tiles = [
        tag("li", tag("b", text(f"{counts[status]:,}")), text(f" {_word(status)}"), class_=f"stamp {status.value}")
        for status in _STATUSES
        if counts[status]
    ]
    pins = Counter(one.pinned.value for one in those)
    facts = [
        ("fixtures", f"{len(those):,}"),
        ("events", f"{sum(len(one.picture.events) for one in those):,}"),
        ("calls", f"{sum(len(one.picture.report.calls) for one in those):,}"),
        ("pins", ", ".join(f"{count:,} {word}" for word, count in pins.most_common())),
    ]
    return tag(
        "section",
        tag("h1", text(title)),
        tag("ul", *tiles, class_="tiles"),
        tag("dl", *(tag("div", tag("dt", text(name)), tag("dd", text(value))) for name, value in facts)),
        class_="verdicts",
    )


def _word(status: Status) -> str:
    return status.value.replace("_", " ")


def _table(those: Sequence[Shown]) -> Markup:
    shared = common_folder(those)
    listed = [cells(one, shared) for one in those]
    columns = [column for column in _COLUMNS if column is Column.NAME or any(row[column] for row in listed)]
    heads = [tag("th", text(column.value), scope="col", class_=_class(column)) for column in columns]
    rows = [
        tag(
            "tr",
            tag("th", text(row[Column.NAME]), scope="row"),
            *(_cell(one, column, row[column]) for column in columns[1:]),
            data_t=number,
            data_name=row[Column.NAME],
        )
        for number, (one, row) in enumerate(zip(those, listed, strict=True))
    ]
    return tag(
        "section",
        tag("h2", text("Turns")),
        tag(
            "div",
            tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="turns"),
            class_="wide",
        ),
        class_="part",
    )


def _class(column: Column) -> str | None:
    return "number" if column in NUMBERS and column is not Column.FINDINGS else None


def _cell(one: Shown, column: Column, shown: str) -> Markup:
    if column is Column.VERDICT:
        return tag("td", text(shown), class_=f"status {one.picture.report.status.value}")
    bad = (column is Column.FINDINGS and shown) or (column is Column.CLIENTS and one.disagreeing)
    return tag("td", text(shown), class_="found" if bad else _class(column))


def _coverage(survey: Survey) -> Markup:
    """A row for each kind of stream and each code, a column for each profile."""
    profiles = [profile for profile in [*PROFILES, NO_PROFILE] if survey.fixtures[profile]]
    kinds = [_counts(kind.value, [(one, survey.kinds[one, kind], kind) for one in profiles]) for kind in Kind]
    codes = [_counts(code.value, [(one, survey.codes[one, code], code) for one in profiles]) for code in Code]
    heads = tag("tr", tag("td", EMPTY), *(tag("th", text(one), scope="col") for one in profiles))
    titles = [
        tag("tr", tag("th", text(title), scope="rowgroup", colspan=len(profiles) + 1), class_="group")
        for title in ("kinds of streams", "finding codes")
    ]
    return tag(
        "section",
        tag("h2", text("Coverage")),
        tag(
            "p",
            text("How many turns of each profile have it. An empty circle: none yet. A dash: it cannot be."),
            class_="quiet",
        ),
        tag(
            "div",
            tag("table", tag("thead", heads), tag("tbody", titles[0], *kinds, titles[1], *codes), class_="matrix"),
            class_="wide",
        ),
        class_="part",
    )


def _counts(title: str, found: Sequence[tuple[str, int, Kind | Code]]) -> Markup:
    return tag("tr", tag("th", text(title), scope="row"), *(_count(*one) for one in found))


def _count(profile: str, count: int, what: Kind | Code) -> Markup:
    if not possible(profile, what):
        return tag("td", text("–"), class_="never")
    if not count:
        return tag("td", text("○"), class_="lacking")
    return tag("td", text(f"{count:,}"), class_="has")


def _clients(those: Sequence[Shown]) -> Markup:
    """A row for each turn that a client would do something else with, a column for each client."""
    run = [one for one in those if one.clients]
    if not run:
        return EMPTY
    names = sorted({(client.name, client.version) for one in run for client in one.clients})
    against = [(number, one) for number, one in enumerate(those) if one.disagreeing]
    against.sort(key=lambda pair: (pair[1].picture.report.profile or "", -len(pair[1].disagreeing), pair[1].path))
    agreed = len(run) - len(against)
    more = f" On {agreed:,} more turn{'' if agreed == 1 else 's'} every client agrees." if agreed else ""
    return tag(
        "section",
        tag("h2", text("Clients")),
        tag(
            "p",
            text(f"Turns that a client would handle otherwise than the verdict says.{more}"),
            class_="quiet",
        ),
        tag("ul", *_signs(run), class_="legend"),
        tag("div", _heat(those, against, names), class_="wide"),
        class_="part clients-part",
    )


def _signs(run: Sequence[Shown]) -> Iterator[Markup]:
    there = {client.outcome for one in run for client in one.clients}
    for outcome in Outcome:
        if outcome in there:
            sign = tag("b", text(_SIGNS[outcome]), class_=f"cell {_kind(outcome)}")
            yield tag("li", sign, text(f"{outcome.value}: {MEANS[outcome]}"))


def _kind(outcome: Outcome) -> str:
    return "agree" if outcome is Outcome.AGREE else f"against {outcome.value}"


def _heat(those: Sequence[Shown], against: Sequence[tuple[int, Shown]], names: Sequence[tuple[str, str]]) -> Markup:
    shared = common_folder(those)
    heads = [
        tag("th", tag("span", text(name), tag("small", text(f" {version}"))), scope="col") for name, version in names
    ]
    rows = [
        tag(
            "tr",
            tag("th", text(cells(one, shared)[Column.NAME]), scope="row"),
            *_outcomes(one, names),
            data_t=number,
        )
        for number, one in against
    ]
    agree = tag("tr", tag("th", text("agree"), scope="row"), *(_agreeing(those, name) for name in names))
    return tag(
        "table",
        tag("thead", tag("tr", tag("td", EMPTY), *heads)),
        tag("tbody", *rows),
        tag("tfoot", agree),
        class_="heat",
    )


def _outcomes(one: Shown, names: Sequence[tuple[str, str]]) -> Iterator[Markup]:
    found = {(client.name, client.version): client.outcome for client in one.clients}
    for name in names:
        outcome = found.get(name)
        if outcome is None:
            yield tag("td", EMPTY)
        else:
            sign = tag("abbr", text(_SIGNS[outcome]), title=f"{name[0]}: {outcome.value}")
            yield tag("td", sign, class_=_kind(outcome))


def _agreeing(those: Sequence[Shown], name: tuple[str, str]) -> Markup:
    outcomes = [client.outcome for one in those for client in one.clients if (client.name, client.version) == name]
    return tag("td", text(f"{100 * outcomes.count(Outcome.AGREE) // len(outcomes)}%"))
