"""The bytes of requests that are held until they are whole, and while they wait for their response, within one bound.

Three clients send 200 MiB at once where 512 MiB may be held: the third one's request is passed on as it comes, so its
turn is not recorded, and the other two are as always. Knows flows by their id; knows no mitmproxy.
"""


class HeldRequests:
    """What each open request holds; `limit` bounds all of them together, in bytes."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._sizes: dict[str, int] = {}

    def open(self, flow: str) -> None:
        """Begin to count for a request."""
        self._sizes.setdefault(flow, 0)

    def hold(self, flow: str, size: int) -> bool:
        """Whether a request may hold so many bytes; where it may not, or is not open, none of it is held any more."""
        more = size - self._sizes.get(flow, 0)
        if flow not in self._sizes or more > self._left:
            self.close(flow)
            return False
        self._left -= more
        self._sizes[flow] = size
        return True

    def close(self, flow: str) -> None:
        """Give back what a request held; nothing of it is counted again."""
        self._left += self._sizes.pop(flow, 0)
