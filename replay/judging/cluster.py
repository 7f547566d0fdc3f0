"""A replay on a cluster of `dask.distributed` that is there, with its results in the same order as in one process.

Fixtures go out in small batches of names, and few batches are out at a time, so the memory of the client does not grow
with the corpus. A worker reads what it judges: the paths must mean the same for all, so they lead to a disk that all
have or to an object store. A worker that is lost costs a retry, and no result: the engine sees to that.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from replay.errors import ToolreelError, missing_extra, translated
from replay.validator import RULES

from . import runner, workers

try:
    import distributed
except ModuleNotFoundError as error:
    raise missing_extra(error, "distributed", extra="dask", said="--dask: distributed is not installed") from None

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replay.corpus.discovery import Plan

    from .results import Result
    from .run_options import Options

# A cluster of this machine alone, as many processes as `--jobs` says.
LOCAL: Final = "local"
_PATIENCE: Final = "20s"
# Batches of each thread of the cluster that are out or waiting for their turn in the report.
_AHEAD: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """What must be the same in every worker: by other rules, or by other code, a verdict may be another."""

    toolreel: str
    rules: int
    python: str


def versions() -> Versions:
    """The versions of the process that asks."""
    try:
        package = metadata.version("toolreel")
    except metadata.PackageNotFoundError:
        package = "a checkout"
    return Versions(toolreel=package, rules=RULES, python=".".join(map(str, sys.version_info[:2])))


def replay(plan: Plan, options: Options, *, address: str, jobs: int) -> Iterator[Result]:
    """As `runner.replay`, by the workers at `address`."""
    with _connected(address, jobs) as client:
        _checked(client, address)
        lost = distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError, OSError
        why = "its workers end while they judge, for lack of memory perhaps; see the log of the scheduler"
        with translated(lost, lambda _: ToolreelError(f"--dask {address}: {why}")):
            yield from _judged(client, plan, options)
    yield from runner.orphans(plan.alone, options)


@contextmanager
def _connected(address: str, jobs: int) -> Iterator[Any]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is to be said, the command says
    unreachable = f"--dask {address}: no scheduler answers there; give its address, for example tcp://10.0.0.5:8786"
    errors = (OSError, ValueError, TimeoutError, ImportError)
    with translated(errors, lambda _: ToolreelError(unreachable)):
        if address == LOCAL:
            client = distributed.Client(
                n_workers=jobs,
                threads_per_worker=1,
                dashboard_address=None,
                host="127.0.0.1",
                set_as_default=False,
                silence_logs=logging.CRITICAL,
            )
        else:
            client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    try:
        yield client
    finally:
        client.close()
        if client.cluster is not None:
            client.cluster.close()


def _checked(client: Any, address: str) -> None:
    """A `ToolreelError` where the cluster has no worker, or one that would judge otherwise than this process."""
    mine, broken = versions(), ToolreelError(f"--dask {address}: a worker cannot load toolreel; install it there")
    with translated(Exception, lambda _: broken):
        found: dict[str, Versions] = client.run(versions)
    if not found:
        raise ToolreelError(f"--dask {address}: the scheduler has no worker; start some with: dask worker ADDRESS")
    for worker, theirs in sorted(found.items()):
        if theirs != mine:
            raise ToolreelError(f"--dask {address}: {_otherwise(worker, theirs, mine)}")


def _otherwise(worker: str, theirs: Versions, mine: Versions) -> str:
    def told(one: Versions) -> str:
        return f"toolreel {one.toolreel} with version {one.rules} of the rules on Python {one.python}"

    return f"the worker {worker} has {told(theirs)}, and this is {told(mine)}; install the same there"


def _judged(client: Any, plan: Plan, options: Options) -> Iterator[Result]:
    mine, threads = versions(), max(1, sum(client.nthreads().values()))
    size = max(1, min(workers.BATCH, len(plan.fixtures) // (threads * workers.SHARES)))
    waiting: deque[Any] = deque()
    for start in range(0, len(plan.fixtures), size):
        names = list(plan.fixtures[start : start + size])
        # Not pure: the same names may hold other bytes in another run.
        waiting.append(client.submit(batch, start, names, options, mine, pure=False, retries=0))
        if len(waiting) >= threads * _AHEAD:
            yield from workers.results(_told(waiting.popleft()), plan)
    while waiting:
        yield from workers.results(_told(waiting.popleft()), plan)


def _told(future: Any) -> list[Result | workers.AsPinned]:
    told = future.result()
    future.release()
    if isinstance(told, str):
        raise ToolreelError(told)
    found: list[Result | workers.AsPinned] = told
    return found


def batch(
    start: int, names: Sequence[str], options: Options, wanted: Versions
) -> list[Result | workers.AsPinned] | str:
    """What a worker makes of these fixtures; the reason where it is one that came later, and would judge otherwise."""
    mine = versions()
    if mine != wanted:
        return f"--dask: {_otherwise(distributed.get_worker().address, mine, wanted)}"
    return workers.told(start, names, options)
