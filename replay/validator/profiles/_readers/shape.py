"""Checks of a payload's shape that the readers of all wire families share, and how a reader stops at a place."""

from typing import Final

from replay.validator._machine.signals import PayloadFinding
from replay.validator.codes import Code
from replay.validator.limits import MAX_INDEX

NOT_AN_OBJECT: Final = PayloadFinding(Code.MALFORMED_EVENT, "the payload must be a JSON object")
STREAM_ERROR: Final = PayloadFinding(Code.STREAM_ERROR, "the provider sent an error instead of the rest of the turn")


class ShapeError(Exception):
    """Ends a reader at the first place whose shape is not as it must be, with the finding on the payload."""

    def __init__(self, what: str, choice: int | None = None, slot: int | None = None) -> None:
        super().__init__(what)
        self.finding = PayloadFinding(Code.MALFORMED_EVENT, what, choice, slot)


def is_error(payload: dict[str, object]) -> bool:
    """Whether a payload reports an error, whatever else it holds."""
    return payload.get("error") is not None or payload.get("type") == "error"


def is_index(value: object) -> bool:
    """Whether a value is an integer written as one, in the range of an index."""
    return type(value) is int and 0 <= value <= MAX_INDEX


INDEX_WORDS: Final = f"must be an integer from 0 to {MAX_INDEX}, written without fraction"


def index_of(found: dict[str, object], member: str, choice: int) -> int | None:
    """The index that an object has under this name; None where it has none."""
    index = found.get(member)
    if index is None or (type(index) is int and 0 <= index <= MAX_INDEX):
        return index
    raise ShapeError(f"`{member}` {INDEX_WORDS}", choice)


def object_in(
    found: dict[str, object], member: str, where: str, choice: int | None = None, slot: int | None = None
) -> dict[str, object]:
    """The object under this name; `where` names it in the message that there is none."""
    value = found.get(member)
    if not isinstance(value, dict):
        raise ShapeError(f"`{where}` must be an object", choice, slot)
    return value


def object_or_null_in(
    found: dict[str, object], member: str, where: str, choice: int | None = None, slot: int | None = None
) -> dict[str, object]:
    """The object under this name; an empty one where it is null or absent."""
    value = found.get(member)
    if not (value is None or isinstance(value, dict)):
        raise ShapeError(f"`{where}` must be an object or null", choice, slot)
    return value or {}


def text_in(
    found: dict[str, object], member: str, where: str, choice: int | None = None, slot: int | None = None
) -> str | None:
    """The string under this name; None where it is empty, null or absent, which all say that it is not provided."""
    value = found.get(member)
    if not (value is None or isinstance(value, str)):
        raise ShapeError(f"`{where}` must be a string or null", choice, slot)
    return value or None
