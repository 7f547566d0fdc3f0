"""The argument texts of a turn, masked slot by slot and laid back over the fragments that they came in.

In: the argument texts of a capture and the schemas of its tools. Out: what stands for each fragment, by event and path.
Each text is masked by itself. A full copy of a text becomes the same masked text if it was equal, and another one if
not.

Example: slot 0 takes `{"city":"Os` in event 1 and `lo"}` in event 2. The mask of the whole text is `{"city":"xx"}`, and
what stands in the events then is `{"city":"x` and `x"}`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from redaction.captured.argument_texts import Group
from redaction.captured.threads import compared, same_texts
from redaction.captured.untold_texts import says_as
from redaction.masks.arguments import Fragmented, Lengths, mask_arguments, mask_together
from redaction.masks.free_text import mask_free_text
from redaction.masks.laid_pieces import masked_pieces
from redaction.masks.scalars import Later, NoSampleError
from redaction.masks.tool_schemas import property_names
from replay.validator.listener import Form, Heard, Path
from replay.validator.schema import unsupported
from replay.validator.strict_json import parse, printed

# An object that came whole nests no deeper than its payload, which was read.
_NESTING: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedFragments:
    """What stands for the fragments of a turn, by event and path.

    `unkept`: some value does not read as the raw one did to a client that converts values.
    """

    places: Mapping[int, Mapping[Path, object]] = field(repr=False)
    unkept: bool


def masked_fragments(texts: Sequence[Group], schemas: Mapping[str, object], lengths: Lengths) -> MaskedFragments:
    """The masked fragments of these texts of a turn; raises `NoSampleError`."""
    masked: dict[int, dict[Path, object]] = {}
    laters: list[Later] = []
    together = _masked_together(texts, schemas, lengths, laters)
    for at, group in enumerate(texts):
        for event, path, value in together[at] if at in together else _masked(group, schemas, lengths, laters):
            masked.setdefault(event, {})[path] = value
    return MaskedFragments(places=masked, unkept=any(later.unkept for later in laters))


def _masked_together(
    texts: Sequence[Group], schemas: Mapping[str, object], lengths: Lengths, laters: list[Later]
) -> dict[int, list[tuple[int, Path, object]]]:
    """What stands for each piece of the texts that share an id with another one, by the number of the text."""
    masked: dict[int, list[tuple[int, Path, object]]] = {}
    for numbers in compared(texts):
        laters.append(Later())
        alike = same_texts(texts, numbers)
        given = [_fragmented(one.tool, one.fragments, schemas) for one in alike]
        try:
            together = mask_together(given, lengths, laters[-1])
        except NoSampleError as error:
            error.tool = texts[numbers[0]].tool
            raise
        for one, pieces in zip(alike, _all_different(together), strict=True):
            for at, runs in one.runs.items():
                joined = ["".join(pieces[start:end]) for start, end in runs]
                masked[at] = list(_laid_out(texts[at], joined, _masker(texts[at], schemas, lengths, laters)))
    return masked


def _all_different(texts: Sequence[list[str]]) -> Iterator[list[str]]:
    """The texts in their pieces, each other than those before it: white space makes the difference where none is."""
    seen: set[str] = set()
    for pieces in texts:
        filled = next((at for at, piece in enumerate(pieces) if piece), None)
        while filled is not None and "".join(pieces) in seen:
            pieces[filled] = " " + pieces[filled]
        seen.add("".join(pieces))
        yield pieces


def _fragmented(tool: str, fragments: Sequence[str], schemas: Mapping[str, object]) -> Fragmented:
    schema = schemas.get(tool)
    checked = schema if tool in schemas and unsupported(schema) is None else None
    return Fragmented(fragments, checked, property_names(schema))


def _masked(
    group: Group, schemas: Mapping[str, object], lengths: Lengths, laters: list[Later]
) -> Iterator[tuple[int, Path, object]]:
    """Each place of a group, by event and path, and what stands there."""
    mask = _masker(group, schemas, lengths, laters)
    try:
        if group.laid:
            yield from masked_pieces(group.laid, property_names(schemas.get(group.tool)), mask)
        texts = mask([piece.text for piece in group.pieces])
    except NoSampleError as error:
        error.tool = group.tool
        raise
    yield from _laid_out(group, texts, mask)


def _masker(
    group: Group, schemas: Mapping[str, object], lengths: Lengths, laters: list[Later]
) -> Callable[[Sequence[str]], list[str]]:
    """What masks the pieces of a text for the tool of this one."""
    schema = schemas.get(group.tool)
    names = property_names(schema)
    checked = schema if group.tool in schemas and unsupported(schema) is None else None

    def mask(texts: Sequence[str]) -> list[str]:
        if group.free:
            return mask_free_text(texts, checked, lengths)
        laters.append(Later())
        return mask_arguments(texts, checked, names, lengths, later=laters[-1])

    return mask


def _laid_out(
    group: Group, texts: Sequence[str], mask: Callable[[Sequence[str]], list[str]]
) -> Iterator[tuple[int, Path, object]]:
    """Each place of the pieces, for which `texts` stand, and of what repeats them."""
    for piece, text in zip(group.pieces, texts, strict=True):
        yield from _placed(piece, text)
    raw, whole = group.text(), "".join(texts)
    for copy in (*group.copies, *group.beside):
        masked = whole if says_as(copy, group.form, raw) else _other("".join(mask([copy.text])), whole, group)
        yield from _placed(copy, masked)


def _placed(piece: Heard, text: str) -> Iterator[tuple[int, Path, object]]:
    value = _object(text) if piece.form is Form.OBJECT else text
    yield piece.event, piece.path, value
    if piece.mirror is not None:
        yield piece.event, piece.mirror, value


def _object(text: str) -> object:
    """The object of a masked text, its numbers in the one spelling in which they are printed."""
    plain = printed(parse(text, max_nesting=_NESTING).value)
    return parse(plain or "{}", max_nesting=_NESTING).value


def _other(text: str, whole: str, group: Group) -> str:
    """`text`, or one that says the same, other than `whole`: what differs must still differ once it is masked."""
    if text != whole:
        return text
    return text + "x" if group.free else " " + text
