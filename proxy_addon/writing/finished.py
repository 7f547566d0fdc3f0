"""A finished capture, as it waits for the writer, and the memory that it holds. Raw data, which no repr shows."""

import threading
from dataclasses import dataclass, field
from typing import Final

from proxy_addon.upstreams import TurnKind
from proxy_addon.writing.cases import Turn
from redaction.captured.exchange import Ending, Mode, Sampled

Headers = tuple[tuple[str, str], ...]

# What Python keeps for a capture and for a header of it, beside their bytes: objects, and places in others.
_CAPTURE: Final = 1024
_HEADER: Final = 192


class Budget:
    """The bytes that all captures together may hold, from their first piece until the writer is done with them."""

    def __init__(self, limit: int) -> None:
        self._lock = threading.Lock()
        self.limit: Final = limit
        self._left = limit

    def take(self, size: int) -> bool:
        """Reserve `size` bytes; False, and nothing reserved, where they are not there."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give(self, size: int) -> None:
        """Give bytes back."""
        with self._lock:
            self._left += size

    @property
    def left(self) -> int:
        """The bytes that can still be taken."""
        return self._left


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """All that is known of an exchange when its response starts."""

    upstream: str  # its name in this run
    turn: TurnKind
    case: str | None
    request_headers: Headers = field(repr=False)
    query: str = field(repr=False)
    path: str = field(default="", repr=False)
    request_body: bytes = field(repr=False)  # content coding still on it
    status: int
    response_headers: Headers = field(repr=False)
    mode: Mode = Mode.REVERSE
    sampled: Sampled | None = None  # how it came into the sample

    @property
    def size(self) -> int:
        """The bytes that it holds, nearly."""
        headers = (*self.request_headers, *self.response_headers)
        texts = sum(len(name) + len(value) for name, value in headers) + len(self.query) + len(self.path)
        return len(self.request_body) + texts + _HEADER * len(headers) + _CAPTURE

    def response_header(self, name: str) -> str | None:
        """The first value of a response header (`name` in lower case)."""
        return next((value for key, value in self.response_headers if key.lower() == name), None)

    def request_header(self, name: str) -> str | None:
        """The first value of a request header (`name` in lower case)."""
        return next((value for key, value in self.request_headers if key.lower() == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A capture whose stream has ended, as it waits for the writer. `size` is what it holds of the budget.

    `turn` is the one of its case, where it has a case.
    """

    head: Head
    pieces: tuple[bytes, ...] = field(repr=False)
    size: int
    ending: Ending
    times: tuple[int, ...] = ()  # of each piece, in milliseconds since the head, where they are to be kept
    turn: Turn | None = None
