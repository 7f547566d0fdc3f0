"""The tap: what mitmproxy calls with each piece of a body on its way to the client.

It never raises, waits or changes anything. mitmproxy drops the piece of a callable that raises and leaves the client
hanging; so here, and only here, everything is caught.
"""

from typing import Final

from proxy_addon.recorder.capture import Capture
from proxy_addon.writing.outcomes.settled import Dropped


class Tap:
    """Feeds a capture with each piece that passes."""

    __slots__ = ("_capture",)

    def __init__(self, capture: Capture) -> None:
        self._capture: Final = capture

    def __call__(self, piece: bytes) -> bytes:
        """The very same piece. An empty one marks a clean end, sometimes twice; after a cut it never comes."""
        try:
            self._capture.feed(piece)
        except Exception:
            self._capture.drop(Dropped.TAP)  # better no fixture than one that lacks a piece
        return piece
