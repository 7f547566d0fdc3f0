"""The entries of mitmproxy's flow files, read by mitmproxy itself. Only this module of the package imports it.

A file is one record after the other, each behind its length. The length is read here, so that a record over the limit
is stepped over without being held, and one that mitmproxy cannot read does not end the rest.
"""

import io
from collections.abc import Iterator
from typing import Final, Protocol

from mitmproxy import http
from mitmproxy.exceptions import FlowReadException
from mitmproxy.io import FlowReader

from proxy_addon.importing.entries import MAX_ENTRY_BYTES, BrokenError, Entry, Item, Unusable
from proxy_addon.recorder.requests.messages import ending_of, headers_of
from proxy_addon.writing.outcomes.settled import Passed
from redaction.captured.exchange import Ending

_PIECE_BYTES: Final = 1024 * 1024
_LENGTH_DIGITS: Final = 12

# How the error of a flow begins where the client went away: over HTTP/1 and over HTTP/2.
_CLIENT: Final = ("Client disconnected", "peer closed connection")


class Readable(Protocol):
    """A file that is read from its start to its end."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes."""
        ...


def items(file: Readable) -> Iterator[Item]:
    """One item for each flow of the file; a `BrokenError` with its place where the file breaks off."""
    at = 0
    while True:
        prefix = _prefix(file, at)
        if prefix is None:
            return
        size = int(prefix) + 1  # with the letter of its type behind it
        if size > MAX_ENTRY_BYTES:
            _skip(file, size, at)
            yield Unusable.TOO_LARGE
        else:
            record = file.read(size)
            if len(record) != size:
                raise BrokenError(f"byte {at}", "the flow file ends in the middle of a flow")
            yield _item(prefix + b":" + record)
        at += len(prefix) + 1 + size


def _prefix(file: Readable, at: int) -> bytes | None:
    found = b""
    while (byte := file.read(1)).isdigit() and len(found) <= _LENGTH_DIGITS:
        found += byte
    if not byte and not found:
        return None
    if byte != b":" or not found:
        raise BrokenError(f"byte {at}", "no flow of mitmproxy starts here")
    return found


def _skip(file: Readable, size: int, at: int) -> None:
    while size:
        piece = file.read(min(size, _PIECE_BYTES))
        if not piece:
            raise BrokenError(f"byte {at}", "the flow file ends in the middle of a flow")
        size -= len(piece)


def _item(record: bytes) -> Item:
    try:
        flow = next(iter(FlowReader(io.BytesIO(record)).stream()), None)
    except (FlowReadException, ValueError, TypeError, LookupError, AttributeError, RecursionError, OSError):
        return Unusable.NOT_READABLE
    if not isinstance(flow, http.HTTPFlow):
        return Passed.OTHER_PATH
    if flow.response is None:
        return Passed.NO_RESPONSE
    return Entry(
        method=flow.request.method.upper(),
        url=flow.request.url,
        request_headers=headers_of(flow.request.headers),
        request_body=flow.request.raw_content,
        status=flow.response.status_code,
        response_headers=headers_of(flow.response.headers),
        body=_body(flow.response),
        no_body=Unusable.NOT_STORED,
        began=flow.request.timestamp_start,
        ending=_ending(flow, flow.response),
    )


def _body(response: http.Response) -> bytes | None:
    """The body; None where the flow has none and its head says that there was one."""
    content = response.raw_content
    return None if not content and response.headers.get("content-length", "1") != "0" else content


def _ending(flow: http.HTTPFlow, response: http.Response) -> Ending:
    """How the message ended: who cut it, or whether its framing told its end."""
    if flow.error is not None:
        return Ending.CLIENT if flow.error.msg.startswith(_CLIENT) else Ending.UPSTREAM
    if not response.http_version.startswith("HTTP/1"):
        return Ending.MESSAGE_END  # HTTP/2 and 3 end a stream by a flag
    return ending_of(response)
