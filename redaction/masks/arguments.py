"""Streamed argument text, masked as a whole and laid back over its fragments.

In: the fragments of one slot and the schema of its tool, where there is one. Out: as many fragments, empty where they
were empty, that together are JSON of the same shape, valid or broken in the same way, and that answer the schema as
the raw text did. An example, with a schema that declares `to` as an email and `n` as a number of at least 1:

    in      {"to":"mara.lin   dqvist@example.   org","n":0,"vip   ":true}
    out     {"to":"x          @                 example.com","n":0,"k   ey_1":true}

It is one walk over the tokens of the joined text `{"to":"mara.lindqvist@example.org","n":0,"vip":true}`:

- `{`, `:`, `,`, `}` and the literal `true` are the shape of the text, so they stay.
- `to` and `n` stay, because the schema declares them. `vip` is no declared name, so it becomes `key_1`.
- The address answers `"format": "email"` with yes, and `x@example.com` is the first placeholder that does. `0` answers
  `"minimum": 1` with no, and the first number that says no is `0`. So the masked call has the same finding.
- Each token is written in as many pieces as the cuts made of it, by the rules of `masks.layout`.

A text that is broken is walked up to its first error, and what stands behind it is only kept by the class of its first
character. What many clients pass over is no such error: a control character in a string, of which one tab is left, and
white space at the ends that JSON has not. A value that stands in two places gets one placeholder where values are
compared (`uniqueItems`). The later place may need a longer one than the first was given, so the walk notes that and is
made again. Knows one text at a time; knows no payload and no provider, and judges nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from functools import partial
from itertools import accumulate
from typing import Final

from redaction.applicable import Document, Schemas
from redaction.captured.json_tokens import Kind, Token, read
from redaction.masks.containers import Beside, Containers
from redaction.masks.conversions import Question, converts, is_held, of_schema, questions_of_number, questions_of_text
from redaction.masks.layout import Pieces, StringLayout, cut, spread, string_layout, utf8_width
from redaction.masks.scalars import Distinct, Later, NoSampleError, answers, declared, number_like, text_like, unquoted
from redaction.placeholders import of_width, plain_number, sized_number
from replay.validator.strict_json import exact_number


class Lengths(Enum):
    """How much of a value's length a mask keeps (`docs/redaction.md`: lengths are data)."""

    CANONICAL = "the shortest that the schema and the cuts allow"
    WHERE_NEEDED = "the same; at least the raw length for a value of which no shorter one answers the schema alike"
    AT_LEAST = "at least the raw length"
    WIDTHS = "the raw width in UTF-8, wherever neither the schema nor a cut inside an escape asks for another"


# JSON in a string, in a string of it, and so on: no client reads deeper.
_MOST_INSIDE: Final = 2
# The first walk may note a character that a later place demands, and the next one the length that this takes elsewhere.
# Then nothing new can come.
_WALKS: Final = 4


@dataclass(frozen=True, slots=True)
class Fragmented:
    """One argument text, as it came.

    `schema` is the tool's, or None where it says nothing (unknown or unsupported); `names` are the property names
    that the application declared for this tool.
    """

    fragments: Sequence[str] = field(repr=False)
    schema: object = field(repr=False)
    names: frozenset[str] = field(repr=False)


def mask_arguments(
    fragments: Sequence[str],
    schema: object,
    names: frozenset[str],
    lengths: Lengths = Lengths.CANONICAL,
    *,
    later: Later | None = None,
) -> list[str]:
    """The masked fragments; raises `NoSampleError` where no placeholder answers the schema as the raw value did.

    `later` is new for each text, and tells afterwards whether a conversion was not kept.
    """
    later = later or Later()
    for _ in range(_WALKS):
        noted = later.size
        masked = _walked(Fragmented(fragments, schema, names), lengths, later, None)
        if later.size == noted:
            break  # no value needs more in a later place than it was given in an earlier one
    return masked


def mask_together(texts: Sequence[Fragmented], lengths: Lengths, later: Later) -> list[list[str]]:
    """The masked fragments of texts that are compared: what was equal in them is, and what differed differs."""
    for _ in range(_WALKS):
        noted = later.size
        beside = Beside(Distinct(later=later), Distinct(later=later))
        masked = [_walked(text, lengths, later, beside) for text in texts]
        if later.size == noted:
            break
    return masked


def _walked(text: Fragmented, lengths: Lengths, later: Later, beside: Beside | None) -> list[str]:
    """The masked fragments of one walk."""
    fragments = text.fragments
    filled = [at for at, fragment in enumerate(fragments) if fragment]
    cuts = list(accumulate(len(fragments[at]) for at in filled))[:-1]
    pieces = _Walk(text, cuts, lengths=lengths, later=later, beside=beside).run()
    masked = [""] * len(fragments)
    for at, piece in zip(filled, pieces, strict=True):
        masked[at] = piece
    return masked


class _Walk:
    """One walk over the tokens of one text."""

    def __init__(
        self,
        text: Fragmented,
        cuts: list[int],
        *,
        lengths: Lengths,
        later: Later,
        beside: Beside | None,
        starts: tuple[Schemas, ...] = (),
    ) -> None:
        self._starts = starts  # what speaks of the whole text, where it stands in another one
        self._later = later
        self._reading = read("".join(text.fragments))
        self._pieces = Pieces(cuts)
        self._names = text.names
        self._lengths = lengths
        self._document = Document(text.schema)
        start = starts[-1] if starts else None
        if start is not None:
            self._document = start.document
        self._containers = Containers(self._document, self._reading, later, text.names, beside=beside, start=start)

    def run(self) -> list[str]:
        if not self._reading.text:
            return []
        for at, token in enumerate(self._reading.tokens):
            cuts = self._pieces.cuts_in(token.start, token.end)
            self._pieces.add(self._masked(at, cuts))
        return self._pieces.texts()

    def _masked(self, at: int, cuts: list[int]) -> list[str]:
        """What stands for the token number `at`: one piece more than there are cuts in it."""
        token = self._reading.tokens[at]
        raw = self._reading.text[token.start : token.end]
        match token.kind:
            case Kind.SPACE:
                return self._space(raw, cuts, at)
            case Kind.MARK:
                return [raw]
            case Kind.PUNCTUATION:
                self._containers.punctuation(at)
                return [raw]
            case Kind.KEY:
                return self._key(raw, cuts)
            case Kind.STRING:
                return self._string(raw, cuts)
            case Kind.NUMBER:
                return self._number(raw, cuts)
            case Kind.LITERAL:
                return cut(raw, cuts) if self._lengths is Lengths.WIDTHS else spread(raw, len(cuts) + 1)
            case Kind.LOOSE_KEY:
                return self._loose_key(raw, cuts)
            case Kind.LOOSE_STRING:
                return self._loose_text(raw, cuts, "")
            case Kind.FOREIGN_SPACE:
                return self._blank(raw, cuts)
            case Kind.OPEN_STRING:
                return self._open_string(raw, cuts)
            case Kind.PART:
                return cut(_part(raw), cuts)
            case Kind.TAIL:
                return self._rest(raw, cuts, self._reading.tokens[at - 1] if at else None)

    def _least(self, length: int) -> int:
        """How long what stands for a value of this length must be at least."""
        return 0 if self._lengths in (Lengths.CANONICAL, Lengths.WHERE_NEEDED) else length

    def _chosen(self, length: int, choose: Callable[[int], str]) -> str:
        """What `choose` gives for a value of this length, if it is told how long that must be at least."""
        try:
            return choose(self._least(length))
        except NoSampleError as error:
            error.pointer = self._containers.pointer()
            if self._lengths is not Lengths.WHERE_NEEDED:
                raise
        return choose(length)

    def _space(self, raw: str, cuts: list[int], at: int) -> list[str]:
        """Nothing; but what follows an end must not run into it: `1 2` is trailing data, `12` is not."""
        if self._lengths is Lengths.WIDTHS:
            return cut(" " * len(raw), cuts)
        after = self._reading.tokens[at + 1 : at + 2]
        return [" " if after and after[0].kind is Kind.TAIL else "", *[""] * len(cuts)]

    def _key(self, raw: str, cuts: list[int]) -> list[str]:
        key = unquoted(raw)
        about_name, about_pattern = self._containers.key(key)
        if self._containers.verbatim or key in self._names or declared(key, about_name):
            return self._declared_text(raw, key, cuts)
        layout = string_layout(raw, cuts, closed=True)
        keys = self._containers.keys
        assertions = about_name + about_pattern
        plain = f"key_{len(keys.chosen) + 1}"

        def choose(questions: Sequence[Question], least: int) -> str:
            return text_like(key, questions, layout, plain=plain, avoid=self._names, site=keys, least=least)

        return layout.render(self._answering(assertions, len(key), choose, layout))

    def _string(self, raw: str, cuts: list[int]) -> list[str]:
        value = unquoted(raw)
        assertions = questions_of_text(self._containers.schemas)
        if self._containers.verbatim or declared(value, assertions):
            return self._declared_text(raw, value, cuts)
        inner = self._json_text(value, assertions)
        if inner is not None:
            return self._laid_json(inner, raw, cuts)
        site = self._containers.site
        layout = string_layout(raw, cuts, closed=True)
        if self._lengths is Lengths.WIDTHS and layout.plain and site is None:
            pieces = _widened(raw, cuts, closed=True)
            if answers("".join(pieces)[1:-1], assertions) == answers(value, assertions):
                return pieces

        def choose(questions: Sequence[Question], least: int) -> str:
            return text_like(value, questions, layout, site=site, least=least, samples=self._document.samples)

        return layout.render(self._answering(assertions, len(value), choose, layout))

    def _answering(
        self,
        questions: Sequence[Question],
        length: int,
        choose: Callable[[Sequence[Question], int], str],
        layout: StringLayout | None = None,
    ) -> str:
        """What answers all of the questions, or, where no placeholder can, those of the schema alone.

        A text with half a surrogate pair is asked nothing by the rules, so that one may answer otherwise.
        """
        asked = [questions]
        if converts(questions):
            asked.append(of_schema(questions))
        if layout is not None and layout.halved:
            asked.append(())
        for fewer in asked[:-1]:
            try:
                return self._chosen(length, partial(choose, fewer))
            except NoSampleError:
                self._later.unkept = True
        return self._chosen(length, partial(choose, asked[-1]))

    def _json_text(self, value: str, questions: Sequence[Question]) -> str | None:
        """The mask of a text that is JSON where an object or an array is wanted; None where it is none."""
        if value.lstrip()[:1] not in ("{", "[") or not converts(questions) or len(self._starts) >= _MOST_INSIDE:
            return None
        inside = Fragmented([value], self._document.root, self._names)
        starts = (*self._starts, self._containers.schemas)
        pieces = _Walk(inside, [], lengths=self._lengths, later=self._later, beside=None, starts=starts).run()
        return "".join(pieces)

    def _laid_json(self, inner: str, raw: str, cuts: list[int]) -> list[str]:
        """JSON in a string, over the cuts of the raw one. White space behind it says nothing to who reads it."""
        layout = string_layout(raw, cuts, closed=True)
        if layout.demanding:
            raise NoSampleError(("type",))
        return layout.render(inner.ljust(layout.needed))

    def _declared_text(self, raw: str, value: str, cuts: list[int]) -> list[str]:
        """A declared word: as the layout has it, or to the letter where an escape was cut or widths are kept."""
        layout = string_layout(raw, cuts, closed=True)
        if self._lengths is Lengths.WIDTHS or not layout.plain:
            return cut(raw, cuts)
        return layout.render(value)

    def _number(self, raw: str, cuts: list[int]) -> list[str]:
        count = len(cuts) + 1
        assertions = questions_of_number(self._containers.schemas)
        value = exact_number(raw)
        if value is not None and (self._containers.verbatim or declared(value, assertions)):
            return spread(sized_number(plain_number(Decimal(value)), count), count)
        if value is not None and not is_held(value):
            self._later.unkept = True  # what stands for it is one that every client reads alike
        site = self._containers.site

        def choose(questions: Sequence[Question], least: int) -> str:
            return number_like(raw, questions, count, site=site, least=least, samples=self._document.samples)

        text = self._answering(assertions, len(raw), choose)
        wide = _as_wide(raw, text, assertions) if self._lengths is Lengths.WIDTHS else None
        return spread(text, count) if wide is None else cut(wide, cuts)

    def _open_string(self, raw: str, cuts: list[int]) -> list[str]:
        """A string that does not end says nothing to the schema: `x` in each piece, and what its escapes demand."""
        layout = string_layout(raw, cuts, closed=False)
        if self._lengths is Lengths.WIDTHS and layout.plain:
            return _widened(raw, cuts, closed=False)
        return layout.render(layout.fit("x" * max(1, layout.needed, self._least(len(raw) - 1))))

    def _loose_key(self, raw: str, cuts: list[int]) -> list[str]:
        """A key of its own: no schema says a name with a control character in it."""
        key, keys = unquoted(raw), self._containers.keys
        self._containers.key(key)
        start = keys.chosen.get(("loose", key)) or f"key_{len(keys.chosen) + 1}"
        keys.keep("loose", key, start, start)
        return self._loose_text(raw, cuts, start)

    def _loose_text(self, raw: str, cuts: list[int], start: str) -> list[str]:
        """A string with one tab in it, which keeps it what it is. No schema is asked about a text that is no JSON."""
        if self._lengths is Lengths.WIDTHS:
            pieces = _widened(raw, cuts, closed=True)
            at = next(at for at, piece in enumerate(pieces) if "x" in piece)
            return [*pieces[:at], pieces[at].replace("x", "\t", 1), *pieces[at + 1 :]]
        body = f"{start}\t".ljust(max(len(cuts), self._least(len(raw) - 2)), "x")
        return spread(f'"{body}"', len(cuts) + 1)

    def _blank(self, raw: str, cuts: list[int]) -> list[str]:
        """No-break spaces, one for each piece."""
        if self._lengths is not Lengths.WIDTHS:
            return [NO_BREAK_SPACE] * (len(cuts) + 1)
        return [NO_BREAK_SPACE.ljust(utf8_width(part) - 1) for part in cut(raw, cuts)]

    def _rest(self, raw: str, cuts: list[int], before: Token | None) -> list[str]:
        pieces = _tail(raw, before, len(cuts) + 1)
        if self._lengths is not Lengths.WIDTHS:
            return pieces
        return [piece.ljust(utf8_width(part), "x") for piece, part in zip(pieces, cut(raw, cuts), strict=True)]


def _as_wide(raw: str, text: str, assertions: Sequence[Question]) -> str | None:
    """A number as wide as `raw` that answers as it does, `text` if it is one; None where there is none."""
    wanted = answers(exact_number(raw), assertions)
    for sample in (text, *of_width(len(raw))):
        if len(sample) == len(raw) and answers(exact_number(sample), assertions) == wanted:
            return sample
    return None


def _widened(raw: str, cuts: list[int], *, closed: bool) -> list[str]:
    """A string token with as many placeholder bytes between its cuts as the raw one has."""
    bodies = cut(raw[1:-1] if closed else raw[1:], [at - 1 for at in cuts])
    pieces = ["x" * utf8_width(body) for body in bodies]
    pieces[0] = '"' + pieces[0]
    pieces[-1] += '"' if closed else ""
    return pieces


def _part(raw: str) -> str:
    """What the text ended in the middle of: hex digits are data, the rest is a closed set."""
    return raw[:2] + "0" * (len(raw) - 2) if raw.startswith("\\u") else raw


# Characters that keep an error what it is; what they mean to JSON is all they say.
_KEPT: Final = frozenset('{}[],:"\\')
_NUMERIC: Final = frozenset(".eE+-")
# What stands for a control character that is no white space, outside of strings.
CONTROL: Final = "\x01"
# What stands for white space that is none of JSON.
NO_BREAK_SPACE: Final = "\xa0"


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
        # A tab breaks a string. Anywhere else it is white space and breaks nothing.
        head = "\t" if before is not None and before.kind is Kind.OPEN_STRING else CONTROL
    else:
        head = "x"
    return [head, *["x"] * (count - 1)]
