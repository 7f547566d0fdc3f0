"""An exact search for raw text in finished bytes: no eight characters of a sensitive value may stand there.

In: the texts of a fixture. Out: an index that says of a raw value whether it stands in them. The fixture is indexed and
not the raw values, because it says little: a masked turn of thousands of payloads has a few hundred words. Its words
are found by expressions and not by the reader of the vocabulary check, so that the two checks do not share a mistake.
An example: of `"mara.lindqvist"` the index has `mara.lin`, `ara.lind`, and so on; of `"send_email"`, which a schema
declares, it has nothing, because a fixture without any conversation would hold that word too.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import unquote

SIZE: Final = 8

_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"?', re.DOTALL)
_BETWEEN: Final = re.compile(r"[^{}\[\],:\"\n]+")
_UNICODE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL)
# An escape that broke off at the end of a text; no eight characters of anything fit in.
_BROKEN_OFF: Final = re.compile(r"(?<!\\)((?:\\\\)*+)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2}){8,}")


class Index:
    """The grams (runs of eight characters) and short words of a fixture that its vocabulary does not explain.

    `views` are the file and its reassembled texts; `explained` knows what a fixture without a conversation could hold.
    """

    def __init__(self, views: Iterable[str], explained: Callable[[str], bool]) -> None:
        words = {word for view in views for word in _words(view)}
        known = {word for word in words if any(map(explained, _readings(word)))}
        forms = {form for word in words - known for form in _forms(word) if not explained(form)}
        known_grams = {gram for word in known for gram in _grams(word)}
        self._grams = frozenset(gram for form in forms for gram in _grams(form)) - known_grams
        self._short = frozenset(form for form in forms if 1 < len(form) < SIZE)

    @property
    def empty(self) -> bool:
        """Whether the vocabulary explains everything, so that no value can be found."""
        return not self._grams and not self._short

    def holds(self, raw: str) -> bool:
        """Whether a sensitive value, or eight characters of it, stands in the fixture."""
        if len(raw) < SIZE:
            return raw in self._short
        grams = self._grams
        return bool(grams) and any(raw[at : at + SIZE] in grams for at in range(len(raw) - SIZE + 1))


def _words(view: str) -> Iterator[str]:
    """The string literals of a text, unescaped, and what stands between them."""
    yield from (_BROKEN_OFF.sub(r"\1", match[1]) for match in _STRING.finditer(view))
    yield from (word.strip() for word in _BETWEEN.findall(_STRING.sub('"', view)))


def _forms(word: str) -> Iterator[str]:
    """The word as it stands and as its usual encodings read, backwards too."""
    for text in _readings(word):
        yield text
        yield text[::-1]
        if "%" in text:
            yield unquote(text)
        for match in _HEX.finditer(text):
            yield bytes.fromhex(match[0]).decode("utf-8", "replace")
        for match in _BASE64.finditer(text):
            yield from _from_base64(match[0])


def _readings(word: str) -> list[str]:
    """The word as it stands, unescaped, and unescaped once more: arguments are a string inside a string."""
    readings = [word]
    for _ in range(2):
        unescaped = _unescaped(readings[-1])
        if unescaped == readings[-1]:
            break
        readings.append(unescaped)
    return readings


def _from_base64(run: str) -> Iterator[str]:
    """What a run of base64 letters says at each of the four alignments."""
    letters = run.replace("-", "+").replace("_", "/")
    for shift in range(4):
        part = letters[shift:]
        try:
            yield base64.b64decode(part[: len(part) // 4 * 4]).decode("utf-8", "replace")
        except binascii.Error:
            continue


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT.get(match[2], match[2])

    whole = _UNICODE.sub(one, text)
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), whole)


def _grams(text: str) -> Iterator[str]:
    return (text[at : at + SIZE] for at in range(len(text) - SIZE + 1))
