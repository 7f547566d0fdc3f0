"""Streamed argument text, masked as a whole and laid back over its fragments.

In: the fragments of one slot and the schema of its tool, where there is one. Out: as many fragments, empty where they
were empty, that together are JSON of the same shape, valid or broken in the same way, and that answer the schema as
the raw text did. Keys and values that the application declared survive; everything else is a placeholder.
Knows one text at a time; knows no payload, no provider, and judges nothing.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from itertools import accumulate, pairwise
from typing import Final

from redaction.captured.json_tokens import Kind, Token, read
from redaction.masks.applicable import NUMBER_ASSERTIONS, STRING_ASSERTIONS, Assertion, Document, Schemas
from redaction.masks.layout import spread, string_layout
from redaction.masks.scalars import Distinct, Later, answers, declared, number_like, text_like, unquoted
from redaction.placeholders import of_width, plain_number, sized_number
from replay.validator.strict_json import exact_number


class Lengths(Enum):
    """How much of a value's length a mask keeps (`docs/redaction.md`: lengths are data)."""

    CANONICAL = "the shortest that the schema and the cuts allow"
    AT_LEAST = "at least the raw length"
    WIDTHS = "the raw width in UTF-8, wherever neither the schema nor a cut inside an escape asks for another"


# A pass that finds a character finds the room for it in the next one; then nothing new can come.
_PASSES: Final = 4


def mask_arguments(
    fragments: Sequence[str],
    schema: object,
    names: frozenset[str],
    lengths: Lengths = Lengths.CANONICAL,
) -> list[str]:
    """The masked fragments; raises `leaves.NoSampleError` where no placeholder answers the schema as the raw value did.

    `schema` is the tool's, or None where it says nothing (unknown or unsupported); `names` are the property names
    that the application declared for this tool.
    """
    filled = [at for at, fragment in enumerate(fragments) if fragment]
    cuts = list(accumulate(len(fragments[at]) for at in filled))[:-1]
    text = "".join(fragments)
    later = Later()
    for _ in range(_PASSES):
        asked = later.size
        pieces = _Masker(text, cuts, schema, names, lengths, later).run()
        if later.size == asked:
            break  # no value needed more in a later place than it was given in an earlier one
    masked = [""] * len(fragments)
    for at, piece in zip(filled, pieces, strict=True):
        masked[at] = piece
    return masked


@dataclass(slots=True)
class _Frame:
    """One container that is open while the tokens are walked."""

    closes: str
    schemas: Schemas = field(repr=False)
    site: Distinct | None  # of unique items that we are in
    keys: Distinct
    index: int = 0
    member: Schemas | None = field(default=None, repr=False)
    verbatim: bool = False  # a value that the application declared, whole


class _Masker:
    """One walk over the tokens of one text."""

    def __init__(
        self,
        text: str,
        cuts: list[int],
        schema: object,
        names: frozenset[str],
        lengths: Lengths,
        later: Later,
    ) -> None:
        self._text = text
        self._cuts = cuts
        self._names = names
        self._later = later
        self._lengths = lengths
        self._document = Document(schema)
        self._frames: list[_Frame] = []
        self._pieces: list[list[str]] = [[] for _ in range(len(cuts) + 1)]
        self._piece = 0
        self._next_cut = 0

    def run(self) -> list[str]:
        if not self._text:
            return []
        tokens = read(self._text).tokens
        for at, token in enumerate(tokens):
            inner = self._inner_cuts(token)
            before = tokens[at - 1] if at else None
            after = tokens[at + 1] if at + 1 < len(tokens) else None
            self._emit(self._mask(token, inner, before, after))
        # White space is dropped but where it is all that a fragment had.
        return ["".join(parts) or " " for parts in self._pieces]

    def _inner_cuts(self, token: Token) -> list[int]:
        """The cuts inside the token, as offsets in it; a cut right before it moves on to the next piece."""
        cuts = self._cuts
        while self._next_cut < len(cuts) and cuts[self._next_cut] <= token.start:
            self._next_cut += 1
            self._piece += 1
        inner = []
        while self._next_cut < len(cuts) and cuts[self._next_cut] < token.end:
            inner.append(cuts[self._next_cut] - token.start)
            self._next_cut += 1
        return inner

    def _emit(self, parts: list[str]) -> None:
        self._pieces[self._piece].append(parts[0])
        for part in parts[1:]:
            self._piece += 1
            self._pieces[self._piece].append(part)

    def _mask(self, token: Token, inner: list[int], before: Token | None, after: Token | None) -> list[str]:
        raw = self._text[token.start : token.end]
        count = len(inner) + 1
        match token.kind:
            case Kind.SPACE:
                if self._lengths is Lengths.WIDTHS:
                    return _cut(" " * len(raw), inner)
                # What follows an end must not run into it: `1 2` is trailing data, `12` is not.
                return [" " if after is not None and after.kind is Kind.TAIL else "", *[""] * (count - 1)]
            case Kind.MARK:
                return [raw]
            case Kind.PUNCTUATION:
                self._punctuation(raw, token)
                return [raw]
            case Kind.KEY:
                return self._key(raw, inner)
            case Kind.STRING:
                return self._string(raw, inner)
            case Kind.NUMBER:
                return self._number(raw, inner)
            case Kind.LITERAL:
                return _cut(raw, inner) if self._lengths is Lengths.WIDTHS else spread(raw, count)
            case Kind.OPEN_STRING:
                layout = string_layout(raw, inner, closed=False)
                if self._lengths is Lengths.WIDTHS and layout.plain:
                    return _widened(raw, inner, closed=False)
                return layout.render(layout.fit("x" * max(1, layout.needed, self._least(len(raw) - 1))))
            case Kind.PART:
                return _cut(_part(raw), inner)
            case Kind.TAIL:
                pieces = _tail(raw, before, count)
                if self._lengths is Lengths.WIDTHS:
                    widths = [len(_utf8(piece)) for piece in _cut(raw, inner)]
                    return [piece.ljust(width, "x") for piece, width in zip(pieces, widths, strict=True)]
                return pieces

    def _least(self, length: int) -> int:
        return 0 if self._lengths is Lengths.CANONICAL else length

    def _verbatim(self) -> bool:
        return bool(self._frames) and self._frames[-1].verbatim

    def _value_schemas(self) -> Schemas:
        """What speaks of the value that begins here."""
        if not self._frames:
            return self._document.whole()
        frame = self._frames[-1]
        if frame.closes == "}":
            return frame.member if frame.member is not None else self._document.schemas([])
        return frame.schemas.item(frame.index)

    def _site(self) -> Distinct | None:
        return self._frames[-1].site if self._frames else None

    def _punctuation(self, char: str, token: Token) -> None:
        if char in "{[":
            here = self._value_schemas()
            site = self._site()
            # Keys are compared within one object; where items are compared, so are the keys of all of them.
            keys = self._frames[-1].keys if site is not None else Distinct(later=self._later)
            if char == "[" and site is None and here.unique():
                site = Distinct(later=self._later)
            whole = self._verbatim() or self._declared_container(token, here)
            self._frames.append(_Frame("}" if char == "{" else "]", here, site, keys, verbatim=whole))
        elif char in "}]":
            self._frames.pop()
        elif char == "," and self._frames[-1].closes == "]":
            self._frames[-1].index += 1

    def _declared_container(self, token: Token, here: Schemas) -> bool:
        """Whether the container that starts here equals one that the schema declares."""
        declarations = [
            assertion
            for assertion in here.assertions(("enum", "const"))
            if any(isinstance(member, (dict, list)) for member in _members(assertion))
        ]
        if not declarations:
            return False
        try:
            value, _ = _CONTAINER.raw_decode(self._text, token.start)
        except (ValueError, RecursionError):
            return False
        return declared(value, declarations)

    def _key(self, raw: str, inner: list[int]) -> list[str]:
        frame = self._frames[-1]
        key = unquoted(raw)
        frame.member = frame.schemas.member(key)
        about_names = frame.schemas.names().assertions(STRING_ASSERTIONS)
        if frame.verbatim or key in self._names or declared(key, about_names):
            return self._declared_text(raw, key, inner)
        assertions = about_names + frame.schemas.key_patterns()
        layout = string_layout(raw, inner, closed=True)
        text = text_like(
            key,
            assertions,
            layout,
            plain=f"key_{len(frame.keys.chosen) + 1}",
            avoid=self._names,
            site=frame.keys,
            least=self._least(len(key)),
        )
        return layout.render(text)

    def _string(self, raw: str, inner: list[int]) -> list[str]:
        value = unquoted(raw)
        assertions = self._value_schemas().assertions(STRING_ASSERTIONS)
        if self._verbatim() or declared(value, assertions):
            return self._declared_text(raw, value, inner)
        layout = string_layout(raw, inner, closed=True)
        if self._lengths is Lengths.WIDTHS and layout.plain and self._site() is None:
            pieces = _widened(raw, inner, closed=True)
            if answers("".join(pieces)[1:-1], assertions) == answers(value, assertions):
                return pieces
        text = text_like(
            value,
            assertions,
            layout,
            site=self._site(),
            least=self._least(len(value)),
            samples=self._document.samples,
        )
        return layout.render(text)

    def _declared_text(self, raw: str, value: str, inner: list[int]) -> list[str]:
        """A declared word: as the layout has it, or to the letter where an escape was cut or widths are kept."""
        layout = string_layout(raw, inner, closed=True)
        if self._lengths is Lengths.WIDTHS or not layout.plain:
            return _cut(raw, inner)
        return layout.render(value)

    def _number(self, raw: str, inner: list[int]) -> list[str]:
        count = len(inner) + 1
        assertions = self._value_schemas().assertions(NUMBER_ASSERTIONS)
        value = exact_number(raw)
        if value is not None and (self._verbatim() or declared(value, assertions)):
            return spread(sized_number(plain_number(Decimal(value)), count), count)
        text = number_like(
            raw,
            assertions,
            count,
            site=self._site(),
            least=self._least(len(raw)),
            samples=self._document.samples,
        )
        if self._lengths is Lengths.WIDTHS:
            wanted = answers(value, assertions)
            for sample in (text, *of_width(len(raw))):
                if len(sample) == len(raw) and answers(exact_number(sample), assertions) == wanted:
                    return _cut(sample, inner)
        return spread(text, count)


def _members(assertion: Assertion) -> list[object]:
    """The values that an `enum` or `const` declares."""
    argument = assertion.argument
    return argument if assertion.keyword == "enum" and isinstance(argument, list) else [argument]


def _members_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError  # a repeated key would hide a value that nobody declared
    return members


def _nothing(_: str) -> object:
    raise ValueError


def _number_or_nothing(text: str) -> object:
    value = exact_number(text)
    return _nothing(text) if value is None else value


_CONTAINER: Final = json.JSONDecoder(
    object_pairs_hook=_members_once,
    parse_float=_number_or_nothing,
    parse_int=_number_or_nothing,
    parse_constant=_nothing,
    strict=False,
)


def _cut(text: str, inner: list[int]) -> list[str]:
    bounds = [0, *inner, len(text)]
    return [text[low:high] for low, high in pairwise(bounds)]


def _widened(raw: str, inner: list[int], *, closed: bool) -> list[str]:
    """A string token with as many placeholder bytes between its cuts as the raw one has."""
    end = len(raw) - 1 if closed else len(raw)
    bounds = [0, *inner, len(raw)]
    pieces = ["x" * len(_utf8(raw[max(low, 1) : min(high, end)])) for low, high in pairwise(bounds)]
    pieces[0] = '"' + pieces[0]
    pieces[-1] += '"' if closed else ""
    return pieces


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _part(raw: str) -> str:
    """What the text ended in the middle of: hex digits are data, the rest is a closed set."""
    return raw[:2] + "0" * (len(raw) - 2) if raw.startswith("\\u") else raw


# Characters that keep an error what it is; what they mean to JSON is all they say.
_KEPT: Final = frozenset('{}[],:"\\')
_NUMERIC: Final = frozenset(".eE+-")


def _tail(raw: str, before: Token | None, count: int) -> list[str]:
    """The first character of the rest by its class, and one placeholder for each further fragment of it."""
    first = raw[0]
    if first in _KEPT or (first in _NUMERIC and before is not None and before.kind is Kind.NUMBER):
        # An escape or a number that is no such thing needs what follows it.
        more = len(raw) > 1 and first not in '{}[],:"' and count == 1
        head = first + ("x" if more else "")
    elif "0" <= first <= "9":
        head = "0"
    elif first < " ":
        head = "\t"
    else:
        head = "x"
    return [head, *["x"] * (count - 1)]
