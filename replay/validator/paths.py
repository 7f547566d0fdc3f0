"""An argument object that arrives piece by piece, each with the path of its place, as Gemini streams it on Vertex AI.

    {"jsonPath": "$.city", "stringValue": "Os", "willContinue": true}     {"city": "Os"…    the string stays open
    {"jsonPath": "$.city", "stringValue": "lo"}                           {"city": "Oslo"}
    {"jsonPath": "$.days[0]", "numberValue": 3}                           {"city": "Oslo", "days": [3]}
    {"jsonPath": "$.days[2]", "numberValue": 5}                           does not fit: there is no `days[1]`

Knows paths and values; knows no payload, no slot and no schema.
"""

import json
import re
from itertools import pairwise
from typing import Final, NamedTuple

from replay.validator._printed import printed_with_copy
from replay.validator.limits import MAX_INDEX

__all__ = ["ARRAY", "NO_VALUE", "Path", "Piece", "Pieces", "read_path", "spelled_step"]

# Steps of one path. Arguments nest 64 levels by default; a path this long is no path to an argument.
MAX_STEPS: Final = 512

Path = tuple[str | int, ...]

# The characters and escapes that RFC 9535 allows between quotes, half a character aside.
_QUOTED: Final = (
    r"""(?:[^\\'"\x00-\x1f\ud800-\udfff]|%s|\\(?:[bfnrt/\\%s]"""
    r"""|u(?:[0-9A-CEFa-cef][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2}"""
    r"""|[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})))*+"""
)
_STEP: Final = re.compile(
    r"""\.(?P<plain>[^.\[\]*'" \t\r\n\ud800-\udfff]+)"""
    rf"""|\['(?P<single>{_QUOTED % ('"', "'")})'\]"""
    rf"""|\["(?P<double>{_QUOTED % ("'", '"')})"\]"""
    r"""|\[(?P<index>0|[1-9][0-9]{0,9})\]"""
)
PLAIN: Final = "."
# Behind a path: what is there is an array.
ARRAY: Final = "[]"
_PLAIN: Final = re.compile(r"""[^.\[\]*'" \t\r\n\ud800-\udfff]+""")
_SPELLINGS: Final = {"plain": PLAIN, "single": "'", "double": '"', "index": ""}
_ESCAPE: Final = re.compile(r"\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[0-9A-Fa-f]{4}|\\u[0-9A-Fa-f]{4}|\\.")
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class _Nothing:
    """That a piece has no value."""


NO_VALUE: Final = _Nothing()


class Piece(NamedTuple):
    """One piece: `size` is what it counts, in bytes; `array`: what is at the path is one (`[]` behind it)."""

    path: Path
    array: bool
    value: object  # a scalar, or NO_VALUE
    goes_on: bool
    size: int
    spelling: tuple[str, ...] = ()  # of each step of its path


def read_path(text: str) -> tuple[Path, bool] | None:
    """The steps of a path, and whether `[]` stands behind them; None where it is none."""
    spelled = spelled_path(text)
    return None if spelled is None else (tuple(step for step, _ in spelled), text.endswith(ARRAY))


def spelled_path(text: str) -> list[tuple[str | int, str]] | None:
    """Each step of a path, and how it is spelled: `.`, `'` or `"` of a name, "" of an index. None where it is none."""
    end = len(text) - len(ARRAY) if text.endswith(ARRAY) else len(text)
    steps: list[tuple[str | int, str]] = []
    at = 1
    while at < end and len(steps) <= MAX_STEPS:
        match = _STEP.match(text, at, end)
        if match is None:
            return None
        step = _step(match)
        if step is None:
            return None
        steps.append((step, _SPELLINGS[match.lastgroup or ""]))
        at = match.end()
    return steps if text.startswith("$") and 1 <= len(steps) <= MAX_STEPS else None


def spelled_step(step: str | int, spelling: str) -> str:
    """A step as a path has it, in this spelling or, where it does not allow the name, in quotes."""
    if isinstance(step, int):
        return f"[{step}]"
    if spelling == PLAIN and _PLAIN.fullmatch(step):
        return f".{step}"
    quote = spelling if spelling != PLAIN else "'"
    inside = json.dumps(step, ensure_ascii=False)[1:-1].replace('\\"', '"').replace(quote, "\\" + quote)
    return f"[{quote}{inside}{quote}]"


def _step(match: re.Match[str]) -> str | int | None:
    if match["index"] is not None:
        index = int(match["index"])
        return index if index <= MAX_INDEX else None
    if match["plain"] is not None:
        return match["plain"]
    return _ESCAPE.sub(_unescaped, match["single"] if match["single"] is not None else match["double"])


def _unescaped(match: re.Match[str]) -> str:
    text = match.group()
    if text[1] != "u":
        return _ESCAPED.get(text[1], text[1])
    units = [int(unit, 16) for unit in text.split("\\u")[1:]]
    return b"".join(unit.to_bytes(2, "big") for unit in units).decode("utf-16-be")


class Pieces:
    """The object of one call, as far as it got."""

    __slots__ = ("_open", "_root", "fits")

    def __init__(self) -> None:
        self._root: dict[str | int, object] | None = None
        self._open: dict[Path, list[str]] = {}  # strings that go on
        self.fits = True  # so far; what comes behind a piece that does not fit is not taken

    def take(self, piece: Piece) -> None:
        """Lay one piece, or find that it does not fit."""
        self.fits = self.fits and self._lay(piece)

    def end(self) -> None:
        """The call ended: a string that is still open does not fit."""
        self.fits = self.fits and not self._open

    def text(self) -> str:
        """The object as printed; empty where nothing was taken."""
        return self.text_with_copy()[0]

    def text_with_copy(self) -> tuple[str, object]:
        """The object as printed, and a copy that is judged as what parsing the text gives, where one is known."""
        if self._root is None:
            return "", None
        for path, parts in self._open.items():
            self._put(path, "".join(parts))
        text, copy = printed_with_copy(self._root)
        assert text is not None, "a piece holds what can be printed"
        return text, copy

    def _lay(self, piece: Piece) -> bool:
        parts = self._open.get(piece.path)
        if parts is not None and isinstance(piece.value, str):
            self._go_on(piece, piece.value, parts)
            fits = True
        elif piece.value is NO_VALUE and piece.goes_on:
            fits = True
        else:
            here = self._walk(piece.path)
            fits = here is not _MISFIT and self._lay_at(piece, here)
        if fits and self._root is None:
            self._root = {}
        return fits

    def _go_on(self, piece: Piece, text: str, parts: list[str]) -> None:
        """Lay one more part of an open string."""
        parts.append(text)
        if not piece.goes_on:
            del self._open[piece.path]
            self._put(piece.path, "".join(parts))

    def _lay_at(self, piece: Piece, here: object) -> bool:
        """Lay a piece whose path leads to `here`: a value, or NO_VALUE where nothing is yet."""
        path = piece.path
        if piece.value is NO_VALUE:
            return self._close_at(piece, here)
        if here is not NO_VALUE:
            return False
        self._put(path, piece.value)
        if piece.goes_on:
            assert isinstance(piece.value, str), "nothing else goes on"
            self._open[path] = [piece.value]
        return True

    def _close_at(self, piece: Piece, here: object) -> bool:
        """Lay a piece without a value: it ends an open string, or puts an empty container."""
        if here is NO_VALUE:
            self._put(piece.path, [] if piece.array else {})
            return True
        if piece.array and not isinstance(here, list):
            return False
        if piece.path in self._open:
            self._put(piece.path, "".join(self._open.pop(piece.path)))
        return True

    def _walk(self, path: Path) -> object:
        """What is at the path: a value, NO_VALUE where nothing is, or that a step does not fit."""
        here: object = self._root if self._root is not None else {}
        for step in path:
            if here is NO_VALUE:  # an object or array that this piece creates
                if isinstance(step, int) and step:
                    return _MISFIT
            elif isinstance(step, str) and isinstance(here, dict):
                here = here.get(step, NO_VALUE)
            elif isinstance(step, int) and isinstance(here, list) and step <= len(here):
                here = here[step] if step < len(here) else NO_VALUE
            else:
                return _MISFIT
        return here

    def _put(self, path: Path, value: object) -> None:
        """Put a value where `_walk` found that it fits, with what is missing on the way."""
        if self._root is None:
            self._root = {}
        here: dict[str | int, object] | list[object] = self._root
        for step, following in pairwise(path):
            inner = _at(here, step)
            if isinstance(inner, (dict, list)):
                here = inner
                continue
            created: dict[str | int, object] | list[object] = [] if isinstance(following, int) else {}
            _set(here, step, created)
            here = created
        _set(here, path[-1], value)


_MISFIT: Final = _Nothing()


def _at(container: dict[str | int, object] | list[object], step: str | int) -> object:
    if isinstance(container, dict):
        return container.get(step)
    assert isinstance(step, int), "an array has elements"
    return container[step] if step < len(container) else None


def _set(container: dict[str | int, object] | list[object], step: str | int, value: object) -> None:
    if isinstance(container, dict):
        container[step] = value
        return
    assert isinstance(step, int), "an array has elements"
    if step == len(container):
        container.append(value)
    else:
        container[step] = value
