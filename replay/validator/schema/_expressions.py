"""Regular expressions that are compiled when they are first asked, and once.

A run meets few formats, and to compile the expressions of all takes as long as the rest of the kernel's start.
"""

import re


class Expression:
    """A regular expression of this package, as `re.compile` takes it. Knows the two questions that are asked here."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._compiled: re.Pattern[str] | None = None

    def fullmatch(self, text: str) -> "re.Match[str] | None":
        """As that of `re.Pattern`."""
        return self._pattern().fullmatch(text)

    def match(self, text: str) -> "re.Match[str] | None":
        """As that of `re.Pattern`."""
        return self._pattern().match(text)

    def _pattern(self) -> "re.Pattern[str]":
        if self._compiled is None:
            self._compiled = re.compile(self._text)
        return self._compiled
