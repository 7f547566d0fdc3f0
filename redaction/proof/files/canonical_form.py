"""Whether a file says nothing beside its values: in white space, in escapes, or in how a number is written.

A file in one of the layouts that JSON writers make, the same throughout, has no room for more. In: the bytes, and the
layout that toolreel itself gives the value. Knows JSON; knows nothing of fixtures and pins.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Final

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|-?[0-9][0-9.eE+-]*')
# Behind the first bracket of a file with one value a line: one step, of spaces or of one tab.
_STEP: Final = re.compile(r"[\[{]\n(\t| {1,8})(?![ \t])")
_ON_ONE_LINE: Final = ((", ", ": "), (",", ":"))


def is_plain(data: bytes, own: bytes | None) -> bool:
    """Whether `data`, which is strict JSON, is laid out as `own` is or as a usual writer of JSON does.

    Line ends may all be those of Windows, for that is how files are checked out there.
    """
    if data.count(b"\r\n") == data.count(b"\n"):
        data = data.replace(b"\r\n", b"\n")
    return data == own or _is_usual(data.decode("utf-8").removesuffix("\n"))


def _is_usual(text: str) -> bool:
    if not all(_is_plain_number(written) for written in _TOKEN.findall(text) if written[0] != '"'):
        return False
    # The writer below would write numbers in its own way.
    bare = _TOKEN.sub(lambda token: token[0] if token[0][0] == '"' else "0", text)
    step = _STEP.match(bare)
    indent, styles = (step[1], ((",", ": "),)) if step else (None, _ON_ONE_LINE)
    try:
        value = json.loads(bare)
        return any(
            bare == json.dumps(value, indent=indent, separators=separators, ensure_ascii=bare.isascii())
            for separators in styles
        )
    except RecursionError:
        return False


def _is_plain_number(written: str) -> bool:
    """Whether a number is written in the one way that its digits and its exponent have here."""
    if "." not in written and "e" not in written.lower():
        return written != "-0"
    try:
        return str(Decimal(written)).lower() == written
    except InvalidOperation:
        return False
