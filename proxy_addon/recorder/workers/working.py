"""One worker: a whole recorder but for what writes. It runs in a copy of the template, and ends with its channel."""

import asyncio
import os
import socket
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Final

from proxy_addon.recorder.engine import made_authority, serve
from proxy_addon.recorder.pacing import every
from proxy_addon.recorder.patches.arrivals import watched
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.recorder.wiring import wire
from proxy_addon.recorder.workers.messages import STOP_AT_ONCE, Measured, Ready
from proxy_addon.recorder.workers.outbox import Outbox, SentCaseTurns, SentCounts
from proxy_addon.watching.watch import Passing
from proxy_addon.writing.finished import Budget

# For the last messages, where the process that writes is slow to take them.
_LAST_SECONDS: Final = 10.0

# How often a worker says what passed, where somebody asks for metrics.
_MEASURE_SECONDS: Final = 1.0

# Made once, before there is a worker.
AUTHORITY: Final = made_authority()


def work(
    checked: RecordOptions,
    listener: socket.socket,
    seen_here: Sequence["memoryview[int]"],
    channel: socket.socket,
    number: int,
) -> None:
    """Carry traffic until there is an order to stop. The process that writes has the other end of `channel`."""
    sending = Connection(channel.detach())
    budget = Budget(checked.max_memory // 2 // checked.workers)
    outbox = Outbox(sending, budget)
    upstreams = [upstream.name for upstream in checked.routes.upstreams]
    counts = SentCounts(outbox, upstreams, seen_here[number])
    parts = wire(checked, writer=outbox, counts=counts, budget=budget, turns=SentCaseTurns(outbox))
    stopping = Stopping()
    passing = Passing() if checked.admin else None

    def measure() -> None:
        if passing is not None:
            outbox.say(Measured(passing.taken(held=budget.limit - budget.left)))

    async def until_stopped() -> None:
        asyncio.get_running_loop().add_reader(sending.fileno(), _hear, sending.fileno(), stopping)
        with watched(passing), every(_MEASURE_SECONDS, measure):
            await serve(
                parts.recorder,
                parts.tunnels,
                parts.via,
                parts.interception,
                checked,
                writer=outbox,
                stopping=stopping,
                ready=lambda _: outbox.say(Ready()),
                listener=listener,
                authority=AUTHORITY,
            )

    asyncio.run(until_stopped())
    outbox.join(_LAST_SECONDS)


def _hear(channel: int, stopping: Stopping) -> None:
    orders = os.read(channel, 16)
    if not orders:
        os._exit(1)  # nobody writes for this worker any more
    stopping.asked.set()
    if STOP_AT_ONCE in orders:
        stopping.at_once.set()
