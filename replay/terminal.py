"""What commands print on a terminal: names and captured words go through `printable`, so that no text can drive it.

Standard library only.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

# ASCII, as the encoder is by default.
_ENCODE: Final = json.JSONEncoder().encode


def printable(text: str) -> str:
    r"""`text` on one line: each character that a terminal may act on stands as an escape (`\x1b`, `\u202e`).

    That is what Unicode calls control, format, surrogate, private, unassigned or separator, the space excepted: escape
    sequences, line ends, changes of direction, invisible characters. A backslash stays as it is; this is for people.
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def printable_json(value: object, *, indent: int | None = None) -> str:
    """`value` as JSON in which every character that is not printable ASCII stands as an escape."""
    # DEL is the one control character that JSON lets stand in a string and that is ASCII.
    text = _ENCODE(value) if indent is None else json.dumps(value, indent=indent)
    return text.replace("\x7f", "\\u007f")


def _escape(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to colour what goes to `stream`: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return stream.isatty() and environment.get("TERM") != "dumb"


def is_ci(environment: Mapping[str, str]) -> bool:
    """Whether this is a CI job, as most services say it."""
    return environment.get("CI", "").lower() not in ("", "0", "false", "no")
