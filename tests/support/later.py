"""The profiles of the rules that are not built yet. Shared cases of theirs are left out of the tests, and nothing else.

A test fails as soon as a profile that is listed here is built: then its cases, codes and allowances are tested as all
others are.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from replay.validator import Code


@dataclass(frozen=True, kw_only=True)
class Later:
    """Why a profile is left out, and what arises in it alone."""

    reason: str
    codes: frozenset[Code] = frozenset()


LATER: Final[Mapping[str, Later]] = {}
LATER_CODES: Final[frozenset[Code]] = frozenset().union(*(later.codes for later in LATER.values()))


def is_later(expected: Path) -> bool:
    """Whether a case is one of a profile that is not built; `expected` is the file with its report."""
    return json.loads(expected.read_bytes())["profile"] in LATER


def built(cases: Iterable[Path]) -> list[Path]:
    """The cases of the profiles that are built, and those of no profile."""
    return [case for case in cases if not is_later(case.with_suffix(".expected.json"))]
