"""A recorder from its checked options to its numbers: its parts are wired together, run until the end, and ended.

mitmproxy and what builds on it are imported here, when everything else is known to be right.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from proxy_addon.recorder.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.silence import drop_key_logs, silence_process
from proxy_addon.writing.counts import Counts, Summary
from proxy_addon.writing.folder import FixtureFolder
from proxy_addon.writing.journal import Journal, write_to
from proxy_addon.writing.log_file import LogFile
from proxy_addon.writing.sampling import Sample
from redaction.captured.exchange import Kept
from replay.errors import ToolreelError, translated

if TYPE_CHECKING:
    from proxy_addon.writing.finished import Budget
    from proxy_addon.writing.writer import Writer

# For the writer to count the capture whose redaction was ended, and for the journal to write its last lines.
_LAST_SECONDS: Final = 2.0

# Called on the running loop with the port, as soon as the recorder listens.
Start = Callable[[int], None]


def from_mitmproxy() -> translated[ModuleNotFoundError]:
    """Raises how to install mitmproxy, in the place of an error about a module that comes with it."""
    missing = ToolreelError("mitmproxy is not installed; install it with: pip install 'toolreel[record]'")
    return translated(ModuleNotFoundError, lambda _: missing)


def run(checked: RecordOptions, stopping: Stopping, start: Start) -> Summary:
    """Wire the parts together and run them until the recorder is stopped; the numbers of the run."""
    journal = _journal(checked, stopping)
    stopping.note()
    dropped = drop_key_logs()
    with from_mitmproxy():
        import mitmproxy.version  # noqa: F401

    from proxy_addon.writing.finished import Budget
    from proxy_addon.writing.waiting import Waiting
    from proxy_addon.writing.worker import RedactionProcess
    from proxy_addon.writing.writer import Writer
    from redaction.fixture import digest_of

    folder = FixtureFolder(
        checked.out,
        digest_of=digest_of,
        max_fixtures=checked.max_fixtures,
        max_bytes=checked.max_bytes,
        recorded=checked.recorded,
    )
    silence_process()
    redactors = [
        RedactionProcess(
            max_body=checked.max_body,
            widths=checked.widths,
            pieces=checked.pieces,
            last=checked.last,
            contract=checked.contract,
            kept=checked.kept,
        )
        for _ in range(checked.redactors)
    ]
    counts, budget = Counts(), Budget(checked.max_memory)
    writer = Writer(
        redactors=redactors,
        folder=folder,
        counts=counts,
        budget=budget,
        journal=journal,
        schemas=checked.schemas,
        only=checked.only,
        waiting=Waiting(checked.max_memory // 2),
    )
    for name in dropped:
        writer.note(name, "not used: it would write the secrets of TLS to a file")
    try:
        _serve(checked, stopping, start, writer=writer, counts=counts, budget=budget)
    finally:
        for redact in redactors:
            redact.end()
        writer.stop()
        writer.join(_LAST_SECONDS)
        if not writer.running:
            writer.end_cases()
        lost = journal.close(_LAST_SECONDS)
    return replace(counts.summary(), lines_lost=lost)


def _journal(checked: RecordOptions, stopping: Stopping) -> Journal:
    """The journal, on standard error or in a file that SIGHUP opens anew."""
    if checked.log_file is None:
        return Journal(write_to(sys.stderr.fileno()), style=checked.log)
    file = LogFile(checked.log_file)
    journal = Journal(file, style=checked.log)
    stopping.reopen = lambda: journal.reopen(file)
    return journal


def _serve(
    checked: RecordOptions, stopping: Stopping, start: Start, *, writer: "Writer", counts: Counts, budget: "Budget"
) -> None:
    from proxy_addon.recorder.addon import Recorder
    from proxy_addon.recorder.engine import Interception, every, serve
    from proxy_addon.recorder.forward import Other, Tunnels
    from proxy_addon.recorder.via import Via
    from proxy_addon.setup.constraints import hosts_of

    other = Other(checked.other)
    via = Via(checked.proxies)
    interception = Interception(
        hosts=hosts_of(checked.routes.upstreams), note=lambda says: writer.note("certificate authority", says)
    )
    tunnels = Tunnels(
        routes=checked.routes,
        other=other,
        counts=counts,
        authority=interception.ready,
        passed=writer.passed,
        via=via,
        tokens=checked.access.tokens,
    )
    recorder = Recorder(
        routes=checked.routes,
        writer=writer,
        counts=counts,
        budget=budget,
        max_body=checked.max_body,
        sample=Sample(checked.sample),
        tunnels=tunnels,
        other=other,
        clients=checked.clients,
        via=via,
        tokens=checked.access.tokens,
        clock=time.monotonic if Kept.TIMES in checked.kept else None,
    )

    async def until_stopped() -> None:
        with stopping.listening(), every(checked.count_every, writer.tell_passed):
            await serve(recorder, tunnels, via, interception, checked, writer=writer, stopping=stopping, ready=start)

    writer.start()
    asyncio.run(until_stopped())
