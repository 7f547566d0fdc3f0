"""Placeholders that a search gives for one place of the schema, asked for by the value that stands there.

In: a text or a number, and what speaks of its place. Out: whether the search has it. The question that the search is
given is read off the value itself: which of the assertions it satisfies, and how long it is. So the value is one of a
few that say these things most plainly. Knows no mask and no capture.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from redaction.applicable import Assertion
from redaction.placeholders import plain_number, sized_number
from redaction.witnesses import number_search, text_search
from redaction.witnesses.text_search import Wanted
from replay.validator.strict_json import NUMBER, exact_number

# What a cut in a surrogate pair, or half of one, demands: it stands in no text that the search would choose by itself.
_DEMANDED: Final = re.compile("[\U0001f600\ud800]")
# No capture gives longer ones, unless the schema bounds the length.
_LONGEST: Final = 100_000


def is_searched_text(text: str, assertions: Sequence[Assertion]) -> bool:
    """Whether the search gives `text` for a place of which these assertions speak."""
    fixed = {match.start(): match[0] for match in _DEMANDED.finditer(text)}
    return len(text) <= _LONGEST and text_search.gives([*_asked(text, assertions)], text, fixed)


def is_searched_number(written: str, assertions: Sequence[Assertion]) -> bool:
    """Whether the search gives the number for such a place, and it is written as placeholders are."""
    if NUMBER.fullmatch(written) is None:
        return False  # digits of a text that broke off, or that was put together otherwise than it came
    value = exact_number(written)
    if value is None or written != sized_number(plain_number(Decimal(value)), len(written)):
        return False
    return Decimal(value) in number_search.numbers([*_asked(value, assertions)])


def _asked(value: object, assertions: Sequence[Assertion]) -> Iterator[Wanted]:
    return ((one.keyword, one.argument, one.holds(value)) for one in assertions)
