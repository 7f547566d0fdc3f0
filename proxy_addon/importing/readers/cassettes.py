"""The interactions of VCR cassettes as entries: of vcrpy, VCR, betamax, go-vcr and cassetter. In: parsed values.

They share the idea and differ in spelling; a table of spellings would be longer than reading each member where it may
stand. Everything else in an interaction (times, ids, metadata) is not looked at.
"""

from typing import Final

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Entry, Unusable, UnusableError
from proxy_addon.writing.finished import Headers

# The keys of a cassette under which its interactions stand: vcrpy, go-vcr and cassetter; VCR and betamax.
KEYS: Final = ("interactions", "http_interactions")


# No server takes a longer head. Aliases of YAML can make a short file say a long one.
MAX_HEAD_BYTES: Final = 1024 * 1024


def entry(value: object) -> Entry:
    """The exchange of an interaction; an `UnusableError` where it is none."""
    if not isinstance(value, dict):
        raise UnusableError(Unusable.NO_EXCHANGE)
    request, response = value.get("request"), value.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict):
        raise UnusableError(Unusable.NO_EXCHANGE)
    method, url, status = request.get("method"), request.get("uri") or request.get("url"), _status(response)
    if not isinstance(method, str) or not isinstance(url, str) or status is None:
        raise UnusableError(Unusable.NO_EXCHANGE)
    return Entry(
        method=method.lstrip(":").upper(),
        url=url,
        request_headers=_headers(request.get("headers")),
        request_body=_body(request),
        status=status,
        response_headers=_headers(response.get("headers")),
        body=_body(response),
    )


def _status(response: dict[str, object]) -> int | None:
    """The status of a response.

    It is one of `status: {code: 200}`, `code: 200` beside a status line, `status: 200`, `status_code: 200`.
    """
    status = response.get("status")
    for found in (
        status.get("code") if isinstance(status, dict) else status,
        response.get("code"),
        response.get("status_code"),
    ):
        if isinstance(found, int):
            return found
        if isinstance(found, str) and found.isascii() and found.isdecimal() and len(found) == 3:
            return int(found)
    return None


def _headers(value: object) -> Headers:
    """The headers of a mapping from name to value, or to a list of values."""
    found, size = [], 0
    for name, values in value.items() if isinstance(value, dict) else ():
        for text in values if isinstance(values, list) else [values]:
            said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
            if isinstance(said, str | int | float):
                found.append((str(name), str(said)))
                size += len(name) + len(found[-1][1])
            if size > MAX_HEAD_BYTES:
                raise UnusableError(Unusable.TOO_LARGE)
    return tuple(found)


def _body(message: dict[str, object]) -> bytes | None:
    """The body of a request or response; None where there is none in it."""
    for name in ("body", "content"):
        if message.get(name) is not None:
            return _content(message[name])
    if message.get("parsed_body") is not None:
        return bodies.json_value(message["parsed_body"])
    return None


def _content(value: object) -> bytes | None:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return bodies.text(value)
    if isinstance(value, list):  # of pieces, as a client sent them
        return bodies.joined(_piece(piece) for piece in value)
    if not isinstance(value, dict):
        raise UnusableError(Unusable.ENCODING)
    if isinstance(value.get("base64_string"), str):
        return bodies.base64_text(value["base64_string"])
    if "string" in value:
        inner = value["string"]
        return bodies.text(inner, value.get("encoding")) if isinstance(inner, str) else _inner(inner)
    if "content" in value:
        return _typed(value.get("type"), value["content"])
    return b"" if value.get("type") == "none" else None


def _piece(value: object) -> bytes:
    if isinstance(value, str):
        return bodies.text(value)
    if isinstance(value, bytes):
        return value
    raise UnusableError(Unusable.ENCODING)


def _inner(value: object) -> bytes | None:
    return None if value is None else _content(value)


def _typed(kind: object, content: object) -> bytes | None:
    """The body that cassetter writes: text, JSON parsed, or binary in hexadecimal digits."""
    if kind == "json":
        return bodies.json_value(content)
    if kind == "binary" and isinstance(content, str):
        return bodies.hexadecimal(content)
    return _content(content)
