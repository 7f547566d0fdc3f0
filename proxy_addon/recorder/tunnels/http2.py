"""What a client is told that speaks HTTP/2 without asking first: that HTTP/1.1 is spoken here.

A client that asks gets HTTP/1.1 by the way it asks: in TLS no other protocol is offered, and `Upgrade: h2c` is not
answered. One that begins with the preface of HTTP/2 would wait for frames; so it gets two of them, and the second ends
the connection with the code that the protocol has for this.
"""

from collections.abc import Iterator
from typing import Any, Final

from mitmproxy.proxy import commands, events, layer

# How a connection in HTTP/2 begins (RFC 9113, 3.4).
PREFACE: Final = b"PRI * HTTP/2"

_SAID: Final = b"toolreel: HTTP/1.1 alone is spoken here; have the client use HTTP/1.1"
_HTTP_1_1_REQUIRED: Final = 0x0D


def _frame(kind: int, payload: bytes) -> bytes:
    """A frame that belongs to no stream."""
    return len(payload).to_bytes(3, "big") + bytes((kind, 0)) + bytes(4) + payload


# An empty SETTINGS, with which each side begins, and a GOAWAY that no stream was served before.
ANSWER: Final = _frame(4, b"") + _frame(7, bytes(4) + _HTTP_1_1_REQUIRED.to_bytes(4, "big") + _SAID)


class NoHttp2(layer.Layer):
    """The layer of such a connection: it answers, and reads on until the client has read that and closes."""

    def _handle_event(self, event: events.Event) -> Iterator[Any]:  # type: ignore[override]
        client = self.context.client
        if isinstance(event, events.Start):
            yield commands.SendData(client, ANSWER)
            yield commands.CloseTcpConnection(client, half_close=True)
        elif isinstance(event, events.ConnectionClosed):
            yield commands.CloseConnection(client)
