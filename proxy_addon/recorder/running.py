"""A recorder from its checked options to its numbers: its parts are wired together, run until the end, and ended.

mitmproxy and what builds on it are imported here, when everything else is known to be right.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from proxy_addon.recorder.pacing import every
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.silence import drop_key_logs, silence_process
from proxy_addon.watching.numbers import Phase
from proxy_addon.watching.telling import told
from proxy_addon.watching.watch import Watch
from proxy_addon.writing.outcomes.counts import Counts, Summary
from proxy_addon.writing.outcomes.journal import Journal, Notice, write_to
from proxy_addon.writing.outcomes.log_file import LogFile
from proxy_addon.writing.storage import sinks
from replay.errors import ToolreelError, install_hint, translated

if TYPE_CHECKING:
    from proxy_addon.writing.finished import Budget
    from proxy_addon.writing.redacting.process import RedactionProcess
    from proxy_addon.writing.storage.sink import Sink
    from proxy_addon.writing.writer import Writer

# For the writer to count the capture whose redaction was ended, and for the journal to write its last lines.
_LAST_SECONDS: Final = 2.0

# Called on the running loop as soon as the recorder listens: with the port, and with where it tells of itself.
Start = Callable[[int, str | None], None]

# Carries the traffic of a recorder until it is stopped.
Carry = Callable[..., None]


def from_mitmproxy() -> translated[ModuleNotFoundError]:
    """Raises how to install mitmproxy, in the place of an error about a module that comes with it."""
    missing = ToolreelError(f"mitmproxy is not installed; {install_hint('record')}")
    return translated(ModuleNotFoundError, lambda _: missing)


def run(checked: RecordOptions, stopping: Stopping, start: Start) -> Summary:
    """Wire the parts together and run them until the recorder is stopped; the numbers of the run."""
    if checked.workers == 1:
        return _run(checked, stopping, start, _serve)
    with from_mitmproxy():
        import mitmproxy.version  # noqa: F401

    from proxy_addon.recorder.workers.sharing import shared
    from proxy_addon.recorder.workers.supervising import supervise

    with shared(checked) as found:  # before this process has a thread
        return _run(checked, stopping, start, partial(supervise, found))


def _run(checked: RecordOptions, stopping: Stopping, start: Start, carry: Carry) -> Summary:
    """Run a recorder whose traffic `carry` carries."""
    journal = _journal(checked, stopping)
    stopping.note()
    dropped = drop_key_logs()
    with from_mitmproxy():
        import mitmproxy.version  # noqa: F401

    writing = _writing(checked, journal)
    for name in dropped:
        writing.writer.note(name, "not used: it would write the secrets of TLS to a file")
    watch = _watch(checked, writing)
    try:
        with told(checked.admin, watch.numbers, clients=checked.clients, note=writing.writer.note) as where:
            ready = partial(_ready, start, where, watch, stopping)
            carry(checked, stopping, ready, watch, writer=writing.writer, counts=writing.counts, budget=writing.budget)
    finally:
        lost = writing.end()
    return replace(writing.counts.summary(), lines_lost=lost, removed=writing.sink.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """The parts of a recorder that write. They outlive the traffic, and end in their order."""

    journal: Journal
    sink: "Sink"
    redactors: "Sequence[RedactionProcess]"
    counts: Counts
    budget: "Budget"
    writer: "Writer"

    def end(self) -> int:
        """End them; the number of lines that the journal has lost."""
        for redact in self.redactors:
            redact.end()
        self.writer.stop()
        self.writer.join(_LAST_SECONDS)
        if not self.writer.running:
            self.writer.end_cases()
            self.sink.save_index()
        return self.journal.close(_LAST_SECONDS)


def _writing(checked: RecordOptions, journal: Journal) -> _Writing:
    """The parts that write, made but for the writer's threads, which whoever carries the traffic starts."""
    from proxy_addon.writing.finished import Budget
    from proxy_addon.writing.waiting import Waiting
    from proxy_addon.writing.writer import Writer

    sink = _sink(checked, journal)
    silence_process()
    redactors = _redactors(checked)
    share = 1 if checked.workers == 1 else 2  # where there are workers, they have the other half
    counts, budget = Counts(), Budget(checked.max_memory // share)
    writer = Writer(
        redactors=redactors,
        folder=sink,
        counts=counts,
        budget=budget,
        journal=journal,
        schemas=checked.schemas,
        only=checked.only,
        waiting=Waiting(checked.max_memory // 2),
    )
    return _Writing(journal=journal, sink=sink, redactors=redactors, counts=counts, budget=budget, writer=writer)


def _sink(checked: RecordOptions, journal: Journal) -> "Sink":
    """Where the fixtures go, opened."""
    from redaction.fixture import digest_of

    return sinks.opened(
        checked.out,
        digest_of=digest_of,
        limits=checked.limits,
        recorded=checked.recorded,
        layout=checked.layout,
        tell=lambda about, says: journal.say(Notice(about=about, says=says)),
    )


def _redactors(checked: RecordOptions) -> "Sequence[RedactionProcess]":
    """The redaction processes, started."""
    from proxy_addon.writing.redacting.process import RedactionProcess

    return [
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


def _watch(checked: RecordOptions, writing: _Writing) -> Watch:
    """What tells of a recorder while it runs."""
    return Watch(
        counts=writing.counts,
        budget=writing.budget,
        journal=writing.journal,
        waiting=writing.writer.waiting,
        redaction=lambda: [redact.pid for redact in writing.redactors],
        # A store has no disk that could be looked at.
        folder=checked.out if isinstance(checked.out, Path) else Path.cwd(),
        may_hold=checked.max_memory,
    )


def _journal(checked: RecordOptions, stopping: Stopping) -> Journal:
    """The journal, on standard error or in a file that SIGHUP opens anew."""
    if checked.log_file is None:
        return Journal(write_to(sys.stderr.fileno()), style=checked.log)
    file = LogFile(checked.log_file)
    journal = Journal(file, style=checked.log)
    stopping.reopen = lambda: journal.reopen(file)
    return journal


def _ready(start: Start, where: str | None, watch: Watch, stopping: Stopping, port: int) -> None:
    """Have it known that the recorder listens."""
    watch.phase = lambda: Phase.DRAINING if stopping.asked.is_set() else Phase.READY
    start(port, where)


def _serve(
    checked: RecordOptions,
    stopping: Stopping,
    ready: Callable[[int], None],
    watch: Watch,
    *,
    writer: "Writer",
    counts: Counts,
    budget: "Budget",
) -> None:
    """Carry the traffic in this process."""
    from proxy_addon.recorder.engine import serve
    from proxy_addon.recorder.patches.arrivals import watched
    from proxy_addon.recorder.requests.case_turns import CaseTurns
    from proxy_addon.recorder.wiring import wire

    parts = wire(checked, writer=writer, counts=counts, budget=budget, turns=CaseTurns())
    watch.receiving = lambda: parts.recorder.captures

    async def until_stopped() -> None:
        with (
            stopping.listening(),
            every(checked.count_every, writer.tell_passed),
            watched(watch.passing if checked.admin else None),
        ):
            await serve(
                parts.recorder,
                parts.tunnels,
                parts.via,
                parts.interception,
                checked,
                writer=writer,
                stopping=stopping,
                ready=ready,
            )

    writer.start()
    asyncio.run(until_stopped())
