"""The entries of HAR 1.2 files. In: one item of `log.entries`, parsed.

Only the request line, headers and bodies are looked at; cookies, timings, caches, comments and the members of
browsers (`_initiator` and the like) are not.
"""

from typing import Final

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Entry, Unusable, UnusableError
from proxy_addon.writing.finished import Headers

PATH: Final = ("log", "entries")


def entry(value: object) -> Entry:
    """The exchange of an entry; an `UnusableError` where it is none."""
    request, response = _member(value, "request"), _member(value, "response")
    method, url, status = request.get("method"), request.get("url"), response.get("status")
    if not isinstance(method, str) or not isinstance(url, str) or not isinstance(status, int):
        raise UnusableError(Unusable.NO_EXCHANGE)
    return Entry(
        method=method.upper(),
        url=url,
        request_headers=_headers(request.get("headers")),
        request_body=_body(request.get("postData")),
        status=status,
        response_headers=_headers(response.get("headers")),
        body=_body(response.get("content")),
    )


def _member(value: object, name: str) -> dict[str, object]:
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, dict):
        raise UnusableError(Unusable.NO_EXCHANGE)
    return found


def _headers(value: object) -> Headers:
    found = []
    for header in value if isinstance(value, list) else ():
        name, text = (header.get("name"), header.get("value")) if isinstance(header, dict) else (None, None)
        # Browsers list HTTP/2 pseudo-headers (`:path`) among the rest; the URL says the same.
        if isinstance(name, str) and isinstance(text, str) and not name.startswith(":"):
            found.append((name, text))
    return tuple(found)


def _body(value: object) -> bytes | None:
    """The body in `postData` or `content`: text, or Base64 where `encoding` says so."""
    content = value.get("text") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(content, str):
        return None
    encoding = value.get("encoding")
    if isinstance(encoding, str) and encoding.lower() == "base64":
        return bodies.base64_text(content)
    return bodies.text(content)
