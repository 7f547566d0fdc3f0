"""An import of entries that are in memory: each decided, and then settled."""

from collections.abc import Mapping
from typing import Any

from proxy_addon.importing.deciding import Decider, Ready
from proxy_addon.importing.entries import Entry, Item
from proxy_addon.importing.importer import Importer
from proxy_addon.importing.recognition import Claim, Recognised
from proxy_addon.writing.settling import Redact
from proxy_addon.writing.storage.sink import Sink
from redaction.captured.exchange import Ending


class Importing:
    """One run of an import."""

    def __init__(
        self,
        folder: Sink,
        *,
        redact: Redact,
        schemas: Mapping[str, object] | None = None,
        claim: Claim | None = None,
        ending: Ending | None = None,
        case: str | None = None,
        **options: Any,
    ) -> None:
        self._decider = Decider(redact=redact, schemas=schemas or {}, claim=claim or Claim(), ending=ending, **options)
        self._importer = Importer(folder=folder, ending=ending, case=case)
        self._case = case

    def take(self, item: Item | Ready, name: str | None = None) -> str:
        """The line of one entry."""
        return self._importer.settle(self._decider.decide(item, self._case), name)

    def take_body(self, entry: Entry, found: Recognised) -> str:
        """The line of a body of which the user says that it is a turn."""
        return self.take(Ready(entry=entry, recognised=found))

    @property
    def clean(self) -> bool:
        """Whether every turn that was found is in a fixture."""
        return self._importer.clean

    def lines(self) -> list[str]:
        """The totals, one to a line."""
        return self._importer.lines()
