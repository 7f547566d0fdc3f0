"""Many fixtures as a table: one line each, those that were asked for, in the order that was asked for."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final

from replay.store import names
from replay.validator import Status

from .glyphs import clean, columns, fitted, padded
from .ink import BY_STATUS, Ink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from replay.show.picture.reading import Shown
    from replay.validator import Code

    from .turn_lines import Screen


@unique
class Column(StrEnum):
    """The columns, by their names."""

    NAME = "name"
    PROFILE = "profile"
    MODEL = "model"
    VERDICT = "verdict"
    EVENTS = "events"
    CALLS = "calls"
    FINDINGS = "findings"
    PIN = "pin"
    CLIENTS = "clients"


# Numbers stand to the right, and the largest comes first where they are sorted by.
NUMBERS: Final = frozenset({Column.EVENTS, Column.CALLS, Column.FINDINGS})
_ORDER: Final = (Status.INVALID, Status.BLOCKED, Status.PASS, Status.NOT_APPLICABLE)
# What gives way where the screen is too narrow, in this order, and down to what; at 0 the column is left out.
_SHRINK: Final = (
    (Column.MODEL, 0),
    (Column.EVENTS, 0),
    (Column.FINDINGS, 20),
    (Column.NAME, 30),
    (Column.CLIENTS, 12),
    (Column.PIN, 0),
    (Column.FINDINGS, 10),
    (Column.NAME, 12),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which fixtures are listed; None and the empty set mean all."""

    only: Status | None = None
    finding: Code | None = None
    profile: str | None = None
    sort: Column = Column.NAME


def wanted(those: Sequence[Shown], asked: Wanted) -> list[Shown]:
    """The fixtures that were asked for, in the order that was asked for; equal ones by name."""
    kept = [one for one in those if _is_wanted(one, asked)]
    return sorted(sorted(kept, key=lambda one: one.path), key=_KEYS[asked.sort])


def _is_wanted(one: Shown, asked: Wanted) -> bool:
    report = one.picture.report
    return (
        (asked.only is None or report.status is asked.only)
        and (asked.profile is None or report.profile == asked.profile)
        and (asked.finding is None or any(found.code is asked.finding for found in report.findings))
    )


_KEYS: Final[Mapping[Column, Callable[[Shown], tuple[str, int]]]] = {
    Column.NAME: lambda one: (one.path, 0),
    Column.PROFILE: lambda one: (one.picture.report.profile or "", 0),
    Column.MODEL: lambda one: (one.picture.model or "", 0),
    Column.VERDICT: lambda one: ("", _ORDER.index(one.picture.report.status)),
    Column.EVENTS: lambda one: ("", -len(one.picture.events)),
    Column.CALLS: lambda one: ("", -len(one.picture.report.calls)),
    Column.FINDINGS: lambda one: ("", -len(one.picture.report.findings)),
    Column.PIN: lambda one: (one.pinned.value, 0),
    Column.CLIENTS: lambda one: ("", -len(one.disagreeing)),
}


def cells(one: Shown, folder: str = "") -> dict[Column, str]:
    """What stands in each column. `folder` is left out of the name."""
    picture = one.picture
    codes = Counter(finding.code.value for finding in picture.report.findings)
    return {
        Column.NAME: (os.path.relpath(one.path, folder) if folder else one.path).removesuffix(".json"),
        Column.PROFILE: picture.report.profile or "none",
        Column.MODEL: picture.model or "",
        Column.VERDICT: picture.report.status.value.replace("_", " "),
        Column.EVENTS: f"{len(picture.events):,}",
        Column.CALLS: f"{len(picture.report.calls):,}",
        Column.FINDINGS: ", ".join(code if count == 1 else f"{count} {code}" for code, count in codes.items()),
        Column.PIN: one.pinned.value,
        Column.CLIENTS: clients(one),
    }


def clients(one: Shown) -> str:
    """What clients made of it: those that disagree, else how many agree."""
    against = [f"{client.name} {client.outcome.value}" for client in one.disagreeing]
    if against:
        return ", ".join(against)
    return f"{len(one.clients)} agree" if one.clients else ""


def common_folder(those: Sequence[Shown]) -> str:
    """The folder that all of them are in; empty where it is the working folder."""
    folders = {os.path.dirname(one.path) for one in those}  # noqa: PTH120 - a text
    return names.common(folders) if folders and not any(map(os.path.isabs, folders)) else ""


def lines(those: Sequence[Shown], screen: Screen) -> Iterator[str]:
    """The table, and a line that counts."""
    folder = common_folder(those)
    rows = [{column: clean(text, screen.signs) for column, text in cells(one, folder).items()} for one in those]
    shown = [column for column in Column if column is Column.NAME or any(row[column] for row in rows)]
    widths = _widths(rows, shown, screen.width)
    if folder:
        yield screen.brush.paint(f"in {clean(folder, screen.signs)}", Ink.QUIET)
    yield screen.brush.paint(_line({column: column.value for column in widths}, widths, screen), Ink.QUIET)
    for one, row in zip(those, rows, strict=True):
        texts = {column: row[column] for column in widths}
        status = one.picture.report.status
        yield _line(texts, widths, screen, verdict=BY_STATUS[status])
    yield ""
    yield _summary(those)


def _widths(rows: Sequence[Mapping[Column, str]], shown: Sequence[Column], width: int) -> dict[Column, int]:
    """How wide each column is: as wide as its texts, or cut where the screen is too narrow."""
    found = {column: max([len(column.value), *(columns(row[column]) for row in rows)]) for column in shown}
    over = sum(found.values()) + 2 * (len(found) - 1) - width
    for column, least in _SHRINK:
        if over > 0 and column in found:
            wide = found[column]
            if least == 0:
                over -= found.pop(column) + 2
                continue
            found[column] = min(wide, max(least, wide - over))
            over -= wide - found[column]
    return found


def _line(texts: Mapping[Column, str], widths: Mapping[Column, int], screen: Screen, verdict: Ink | None = None) -> str:
    parts = []
    for column, text in texts.items():
        short = fitted(text, widths[column], screen.signs)
        wide = column in NUMBERS and column is not Column.FINDINGS
        part = f"{short:>{widths[column]}}" if wide else padded(short, widths[column])
        parts.append(screen.brush.paint(part, verdict) if verdict and column is Column.VERDICT else part)
    return "  ".join(parts).rstrip()


def _summary(those: Sequence[Shown]) -> str:
    counts = Counter(one.picture.report.status for one in those)
    told = ", ".join(f"{counts[status]:,} {status.value.replace('_', ' ')}" for status in Status if counts[status])
    return f"{len(those):,} fixture{'' if len(those) == 1 else 's'}{': ' if told else ''}{told}."
