"""JSON Pointers (RFC 6901): a place in a JSON value, as text. Every pointer of toolreel is made and followed here.

`/items/0/a~1b` names the tokens `items`, `0` and `a/b`. What a token means depends on the value that it is taken in:
the name of a member, or the index of an item, which has no zero before it.
"""

from collections.abc import Iterable
from typing import Final


class _Nowhere:
    """What stands where a pointer leads to nothing; no JSON value is it."""


NOWHERE: Final = _Nowhere()


def escape_token(token: str) -> str:
    """The token as it is written in a pointer: `a~1b` for the name `a/b`."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape_token(token: str) -> str:
    """The name that a written token stands for: `a/b` for `a~1b`."""
    return token.replace("~1", "/").replace("~0", "~")


def pointer_of(tokens: Iterable[str]) -> str:
    """The pointer that names these tokens, outermost first."""
    return "".join("/" + escape_token(token) for token in tokens)


def tokens_of(pointer: str) -> list[str]:
    """The tokens that a pointer names, outermost first; what stands before its first `/` is none of them."""
    return [unescape_token(token) for token in pointer.split("/")[1:]]


def step(value: object, token: str) -> object:
    """The member or item of a value that a token names, or `NOWHERE`."""
    if isinstance(value, dict):
        return value.get(token, NOWHERE)
    if isinstance(value, list) and _is_index(token, len(value)):
        return value[int(token)]
    return NOWHERE


def follow(value: object, tokens: Iterable[str]) -> object:
    """What stands in a value at the end of these tokens, or `NOWHERE`."""
    for token in tokens:
        value = step(value, token)
    return value


def _is_index(text: str, size: int) -> bool:
    """Whether a token is the index of one of `size` items."""
    # Looked at before it is converted: it may have a million digits.
    plain = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    return plain and len(text) <= len(str(size)) and int(text) < size
