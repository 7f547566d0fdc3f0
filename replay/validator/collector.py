"""The cyclic collector, kept out of the way of large values: they hold no cycle, so it would find nothing in them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Characters from which on a text makes so many objects that the collector's walks cost more than the parse.
LARGE_TEXT: Final = 1 << 16


@contextmanager
def paused(size: int) -> Iterator[None]:
    """No automatic collection while a text of this size is worked on, if it is large and there would be any."""
    pausing = size >= LARGE_TEXT and gc.isenabled()
    if pausing:
        gc.disable()
    try:
        yield
    finally:
        if pausing:
            gc.enable()
