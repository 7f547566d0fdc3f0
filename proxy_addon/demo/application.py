"""The application of the demo: plain HTTP streaming requests, as any client makes them. Standard library only."""

import http.client
import time
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from .bundled import BundledTurn
from .provider import TURN_HEADER

# An invented key. It goes through the recorder in the Authorization header of every request.
API_KEY: Final = "sk-demo-4nQ7vXw2LmZt9KcR"

PATIENCE: Final = 10.0

# How much is read at once: whatever has arrived, up to this.
READ: Final = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What one request brought: the body as it arrived, and how long after sending its first byte did."""

    body: bytes = field(repr=False)
    first_byte: float


def ask(base_url: str, turn: BundledTurn) -> Received:
    """Send the turn's request to `base_url` and read the stream to its end, also where it is cut off."""
    target = urlsplit(base_url)
    connection = http.client.HTTPConnection(target.netloc, timeout=PATIENCE)
    headers = {
        "authorization": f"Bearer {API_KEY}",
        "content-type": "application/json",
        "x-toolreel-case": turn.case,  # names the fixture; the recorder removes it
        TURN_HEADER: turn.case,
    }
    pieces: list[bytes] = []
    sent = first = time.monotonic()
    try:
        connection.request("POST", target.path + turn.path, turn.request_body(), headers)
        response = connection.getresponse()
        while piece := response.read1(READ):
            first = first if pieces else time.monotonic()
            pieces.append(piece)
    except (http.client.IncompleteRead, ConnectionError):
        pass  # the truncated turns end so; what came before is what the client has
    finally:
        connection.close()
    return Received(body=b"".join(pieces), first_byte=first - sent)
