"""Every step of one capture at once: redacted, and stored where it is wanted."""

from proxy_addon.writing.cases import Turn
from proxy_addon.writing.outcomes.declared_tools import DeclaredTools
from proxy_addon.writing.outcomes.settled import Settled
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.settling import Read, Redact, redacted, store
from proxy_addon.writing.storage.sink import Sink


def settle(
    read: Read, *, redact: Redact, folder: Sink, turn: Turn | None, tools: DeclaredTools | None = None
) -> Settled:
    """What became of a capture."""
    found = redacted(read, redact=redact, turn=turn, only=Only.ALL)
    return found if isinstance(found, Settled) else store(found, folder=folder, tools=tools)
