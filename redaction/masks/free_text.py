"""Streamed text that is no JSON, as a custom tool takes it: masked as one string, laid back over its fragments.

In: the fragments and the schema of the tool, where there is one. Out: as many fragments, empty where they were empty,
that together answer the schema as the raw text did. `SELECT na` and `me FROM patients` become `x` and `x`. Text that
is nothing but white space stays so, because the validator takes it for no arguments. Knows one text at a time; knows
no payload and no provider.
"""

from collections.abc import Sequence
from itertools import accumulate

from redaction.applicable import STRING_ASSERTIONS, Document
from redaction.masks.arguments import Lengths
from redaction.masks.layout import spread, string_layout, utf8_width
from redaction.masks.scalars import NoSampleError, answers, text_like
from replay.validator.strict_json import WHITE_SPACE


def mask_free_text(fragments: Sequence[str], schema: object, lengths: Lengths) -> list[str]:
    """The masked fragments; raises `NoSampleError` where no placeholder answers the schema as the text did."""
    filled = [at for at, fragment in enumerate(fragments) if fragment]
    masked = [""] * len(fragments)
    if filled:
        pieces = _pieces([fragments[at] for at in filled], schema, lengths)
        for at, piece in zip(filled, pieces, strict=True):
            masked[at] = piece
    return masked


def _pieces(fragments: list[str], schema: object, lengths: Lengths) -> list[str]:
    """What stands for the fragments, of which none is empty."""
    text = "".join(fragments)
    widths = [utf8_width(fragment) for fragment in fragments]
    blank = WHITE_SPACE.fullmatch(text) is not None
    assertions = Document(schema).whole().assertions(STRING_ASSERTIONS)
    wide = [(" " if blank else "x") * width for width in widths]
    if blank or (lengths is Lengths.WIDTHS and answers("".join(wide), assertions) == answers(text, assertions)):
        return wide if lengths is Lengths.WIDTHS else [" "] * len(fragments)
    # Laid out as a JSON string without an escape is, and taken out of its quotes.
    cuts = list(accumulate(map(len, fragments)))[:-1]
    layout = string_layout(f'"{"x" * len(text)}"', [1 + cut for cut in cuts], closed=True)
    least = len(text) if lengths in (Lengths.AT_LEAST, Lengths.WIDTHS) else 0
    try:
        sample = text_like(text, assertions, layout, least=max(len(fragments), least))
    except NoSampleError:
        if lengths is not Lengths.WHERE_NEEDED:
            raise
        sample = text_like(text, assertions, layout, least=max(len(fragments), len(text)))
    return spread(sample, len(fragments))
