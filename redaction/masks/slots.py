"""The argument texts of a turn, masked slot by slot and laid back over the fragments that they came in.

In: the payloads of a capture and the schemas of its tools. Out: what stands for each fragment, by event and path. Each
text is masked by itself. A full copy of a text becomes the same masked text if it was equal, and another one if not.

Example: slot 0 takes `{"city":"Os` in event 1 and `lo"}` in event 2. The mask of the whole text is `{"city":"xx"}`, and
what stands in the events then is `{"city":"x` and `x"}`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from redaction.captured.argument_texts import Group, groups
from redaction.masks.arguments import Lengths, mask_arguments
from redaction.masks.free_text import mask_free_text
from redaction.masks.scalars import NoSampleError
from redaction.masks.tool_schemas import property_names
from replay.validator.listener import Form, Heard, Path
from replay.validator.schema import unsupported
from replay.validator.strict_json import parse, printed

# An object that came whole nests no deeper than its payload, which was read.
_NESTING: Final = 512


def masked_fragments(
    profile: str, payloads: Sequence[object], schemas: Mapping[str, object], lengths: Lengths
) -> dict[int, dict[Path, object]]:
    """The masked fragments of a turn, by event and path; raises `NoSampleError`."""
    masked: dict[int, dict[Path, object]] = {}
    for group in groups(profile, payloads):
        for piece, value in _masked(group, schemas, lengths):
            places = masked.setdefault(piece.event, {})
            places[piece.path] = value
            if piece.mirror is not None:
                places[piece.mirror] = value
    return masked


def _masked(group: Group, schemas: Mapping[str, object], lengths: Lengths) -> Iterator[tuple[Heard, object]]:
    """Each piece of a group, and what stands for it."""
    schema = schemas.get(group.tool)
    names = property_names(schema)
    checked = schema if group.tool in schemas and unsupported(schema) is None else None

    def mask(texts: Sequence[str]) -> list[str]:
        return mask_free_text(texts, checked, lengths) if group.free else mask_arguments(texts, checked, names, lengths)

    try:
        texts = mask([piece.text for piece in group.pieces])
    except NoSampleError as error:
        error.tool = group.tool
        raise
    for piece, text in zip(group.pieces, texts, strict=True):
        yield piece, _object(text) if piece.form is Form.OBJECT else text
    raw, whole = group.text(), "".join(texts)
    for copy in group.copies:
        yield copy, whole if copy.text == raw else _other("".join(mask([copy.text])), whole, group)


def _object(text: str) -> object:
    """The object of a masked text, its numbers in the one spelling in which they are printed."""
    plain = printed(parse(text, max_nesting=_NESTING).value)
    return parse(plain or "{}", max_nesting=_NESTING).value


def _other(text: str, whole: str, group: Group) -> str:
    """`text`, or one that says the same, other than `whole`: what differs must still differ once it is masked."""
    if text != whole:
        return text
    return text + "x" if group.free else " " + text
