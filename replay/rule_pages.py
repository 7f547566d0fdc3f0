"""The text that `toolreel rules` prints: the list of the codes, or the pages of some."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from replay.validator.rules import page, summary

from .errors import ToolreelError
from .validator import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A narrow terminal; the codes take the first column.
_WIDTH: Final = 100
_COLUMN: Final = max(len(code.value) for code in Code) + 2


def text(names: Sequence[str]) -> str:
    """The pages of the codes named, one after the other; every code with its first sentence where none is named."""
    known = {code.value: code for code in Code}
    for name in names:
        if name not in known:
            raise ToolreelError(f"rules {name}: no such code; `toolreel rules` lists them")
    return "\n".join(page(known[name]) for name in dict.fromkeys(names)) if names else "".join(_listed())


def _listed() -> Iterator[str]:
    indent = " " * _COLUMN
    for code in Code:
        yield textwrap.fill(summary(code), _WIDTH, initial_indent=f"{code.value:<{_COLUMN}}", subsequent_indent=indent)
        yield "\n"
