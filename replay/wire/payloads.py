"""Frames to the payloads of a turn: which frames are events, and which are framing.

Knows the one marker that is framing in every profile; knows no JSON: the caller says how a frame is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .sse import Frame

# The exact text that ends a stream, whatever the profile (CONFORMANCE.md, section 6).
DONE: Final = "[DONE]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Payloads:
    """The array of a turn. `frames` has the frame of each item; its repr shows no captured text."""

    items: list[object]
    frames: list[Frame]
    done: int  # how many end markers were framing

    def __repr__(self) -> str:
        """Counts alone: the items are captured text."""
        return f"Payloads({len(self.items)} items, done={self.done})"


def collect(frames: Iterable[Frame], read: Callable[[Frame], object]) -> Payloads:
    """The payloads of `frames`, each as `read` gives it, none dropped and none merged.

    A `[DONE]` that only further ones follow is framing. One that another event follows stands in the array as the
    string `[DONE]`, unread: clients stop there, so it must be seen (CONFORMANCE.md, section 6).
    """
    kept: list[Frame] = []
    items: list[object] = []
    held: list[Frame] = []  # end markers that nothing followed so far
    for frame in frames:
        if frame.data == DONE:
            held.append(frame)
            continue
        items += [DONE] * len(held)
        kept += held
        held.clear()
        items.append(read(frame))
        kept.append(frame)
    return Payloads(items=items, frames=kept, done=len(held))
