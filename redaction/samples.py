"""Values that the application's own schema determines: nothing here has seen a raw value.

The masks draw from these in a fixed order, and the gate knows them by the same functions: a value that stands here is
placeholder, not data. Shortest and plainest first. Knows schema keywords; knows no capture.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

from replay.validator.schema import pattern as patterns
from replay.validator.schema.pattern import Anchor, Characters, Choice, PatternError, Repeat, Tree

# A value of each format that the validator asserts, and how it grows where more characters must lie between cuts.
_FORMATS: Final = {
    "date": ("2000-01-01",),
    "time": ("00:00:00Z", "00:00:00.{}Z"),
    "date-time": ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00.{}Z"),
    "duration": ("P1D", "P{}D"),
    "email": ("x@example.com", "{}@example.com"),
    "idn-email": ("x@example.com", "{}@example.com"),
    "hostname": ("example.com", "{}.example.com"),
    "idn-hostname": ("example.com", "{}.example.com"),
    "ipv4": ("192.0.2.1", "192.0.2.100", "255.255.255.255"),
    "ipv6": ("::1", "2001:db8::1", "2001:0db8:0000:0000:0000:0000:0000:0001"),
    "uri": ("x:x", "https://example.com/", "https://example.com/{}"),
    "uri-reference": ("x", "https://example.com/", "https://example.com/{}"),
    "iri": ("x:x", "https://example.com/", "https://example.com/{}"),
    "iri-reference": ("x", "https://example.com/", "https://example.com/{}"),
    "uri-template": ("x", "https://example.com/{}"),
    "uuid": ("00000000-0000-0000-0000-000000000000",),
    "json-pointer": ("/x", "/{}"),
    "relative-json-pointer": ("0", "0/{}"),
    "regex": ("x", "{}"),
}


def format_samples(name: str, size: int) -> Iterator[str]:
    """Values of the format `name`, each with at least `size` characters where the format has such."""
    for shape in _FORMATS.get(name, ()):
        if "{}" not in shape:
            if len(shape) >= size:
                yield shape
            continue
        digit = "0" if shape.startswith(("00", "2000")) else "1" if shape.startswith("P") else "x"
        yield shape.replace("{}", digit * max(1, size - len(shape) + len("{}")))


@lru_cache(maxsize=256)
def pattern_samples(expression: str, size: int) -> tuple[str, ...]:
    """Texts of at least `size` characters that the expression should match, plainest first; the caller checks them.

    One for each branch of the choices taken together, grown where a repetition allows it, or padded where the
    expression is not anchored. Empty for an expression outside the subset.
    """
    try:
        tree = patterns.parse(expression)
    except PatternError:
        return ()
    found: dict[str, None] = {}
    for branch in range(_BRANCHES):
        shortest = _text(tree, branch, 0)
        grown = [_text(tree, branch, times) for times in (size - len(shortest), size)] if len(shortest) < size else []
        padding = "x" * (size - len(shortest))
        for text in (shortest, *grown, padding + shortest, shortest + padding):
            if len(text) >= size:
                found.setdefault(text)
    return tuple(found)


# Branches of a choice that are looked at; real expressions offer two or three.
_BRANCHES: Final = 4
# What is tried first for "any character of this set".
_PLAIN_CHARACTERS: Final = "x0X-_. /:@a1A"
_ASCII: Final = "".join(map(chr, range(0x20, 0x7F)))


def _text(tree: Tree, branch: int, more: int) -> str:
    """One text of a tree: its `branch`-th options, each repetition at its least and the first open one `more` times."""
    spent = [more]

    def text(part: Tree) -> str:
        if isinstance(part, Characters):
            return _character(part)
        if isinstance(part, Anchor):
            return ""
        if isinstance(part, Choice):
            return text(part.options[branch % len(part.options)])
        if isinstance(part, Repeat):
            times = part.least
            extra = spent[0] if part.most is None else min(spent[0], part.most - part.least)
            if extra > 0:
                spent[0] -= extra
                times += extra
            elif times == 0 and branch % 2:
                times = 1  # odd branches take what is optional
            return text(part.body) * times
        return "".join(text(inner) for inner in part.parts)

    return text(tree)


def _character(characters: Characters) -> str:
    """The plainest character of a set."""
    for candidate in _PLAIN_CHARACTERS + _ASCII:
        if characters.holds(candidate):
            return candidate
    return chr(characters.ranges[0][0]) if characters.ranges and not characters.negated else "x"


# No placeholder is grown past this to meet a bound of the schema.
_LONGEST: Final = 64 * 1024


def lengths(size: int, assertions: Sequence[tuple[str, object]]) -> list[int]:
    """Lengths to try, none under `size`: the shortest that says something, each bound with its neighbours, nothing."""
    found = {max(1, size)}
    for keyword, bound in assertions:
        if keyword in ("minLength", "maxLength") and isinstance(bound, (int, float, Decimal)) and bound <= _LONGEST:
            found.update(max(size, int(bound) + step) for step in (-1, 0, 1))
    return [*sorted(found - {0}), *([0] if size == 0 else [])]


def text_samples(size: int, assertions: Sequence[tuple[str, object]], *, plain: str = "x") -> Iterator[str]:
    """Placeholder texts of at least `size` characters: runs of `plain`, then what formats and patterns give."""
    sizes = lengths(size, assertions)
    for wanted in sizes:
        yield plain * wanted if len(plain) == 1 else plain + "x" * (wanted - len(plain))
    for wanted in sizes:
        for keyword, value in assertions:
            if keyword == "format" and isinstance(value, str):
                yield from format_samples(value, wanted)
            if keyword == "pattern" and isinstance(value, str):
                yield from pattern_samples(value, wanted)


def number_samples(size: int, assertions: Sequence[tuple[str, object]]) -> Iterator[str]:
    """Number texts of at least `size` characters: round ones, then what bounds and factors determine."""
    for base in _bases(assertions):
        for text in (base, *_grown(base, size)):
            if len(text) >= size:
                yield text


def _bases(assertions: Sequence[tuple[str, object]]) -> Iterator[str]:
    yield from ("0", "1", "0.5", "-1", "-0.5")
    bounds: list[Decimal] = []
    factors: list[Decimal] = []
    for keyword, value in assertions:
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
            continue
        number = Decimal(str(value))
        if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
            continue
        if keyword == "multipleOf":
            factors.append(number)
        elif keyword not in ("enum", "const"):
            bounds.append(number)
    for bound in bounds:
        for step in ("0", "1", "-1", "0.5", "-0.5", "10", "-10"):
            yield plain_number(bound + Decimal(step))
    for factor in factors:
        yield plain_number(factor)
        yield plain_number(factor / 2)
        for bound in bounds:
            turn = bound // factor
            for turns in (-1, 0, 1, 2):
                yield plain_number(factor * (turn + turns))
    for bound in bounds:
        for power in range(1, 19):
            yield plain_number(bound + Decimal(10) ** power)
            yield plain_number(bound - Decimal(10) ** power)


# Bounds beyond this are never filled digit by digit.
_LARGEST_EXPONENT: Final = 40


def _grown(text: str, size: int) -> Iterator[str]:
    """The same number, or a tenfold of it, in `size` characters."""
    if len(text) >= size:
        return
    missing = size - len(text)
    if "." in text:
        yield text + "0" * missing
    else:
        if text.lstrip("-") != "0":
            yield text + "0" * missing
        yield text + "." + "0" * max(1, missing - 1)


def plain_number(number: Decimal) -> str:
    """The number without exponent and without zeros behind a fraction; JSON's own form."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
