"""Checks of a payload's shape that the readers of all wire families share, and how a reader stops at a place."""

from typing import Final

from replay.validator._signals import PayloadFinding
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
