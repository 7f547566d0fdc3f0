"""The tools whose words the fixtures of one run tell, and what is to be said of them, each thing once.

A tool that is declared in another way with each request is built from data, and a word that looks like an address is
data already. Fixtures keep both, for the application declared them; so a line says it, and what to do.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from redaction.captured.exchange import ToolTold

# Tools of one run that are remembered; an application declares some dozen.
_MOST: Final = 4096
_LONGEST_NAME: Final = 128
_WHAT_TO_DO: Final = "look with `toolreel scan --words`, or replace words with --rename-contract"


class DeclaredTools:
    """The tools of one run so far."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._said: set[str] = set()

    def notices(self, tools: Sequence[ToolTold]) -> tuple[str, ...]:
        """What is to be said of the tools of one more turn, and was not said before."""
        found = [notice for tool in tools for notice in self._about(tool) if notice not in self._said]
        if len(self._said) >= _MOST:
            return ()
        self._said.update(found)
        for tool in tools:
            if len(self._digests) < _MOST:
                self._digests.setdefault(tool.name, tool.digest)
        return tuple(found)

    def _about(self, tool: ToolTold) -> Iterator[str]:
        name = tool.name[:_LONGEST_NAME]
        if tool.looks_like:
            yield f"tool {name} declares what looks like data ({', '.join(tool.looks_like)}): {_WHAT_TO_DO}"
        if self._digests.get(tool.name, tool.digest) != tool.digest:
            yield f"tool {name} is declared otherwise than before, perhaps from data: {_WHAT_TO_DO}"
