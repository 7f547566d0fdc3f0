"""Python's cyclic garbage collector, made rare for commands that judge or redact. Standard library only.

Payloads, reports and fixtures hold no reference cycles, so a collection walks over all of them and frees nothing:
during the parse of one large file that costs more than the parse. The collector belongs to the whole process, so only
commands and processes of toolreel's own switch it, and never the kernels, which run in other people's programs.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# Objects that are made before a collection of the young ones, and how many of these before one of older ones. Python's
# own numbers are 700, 10, 10. Collections still happen, since click, mitmproxy and others do make cycles.
_RARELY: Final = (50_000, 20, 50)


def relax() -> None:
    """Collect rarely until the process ends, and never look at what is in memory already."""
    gc.freeze()
    gc.set_threshold(*_RARELY)


@contextmanager
def relaxed() -> Iterator[None]:
    """Collect rarely inside the block, and afterwards as before."""
    before = gc.get_threshold()
    relax()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
