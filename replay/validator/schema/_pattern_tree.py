"""Regular expressions as trees: what `pattern` says is in the subset. Knows syntax; matches nothing."""

import unicodedata
from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, TypeAlias

# Groups inside groups. The parser recurses over them.
MAX_GROUP_DEPTH: Final = 50
# A repetition count of more digits is past every bound.
MAX_COUNT_DIGITS: Final = 4

LAST_CODE_POINT: Final = 0x10FFFF


class PatternError(ValueError):
    """An expression outside the subset: where, and what is not supported there. Its text quotes nothing."""

    def __init__(self, why: str, offset: int) -> None:
        super().__init__(f"{why} (at offset {offset})")
        self.why = why
        self.offset = offset


@unique
class Anchor(Enum):
    """An assertion that takes no character."""

    START = "^"
    END = "$"
    WORD_BOUNDARY = "\\b"
    NO_WORD_BOUNDARY = "\\B"


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters:
    """One character out of a set: inclusive ranges of code points, general categories, sets within; or all others."""

    ranges: tuple[tuple[int, int], ...] = ()
    categories: frozenset[str] = frozenset()
    sets: tuple["Characters", ...] = ()
    negated: bool = False

    def holds(self, character: str) -> bool:
        """Whether the character is of the set."""
        point = ord(character)
        found = (
            any(low <= point <= high for low, high in self.ranges)
            or (bool(self.categories) and unicodedata.category(character) in self.categories)
            or any(inner.holds(character) for inner in self.sets)
        )
        return found is not self.negated


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other; none at all matches the empty text."""

    parts: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Any one of the options."""

    options: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The body, from `least` to `most` times; None is without end."""

    body: "Tree"
    least: int
    most: int | None


Tree: TypeAlias = Characters | Sequence | Choice | Repeat | Anchor

DIGIT: Final = Characters(ranges=((0x30, 0x39),))
WORD: Final = Characters(ranges=((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)))
SPACE: Final = Characters(
    ranges=((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x2028, 0x2029), (0xFEFF, 0xFEFF)),
    categories=frozenset({"Zs"}),
)
NOT_LINE_END: Final = Characters(ranges=((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)), negated=True)
CLASSES: Final = {"d": DIGIT, "w": WORD, "s": SPACE}
CONTROLS: Final = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")

# General categories: every name of the standard's table, to the categories of Python's.
CATEGORIES: Final = {
    "Lu": "Uppercase_Letter", "Ll": "Lowercase_Letter", "Lt": "Titlecase_Letter", "Lm": "Modifier_Letter",
    "Lo": "Other_Letter", "Mn": "Nonspacing_Mark", "Mc": "Spacing_Mark", "Me": "Enclosing_Mark",
    "Nd": "Decimal_Number", "Nl": "Letter_Number", "No": "Other_Number", "Pc": "Connector_Punctuation",
    "Pd": "Dash_Punctuation", "Ps": "Open_Punctuation", "Pe": "Close_Punctuation", "Pi": "Initial_Punctuation",
    "Pf": "Final_Punctuation", "Po": "Other_Punctuation", "Sm": "Math_Symbol", "Sc": "Currency_Symbol",
    "Sk": "Modifier_Symbol", "So": "Other_Symbol", "Zs": "Space_Separator", "Zl": "Line_Separator",
    "Zp": "Paragraph_Separator", "Cc": "Control", "Cf": "Format", "Cs": "Surrogate", "Co": "Private_Use",
    "Cn": "Unassigned",
}  # fmt: skip
GROUPS: Final = {
    "L": "Letter", "M": "Mark", "N": "Number", "P": "Punctuation", "S": "Symbol", "Z": "Separator", "C": "Other",
}  # fmt: skip
ALIASES: Final = {
    "digit": "Nd", "cntrl": "Cc", "punct": "P", "Combining_Mark": "M", "Cased_Letter": "LC",
}  # fmt: skip


def _properties() -> dict[str, Characters]:
    found: dict[str, Characters] = {}
    for short, long in CATEGORIES.items():
        found[short] = found[long] = Characters(categories=frozenset({short}))
    for short, long in GROUPS.items():
        members = frozenset(name for name in CATEGORIES if name.startswith(short))
        found[short] = found[long] = Characters(categories=members)
    found["LC"] = Characters(categories=frozenset({"Lu", "Ll", "Lt"}))
    for alias, name in ALIASES.items():
        found[alias] = found[name]
    return found


CATEGORY_SETS: Final = _properties()
OTHER_SETS: Final = {
    "Any": Characters(ranges=((0, LAST_CODE_POINT),)),
    "ASCII": Characters(ranges=((0, 0x7F),)),
    "Assigned": Characters(categories=frozenset({"Cn"}), negated=True),
}


def parse(source: str) -> Tree:
    """The tree of an expression; PatternError where it is outside the subset."""
    return _Parser(source).read()


class _Parser:
    """Recursive descent over one expression; recursion only at a group."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0
        self.names: set[str] = set()

    def read(self) -> Tree:
        tree = self.disjunction()
        if self.at < len(self.source):
            raise self.error("an unmatched `)`")
        return tree

    def error(self, why: str) -> PatternError:
        return PatternError(why, self.at)

    def ahead(self, text: str) -> bool:
        return self.source.startswith(text, self.at)

    def eat(self, text: str) -> bool:
        if not self.ahead(text):
            return False
        self.at += len(text)
        return True

    def take(self) -> str:
        if self.at >= len(self.source):
            raise self.error("an expression that ends early")
        self.at += 1
        return self.source[self.at - 1]

    def disjunction(self) -> Tree:
        options = [self.alternative()]
        while self.eat("|"):
            options.append(self.alternative())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def alternative(self) -> Tree:
        parts: list[Tree] = []
        while self.at < len(self.source) and not self.ahead("|") and not self.ahead(")"):
            parts.append(self.term())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def term(self) -> Tree:
        for anchor in Anchor:
            if self.eat(anchor.value):
                return anchor  # a quantifier behind it is a syntax error, found as the next term
        body = self.atom()
        bounds = self.quantifier()
        return body if bounds is None else Repeat(body, *bounds)

    def atom(self) -> Tree:
        character = self.take()
        if character == ".":
            return NOT_LINE_END
        if character == "(":
            return self.group()
        if character == "[":
            return self.character_class()
        if character == "\\":
            return self.escape()
        if character in "*+?{":
            self.at -= 1
            raise self.error("a quantifier with nothing to repeat")
        if character in "]}":
            self.at -= 1
            raise self.error(f"a `{character}` that is not escaped")
        return _one(character)

    def group(self) -> Tree:
        if self.eat("?"):
            if self.ahead("<") and not self.ahead("<=") and not self.ahead("<!"):
                self.at += 1
                self.group_name()
            elif not self.eat(":"):
                raise self.error("a look-around or inline-flag group")
        self.depth += 1
        if self.depth > MAX_GROUP_DEPTH:
            raise self.error(f"more than {MAX_GROUP_DEPTH} groups inside each other")
        tree = self.disjunction()
        if not self.eat(")"):
            raise self.error("a group that is not closed")
        self.depth -= 1
        return tree

    def group_name(self) -> None:
        end = self.source.find(">", self.at)
        name = self.source[self.at : end] if end >= 0 else ""
        if not name.replace("$", "_").isidentifier() or name in self.names:
            raise self.error("a group name that is missing, wrong or used twice")
        self.names.add(name)
        self.at = end + 1

    def quantifier(self) -> tuple[int, int | None] | None:
        bounds: tuple[int, int | None]
        if self.eat("*"):
            bounds = 0, None
        elif self.eat("+"):
            bounds = 1, None
        elif self.eat("?"):
            bounds = 0, 1
        elif self.eat("{"):
            bounds = self.counts()
        else:
            return None
        self.eat("?")  # lazy: other captures, the same texts
        return bounds

    def counts(self) -> tuple[int, int | None]:
        least = self.number()
        most: int | None = least
        if self.eat(","):
            most = None if self.ahead("}") else self.number()
        if not self.eat("}"):
            raise self.error("a `{` that is no quantifier")
        if most is not None and most < least:
            raise self.error("a quantifier whose bounds are out of order")
        return least, most

    def number(self) -> int:
        start = self.at
        while self.at < len(self.source) and self.source[self.at] in "0123456789":
            self.at += 1
        digits = self.source[start : self.at].lstrip("0")
        if self.at == start:
            raise self.error("a `{` that is no quantifier")
        if len(digits) > MAX_COUNT_DIGITS:
            raise self.error("a repetition count that is too large")
        return int(digits or "0")

    def escape(self) -> Tree:
        letter = self.take()
        found = self.escaped_set(letter)
        if found is not None:
            return found
        if letter in "123456789k":
            self.at -= 1
            raise self.error("a back-reference")
        return _one(self.escaped_character(letter))

    def escaped_set(self, letter: str) -> Characters | None:
        if letter in "dws":
            return CLASSES[letter]
        if letter in "DWS":
            return Characters(sets=(CLASSES[letter.lower()],), negated=True)
        if letter in "pP":
            return Characters(sets=(self.property_set(),), negated=letter == "P")
        return None

    def property_set(self) -> Characters:
        end = self.source.find("}", self.at)
        if not self.eat("{") or end < 0:
            raise self.error("a property without its name in braces")
        name = self.source[self.at : end]
        key, equals, value = name.partition("=")
        if equals:
            found = CATEGORY_SETS.get(value) if key in ("General_Category", "gc") else None
        else:
            found = CATEGORY_SETS.get(name) or OTHER_SETS.get(name)
        if found is None:
            raise self.error("a property other than a general category, `Any`, `ASCII` or `Assigned`")
        self.at = end + 1
        return found

    def escaped_character(self, letter: str) -> str:
        if letter in CONTROLS:
            return CONTROLS[letter]
        if letter == "c":
            control = self.take()
            if control.isascii() and control.isalpha():
                return chr(ord(control) % 32)
        elif letter == "0":
            if self.at >= len(self.source) or self.source[self.at] not in "0123456789":
                return "\0"
        elif letter == "x":
            return chr(self.hexadecimal(2))
        elif letter == "u":
            return self.unicode_escape()
        elif letter in SYNTAX:
            return letter
        self.at -= 1
        raise self.error("an escape that the `u` flag does not know")

    def hexadecimal(self, width: int) -> int:
        digits = self.source[self.at : self.at + width]
        if len(digits) < width or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            raise self.error("an escape with too few hexadecimal digits")
        self.at += width
        return int(digits, 16)

    def unicode_escape(self) -> str:
        if self.eat("{"):
            end = self.source.find("}", self.at)
            digits = self.source[self.at : end].lstrip("0") if end > self.at else "x"
            if len(digits) > 6 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
                raise self.error("a code point escape that is no code point")
            point = int(digits or "0", 16)
            if point > LAST_CODE_POINT:
                raise self.error("a code point escape that is no code point")
            self.at = end + 1
            return chr(point)
        unit = self.hexadecimal(4)
        if 0xD800 <= unit <= 0xDBFF and self.ahead("\\u"):
            before = self.at
            self.at += 2
            low = self.hexadecimal(4) if not self.ahead("{") else 0
            if 0xDC00 <= low <= 0xDFFF:
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
            self.at = before
        return chr(unit)

    def character_class(self) -> Characters:
        negated = self.eat("^")
        ranges: list[tuple[int, int]] = []
        sets: list[Characters] = []
        while not self.eat("]"):
            low = self.class_atom()
            if self.ahead("-") and not self.ahead("-]"):
                self.at += 1
                high = self.class_atom()
                if isinstance(low, Characters) or isinstance(high, Characters):
                    raise self.error("a range with a class at its end")
                if high < low:
                    raise self.error("a range that is out of order")
                ranges.append((ord(low), ord(high)))
            elif isinstance(low, Characters):
                sets.append(low)
            else:
                ranges.append((ord(low), ord(low)))
        return Characters(ranges=tuple(ranges), sets=tuple(sets), negated=negated)

    def class_atom(self) -> str | Characters:
        character = self.take()
        if character != "\\":
            return character
        letter = self.take()
        if letter == "b":
            return "\b"
        if letter == "-":
            return "-"
        found = self.escaped_set(letter)
        return found if found is not None else self.escaped_character(letter)


def _one(character: str) -> Characters:
    return Characters(ranges=((ord(character), ord(character)),))
