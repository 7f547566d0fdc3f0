"""Chunks of Gemini's streamGenerateContent, on its API and on Vertex AI: what each says, its shape checked whole.

Knows payloads; knows no state. The machine is in `objects`.
"""

from functools import lru_cache
from typing import Final

from replay.validator._machine.signals import (
    Ending,
    ObjectCall,
    ObjectChoice,
    ObjectChunk,
    OtherCall,
    PayloadFinding,
)
from replay.validator._machine.slots import utf8_size
from replay.validator._printed import is_unicode, number, printed, printed_with_copy
from replay.validator.paths import ARRAY, NO_VALUE, Path, Piece, spelled_path
from replay.validator.profiles._readers.shape import (
    INDEX_WORDS,
    NOT_AN_OBJECT,
    STREAM_ERROR,
    ShapeError,
    is_error,
    is_index,
)

# What a chunk has at least one of.
SUBJECTS: Final = ("candidates", "usageMetadata", "promptFeedback")
UNSPECIFIED: Final = "FINISH_REASON_UNSPECIFIED"
STOP: Final = "STOP"
BROKEN_CALLS: Final = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"})
# A request may ask for numbers in the place of words.
NUMBERED: Final = {0: UNSPECIFIED, 1: STOP}
CALL: Final = "functionCall"
PIECES: Final = "partialArgs"
# Members of a part whose name says that they are calls: the client's own, and one that the provider runs.
KNOWN_CALLS: Final = frozenset({CALL, "toolCall"})
CALL_SUFFIX: Final = "call"
OTHER_CALL: Final = OtherCall()
NULL_VALUES: Final[tuple[object, ...]] = (None, "NULL_VALUE", 0)


def read_chunk(payload: object) -> ObjectChunk | PayloadFinding:
    """One payload, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    if is_error(payload):
        return STREAM_ERROR
    try:
        return _chunk(payload)
    except ShapeError as error:
        finding = error.finding
    return finding


def plain_parts(payload: dict[str, object]) -> list[object] | None:
    """The parts of a chunk that is plainly one candidate without a reason, as most are; None of any other."""
    candidates = payload.get("candidates")
    if type(candidates) is not list or len(candidates) != 1 or payload.get("error") is not None or "type" in payload:
        return None
    candidate = candidates[0]
    if type(candidate) is not dict or candidate.get("finishReason") is not None:
        return None
    index, content = candidate.get("index"), candidate.get("content")
    if not (index is None or (type(index) is int and index == 0)) or type(content) is not dict:
        return None
    parts = content.get("parts")
    return parts if type(parts) is list else None


def says_nothing(parts: list[object]) -> bool:
    """Whether these parts are plainly no calls."""
    for part in parts:
        if type(part) is not dict:
            return False
        for name in part:
            if name[-4:].lower() == CALL_SUFFIX:
                return False
    return True


def further_pieces(parts: list[object]) -> list[Piece] | None:
    """The pieces of a part that plainly goes on with a call, and so does the next chunk; None of any other."""
    part = parts[0] if len(parts) == 1 else None
    call = part.get(CALL) if type(part) is dict and len(part) == 1 else None
    if type(call) is not dict or len(call) > 2 or call.get("willContinue") is not True:
        return None
    pieces = call.get(PIECES) if len(call) == 2 else []
    try:
        return [_piece(piece, 0) for piece in pieces] if type(pieces) is list else None
    except ShapeError:
        return None


def _chunk(payload: dict[str, object]) -> ObjectChunk:
    identity = payload.get("responseId")
    if not (identity is None or isinstance(identity, str)):
        raise ShapeError("`responseId` must be a string or null")
    candidates = payload.get("candidates")
    if not (candidates is None or isinstance(candidates, list)):
        raise ShapeError("`candidates` must be an array or null")
    if candidates is None:
        known = any(payload.get(name) is not None for name in SUBJECTS)
        return ObjectChunk(identity, () if known else None)
    seen: set[int] = set()
    return ObjectChunk(identity, tuple([_candidate(one, place, seen) for place, one in enumerate(candidates)]))


def _candidate(candidate: object, place: int, seen: set[int]) -> ObjectChoice:
    if not isinstance(candidate, dict):
        raise ShapeError(f"`candidates[{place}]` must be an object")
    given = candidate.get("index")
    index = 0 if given is None else given
    if not is_index(index):
        raise ShapeError(f"`candidates[{place}].index` {INDEX_WORDS}")
    assert isinstance(index, int), "is_index says so"
    if index in seen:
        raise ShapeError("a chunk must have a candidate once", index)
    seen.add(index)
    content, reason = candidate.get("content"), candidate.get("finishReason")
    if not (content is None or isinstance(content, dict)):
        raise ShapeError(f"`candidates[{place}].content` must be an object or null", index)
    if not (reason is None or isinstance(reason, str) or is_index(reason)):
        raise ShapeError(f"`candidates[{place}].finishReason` must be a string, null or an index", index)
    parts = content.get("parts") if content is not None else None
    if not (parts is None or isinstance(parts, list)):
        raise ShapeError(f"`candidates[{place}].content.parts` must be an array or null", index)
    word, ending = _ending(reason)
    calls = _calls(parts, index, place) if parts else ()
    return ObjectChoice(index, tuple(calls), word, ending)


def _ending(reason: object) -> tuple[str | None, Ending]:
    """The reason as a word, and what it says of calls; no word where it says nothing."""
    word = NUMBERED.get(reason, str(reason)) if isinstance(reason, int) else reason
    if not isinstance(word, str) or word in ("", UNSPECIFIED):
        return None, Ending.OTHER
    if word == STOP:
        return word, Ending.COMPLETE
    return word, Ending.CLAIMS_CALL if word in BROKEN_CALLS else Ending.OTHER


def _calls(parts: list[object], choice: int, place: int) -> list[ObjectCall | OtherCall]:
    """The calls among the parts of a choice; a part may hold two."""
    calls: list[ObjectCall | OtherCall] = []
    for at, part in enumerate(parts):
        if not isinstance(part, dict):
            raise ShapeError("an element of `content.parts` must be an object", choice)
        call = part.get(CALL)
        if not (call is None or isinstance(call, dict)):
            raise ShapeError("`functionCall` must be an object or null", choice)
        for name in part:
            if name[-4:].lower() == CALL_SUFFIX and name not in KNOWN_CALLS and part[name] is not None:
                calls.append(OTHER_CALL)
                break
        if call is not None:
            calls.append(_call(call, choice, ("candidates", place, "content", "parts", at, CALL)))
    return calls


def _call(call: dict[str, object], choice: int, path: Path) -> ObjectCall:
    identity, name, args = call.get("id"), call.get("name"), call.get("args")
    if not (identity is None or isinstance(identity, str)):
        raise ShapeError("the `id` of a function call must be a string or null", choice)
    if not (name is None or isinstance(name, str)):
        raise ShapeError("the `name` of a function call must be a string or null", choice)
    if not (args is None or isinstance(args, dict)):
        raise ShapeError("the `args` of a function call must be an object or null", choice)
    text, value = printed_with_copy(args) if args is not None else (None, None)
    if args is not None and text is None:  # no file can hold it: such a payload stands there as a string
        raise ShapeError("`args` holds a number or a string that JSON cannot: no double or no Unicode")
    goes_on, pieces = call.get("willContinue"), call.get(PIECES)
    if not (goes_on is None or isinstance(goes_on, bool)):
        raise ShapeError("the `willContinue` of a function call must be a boolean or null", choice)
    if not (pieces is None or isinstance(pieces, list)):
        raise ShapeError("`partialArgs` must be an array or null", choice)
    read = tuple([_piece(piece, choice) for piece in pieces]) if pieces else ()
    # By their order: by their names a tuple is made in twice the time.
    return ObjectCall(bool(name), identity, name, text, read, goes_on is True, path, "args", value)


def _piece(piece: object, choice: int) -> Piece:
    if not isinstance(piece, dict):
        raise ShapeError("an element of `partialArgs` must be an object", choice)
    path = piece.get("jsonPath")
    spelled = _spelled(path) if isinstance(path, str) else None
    if spelled is None or not isinstance(path, str):
        raise ShapeError("`jsonPath` must be `$` and steps by name or index", choice)
    value = _value(piece, choice)
    goes_on = piece.get("willContinue")
    if not (goes_on is None or isinstance(goes_on, bool)):
        raise ShapeError("the `willContinue` of a piece must be a boolean or null", choice)
    if goes_on and not (value is NO_VALUE or isinstance(value, str)):
        raise ShapeError("only a string, or a piece without a value, may go on", choice)
    array = path.endswith(ARRAY)
    if array and value is not NO_VALUE:
        raise ShapeError("`[]` may stand behind a path only where there is no value", choice)
    steps, spelling = spelled
    return Piece(steps, array, value, goes_on is True, utf8_size(path) + _size(value), spelling)


# Piece after piece has the same path. A long one is of no turn that is whole.
_MAX_REMEMBERED: Final = 256


@lru_cache(maxsize=64)
def _remembered(path: str) -> tuple[Path, tuple[str, ...]] | None:
    spelled = spelled_path(path)
    return None if spelled is None else (tuple(step for step, _ in spelled), tuple(how for _, how in spelled))


def _spelled(path: str) -> tuple[Path, tuple[str, ...]] | None:
    """The steps of a path, and how each is spelled."""
    return _remembered(path) if len(path) <= _MAX_REMEMBERED else _remembered.__wrapped__(path)


def _value(piece: dict[str, object], choice: int) -> object:
    """The one value of a piece, NO_VALUE where it has none."""
    text, figure, flag = piece.get("stringValue"), piece.get("numberValue"), piece.get("boolValue")
    if type(text) is str and text.isascii() and len(piece) == (3 if "willContinue" in piece else 2):
        return text  # it has a path, and no other value
    values: list[object] = []
    if text is not None:
        if not isinstance(text, str) or not (text.isascii() or is_unicode(text)):
            raise ShapeError("`stringValue` must be a string or null", choice)
        values.append(text)
    if figure is not None:
        if number(figure) is None:
            raise ShapeError("`numberValue` must be a number or null", choice)
        values.append(figure)
    if flag is not None:
        if not isinstance(flag, bool):
            raise ShapeError("`boolValue` must be a boolean or null", choice)
        values.append(flag)
    if "nullValue" in piece:
        null = piece["nullValue"]
        if isinstance(null, bool) or null not in NULL_VALUES:
            raise ShapeError('`nullValue` must be null, "NULL_VALUE" or 0', choice)
        values.append(None)
    if len(values) > 1:
        raise ShapeError("a piece may have one value", choice)
    return values[0] if values else NO_VALUE


def _size(value: object) -> int:
    """What a value counts, in bytes: of a string its own, else as printed."""
    if value is NO_VALUE:
        return 0
    return utf8_size(value) if isinstance(value, str) else len(printed(value) or "")
