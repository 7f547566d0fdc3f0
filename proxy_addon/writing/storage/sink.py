"""Where fixtures go: a folder, or a prefix of an object store. The writer knows no more of it than this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from proxy_addon.writing.cases import Turn
    from proxy_addon.writing.outcomes.settled import Settled
    from redaction.captured.exchange import Fixture


class Sink(Protocol):
    """Takes proved fixtures, one after the other. Used by one thread."""

    @property
    def removed(self) -> int:
        """How many older fixtures made room for younger ones."""

    def store(self, fixture: Fixture, turn: Turn | None) -> Settled:
        """Write a fixture, as this turn of its case where it has one, unless its shape is there."""

    def end(self) -> Iterator[tuple[str, str]]:
        """End the run: each case that came to another end than an earlier run has recorded, and what is to be said."""

    def save_index(self) -> None:
        """Note what is there, for a quick start of the next run."""
