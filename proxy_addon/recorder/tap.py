"""The stream callable: sees each piece of a body on its way to the client. It never raises, waits or changes anything.

mitmproxy drops the piece of a callable that raises and leaves the client hanging, so here, and only here, everything is
caught.
"""

from typing import Final

from proxy_addon.recorder.capture import Capture
from proxy_addon.writing.settled import Dropped


class Tap:
    """Feeds a capture with what passes."""

    __slots__ = ("_capture",)

    def __init__(self, capture: Capture) -> None:
        """`capture` hears every piece."""
        self._capture: Final = capture

    def __call__(self, piece: bytes) -> bytes:
        """`piece` itself. An empty one marks a clean end, sometimes twice; after a cut it never comes."""
        try:
            self._capture.feed(piece)
        except Exception:
            self._capture.abandon(Dropped.TAP)  # no fixture beats a wrong one
        return piece
