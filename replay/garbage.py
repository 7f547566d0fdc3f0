"""Python's cyclic collector during a long run over many small documents."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# Payloads hold no cycles, so collections find nothing and only take time; they still happen, but rarely.
_RARELY: Final = (50_000, 20, 50)


@contextmanager
def relaxed() -> Iterator[None]:
    """Inside, collect rarely, and never look at what is there already."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
