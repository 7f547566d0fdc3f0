"""What providers send that is no strict HTTP, and clients read all the same: passed on as it came, not refused.

mitmproxy refuses three kinds of heads for fear of smuggled requests. Of requests it is right to, and still does; of
responses there is nothing to smuggle, since each connection to a provider is one client's. Without these two changes a
client of the recorder gets a 502 in the place of:

- a response with `Content-Length` beside `Transfer-Encoding: chunked`, of which the second counts;
- a response with two equal `Content-Length` headers, or one that has its value twice;
- a response with a header whose name has a space in it.

What clients refuse as well, such as two lengths that differ, is refused here too.
"""

from collections.abc import Callable
from typing import Any, Final

from mitmproxy.http import Message, Request, Response
from mitmproxy.net.http import http1
from mitmproxy.proxy.layers import http

_LENGTH: Final = "content-length"


def take_sloppy_responses() -> None:
    """Make the two changes; to do so again is harmless."""
    layer: Any = http
    layer.validate_headers = _of_requests(getattr(layer.validate_headers, "original", layer.validate_headers))
    reading: Any = http1
    for module in (reading, layer):  # the one is where HTTP/1 looks for it, the other a name of its own
        size = module.expected_http_body_size
        module.expected_http_body_size = _of_equal_lengths(getattr(size, "original", size))


def _of_requests(validate: Callable[[Message], None]) -> Callable[[Message], None]:
    def validating(message: Message) -> None:
        if not isinstance(message, Response):
            validate(message)

    found: Any = validating
    found.original = validate
    return validating


_Size = Callable[[Request, Response | None], int | None]


def _of_equal_lengths(size: _Size) -> _Size:
    def sized(request: Request, response: Response | None = None) -> int | None:
        if response is not None and (length := _repeated(response)) is not None:
            response = Response(
                http_version=response.data.http_version,
                status_code=response.status_code,
                reason=b"",
                headers=response.headers.copy(),
                content=None,
                trailers=None,
                timestamp_start=response.timestamp_start,
                timestamp_end=None,
            )
            response.headers[_LENGTH] = length
        return size(request, response)

    found: Any = sized
    found.original = size
    return sized


def _repeated(response: Response) -> str | None:
    """The length that a response tells several times; None where it tells one, none, or several that differ."""
    lengths = [one.strip() for value in response.headers.get_all(_LENGTH) for one in value.split(",")]
    return lengths[0] if len(lengths) > 1 and len(set(lengths)) == 1 else None
