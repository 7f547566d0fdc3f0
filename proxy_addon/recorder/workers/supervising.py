"""The process that writes for several workers, from their start to their end: it carries no traffic itself."""

import asyncio
from collections.abc import Callable
from typing import Final

from proxy_addon.recorder.pacing import drain, every, until
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.recorder.workers.crew import Crew
from proxy_addon.recorder.workers.sharing import Shared
from proxy_addon.watching.watch import Watch
from proxy_addon.writing.finished import Budget
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.writer import Writer
from replay.errors import ToolreelError

# Workers have what they need in memory already; one that does not listen by then never will.
_START_SECONDS: Final = 120.0
# For workers that are to end at once.
_LAST_SECONDS: Final = 5.0


def supervise(
    shared: Shared,
    checked: RecordOptions,
    stopping: Stopping,
    ready: Callable[[int], None],
    watch: Watch,
    *,
    writer: Writer,
    counts: Counts,
    budget: Budget,
) -> None:
    """Have the workers carry the traffic until the recorder is stopped, and settle what they hand over."""
    crew = Crew(
        shared.template,
        seen_here=shared.seen_here,
        upstreams=[upstream.name for upstream in checked.routes.upstreams],
        writer=writer,
        counts=counts,
        budget=budget,
        passing=watch.passing,
    )
    watch.workers = lambda: crew.passages
    watch.receiving = lambda: crew.receiving

    async def until_stopped() -> None:
        with stopping.listening(), every(checked.count_every, writer.tell_passed):
            crew.start()
            await until(lambda: crew.listening == checked.workers, or_event=stopping.asked, seconds=_START_SECONDS)
            if not stopping.asked.is_set():
                if crew.listening == 0:
                    crew.abort()
                    raise ToolreelError("--workers: none of them came to listen; try without it")
                ready(shared.port or checked.port)
            await stopping.asked.wait()
            crew.stop()
            shared.close()
            await until(lambda: crew.running == 0, or_event=stopping.at_once)
            crew.abort()
            await until(lambda: crew.running == 0, or_event=asyncio.Event(), seconds=_LAST_SECONDS)
        await drain(writer, at_once=stopping.at_once)

    writer.start()
    asyncio.run(until_stopped())
