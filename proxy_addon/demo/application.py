"""The application of the demo: plain HTTP streaming requests, as any client makes them. Standard library only."""

import http.client
from typing import Final
from urllib.parse import urlsplit

from .bundled import BundledTurn
from .provider import TURN_HEADER

# An invented key. It goes through the recorder in the Authorization header of every request.
API_KEY: Final = "sk-demo-4nQ7vXw2LmZt9KcR"

PATIENCE: Final = 10.0

# How much is read at once: whatever has arrived, up to this.
READ: Final = 65536


def ask(base_url: str, turn: BundledTurn) -> bytes:
    """The body that the turn's request to `base_url` brings, as far as it comes where the stream is cut."""
    target = urlsplit(base_url)
    connection = http.client.HTTPConnection(target.netloc, timeout=PATIENCE)
    headers = {
        "authorization": f"Bearer {API_KEY}",
        "content-type": "application/json",
        "x-toolreel-case": turn.case,  # names the fixture; the recorder removes it
        TURN_HEADER: turn.key,
    }
    pieces: list[bytes] = []
    try:
        connection.request("POST", target.path + turn.path, turn.request_body(), headers)
        response = connection.getresponse()
        while piece := response.read1(READ):
            pieces.append(piece)
    except (http.client.IncompleteRead, ConnectionError):
        pass  # the truncated turns end so; what came before is what the client has
    finally:
        connection.close()
    return b"".join(pieces)
