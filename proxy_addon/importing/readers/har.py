"""The entries of HAR 1.2 files. In: one item of `log.entries`, parsed.

Only the request line, headers and bodies are looked at; cookies, timings, caches, comments and the members of
browsers (`_initiator` and the like) are not.
"""

from typing import Final

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Attached, Entry, Unusable, UnusableError, nothing
from proxy_addon.importing.readers import har_times, other_tools
from proxy_addon.writing.finished import Headers

PATH: Final = ("log", "entries")


def entry(value: object, attached: Attached = nothing) -> Entry:
    """The exchange of an entry; an `UnusableError` where it is none. Playwright's bodies may stand beside the file."""
    request, response = _member(value, "request"), _member(value, "response")
    method, url, status = request.get("method"), request.get("url"), response.get("status")
    if not isinstance(method, str) or not isinstance(url, str) or not isinstance(status, int):
        raise UnusableError(Unusable.NO_EXCHANGE)
    body = _body(response.get("content"), attached) or _events(value)
    return Entry(
        method=method.upper(),
        url=url,
        request_headers=_headers(request.get("headers")),
        request_body=_body(request.get("postData"), attached),
        status=status,
        response_headers=_headers(response.get("headers")),
        body=body,
        arrivals=None if body is None else har_times.arrivals(value, body),
        began=har_times.began(value),
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


def _body(value: object, attached: Attached) -> bytes | None:
    """The body in `postData` or `content`: text, Base64 where `encoding` says so, Polly's pieces, a file beside."""
    if not isinstance(value, dict):
        return None
    content = value.get("text")
    if not isinstance(content, str):
        return attached(value["_file"]) if isinstance(value.get("_file"), str) else None
    found = other_tools.pieces(content)
    if found is not None:
        return found
    encoding = value.get("encoding")
    if isinstance(encoding, str) and encoding.lower() == "base64":
        return bodies.base64_text(content)
    return bodies.text(content)


def _events(value: object) -> bytes | None:
    """The body that Chrome tells as the messages of its event stream, where the body itself is left out.

    None where it tells none; empty, where the entry said that there is an empty body.
    """
    told = value.get("_eventSourceMessages") if isinstance(value, dict) else None
    if not isinstance(told, list) or not told:
        return b"" if _has_text(value) else None
    return bodies.joined(_event(message) for message in told)


def _has_text(value: object) -> bool:
    content = _member(value, "response").get("content")
    return isinstance(content, dict) and isinstance(content.get("text"), str)


def _event(message: object) -> bytes:
    if not isinstance(message, dict) or not isinstance(message.get("data"), str):
        raise UnusableError(Unusable.ENCODING)
    name, identity = message.get("eventName"), message.get("eventId")
    lines = [f"event: {name}"] if isinstance(name, str) and name not in ("", "message") else []
    lines += [f"id: {identity}"] if isinstance(identity, str) and identity else []
    lines += [f"data: {line}" for line in message["data"].split("\n")]
    return bodies.text("\n".join([*lines, "", ""]))
