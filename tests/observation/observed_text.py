"""What a fixture still tells of one streamed argument text: its tokens, cuts and answers, without its values.

Part of the observation; see `observation`. Knows tokens, cuts and schemas; masks and judges nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate
from typing import Final, TypeAlias

from redaction.applicable import STRING_ASSERTIONS, Document, Schemas
from redaction.captured.json_tokens import Kind, Token, read
from redaction.masks.conversions import Question, converts, is_held, questions_of_number, questions_of_text
from redaction.masks.layout import Split, StringLayout, string_layout
from redaction.masks.scalars import declared, stands_for_itself, unquoted
from redaction.masks.tool_schemas import property_names
from replay.validator.schema import unsupported
from replay.validator.strict_json import exact_number, parse


@dataclass(frozen=True, slots=True)
class Cut:
    """A boundary between two fragments, between two tokens. Two with nothing between them: white space alone."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Punctuation, a byte order mark, or the white space before an error."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A word that the schema declares; `spelled` where an escape of it was cut, with its cuts."""

    value: str
    layout: StringLayout
    spelled: tuple[str, tuple[int, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """A number that the schema declares, and how many cuts are in it."""

    value: Decimal
    cuts: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An assertion that speaks of a value, and whether it held."""

    keyword: str
    argument: object
    held: bool


@dataclass(frozen=True, slots=True)
class Label:
    """Equal labels at one site stood for equal values, different ones for different values."""

    site: int
    number: int


@dataclass(frozen=True, slots=True)
class TextOf:
    """A string or a key: the answers, how it was cut, and which others it equals where that is compared."""

    answers: tuple[Answer, ...]
    layout: StringLayout
    label: Label | None
    key: bool


@dataclass(frozen=True, slots=True)
class JsonOf:
    """A string that is JSON where the schema wants an object or an array: what is told of the text in it."""

    items: "tuple[Item, ...]"
    layout: StringLayout


@dataclass(frozen=True, slots=True)
class NumberOf:
    """A number: the answers (None where it overflows), its cuts, and which others it equals where that is compared.

    `itself`: it is the one number, of eight characters or more, that its answers give. `held`: a double holds it.
    """

    answers: tuple[Answer, ...] | None
    cuts: int
    label: Label | None
    itself: bool = False
    held: bool = True


@dataclass(frozen=True, slots=True)
class Literal:
    """`true`, `false`, `null`, `NaN` or `Infinity`, and how many cuts are in it."""

    word: str
    cuts: int


@dataclass(frozen=True, slots=True)
class Open:
    """A string that never ended."""

    layout: StringLayout


@dataclass(frozen=True, slots=True)
class Part:
    """The piece of a literal, number or escape that broke off at the end; hex digits read 0."""

    text: str
    cuts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rest:
    """What stood from the first error on: the class of its first character, how many cuts, and whether more came."""

    first: str
    more: bool
    cuts: int


@dataclass(frozen=True, slots=True)
class Loose:
    """A string with a control character in it, and how many cuts; `label` says which keys are the same."""

    cuts: int
    label: Label | None


@dataclass(frozen=True, slots=True)
class Blank:
    """White space that is none of JSON, before the text or behind it, and how many cuts are in it."""

    cuts: int


Item: TypeAlias = (
    Cut | Mark | Said | Counted | TextOf | JsonOf | NumberOf | Literal | Open | Part | Rest | Loose | Blank
)


@dataclass(frozen=True, slots=True)
class TextSeen:
    """One argument text, and the names that its schema declares: no other key may be one of them.

    `unlike` is the number of the text of which it is a copy that differs.
    """

    items: tuple[Item, ...]
    names: frozenset[str]
    unlike: int | None = None
    other_than: tuple[int, ...] = ()  # the texts that this one differs from, if only in its white space
    says_not: tuple[int, ...] = ()  # the texts that this one, of which the verdict tells nothing, does not repeat


@dataclass(frozen=True, slots=True)
class FreeSeen:
    """One text that is no JSON: how many fragments, whether it is white space, the answers; `unlike` as above."""

    fragments: int
    blank: bool
    answers: tuple[Answer, ...]
    unlike: int | None = None


def text_seen(
    fragments: Sequence[str],
    schemas: Mapping[str, object],
    tool: str,
    *,
    free: bool,
    unlike: int | None = None,
    beside: "Beside | None" = None,
) -> TextSeen | FreeSeen:
    """What is told of the text in these fragments, none of them empty; `schemas` are without prose.

    `beside` is for texts whose values are compared with one another.
    """
    schema = schemas.get(tool)
    checked = schema if tool in schemas and unsupported(schema) is None else None
    if free:
        text = "".join(fragments)
        blank = not text.strip(_WHITE_SPACE)
        assertions = [] if blank else Document(checked).whole().assertions(STRING_ASSERTIONS)
        return FreeSeen(len(fragments), blank, _answers(text, assertions), unlike)
    names = property_names(schema)
    return TextSeen(tuple(_Reader(fragments, checked, names, beside).run()), names, unlike)


@dataclass(slots=True)
class _Frame:
    """One container that is open."""

    closes: str
    schemas: Schemas
    site: "_Site | None"
    keys: "_Site"
    index: int = 0
    member: Schemas | None = None
    declared: bool = False


@dataclass(slots=True)
class _Site:
    """Values that are compared with one another."""

    number: int
    seen: dict[object, int] = field(default_factory=dict)

    def label(self, value: object) -> Label:
        return Label(self.number, self.seen.setdefault((type(value) is str, value), len(self.seen)))


class Beside:
    """Where the values and keys of several texts are compared: its sites have numbers below 0."""

    def __init__(self, number: int) -> None:
        self.values = _Site(-2 * number - 1)
        self.keys = _Site(-2 * number - 2)


class _Reader:
    def __init__(
        self,
        fragments: Sequence[str],
        schema: object,
        names: frozenset[str],
        beside: Beside | None = None,
        starts: tuple[Schemas, ...] = (),
    ) -> None:
        self._beside = beside
        self._starts = starts  # what speaks of the whole, for a text in a string
        self._text = "".join(fragments)
        self._cuts = list(accumulate(map(len, fragments)))[:-1]
        self._names = names
        self._document = starts[-1].document if starts else Document(schema)
        self._frames: list[_Frame] = []
        self._sites = 0

    def run(self) -> list[Item]:
        tokens = read(self._text).tokens
        items: list[Item] = []
        for at, token in enumerate(tokens):
            while self._cuts and self._cuts[0] <= token.start:
                self._cuts.pop(0)
                items.append(Cut())
            inner = []
            while self._cuts and self._cuts[0] < token.end:
                inner.append(self._cuts.pop(0) - token.start)
            after = tokens[at + 1] if at + 1 < len(tokens) else None
            if token.kind is Kind.SPACE:
                items += [Mark(" ")] if after is not None and after.kind is Kind.TAIL else []
                items += [Cut()] * len(inner)
            else:
                items.append(self._item(token, tokens, at, inner))
        return items

    def _item(self, token: Token, tokens: list[Token], at: int, inner: list[int]) -> Item:
        raw = self._text[token.start : token.end]
        match token.kind:
            case Kind.PUNCTUATION:
                self._punctuation(raw, tokens, at)
                return Mark(raw)
            case Kind.KEY:
                return self._key(raw, inner)
            case Kind.STRING:
                return self._string(raw, inner)
            case Kind.NUMBER:
                return self._number(raw, len(inner))
            case Kind.LITERAL:
                return Literal(raw, len(inner))
            case Kind.LOOSE_KEY:
                frame = self._frames[-1]
                frame.member = frame.schemas.member(unquoted(raw))
                return Loose(len(inner), frame.keys.label(unquoted(raw)))
            case Kind.LOOSE_STRING:
                return Loose(len(inner), None)
            case Kind.FOREIGN_SPACE:
                return Blank(len(inner))
            case Kind.OPEN_STRING:
                return Open(string_layout(raw, inner, closed=False))
            case Kind.PART:
                shown = raw[:2] + "0" * (len(raw) - 2) if raw.startswith("\\u") else raw
                return Part(shown, tuple(inner))
            case Kind.TAIL:
                return _rest(raw, tokens[at - 1] if at else None, len(inner))
        return Mark(raw)

    def _new_site(self) -> _Site:
        self._sites += 1
        return _Site(self._sites)

    def _here(self) -> Schemas:
        """What speaks of the value that begins here."""
        if not self._frames:
            return self._starts[-1] if self._starts else self._document.whole()
        frame = self._frames[-1]
        if frame.closes == "}":
            return frame.member if frame.member is not None else self._document.schemas([])
        return frame.schemas.item(frame.index)

    def _punctuation(self, char: str, tokens: list[Token], at: int) -> None:
        if char in "{[":
            here = self._here()
            outer = self._frames[-1] if self._frames else None
            site = outer.site if outer is not None else self._beside.values if self._beside is not None else None
            keys = self._new_site()
            if site is not None:
                keys = outer.keys if outer is not None else self._beside.keys if self._beside is not None else keys
            if char == "[" and site is None and here.unique():
                site = self._new_site()
            whole = (outer is not None and outer.declared) or self._is_declared(here, tokens, at)
            self._frames.append(_Frame("}" if char == "{" else "]", here, site, keys, declared=whole))
        elif char in "}]":
            self._frames.pop()
        elif char == "," and self._frames[-1].closes == "]":
            self._frames[-1].index += 1

    def _is_declared(self, here: Schemas, tokens: list[Token], at: int) -> bool:
        """Whether the container that starts here equals one that the schema declares."""
        assertions = here.assertions(("enum", "const"))
        if not assertions:
            return False
        depth = 0
        for token in tokens[at:]:
            char = self._text[token.start] if token.kind is Kind.PUNCTUATION else ""
            depth += (char in ("{", "[")) - (char in ("}", "]"))
            if not depth:
                parsed = parse(self._text[tokens[at].start : token.end], max_nesting=_NESTING)
                return parsed.code is None and declared(parsed.value, assertions)
        return False

    def _key(self, raw: str, inner: list[int]) -> Item:
        frame = self._frames[-1]
        key = unquoted(raw)
        frame.member = frame.schemas.member(key)
        about_names = frame.schemas.names().assertions(STRING_ASSERTIONS)
        if frame.declared or key in self._names or declared(key, about_names):
            return _said(raw, key, inner)
        assertions = about_names + frame.schemas.key_patterns()
        layout = string_layout(raw, inner, closed=True)
        return TextOf(_answers(key, assertions), layout, frame.keys.label(key), key=True)

    def _string(self, raw: str, inner: list[int]) -> Item:
        value = unquoted(raw)
        assertions = questions_of_text(self._here())
        frame = self._frames[-1] if self._frames else None
        if (frame is not None and frame.declared) or declared(value, assertions):
            return _said(raw, value, inner)
        layout = string_layout(raw, inner, closed=True)
        if value.lstrip()[:1] in ("{", "[") and converts(assertions) and len(self._starts) < _MOST_INSIDE:
            inside = _Reader([value] if value else [], None, self._names, starts=(*self._starts, self._here()))
            return JsonOf(tuple(inside.run()), layout)
        site = frame.site if frame is not None else self._beside.values if self._beside is not None else None
        return TextOf(_answers(value, assertions), layout, site.label(value) if site is not None else None, key=False)

    def _number(self, raw: str, cuts: int) -> Item:
        value = exact_number(raw)
        if value is None:
            return NumberOf(None, cuts, None)
        assertions = questions_of_number(self._here())
        frame = self._frames[-1] if self._frames else None
        if (frame is not None and frame.declared) or declared(value, assertions):
            return Counted(Decimal(value), cuts)
        site = frame.site if frame is not None else self._beside.values if self._beside is not None else None
        label = site.label(value) if site is not None else None
        itself = len(raw) >= _TELLING and stands_for_itself(value, assertions, cuts + 1)
        return NumberOf(_answers(value, assertions), cuts, label, itself, is_held(value))


# A number of fewer characters is no raw value that a file may not have.
_TELLING: Final = 8
# JSON in a string, in a string of it, and so on, is told so deep.
_MOST_INSIDE: Final = 2
# As JSON has it.
_WHITE_SPACE: Final = " \t\n\r"
# Arguments that reach the schema nest this deep at most.
_NESTING: Final = 512
_THEMSELVES: Final = frozenset('{}[],:"\\')
_IN_NUMBERS: Final = frozenset(".eE+-")


def _said(raw: str, value: str, inner: list[int]) -> Said:
    layout = string_layout(raw, inner, closed=True)
    if all(isinstance(item, Split) for item in layout.items):
        return Said(value, layout)
    return Said(value, layout, (raw, tuple(inner)))


def _answers(value: object, assertions: Sequence[Question]) -> tuple[Answer, ...]:
    return tuple(Answer(one.keyword, one.argument, one.holds(value)) for one in assertions)


def _rest(raw: str, before: Token | None, cuts: int) -> Rest:
    first = raw[0]
    numeric = first in _IN_NUMBERS and before is not None and before.kind is Kind.NUMBER
    if first in _THEMSELVES or numeric:
        return Rest(first, len(raw) > 1 and (numeric or first == "\\") and not cuts, cuts)
    return Rest("0" if "0" <= first <= "9" else "\t" if first < " " else "x", more=False, cuts=cuts)
