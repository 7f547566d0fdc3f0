"""A total reader of argument text: the tokens of a JSON text up to its first error, and what kind of error that is.

`{"city":"Os` is read as a bracket, a key, a colon and an open string; reading stopped because the text is truncated.
Every text has a reading; nothing is ever raised. Positions are offsets in code points. Used to mask, never to judge.
Knows JSON's grammar (RFC 8259); knows no schema and no provider.

JSON text is read in three ways here, each for a question of its own, and none can stand in for another:

- `replay.validator.strict_json`: what value is this text, or which one code says why it is none? The verdict comes from
  it alone. (`replay.corpus.quick_json` gives the same values in less time, or none.)
- this module: where are the tokens of a text that may be broken anywhere? The masks need that.
- `redaction.proof.grams`: which words stand in a finished file? By expressions alone, so that the gate does not trust
  the reader that the masks trusted.
"""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Kind(Enum):
    """What a token is."""

    SPACE = "space"
    PUNCTUATION = "punctuation"
    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"  # true, false, null; NaN and Infinity too, which are no JSON but read as what they mean
    MARK = "byte order mark"
    # No JSON, but many clients take a control character in a string, or strip more white space than JSON has.
    LOOSE_KEY = "key with a control character in it"
    LOOSE_STRING = "string with a control character in it"
    FOREIGN_SPACE = "white space that is none of JSON, before the text or behind it"
    OPEN_STRING = "open string"  # ended by the text, or by what is no part of a string
    PART = "part of a token"  # of an escape, a number or a literal, at the very end of the text
    TAIL = "tail"  # from the first error to the end


class Stop(Enum):
    """Why reading stopped before the end."""

    NONE = "none"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    UNEXPECTED = "unexpected"
    TRAILING = "trailing"


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it stands: `text[start:end]`."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The tokens of `text`, which cover it from end to end, and why reading stopped."""

    text: str = field(repr=False)
    tokens: list[Token] = field(repr=False)
    stop: Stop


_SPACE: Final = re.compile(r"[ \t\n\r]+")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_LOOSE_STRING: Final = re.compile(r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_FOREIGN: Final = "\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_FOREIGN_SPACE: Final = re.compile(f"[ \t\n\r{_FOREIGN}]*[{_FOREIGN}]")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_LITERAL: Final = re.compile(r"true|false|null|NaN|-?Infinity")
_PART_OF_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_PART_OF_NUMBER: Final = re.compile(r"-\Z|\.\Z|[eE][+-]?\Z")
_BLANK: Final = re.compile(f"[ \t\n\r{_FOREIGN}]+")
_LITERALS: Final = ("true", "false", "null", "NaN", "Infinity", "-Infinity")

_CLOSER: Final = {"{": "}", "[": "]"}


class _Want(Enum):
    """What the grammar allows next."""

    VALUE = "a value"
    VALUE_OR_END = "a value or ]"
    KEY = "a key"
    KEY_OR_END = "a key or }"
    COLON = "a colon"
    COMMA_OR_END = "a comma or the closing bracket"
    NOTHING = "nothing"


def read(text: str) -> Reading:
    """The reading of `text`; linear in its length, whatever it holds."""
    reader = _Reader(text)
    stop = reader.run()
    if reader.loose and stop is not Stop.TRAILING:
        stop = Stop.UNEXPECTED
    return Reading(text=text, stop=stop, tokens=reader.tokens)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._open: list[str] = []  # the closers of the containers we are in
        self._want = _Want.VALUE
        self.tokens: list[Token] = []
        self.loose = False  # whether something was read that is no JSON and that many clients pass over

    def _take(self, kind: Kind, end: int) -> None:
        self.tokens.append(Token(kind, self._at, end))
        self._at = end

    def run(self) -> Stop:
        text, size = self._text, len(self._text)
        if text.startswith("\ufeff"):
            self._take(Kind.MARK, 1)
        foreign = _FOREIGN_SPACE.match(text, self._at)
        if foreign:
            self._take(Kind.FOREIGN_SPACE, foreign.end())
            self.loose = True
        while True:
            space = _SPACE.match(text, self._at)
            if space:
                self._take(Kind.SPACE, space.end())
            if self._at == size:
                break
            if self._want is _Want.NOTHING:
                self._take(Kind.FOREIGN_SPACE if _BLANK.fullmatch(text, self._at) else Kind.TAIL, size)
                return Stop.TRAILING
            stop = self._step(text[self._at])
            if stop is not None:
                return stop
        if self._want is _Want.NOTHING:
            return Stop.NONE
        blank = all(token.kind in (Kind.SPACE, Kind.MARK) for token in self.tokens)
        return Stop.EMPTY if blank else Stop.TRUNCATED

    def _step(self, char: str) -> Stop | None:
        """One token at a place where the text goes on; None where reading can go on."""
        want = self._want
        if char == '"':
            if want in (_Want.KEY, _Want.KEY_OR_END):
                return self._string(Kind.KEY, _Want.COLON)
            if want in (_Want.VALUE, _Want.VALUE_OR_END):
                return self._string(Kind.STRING, self._after_value())
            return self._tail()
        if char in "{[" and want in (_Want.VALUE, _Want.VALUE_OR_END):
            self._open.append(_CLOSER[char])
            self._mark(_Want.KEY_OR_END if char == "{" else _Want.VALUE_OR_END)
            return None
        if char in "}]":
            closes = want in (_Want.COMMA_OR_END, _Want.KEY_OR_END, _Want.VALUE_OR_END)
            if not closes or self._open[-1] != char:
                return self._tail()
            self._open.pop()
            self._mark(self._after_value())
            return None
        if char == ":" and want is _Want.COLON:
            self._mark(_Want.VALUE)
            return None
        if char == "," and want is _Want.COMMA_OR_END:
            self._mark(_Want.KEY if self._open[-1] == "}" else _Want.VALUE)
            return None
        if want in (_Want.VALUE, _Want.VALUE_OR_END):
            return self._scalar()
        return self._tail()

    def _after_value(self) -> _Want:
        return _Want.COMMA_OR_END if self._open else _Want.NOTHING

    def _mark(self, want: _Want) -> None:
        self._take(Kind.PUNCTUATION, self._at + 1)
        self._want = want

    def _string(self, kind: Kind, want: _Want) -> Stop | None:
        text = self._text
        match = _STRING.match(text, self._at)
        assert match  # the quote is there
        end = match.end()
        if text.startswith('"', end):
            self._take(kind, end + 1)
            self._want = want
            return None
        loose = _LOOSE_STRING.match(text, self._at)
        if loose:
            self._take(Kind.LOOSE_KEY if kind is Kind.KEY else Kind.LOOSE_STRING, loose.end())
            self._want = want
            self.loose = True
            return None
        self._take(Kind.OPEN_STRING, end)
        if end == len(text):
            return Stop.TRUNCATED
        if _PART_OF_ESCAPE.match(text, end):
            self._take(Kind.PART, len(text))
            return Stop.TRUNCATED
        return self._tail()

    def _scalar(self) -> Stop | None:
        text = self._text
        match = _LITERAL.match(text, self._at)
        kind = Kind.LITERAL
        if match is None:
            match = _NUMBER.match(text, self._at)
            kind = Kind.NUMBER
        if match is None:
            rest = text[self._at : self._at + len("-Infinity") + 1]
            if any(word.startswith(rest) for word in _LITERALS):
                self._take(Kind.PART, len(text))
                return Stop.TRUNCATED
            return self._tail()
        self._take(kind, match.end())
        if kind is Kind.NUMBER and _PART_OF_NUMBER.match(text, self._at):
            self._take(Kind.PART, len(text))
            return Stop.TRUNCATED
        self._want = self._after_value()
        return None

    def _tail(self) -> Stop:
        self._take(Kind.TAIL, len(self._text))
        return Stop.UNEXPECTED
