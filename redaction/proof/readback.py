"""A finished fixture file, read back strictly. Equal payload lines are read once, and are one object afterwards.

A masked stream says little, so most of its lines are equal, and reading each anew would be most of the time that the
proof takes. Who looks at the payloads may skip an object that was looked at before. A file that is not in the canonical
form of `redaction.fixture` is read as a whole. Knows that form; judges nothing.
"""

from typing import Final

from redaction.captured.payloads import PAYLOAD_NESTING
from replay.validator.limits import MAX_FIXTURE_NESTING
from replay.validator.profiles import ARRAYS
from replay.validator.strict_json import parse

_OPENINGS: Final = frozenset(b'"%b": [' % name.encode() for name in ARRAYS)
_CLOSING: Final = [b"]", b"}", b""]


def read_back(data: bytes) -> object:
    """The JSON value of a fixture file, as strict reading of the whole gives it; None where it is no strict JSON."""
    lines = data.split(b"\n")
    start = next((at for at, line in enumerate(lines) if line in _OPENINGS), None)
    if start is not None and lines[-3:] == _CLOSING:
        value = _by_lines(lines[: start + 1], lines[start + 1 : -3])
        if value is not None:
            return value
    return _strict(data, MAX_FIXTURE_NESTING)


def distinct_lines(data: bytes) -> str:
    """The text of a file without its repeated lines; bytes that are no UTF-8 read as U+FFFD."""
    return b"\n".join(dict.fromkeys(data.split(b"\n"))).decode("utf-8", "replace")


def _by_lines(head: list[bytes], lines: list[bytes]) -> object:
    """The same value, put together from the head and the payload lines; None where they are not in canonical form."""
    fixture = _strict(b"\n".join([*head, b"]}"]), MAX_FIXTURE_NESTING)
    if not isinstance(fixture, dict):
        return None
    name, array = list(fixture.items())[-1]
    if array != []:
        return None
    known: dict[bytes, object] = {}
    payloads = []
    for at, line in enumerate(lines):
        if line.endswith(b",") is (at == len(lines) - 1):
            return None
        text = line.removesuffix(b",")
        if text not in known:
            known[text] = _strict(text, PAYLOAD_NESTING)
        payloads.append(known[text])
    # `null` and "not strict" look alike here; plain reading tells them apart.
    return None if None in known.values() else {**fixture, name: payloads}


def _strict(data: bytes, nesting: int) -> object:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return parse(text, max_nesting=nesting).value
