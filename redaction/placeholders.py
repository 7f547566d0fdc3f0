r"""The grammar of placeholders: the values that a schema gives by itself, from which a masked value is chosen.

This is the one thing that the masks and the proof share. The masks take the first value of a list here that answers
the schema as the raw value did; the proof (`redaction.proof.words.known_placeholders`) asks whether a value that it
found in a file stands in such a list. Nothing here has ever seen a raw value, so what stands in a list says nothing of
one. An example: for `{"format": "email"}` the list has `x@example.com`, `xx@example.com`, and so on, whoever was
written to. The shortest and plainest value comes first. Knows the keywords of schemas; knows no capture.

How the lists are made. Each keyword that bounds a value gives values on both sides of its bound, since a raw value may
have broken it, and its placeholder must break it too:

- `minLength`, `maxLength`: runs of `x`, one shorter, as long, and one longer;
- `format`: one text of the format, grown where more characters are needed: `x@example.com`, `xxxxxxxx@example.com`;
- `pattern`: one text for each branch, from the tree of the expression. `^(?:inv|ord)-[A-Z]{2}\d+$` gives `inv-XX0` and
  `ord-XX0`, and where nine characters are needed `inv-XX000`, since its last repetition has no end;
- beside a format or pattern: runs of characters that it will not like, such as `-`, `%` and `é`;
- `minimum` and the others: 0, 1 and their halves, each bound and its neighbours, and what lies between two bounds;
  `multipleOf`: the factor, half of it, and the multiples next to each bound.

Where values must differ (`distinct_texts`, `distinct_numbers`), the lists go on with numbered ones: `x007@example.com`,
`inv-AX0`, `inv-BX0`, the next multiple and the one after it. Such a number says how many values came before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from replay.validator.schema import patterns
from replay.validator.schema.patterns import Anchor, Characters, Choice, PatternError, Repeat, Tree

Pairs: TypeAlias = Sequence[tuple[str, object]]  # keywords and their arguments

# A value of each format that the validator asserts, and how it grows where more characters must lie between cuts.
_FORMATS: Final = {
    "date": ("2000-01-01",),
    "time": ("00:00:00Z", "00:00:00.{}Z"),
    "date-time": ("2000-01-01T00:00:00Z", "2000-01-01T00:00:00.{}Z"),
    "duration": ("P1D", "P{}D"),
    "email": ("x@example.com", "{}@example.com"),
    "idn-email": ("x@example.com", "{}@example.com"),
    "hostname": ("example.com", "{}.example.com"),
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
}
# The same with a number in it, for values that must differ; the number is written in this many digits.
_NUMBERED_FORMATS: Final = {
    "date": ("2{}-01-01", 3),
    "time": ("00:00:00.{}Z", 3),
    "date-time": ("2000-01-01T00:00:00.{}Z", 3),
    "duration": ("P{}D", 3),
    "email": ("x{}@example.com", 3),
    "idn-email": ("x{}@example.com", 3),
    "hostname": ("x{}.example.com", 3),
    "ipv6": ("2001:db8::{}", 3),
    "uri": ("x:{}", 3),
    "uri-reference": ("x{}", 3),
    "iri": ("x:{}", 3),
    "iri-reference": ("x{}", 3),
    "uri-template": ("x{}", 3),
    "uuid": ("00000000-0000-0000-0000-{}", 12),
    "json-pointer": ("/{}", 3),
    "relative-json-pointer": ("0/{}", 3),
}
# What breaks an expression or a format that plain letters satisfy; each stands for itself or as a run of itself.
CONTRARY: Final = "-0X (%é\n"
# Different values that one comparison site (keys of an object, unique items) can tell apart.
SITE_LIMIT: Final = 512


def format_samples(name: str, size: int) -> Iterator[str]:
    """Values of the format `name`, each with at least `size` characters where the format has such."""
    for shape in _FORMATS.get(name, ()):
        if "{}" not in shape:
            if len(shape) >= size:
                yield shape
            continue
        digit = "0" if shape.startswith(("00", "2000")) else "1" if shape.startswith("P") else "x"
        yield shape.replace("{}", digit * max(1, size - len(shape) + len("{}")))


def numbered_format(name: str, number: int, size: int) -> Iterator[str]:
    """The value of the format `name` with this number in it, where it has at least `size` characters."""
    if name == "ipv4":
        text = f"192.0.{number >> 8}.{number & 0xFF}"
    elif name in _NUMBERED_FORMATS:
        shape, digits = _NUMBERED_FORMATS[name]
        text = shape.replace("{}", f"{number:0{digits}d}")
    else:
        return
    if len(text) >= size:
        yield text


@lru_cache(maxsize=4096)
def pattern_samples(expression: str, size: int) -> tuple[str, ...]:
    """Texts of at least `size` characters that the expression should match, plainest first; none outside the subset.

    One for each branch of the choices taken together, grown where a repetition allows it, or padded in case the
    expression is not anchored. Some match by luck only, so the caller checks them. Each text of n characters is also
    one of those for the size n, which is how the proof finds it again.
    """
    tree = _tree(expression)
    if tree is None:
        return ()
    found: dict[str, None] = {}
    for branch in range(_BRANCHES):
        shortest = _text(tree, branch, 0)
        padding = "x" * (size - len(shortest))
        grown = _grown_text(tree, branch, size) if len(shortest) < size else shortest
        for text in (shortest, grown, padding + shortest, shortest + padding):
            if len(text) >= size:
                found.setdefault(text)
    return tuple(found)


@lru_cache(maxsize=4096)
def numbered_pattern(expression: str, number: int, size: int) -> tuple[str, ...]:
    """Texts that the expression should match and that differ from those of other numbers, as far as it allows."""
    tree = _tree(expression)
    if tree is None:
        return ()
    found = []
    for branch in range(_BRANCHES):
        for more in (0, 1, SITE_LIMIT.bit_length()):
            text = _text(tree, branch, more, number)
            found.append(text if len(text) >= size else text + "x" * (size - len(text)))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1024)
def _tree(expression: str) -> Tree | None:
    try:
        return patterns.parse(expression)
    except PatternError:
        return None


# Branches of a choice that are looked at; real expressions offer two or three.
_BRANCHES: Final = 4
# What is tried first for "any character of this set".
_PLAIN_CHARACTERS: Final = "x0X-_. /:@a1A"
_ASCII: Final = "".join(map(chr, range(0x20, 0x7F)))
# Of each set, for values that must differ.
_ALTERNATIVES: Final = 4


def _grown_text(tree: Tree, branch: int, size: int) -> str:
    """The text with the fewest repetitions that has `size` characters, or the longest there is."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if len(_text(tree, branch, middle)) < size:
            low = middle + 1
        else:
            high = middle
    return _text(tree, branch, low)


def _text(tree: Tree, branch: int, more: int, number: int = 0) -> str:
    """One text of a tree: the `branch`-th option of each choice, each repetition at its least.

    `more` repetitions are added to the first ones that allow any. `number` is spelled in the characters, as far as
    their sets offer some: with four letters for each place, 5 is the second letter of the first place and of the next.
    """
    spent = [more, number]

    def text(part: Tree) -> str:
        if isinstance(part, Characters):
            offered = _characters(part)
            spent[1], at = divmod(spent[1], len(offered))
            return offered[at]
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
            if not spent[1]:
                return text(part.body) * times
            return "".join(text(part.body) for _ in range(times))
        return "".join(text(inner) for inner in part.parts)

    return text(tree)


@lru_cache(maxsize=1024)
def _characters(characters: Characters) -> str:
    """The plainest characters of a set."""
    found = ""
    for candidate in _PLAIN_CHARACTERS + _ASCII:
        if candidate not in found and characters.holds(candidate):
            found += candidate
            if len(found) == _ALTERNATIVES:
                return found
    return found or (chr(characters.ranges[0][0]) if characters.ranges and not characters.negated else "x")


# No placeholder is grown past this to meet a bound of the schema.
_LONGEST: Final = 64 * 1024


def lengths(size: int, assertions: Pairs) -> list[int]:
    """Lengths to try, none under `size`: the shortest two, each bound with its neighbours, nothing."""
    found = {max(1, size), max(1, size) + 1}
    for keyword, bound in assertions:
        if keyword in ("minLength", "maxLength") and isinstance(bound, (int, float, Decimal)) and bound <= _LONGEST:
            found.update(max(size, int(bound) + step) for step in (-1, 0, 1))
    return [*sorted(found - {0}), *([0] if size == 0 else [])]


def text_samples(size: int, assertions: Pairs, *, held: Pairs, plain: str = "x") -> Iterator[str]:
    """Placeholder texts of at least `size` characters, the shortest first.

    Of each length a run of `plain`, what formats and patterns give, and what they would not like. `held` are those of
    the assertions that the text is to satisfy: no other format or pattern need be asked for a text.
    """
    for wanted in lengths(size, assertions):
        yield plain * wanted if len(plain) == 1 else plain + "x" * (wanted - len(plain))
        for keyword, value in held:
            if keyword == "format" and isinstance(value, str):
                yield from format_samples(value, wanted)
            if keyword == "pattern" and isinstance(value, str):
                yield from pattern_samples(value, wanted)
        if any(keyword in ("format", "pattern") for keyword, _ in assertions):
            yield from (character * wanted for character in CONTRARY if wanted)


# Longer by one character each, before a number makes the difference.
_RUNS: Final = 16


# Numbers that are tried for one more value. The next one will do, unless a few do not fit the schema.
_NUMBERS: Final = 8


def distinct_texts(size: int, assertions: Pairs, *, held: Pairs, plain: str, start: int) -> Iterator[str]:
    """Further placeholder texts for a site at which `start` values differ already; `held` as for `text_samples`."""
    wide = max(size, len(plain))
    yield from (plain + "x" * (wide - len(plain) + more) for more in range(1, _RUNS))
    numbered = f"x_{start}"
    yield numbered + "x" * (size - len(numbered))
    for number in range(start, min(start + _NUMBERS, SITE_LIMIT)):
        for wanted in lengths(size, assertions):
            for keyword, value in held:
                if keyword == "format" and isinstance(value, str):
                    yield from numbered_format(value, number, wanted)
                if keyword == "pattern" and isinstance(value, str):
                    yield from numbered_pattern(value, number, wanted)
            if any(keyword in ("format", "pattern") for keyword, _ in assertions):
                yield from (character * (wanted + number) for character in CONTRARY)


# Exact for every bound and factor that is tried; nothing is trapped, so what is no number is left out.
EXACT: Final = Context(prec=200, traps=[])


def number_samples(size: int, assertions: Pairs) -> Iterator[str]:
    """Number texts of at least `size` characters: round ones, then what bounds and factors determine."""
    bounds, factors = bounds_of(assertions), factors_of(assertions)
    for base in chain(numbers_near(bounds, factors), _between(bounds)):
        for text in (base, *_grown(base, size)):
            if len(text) >= size:
                yield text


def with_fractions(numbers: Iterable[str], size: int) -> Iterator[str]:
    """The numbers, and behind them the same once more as a client of another language may write them: `0.0`."""
    found = list(numbers)
    yield from found
    yield from (sized_number(f"{text}.0", size) for text in found if "." not in text)


def distinct_numbers(size: int, assertions: Pairs, *, start: int) -> Iterator[str]:
    """Further number texts, for a site at which `start` values differ already."""
    starts = [Decimal(0), *bounds_of(assertions)]
    steps = [*factors_of(assertions), Decimal(1)]
    for turn in range(start, SITE_LIMIT):
        for step in steps:
            for bound in starts:
                whole = EXACT.multiply(EXACT.divide_int(bound, step), step)
                for sign in (1, -1):
                    yield from _of_size(EXACT.add(whole, EXACT.multiply(step, Decimal(sign * turn))), size)
    for power in range(start, SITE_LIMIT):
        yield "1" + "0" * max(power, size - 1)


def _of_size(number: Decimal, size: int) -> Iterator[str]:
    if number.is_finite():
        text = plain_number(number)
        yield from (grown for grown in (text, *_grown(text, size)) if len(grown) >= size)


def _numbers(assertions: Pairs) -> Iterator[tuple[str, Decimal]]:
    for keyword, value in assertions:
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
            continue
        number = Decimal(str(value))
        if number.is_finite() and abs(number.adjusted()) <= _LARGEST_EXPONENT:
            yield keyword, number


_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})


def bounds_of(assertions: Pairs) -> list[Decimal]:
    """The bounds that the assertions set to a number, each once."""
    return list(dict.fromkeys(number for keyword, number in _numbers(assertions) if keyword in _BOUNDS))


def factors_of(assertions: Pairs) -> list[Decimal]:
    """The numbers that the assertions want a multiple of, each once."""
    return list(dict.fromkeys(number for keyword, number in _numbers(assertions) if keyword == "multipleOf"))


def numbers_near(bounds: Iterable[Decimal], factors: Iterable[Decimal]) -> Iterator[str]:
    """The round numbers, and those around the bounds and factors, written without exponent."""
    yield from ("0", "1", "0.5", "-1", "-0.5")
    for bound in bounds:
        for step in ("0", "1", "-1", "0.5", "-0.5", "10", "-10", "0.25", "-0.25", "0.01", "-0.01"):
            yield plain_number(EXACT.add(bound, Decimal(step)))
    for factor in factors:
        yield plain_number(factor)
        yield plain_number(EXACT.divide(factor, Decimal(2)))
        for bound in bounds:
            turn = EXACT.divide_int(bound, factor)
            for turns in (-1, 0, 1, 2):
                yield plain_number(EXACT.multiply(factor, EXACT.add(turn, Decimal(turns))))
    for bound in bounds:
        for power in range(1, 19):
            yield plain_number(EXACT.add(bound, Decimal(10) ** power))
            yield plain_number(EXACT.subtract(bound, Decimal(10) ** power))


def _between(bounds: Sequence[Decimal]) -> Iterator[str]:
    """Half way between any two bounds: there is room where none of the round numbers fits."""
    for at, low in enumerate(bounds):
        for high in bounds[:at]:
            yield plain_number(EXACT.divide(EXACT.add(low, high), Decimal(2)))


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


def of_width(size: int) -> Iterator[str]:
    """Number texts of exactly `size` characters."""
    yield "1" + "0" * (size - 1)
    if size > len("0."):
        yield "0." + "0" * (size - len("0."))
        yield "0.5" + "0" * (size - len("0.5"))
        yield "-1" + "0" * (size - len("-1"))


def plain_number(number: Decimal) -> str:
    """The number without exponent and without zeros behind a fraction; JSON's own form."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def sized_number(text: str, size: int) -> str:
    """A number without exponent, written in at least `size` characters."""
    if len(text) >= size:
        return text
    return (text if "." in text else text + ".0").ljust(size, "0")
