r"""The argument texts of a call under the names that its fixture gives to declared words; all else is raw still.

    schema      {"properties": {"city": {"enum": ["Oslo", "Rome"]}}}        field_1, value_1, value_2
    in          {"city":"Os     lo","note":"hi Mara"}
    out         {"field_1":"v   alue_1","note":"hi Mara"}

The masks take the text for one of the renamed schema then, and need not know that there is another one. A cut stands
in the word as it stood in the declared one, with a character between any two; where a word is too short for its cuts,
it is written in escapes, `\u0076alue_1`. Knows tokens and schemas; masks nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate

from redaction.applicable import Document, Schemas
from redaction.captured.argument_texts import Group
from redaction.captured.json_tokens import Kind, read
from redaction.captured.laid_pieces import has_leaf, lay, piece_of, said
from redaction.masks.containers import Containers
from redaction.masks.contract.words import Renamed
from redaction.masks.conversions import converts, number_in, questions_of_number, questions_of_text
from redaction.masks.layout import Pieces, as_escape, cut, spread, string_layout
from redaction.masks.scalars import Later, declared, unquoted
from redaction.placeholders import plain_number, sized_number
from replay.validator.listener import Heard
from replay.validator.paths import Piece
from replay.validator.strict_json import exact_number

# JSON in a string, and in a string of it: the masks read no deeper.
_MOST_INSIDE = 2


def renamed_group(group: Group, words: Renamed, tool: str) -> Group:
    """The texts of a call of `tool`, which is the name of the tool in the fixture, under the fixture's words."""
    raw = group.text()

    def again(copies: Sequence[Heard]) -> list[Heard]:
        return [
            replace(copy, text=whole if copy.text == raw else "".join(_renamed([copy.text], words))) for copy in copies
        ]  # an object and the text that says the same are renamed alike

    texts = _renamed([piece.text for piece in group.pieces], words)
    whole = "".join(texts)
    return replace(
        group,
        tool=tool,
        pieces=[replace(piece, text=text) for piece, text in zip(group.pieces, texts, strict=True)],
        copies=again(group.copies),
        beside=again(group.beside),
        laid=_renamed_pieces(group.laid, words),
    )


def _renamed(fragments: Sequence[str], words: Renamed) -> list[str]:
    filled = [at for at, fragment in enumerate(fragments) if fragment]
    renamed = [""] * len(fragments)
    if filled:
        cuts = list(accumulate(len(fragments[at]) for at in filled))[:-1]
        pieces = _Walk("".join(fragments), cuts, words).run()
        for at, piece in zip(filled, pieces, strict=True):
            renamed[at] = piece
    return renamed


class _Walk:
    """One walk over the tokens of one text."""

    def __init__(self, text: str, cuts: Sequence[int], words: Renamed, starts: tuple[Schemas, ...] = ()) -> None:
        self._reading = read(text)
        self._pieces = Pieces(cuts)
        self._words = words
        self._starts = starts  # what speaks of the whole text, where it stands in another one
        document = starts[-1].document if starts else Document(words.root)
        self._containers = Containers(
            document, self._reading, Later(), words.names, start=starts[-1] if starts else None
        )

    def run(self) -> list[str]:
        """The text in its pieces."""
        for at, token in enumerate(self._reading.tokens):
            cuts = self._pieces.cuts_in(token.start, token.end)
            raw = self._reading.text[token.start : token.end]
            self._pieces.add(self._piece(at, token.kind, raw, cuts))
        return self._pieces.texts()

    def _piece(self, at: int, kind: Kind, raw: str, cuts: list[int]) -> list[str]:
        """What the token number `at` becomes: one piece more than there are cuts in it."""
        match kind:
            case Kind.PUNCTUATION:
                self._containers.punctuation(at)
            case Kind.KEY:
                return self._written(raw, unquoted(raw), self._key(unquoted(raw)), cuts)
            case Kind.STRING:
                return self._written(raw, unquoted(raw), self._text(unquoted(raw)), cuts)
            case Kind.NUMBER:
                number = self._number(raw)
                if number is not None:
                    return spread(sized_number(plain_number(number), len(cuts) + 1), len(cuts) + 1)
            case _:
                pass
        return cut(raw, cuts)

    def _key(self, key: str) -> str:
        about_name, about_pattern = self._containers.key(key)
        asked = [one for one in (*about_name, *about_pattern) if one.keyword not in ("enum", "const")]
        word = self._words.known(key)
        if word is None or not (self._containers.verbatim or key in self._words.names or declared(key, about_name)):
            return self._words.other(key)
        if any(one.holds(key) is not one.holds(word) for one in asked) and not self._containers.around.names_it(key):
            return self._words.other(key)
        return word

    def _text(self, value: str) -> str:
        questions = questions_of_text(self._containers.schemas)
        if self._containers.verbatim or declared(value, questions):
            return self._words.known(value) or self._words.other(value)
        if not converts(questions):
            return self._words.other(value)
        number = number_in(value)
        listed = self._words.known_number(number) if number is not None else None
        if listed is not None:
            return plain_number(Decimal(listed))
        if value.lstrip()[:1] in ("{", "[") and len(self._starts) < _MOST_INSIDE:
            inside = _Walk(value, (), self._words, (*self._starts, self._containers.schemas))
            return "".join(inside.run())
        return self._words.other(value)

    def _number(self, raw: str) -> Decimal | None:
        value = exact_number(raw)
        if value is None:
            return None
        if self._containers.verbatim or declared(value, questions_of_number(self._containers.schemas)):
            known = self._words.known_number(Decimal(value))
            return None if known is None else Decimal(known)
        return None

    def _written(self, token: str, raw: str, text: str, cuts: list[int]) -> list[str]:
        """The string token with another text in it, cut as the raw one."""
        if text == raw:
            return cut(token, cuts)
        layout = string_layout(token, cuts, closed=True)
        if not layout.demanding and len(text) >= layout.needed:
            return layout.render(text)
        escaped = "".join(as_escape(char) for char in text)
        least = len(cuts) + 1 - len('""')
        return spread(f'"{escaped}{"" if len(escaped) >= least else as_escape("_") * least}"', len(cuts) + 1)


def _renamed_pieces(heard: Sequence[Heard], words: Renamed) -> list[Heard]:
    """The pieces of an object that came by paths, their names and declared values renamed."""
    if not heard:
        return []
    document = Document(words.root)
    texts = _leaves(lay(heard).leaves, document, words)
    return [replace(one, piece=_renamed_piece(piece_of(one), texts.get(id(one)), words)) for one in heard]


def _renamed_piece(piece: Piece, value: object, words: Renamed) -> Piece:
    path = tuple((words.known(step) or words.other(step)) if isinstance(step, str) else step for step in piece.path)
    return piece._replace(path=path, value=piece.value if value is None else value)


def _leaves(
    leaves: Mapping[tuple[str | int, ...], Sequence[Heard]], document: Document, words: Renamed
) -> dict[int, object]:
    """What each piece of a declared string or number becomes, by its identity."""
    found: dict[int, object] = {}
    for path, pieces in leaves.items():
        here = document.whole()
        for step in path:
            here = here.member(step) if isinstance(step, str) else here.item(step)
        filled = [one for one in pieces if said(piece_of(one))]
        first = piece_of(pieces[0]).value
        if isinstance(first, str):
            text = "".join(said(piece_of(one)) for one in filled)
            word = words.known(text) if declared(text, questions_of_text(here)) else None
            if word is not None and filled:
                parts = spread(word.ljust(len(filled), "_"), len(filled))
                found.update((id(one), part) for one, part in zip(filled, parts, strict=True))
        elif has_leaf(piece_of(pieces[0])):
            number = exact_number(said(piece_of(pieces[0])))
            if number is not None and declared(number, questions_of_number(here)):
                known = words.known_number(Decimal(number))
                found.update((id(one), known) for one in pieces if known is not None)
    return found
