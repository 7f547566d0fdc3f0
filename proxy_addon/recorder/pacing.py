"""Waiting on an event loop: for what no event tells of, at intervals, and until all captures are settled."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Final

from proxy_addon.writing.outlet import Outlet

# How often the end of live streams and of the queue is looked for.
_TICK_SECONDS: Final = 0.02


@contextlib.contextmanager
def every(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Call a function at these intervals for as long as the block runs, on the running loop."""

    async def calling() -> None:
        while True:
            await asyncio.sleep(seconds)
            call()

    task = asyncio.create_task(calling())
    try:
        yield
    finally:
        task.cancel()


async def until(reached: Callable[[], bool], *, or_event: asyncio.Event, seconds: float | None = None) -> None:
    """Wait until something is so, the event is set, or so many seconds are over."""
    loop = asyncio.get_running_loop()
    deadline = None if seconds is None else loop.time() + seconds
    while not (reached() or or_event.is_set() or (deadline is not None and loop.time() >= deadline)):
        await asyncio.sleep(_TICK_SECONDS)


async def drain(writer: Outlet, *, at_once: asyncio.Event) -> None:
    """Wait until everything that was handed over is settled; once it is to be at once, what waits is dropped."""
    writer.stop()
    await until(lambda: not writer.running, or_event=at_once)
    if writer.running:
        writer.abort()
