"""The last steps of every capture, recorded or imported: redact, choose, store. Out: what became of it.

The first two may be taken for several captures at a time, the last one for one after the other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from proxy_addon.writing.cases import Turn, repeats
from proxy_addon.writing.outcomes.declared_tools import DeclaredTools
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut, NoResultError, Passed, Settled, unwritten
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.storage.sink import Sink
from redaction.captured.exchange import Exchange, Proved, Refused
from replay.validator import Envelope, Status, command, read_envelope

Redact = Callable[[Exchange], Proved | Refused]

# Makes the exchange of a capture, or says why there is none.
Read = Callable[[], Exchange | Dropped | Passed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A capture that was proved and is wanted: its fixture and its turn. `unused`: its case name must not be used."""

    proved: Proved
    turn: Turn | None
    unused: bool


def redacted(read: Read, *, redact: Redact, turn: Turn | None, only: Only) -> Wanted | Settled:
    """The fixture of a capture, if it is to be stored; else what became of it. Nothing raw is in either.

    What is raised on the way is a bug. It costs this capture and no other one. Only the name of its type is kept: its
    text and its frames hold the capture.
    """
    try:
        found = read()
        result = found if isinstance(found, Dropped | Passed) else redact(found)
    except NoResultError as error:
        return unwritten(Dropped.REDACTION, note=error.why)
    except Exception as error:
        return unwritten(Dropped.REDACTION, note=type(error).__name__)
    if isinstance(result, Dropped | Passed):
        return unwritten(result)
    if isinstance(result, Refused):
        return unwritten(result.reason, note=result.note)
    if not only.takes(result.report):
        return unwritten(LeftOut.ONLY, report=result.report)
    assert isinstance(found, Exchange), "only an exchange has a result"
    unused = turn is not None and repeats(turn.case, _raw(found), result.fixture.data.decode())
    return Wanted(proved=result, turn=turn, unused=unused)


def store(wanted: Wanted, *, folder: Sink, tools: DeclaredTools | None = None) -> Settled:
    """What became of a capture that is to be stored."""
    settled = _stored(wanted.proved, folder, None if wanted.unused else wanted.turn)
    if settled.how is How.DROPPED:
        return settled
    notices = tools.notices(wanted.proved.tools) if tools is not None else ()
    return replace(settled, notice=_UNUSED if wanted.unused else settled.notice, notices=notices)


# What is said where a case name is not used. Which characters they are is not said.
_UNUSED: Final = "case name not used, for it repeats the request"


def _raw(exchange: Exchange) -> Iterator[str]:
    """What a request says: its body, and the values of its headers and query."""
    yield (exchange.request_body or b"").decode("utf-8", "replace")
    yield exchange.user_agent or ""
    yield from exchange.secrets


def _stored(proved: Proved, folder: Sink, turn: Turn | None) -> Settled:
    try:
        settled = folder.store(proved.fixture, turn)
    except Exception as error:
        return unwritten(Dropped.WRITE, note=type(error).__name__)
    if settled.how is How.DROPPED:
        return settled
    return replace(
        settled,
        report=proved.report,
        rung=proved.rung,
        unfaithful=proved.unfaithful,
        words=proved.words,
        hint=_hint(proved),
    )


def _hint(proved: Proved) -> str:
    """With which allowances a blocked turn would pass; only those count that its fixture names."""
    envelope = read_envelope(proved.fixture.data) if proved.report.status is Status.BLOCKED else None
    return command.hint(envelope, proved.report) if isinstance(envelope, Envelope) else ""
