"""HTML as text: elements whose every attribute and every text is escaped, and captured text that nothing hides in.

What these functions give is `Markup`. Nothing else is put into a page, so a text can only get there escaped.
"""

from __future__ import annotations

import html
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NewType

from replay.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

Markup = NewType("Markup", str)

EMPTY: Final = Markup("")
# Most texts have none of these, and are looked at once.
_MARKUP: Final = re.compile("[&<>\"']")
# What stands in a text as a line end.
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_SIGNS: Final = {"\r\n": "␍⏎", "\r": "␍", "\n": "⏎"}


def text(value: str) -> Markup:
    """A short text on one line: a name, a path, a word. What is not printable stands as its escape."""
    shown = printable(value)
    return Markup(html.escape(shown) if _MARKUP.search(shown) else shown)


def visible(value: str) -> Markup:
    """A captured text with its line ends as signs and each invisible character as an escape, both marked as such."""
    if value.isprintable():
        return Markup(html.escape(value, quote=False) if _MARKUP.search(value) else value)
    return Markup("".join(map(_visible_line, re.split(f"({_LINE_END.pattern})", value))))


def _visible_line(part: str) -> str:
    if part in _SIGNS:
        return f"<i>{_SIGNS[part]}</i>\n"
    if part.isprintable():
        return html.escape(part, quote=False)
    return "".join(
        html.escape(one, quote=False) if one.isprintable() else f"<i>{html.escape(printable(one))}</i>" for one in part
    )


def join(parts: Iterable[Markup]) -> Markup:
    """All of them, one behind the other."""
    return Markup("".join(parts))


def tag(name: str, /, *inner: Markup, **attributes: str | int | None) -> Markup:
    """An element. An attribute of None is left out, an underscore in its name is a hyphen, `class_` is `class`."""
    return Markup(f"{opening(name, **attributes)}{''.join(inner)}</{name}>")


def opening(name: str, /, **attributes: str | int | None) -> Markup:
    """The start of an element, or the whole of one that has no end."""
    if not attributes:
        return Markup(f"<{name}>")
    told = [
        f'{_attribute(key)}{value}"' if type(value) is int else f'{_attribute(key)}{_value(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return Markup(f"<{name}{''.join(told)}>")


@cache
def _attribute(key: str) -> str:
    return f' {key.rstrip("_").replace("_", "-")}="'


@lru_cache(maxsize=1024)
def _value(value: str) -> Markup:
    """Most values are names of classes."""
    return text(value)
