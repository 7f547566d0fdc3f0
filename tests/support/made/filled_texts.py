"""Argument texts made from what was observed of them, in their fragments: JSON, broken JSON, and text that is none."""

import random
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final, TypeAlias

from observation.observed_text import (
    Answer,
    Blank,
    Counted,
    Cut,
    FreeSeen,
    Item,
    JsonOf,
    Label,
    Literal,
    Loose,
    Mark,
    NumberOf,
    Open,
    Part,
    Rest,
    Said,
    TextOf,
    TextSeen,
)
from support.made.nonsense import LETTERS, SHORT, Nonsense, UnfillableError, escaped, long_escape

from redaction.masks.conversions import BY_ARGUMENT, READS_AS, is_held, number_in
from redaction.masks.layout import ASTRAL, LONE, Special, Split
from redaction.placeholders import format_samples, numbered_format, numbered_pattern, pattern_samples
from replay.validator.schema import Compiled, compile_schema
from replay.validator.strict_json import exact_number

VALUES: Final = (
    "foo|bar|foo1|foo12|BAR|Berlin|a|ab|abc|abcd|2021-03-04|2021-03-04T05:06:07Z|05:06:07Z|ann@example.org|"
    "https://acme.example/p?q=1|/a/b|192.168.7.9|2001:db8::7|12345678-1234-4234-8234-123456789abc|example.org|P3D|"
    "123|4567|+4930123456|A1|Z|a-b|_|foo bar|id|the id here|é|😀|a@b|x@y"
).split("|")

# White space that JSON has not.
FOREIGN_SPACE: Final = "\x85\xa0\u1680\u2003\u2028\u202f\u3000"

# What was given to the labels of sites that several texts share, by kind and label.
Shared: TypeAlias = dict[tuple[str, Label], str]


def pieces(
    seen: TextSeen | FreeSeen, chance: random.Random, nonsense: Nonsense, shared: Shared | None = None
) -> list[str]:
    """The fragments of a text of which all of this is observed."""
    if isinstance(seen, FreeSeen):
        return _FreeFiller(seen, chance, nonsense).pieces()
    return _TextFiller(seen, chance, nonsense, {} if shared is None else shared).pieces()


class _FreeFiller:
    """One text that is no JSON, in its fragments."""

    def __init__(self, seen: FreeSeen, chance: random.Random, nonsense: Nonsense) -> None:
        self._seen = seen
        self._chance = chance
        self._guess = _TextFiller(TextSeen((), frozenset()), chance, nonsense, {}).guess

    def pieces(self) -> list[str]:
        seen, chance = self._seen, self._chance
        if seen.blank:
            return [
                "".join(chance.choice(" \n\t\r") for _ in range(chance.randrange(1, 4))) for _ in range(seen.fragments)
            ]
        for attempt in range(400):
            text = self._guess(seen.answers, attempt, seen.fragments)
            if len(text) >= seen.fragments and text.strip(" \n\t\r") and _holds(text, seen.answers):
                return _cut(text, sorted(chance.sample(range(1, len(text)), seen.fragments - 1)))
        raise UnfillableError


class _TextFiller:
    """One argument text in its fragments."""

    def __init__(self, seen: TextSeen, chance: random.Random, nonsense: Nonsense, shared: Shared) -> None:
        self._seen = seen
        self._chance = chance
        self._nonsense = nonsense
        self._shared = shared
        sharing = any(isinstance(item, TextOf | NumberOf) and item.label and item.label.site < 0 for item in seen.items)
        self._labels = shared if sharing else {}
        self._parts: list[str] = [""]

    def pieces(self) -> list[str]:
        items = self._seen.items
        for at, item in enumerate(items):
            before = next((one for one in reversed(items[:at]) if not isinstance(one, Cut)), None)
            after = next((one for one in items[at + 1 :] if not isinstance(one, Cut)), None)
            if isinstance(item, Cut):
                if not self._parts[-1]:
                    self._parts[-1] = self._space(at_least=1)
                self._parts.append("")
                continue
            if not isinstance(item, (Part, Rest)) and not (isinstance(item, Mark) and item.text in " \ufeff"):
                self._parts[-1] += self._space()
            first, *more = self._written(item, before, after)
            self._parts[-1] += first
            self._parts += more
            ended = isinstance(after, (Part, Rest)) or isinstance(item, (Open, Part, Rest)) or _error_follows(items, at)
            if not ended:
                self._parts[-1] += self._space()
        if not self._parts[-1]:
            self._parts[-1] = self._space(at_least=1)
        return self._parts if items or self._parts != [""] else []

    def _space(self, at_least: int = 0) -> str:
        chance = self._chance
        if not at_least and chance.random() < 0.6:
            return ""
        return "".join(chance.choice(" \n\t\r") for _ in range(chance.randrange(max(1, at_least), 4)))

    def _written(self, item: Item, before: Item | None, after: Item | None) -> list[str]:
        match item:
            case Mark(text=text):
                return [text]
            case Literal(word=word, cuts=cuts):
                return self._split(word, cuts)
            case Loose():
                return self._split(f'"{self._loose(item)}"', item.cuts)
            case Blank(cuts=cuts):
                chance = self._chance
                return ["".join(chance.choices(FOREIGN_SPACE, k=chance.randrange(1, 4))) for _ in range(cuts + 1)]
            case Part(text=text, cuts=cuts):
                if text.startswith("\\u"):
                    text = text[:2] + "".join(self._chance.choice("0123456789abcdefABCDEF") for _ in text[2:])
                return _cut(text, cuts)
            case Rest():
                return self._rest(item, before)
            case Said(spelled=spelled) if spelled is not None:
                return _cut(*spelled)
            case Said(value=value, layout=layout):
                return self._laid(value, layout.items, closed=True)
            case Counted(value=value, cuts=cuts):
                return self._split(self._spelled(value, cuts + 1), cuts)
            case NumberOf(cuts=cuts):
                zero = isinstance(after, Rest) and after.first == "0"
                return self._split(self._number(item, whole=isinstance(after, (Part, Rest)), zero=zero), cuts)
            case TextOf():
                return self._text(item)
            case JsonOf(items=inside, layout=layout):
                seen = TextSeen(inside, self._seen.names)
                value = "".join(_TextFiller(seen, self._chance, self._nonsense, self._shared).pieces())
                return self._laid(value, layout.items, closed=True)
            case Open(layout=layout):
                return self._laid(self._fitting(layout.items, closed=False), layout.items, closed=False)
        raise AssertionError(item)

    def _loose(self, item: Loose) -> str:
        """Any text with a control character in it; of equal keys the same, which all their cuts fit in."""
        if item.label is not None and ("loose", item.label) in self._labels:
            return self._labels["loose", item.label]
        chance = self._chance
        same = [one.cuts for one in self._seen.items if isinstance(one, Loose) and one.label == item.label]
        size = max(same if item.label is not None else [item.cuts]) + chance.randrange(4)
        text = "".join(chance.choices(LETTERS, k=size)) + chance.choice("\n\t\x00\x1f") + self._nonsense.word()
        if item.label is not None:
            self._labels["loose", item.label] = text
        return text

    def _split(self, text: str, cuts: int) -> list[str]:
        if len(text) <= cuts:
            raise UnfillableError
        return _cut(text, sorted(self._chance.sample(range(1, len(text)), cuts)))

    def _rest(self, rest: Rest, before: Item | None) -> list[str]:
        chance = self._chance
        first = rest.first
        if first == "0":
            first = (
                chance.choice("123456789")
                if not isinstance(before, NumberOf | Counted)
                else chance.choice("0123456789")
            )
        elif first == "\t":
            first = chance.choice("\x01\x1f") if not isinstance(before, Open) else chance.choice("\n\t\x01")
        elif first == "x":
            first = chance.choice("q#'AzéZ😀(")
        length = rest.cuts + chance.randrange(0, 9) if rest.first not in _SPELLED or rest.more or rest.cuts else 0
        if rest.more or (rest.first == "\\" and rest.cuts):
            length = max(1, length)
        if length < rest.cuts:
            length = rest.cuts
        return self._split(first + ("q" + self._nonsense.word() * 2 + "q" * length)[:length], rest.cuts)

    def _text(self, item: TextOf) -> list[str]:
        kind = "key" if item.key else "text"
        if item.label is not None and (kind, item.label) in self._labels:
            value = self._labels[kind, item.label]
            return self._laid(value, item.layout.items, closed=True)
        value = self._candidate(item)
        if item.label is not None:
            self._labels[kind, item.label] = value
        return self._laid(value, item.layout.items, closed=True)

    def _candidate(self, item: TextOf) -> str:
        chance = self._chance
        items = item.layout.items
        taken = {text for (_, label), text in self._labels.items() if item.label and label.site == item.label.site}
        free = all(answer.keyword == "type" for answer in item.answers)
        size = 0
        if item.label is not None:  # one value serves all its places
            size = 2 * max(
                len(one.layout.items)
                for one in self._seen.items
                if isinstance(one, TextOf) and one.label == item.label and one.key is item.key
            )
        for attempt in range(400):
            if free:
                value = self._fitting(items, closed=True, least=size)
            else:
                value = self.guess(item.answers, attempt, max(size, item.layout.needed))
                value = value + chance.choice("abx") * (len(value) < size and chance.random() < 0.5)
            if item.key and value in self._seen.names:
                continue
            if value in taken or (not free and not _holds(value, item.answers)):
                continue
            if self._places(value, items, closed=True) is not None:
                return value
        raise UnfillableError

    def guess(self, answers: Sequence[Answer], attempt: int, size: int) -> str:
        """Any text that may have these answers and at least `size` characters."""
        chance = self._chance
        kind = attempt % 5
        if kind == 0:
            return self._changed(chance.choice(VALUES))
        if kind == 1 and any(answer.keyword.startswith(READS_AS) for answer in answers):
            return self._converted(answers)
        if kind == 1:
            return self._nonsense.prose()
        if kind == 2:
            return "".join(chance.choice(LETTERS) for _ in range(size + chance.choice((0, 0, 1, 2, 5, 12))))
        if kind == 3:
            more = chance.choice((0, 1, 2, 3, 5, 8, 20, 40))
            return "".join(chance.choice("abc019-_@. A") for _ in range(size + more))
        made: list[str] = []
        for answer in answers:
            if answer.keyword == "pattern":
                made += numbered_pattern(str(answer.argument), chance.randrange(512), size + chance.randrange(8))
                made += pattern_samples(str(answer.argument), size + chance.randrange(12))
            elif answer.keyword == "format":
                made += numbered_format(str(answer.argument), chance.randrange(512), 0)
                made += format_samples(str(answer.argument), size + chance.randrange(12))
        return self._changed(chance.choice(made) if made else chance.choice(VALUES))

    def _converted(self, answers: Sequence[Answer]) -> str:
        """A text that a client may convert."""
        chance = self._chance
        if chance.random() < 0.3:
            return chance.choice("true True FALSE false yes no on off y n t f NaN inf Infinity".split())
        bounds = [answer.argument for answer in answers if isinstance(answer.argument, (int, float, Decimal))]
        listed = [one for answer in answers if isinstance(answer.argument, list) for one in answer.argument]
        numbers = [one for one in listed if isinstance(one, (int, Decimal)) and not isinstance(one, bool)]
        text = str(chance.choice(numbers)) if numbers and chance.random() < 0.5 else self._any(bounds, whole=False)
        text += chance.choice(("", "", ".0", ".")) if text.lstrip("-").isdecimal() else ""
        return chance.choice(("", "", "", " ")) + text

    def _changed(self, text: str) -> str:
        """Another text that looks alike: digits for digits, letters for letters."""
        chance = self._chance
        if chance.random() < 0.2:
            return text
        return "".join(
            chance.choice("0123456789")
            if "0" <= char <= "9"
            else chance.choice("abcdef")
            if "a" <= char <= "z"
            else chance.choice("ABCDEF")
            if "A" <= char <= "Z"
            else char
            for char in text
        )

    def _fitting(self, items: Sequence[Split | Special], *, closed: bool, least: int = 0) -> str:
        """Any value that has the characters that the special places demand, in order."""
        chance = self._chance
        value = ""
        for at, item in enumerate(items):
            value += self._run(1 if at and not isinstance(item, Special) else 0)
            if isinstance(item, Special):
                high = not any(isinstance(one, Special) and one.char == LONE for one in items[at + 1 :])
                lone = chr(chance.randrange(0xD800 if high else 0xDC00, 0xE000))
                value += {ASTRAL: chance.choice("😀𝄞👩"), LONE: lone, "": chance.choice('a\n"é/')}[item.char]
        value += self._run(1 if items and not closed else 0)
        while len(value) < least:
            value += self._run(1)
        if not any(isinstance(item, Special) for item in items):
            return value or chance.choice(("", "x", self._nonsense.prose()))
        return value

    def _run(self, least: int) -> str:
        chance = self._chance
        length = least + chance.choice((0, 0, 1, 2, 5, 20))
        return "".join(chance.choice(LETTERS + ' -_.,é日/"\\') for _ in range(length))

    def _laid(self, value: str, items: Sequence[Split | Special], *, closed: bool) -> list[str]:
        """The JSON string of `value` with a cut at each split and in each special character."""
        chance = self._chance
        places = self._places(value, items, closed=closed)
        if places is None:
            raise UnfillableError
        pieces = ['"']
        at = 0
        for place, item in zip(places, items, strict=True):
            pieces[-1] += "".join(escaped(char, chance) for char in value[at:place])
            at = place
            if isinstance(item, Split):
                pieces.append("")
                continue
            text = self._special(value, place, item)
            first, *more = _cut(text, item.cuts)
            pieces[-1] += first
            pieces += more
            at += 1
        pieces[-1] += "".join(escaped(char, chance) for char in value[at:]) + ('"' if closed else "")
        return pieces

    def _special(self, value: str, place: int, item: Special) -> str:
        char = value[place]
        if item.cuts and max(item.cuts) == 1 and char in SHORT and self._chance.random() < 0.5:
            return SHORT[char]
        return long_escape(char)

    def _places(self, value: str, items: Sequence[Split | Special], *, closed: bool) -> list[int] | None:
        """Where in `value` each item stands, by chance; None where it has no room for them."""
        lone = iter([at for at, char in enumerate(value) if _is_lone(char)])
        options: list[list[int]] = []
        for item in items:
            if isinstance(item, Split):
                options.append(list(range(len(value) + (1 if closed else 0))))
            elif item.char == LONE:
                options.append([next(lone, -1)])
            else:
                wide = item.char == ASTRAL
                options.append(
                    [at for at, char in enumerate(value) if (ord(char) > 0xFFFF) is wide and not _is_lone(char)]
                )
        if next(lone, None) is not None or [-1] in options:
            return None
        # From the right: the last place that leaves room for what follows.
        last = len(value)
        for at in reversed(range(len(items))):
            options[at] = [place for place in options[at] if place <= last]
            if not options[at]:
                return None
            last = options[at][-1] - _apart(items[at - 1], items[at]) if at else 0
        places: list[int] = []
        for at, item in enumerate(items):
            low = places[-1] + _apart(items[at - 1], item) if at else 0
            allowed = [place for place in options[at] if place >= low]
            if not allowed:
                return None
            places.append(self._chance.choice(allowed[: 1 + self._chance.randrange(len(allowed))]))
        return places

    def _number(self, item: NumberOf, *, whole: bool, zero: bool) -> str:
        chance = self._chance
        if item.answers is None:
            return chance.choice(("1e999", "-1e400", "9" * 400, "123456789.5e1000", "2E+999999"))
        if item.label is not None and ("number", item.label) in self._labels:
            known = self._labels["number", item.label]
            for _ in range(50):
                text = self._spelled(Decimal(known), item.cuts + 1) if not whole else known
                if _holds(exact_number(text), item.answers):
                    return text
            raise UnfillableError
        taken = {
            Decimal(text)
            for (kind, label), text in self._labels.items()
            if kind == "number" and item.label and label.site == item.label.site
        }
        bounds = [answer.argument for answer in item.answers if isinstance(answer.argument, (int, float, Decimal))]
        for _ in range(400):
            text = self._any(bounds, whole=whole) if item.held else self._unheld(bounds, whole=whole)
            if zero:
                text = chance.choice(("0", "-0"))
            elif not whole and not bounds and item.held and chance.random() < 0.1:
                # A whole number that has an exponent in every spelling, that of an object printed as a text too.
                text = f"{chance.randrange(1, 10**6)}e+{chance.randrange(25, 200)}"
            value_ = exact_number(text)
            if value_ is None or Decimal(value_) in taken or not _holds(value_, item.answers):
                continue
            if is_held(value_) is not item.held:
                continue
            if len(text) <= item.cuts:
                text = self._spelled(Decimal(value_), item.cuts + 1) if not whole else text
            if len(text) <= item.cuts or not _holds(exact_number(text), item.answers):
                continue
            if item.label is not None:
                self._labels["number", item.label] = text
            return text
        raise UnfillableError

    def _unheld(self, bounds: Sequence[Any], *, whole: bool) -> str:
        """A number that no double holds: an odd one past 2^53, one with a long fraction, or one near to 0."""
        chance = self._chance
        text = self._any(bounds, whole=True)
        if whole or chance.random() < 0.4:
            return chance.choice(
                (text, str(int(text) * 10**18 + chance.randrange(10**18)), str(chance.randrange(10**18)))
            )
        tail = f"{chance.randrange(10**19, 10**20)}1"
        large = f"{chance.randrange(1, 10)}.{tail}e+{chance.randrange(40, 200)}"
        return chance.choice(
            (f"{text}.{tail}", f"{text}.{tail}", f"{chance.randrange(1, 99)}e-{chance.randrange(400, 999)}", large)
        )

    def _any(self, bounds: Sequence[Any], *, whole: bool) -> str:
        chance = self._chance
        number = chance.choice(
            (chance.randrange(-9, 10), chance.randrange(10**6), chance.randrange(10**17), 0, 1, chance.randrange(100))
        )
        if bounds and chance.random() < 0.7:
            bound = chance.choice(bounds)
            step = chance.choice((1, -1, 0, 0.5, 7, 13, 100, -100, 0.25, 0.001))
            near = Decimal(str(bound)) * chance.choice((1, 1, 2, 7)) + Decimal(str(step)) * chance.choice((0, 1, 3))
            return format(near, "f") if not whole else str(int(near))
        if whole or chance.random() < 0.5:
            return str(number)
        return f"{number}.{chance.randrange(1, 1000)}"

    def _spelled(self, value: Decimal, size: int) -> str:
        chance = self._chance
        plain = format(value, "f")
        options = [plain, plain + ".0" if "." not in plain else plain + "0", f"{plain}e0", f"{plain}E+0"]
        text = chance.choice(options)
        while len(text) < size:
            text = plain + (".0" if "." not in plain else "0") if "." not in text or "e" in text.lower() else text + "0"
        return text


_SPELLED: Final = frozenset("\\.eE+-")


def _apart(left: Split | Special, right: Split | Special) -> int:
    """How many characters lie between the places of two neighbours, at the least."""
    return 1 if isinstance(left, Special) or isinstance(right, Split) else 0


def _is_lone(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def _error_follows(items: Sequence[Item], at: int) -> bool:
    """Whether what follows, behind cuts, belongs to this token or is the error: white space would change it."""
    for item in items[at + 1 :]:
        if isinstance(item, Cut):
            continue
        return isinstance(item, (Part, Rest)) or (isinstance(item, Mark) and item.text == " ")
    return False


def _holds(value: object, answers: Sequence[Answer]) -> bool:
    return all(_held(value, answer) is answer.held for answer in answers)


def _held(value: object, answer: Answer) -> bool:
    """Whether the value satisfies what was asked: an assertion of a schema, or what it reads as."""
    if answer.keyword == READS_AS:
        return BY_ARGUMENT[str(answer.argument)].holds(value)
    if not answer.keyword.startswith(READS_AS):
        return _compiled(answer).accepts(value)
    number = number_in(value)
    inner = replace(answer, keyword=answer.keyword.removeprefix(f"{READS_AS} "))
    if number is None:
        return False
    return _compiled(inner).accepts(int(number) if number == number.to_integral_value() else number)


_COMPILED: Final[dict[str, Compiled]] = {}


def _compiled(answer: Answer) -> Compiled:
    name = repr((answer.keyword, answer.argument))
    if name not in _COMPILED:
        compiled = compile_schema({answer.keyword: answer.argument})
        assert isinstance(compiled, Compiled)
        _COMPILED[name] = compiled
    return _COMPILED[name]


def _cut(text: str, cuts: Sequence[int]) -> list[str]:
    bounds = [0, *cuts, len(text)]
    return [text[low:high] for low, high in pairwise(bounds)]
