r"""Which assertions speak of each string and number of an argument text: read token by token, whole or broken.

Take `{"to":"x","tags":["a"]}` and the schema `{"properties":{"tags":{"items":{"pattern":"^a"}}}}`: of the string `a`
speaks `pattern`, of `x` nothing. The reader goes along with brackets, colons and commas, and trusts nothing else: a
text that is broken is read as far as its brackets can be followed. The masks have a reader of their own
(`masks.containers`). Knows tokens and schemas; knows no payload.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from redaction.applicable import NUMBER_ASSERTIONS, STRING_ASSERTIONS, Assertion, Document, Schemas
from redaction.proof.words.argument_tokens import TOKEN, unescaped


@dataclass(frozen=True, slots=True)
class Placed:
    """A string or a number of an argument text, as it is written, and what speaks of it."""

    written: str = field(repr=False)
    is_number: bool
    assertions: tuple[Assertion, ...] = field(repr=False)


@dataclass(slots=True)
class _Around:
    """An open object or array, and where in it the reader is."""

    schemas: Schemas = field(repr=False)
    is_object: bool
    index: int = 0
    wants_key: bool = True
    member: Schemas | None = field(default=None, repr=False)


def placed(text: str, document: Document) -> Iterator[Placed]:
    """Each string and number of an argument text, with the assertions that speak of it."""
    open_: list[_Around] = []
    for match in TOKEN.finditer(text):
        mark = match["rest"]
        if match["text"] is not None:
            value = unescaped(match["text"])
            around = open_[-1] if open_ else None
            if around is not None and around.is_object and around.wants_key:
                around.member = around.schemas.member(value)
                about_name = around.schemas.names().assertions(STRING_ASSERTIONS)
                yield Placed(value, is_number=False, assertions=about_name + around.schemas.key_patterns())
            else:
                yield Placed(value, is_number=False, assertions=_here(open_, document).assertions(STRING_ASSERTIONS))
        elif match["number"] is not None:
            yield Placed(
                match["number"], is_number=True, assertions=_here(open_, document).assertions(NUMBER_ASSERTIONS)
            )
        elif mark in ("{", "["):
            open_.append(_Around(_here(open_, document), is_object=mark == "{"))
        elif mark in ("}", "]"):
            if not open_:
                return
            open_.pop()
        elif mark in (":", ",") and open_:
            open_[-1].wants_key = mark == ","
            open_[-1].index += mark == ","


def _here(open_: list[_Around], document: Document) -> Schemas:
    """What speaks of the value that begins here."""
    if not open_:
        return document.whole()
    around = open_[-1]
    if around.is_object:
        return around.member if around.member is not None else document.schemas([])
    return around.schemas.item(around.index)
