"""The exact value of a JSON number, of whatever length: an int, a Decimal, or none where a double cannot hold it."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final

NUMBER: Final = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")

# No finite double has more than 309 digits before its point, so a longer integer overflows: it is never built.
MAX_INTEGER_DIGITS: Final = 309


def exact_number(text: str) -> int | Decimal | None:
    """The exact value of a JSON number, None where a double cannot hold its magnitude."""
    whole, fraction, exponent = _groups(text)
    if fraction is None and exponent is None:
        if len(whole) < MAX_INTEGER_DIGITS:
            return int(whole)
        if len(whole) > MAX_INTEGER_DIGITS + 1:
            return None
    if float(text) in (float("inf"), float("-inf")):
        return None
    if fraction is None and exponent is None:
        return int(whole)
    try:
        return Decimal(text)
    except InvalidOperation:
        pass
    return _underflowing(whole, fraction or "")


def _groups(text: str) -> tuple[str, str | None, str | None]:
    match = NUMBER.fullmatch(text)
    assert match is not None, "callers pass what the grammar accepted"
    whole, fraction, exponent = match.groups()
    return whole, fraction, exponent


def _underflowing(whole: str, fraction: str) -> Decimal:
    """A number whose exponent is beyond what Decimal holds: nearer to zero than any bound, with its sign and digits."""
    digits = (whole.lstrip("-") + fraction[1:]).strip("0")
    sign = "-" if whole.startswith("-") else ""
    return Decimal(f"{sign}{digits}E-{10**17}") if digits else Decimal(0)
