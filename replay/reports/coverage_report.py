"""The report of `toolreel coverage`: a survey of a corpus as a table for people, and as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.judging.coverage import NO_PROFILE, Kind, possible
from replay.terminal import printable_json
from replay.validator import Code
from replay.validator.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.judging.coverage import Survey


def table(survey: Survey) -> Iterator[str]:
    """A row for each kind and each code, a column for each profile; `-` where no stream can have it."""
    profiles = _profiles(survey)
    rows = [("", *profiles), ("fixtures", *(str(survey.fixtures[profile]) for profile in profiles))]
    for kind in Kind:
        rows.append((kind.value, *(_cell(survey.kinds[profile, kind], profile, kind) for profile in profiles)))
    for code in Code:
        rows.append((code.value, *(_cell(survey.codes[profile, code], profile, code) for profile in profiles)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *rest = row
        cells = [f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True)]
        yield f"{first:<{widths[0]}}  {'  '.join(cells)}"
    yield ""
    for profile in PROFILES:
        if survey.fixtures[profile]:
            lacking = [*(kind.value for kind in _lacking_kinds(survey, profile)), *_lacking_codes(survey, profile)]
            yield f"{profile} lacks: {', '.join(lacking) or 'nothing'}"
    absent = [profile for profile in PROFILES if not survey.fixtures[profile]]
    if absent:
        yield f"no fixture of: {', '.join(absent)}"


def lacks(survey: Survey) -> bool:
    """Whether a profile of which there are fixtures lacks a kind or a code that it can have."""
    there = [profile for profile in PROFILES if survey.fixtures[profile]]
    return any(_lacking_kinds(survey, profile) or _lacking_codes(survey, profile) for profile in there)


def document(survey: Survey) -> Iterator[str]:
    """The survey as JSON: for each profile the counts, and what the corpus lacks."""
    found = {
        profile: {
            "fixtures": survey.fixtures[profile],
            "kinds": {kind.value: survey.kinds[profile, kind] for kind in Kind if possible(profile, kind)},
            "codes": {code.value: survey.codes[profile, code] for code in Code if possible(profile, code)},
            "lacking": {
                "kinds": [kind.value for kind in _lacking_kinds(survey, profile)],
                "codes": _lacking_codes(survey, profile),
            },
        }
        for profile in _profiles(survey)
    }
    yield printable_json({"profiles": found}, indent=1)


def _cell(count: int, profile: str, what: Kind | Code) -> str:
    return str(count) if count or possible(profile, what) else "-"


def _profiles(survey: Survey) -> list[str]:
    return [*PROFILES, *([NO_PROFILE] if survey.fixtures[NO_PROFILE] else [])]


def _lacking_kinds(survey: Survey, profile: str) -> list[Kind]:
    return [kind for kind in Kind if possible(profile, kind) and not survey.kinds[profile, kind]]


def _lacking_codes(survey: Survey, profile: str) -> list[str]:
    return [code.value for code in Code if possible(profile, code) and not survey.codes[profile, code]]
