"""The exchanges of tools that neither write HAR nor cassettes: nock, the Azure test proxy, WireMock. In: parsed values.

Each writes request and response with members of its own; `entry_shapes.py` says which value is whose. What is not named
here is not looked at.
"""

import json
import re
from itertools import accumulate
from typing import Any, Final

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Attached, Entry, Unusable, UnusableError
from proxy_addon.writing.finished import Headers
from redaction.captured.exchange import Arrivals

_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})+\Z")
# Where WireMock says the address of a stub; an address that is an expression is none.
_ADDRESSES: Final = ("url", "urlPath", "urlPathTemplate")
# Where it keeps the files that a stub names, beside the folder of the stubs.
_FILES: Final = "../__files/"


def nock(value: dict[str, Any]) -> Entry:
    """A call that nock recorded: `scope`, `path`, and the response as text, as JSON or as hexadecimal pieces."""
    method, scope, path = value.get("method"), value.get("scope"), value.get("path")
    if not isinstance(method, str) or not isinstance(scope, str) or not isinstance(path, str):
        raise UnusableError(Unusable.NO_EXCHANGE)
    return Entry(
        method=method.upper(),
        url=f"{scope}{path}",
        request_headers=headers(value.get("reqheaders")),
        request_body=_nock_body(value.get("body")),
        status=status(value.get("status", 200)),
        response_headers=headers(value.get("rawHeaders") or value.get("headers")),
        body=_nock_body(value.get("response")),
        arrivals=_nock_arrivals(value.get("response")),
    )


def _nock_body(value: object) -> bytes | None:
    if isinstance(value, str):
        return bodies.hexadecimal(value) if _HEX.match(value) else bodies.text(value)
    if isinstance(value, list) and value and all(isinstance(one, str) and _HEX.match(one) for one in value):
        return bodies.joined(bodies.hexadecimal(one) for one in value)
    return None if value is None else bodies.json_value(value)


def _nock_arrivals(value: object) -> Arrivals | None:
    """Where the pieces of a coded response ended, each of which was read at once."""
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and _HEX.match(one) for one in value):
        return None
    return Arrivals(ends=tuple(accumulate(len(one) // 2 for one in value)))


def azure(value: dict[str, Any]) -> Entry:
    """An entry of the Azure SDKs' test proxy: bodies as text, as lines, or as JSON."""
    method, url = value.get("RequestMethod"), value.get("RequestUri")
    if not isinstance(method, str) or not isinstance(url, str):
        raise UnusableError(Unusable.NO_EXCHANGE)
    return Entry(
        method=method.upper(),
        url=url,
        request_headers=headers(value.get("RequestHeaders")),
        request_body=_azure_body(value.get("RequestBody")),
        status=status(value.get("StatusCode")),
        response_headers=headers(value.get("ResponseHeaders")),
        body=_azure_body(value.get("ResponseBody")),
    )


def _azure_body(value: object) -> bytes | None:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return bodies.joined(bodies.text(line) for line in value)
    return _text_or_json(value)


def wiremock(value: dict[str, Any], attached: Attached) -> Entry:
    """A stub of WireMock. It has a path and no host, so its provider is the one that the user names."""
    request, response = value.get("request"), value.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict):
        raise UnusableError(Unusable.NO_EXCHANGE)
    address = next((request[name] for name in _ADDRESSES if isinstance(request.get(name), str)), None)
    if address is None:
        raise UnusableError(Unusable.NO_EXCHANGE)
    return Entry(
        method=str(request.get("method", "POST")).upper(),
        url=address,
        request_headers=(),
        request_body=_wiremock_request(request.get("bodyPatterns")),
        status=status(response.get("status", 200)),
        response_headers=headers(response.get("headers")),
        body=_wiremock_response(response, attached),
    )


def _wiremock_request(patterns: object) -> bytes | None:
    for pattern in patterns if isinstance(patterns, list) else ():
        found = pattern.get("equalToJson", pattern.get("equalTo")) if isinstance(pattern, dict) else None
        if found is not None:
            return _text_or_json(found)
    return None


def _wiremock_response(response: dict[str, Any], attached: Attached) -> bytes | None:
    if isinstance(response.get("base64Body"), str):
        return bodies.base64_text(response["base64Body"])
    if isinstance(response.get("bodyFileName"), str):
        return attached(_FILES + response["bodyFileName"])
    return _text_or_json(response.get("body", response.get("jsonBody")))


def _text_or_json(value: object) -> bytes | None:
    if isinstance(value, str):
        return bodies.text(value)
    return None if value is None else bodies.json_value(value)


def status(value: object) -> int:
    """An HTTP status, as a number or as digits."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) == 3:
        return int(value)
    if isinstance(value, int):
        return value
    raise UnusableError(Unusable.NO_EXCHANGE)


def headers(value: object) -> Headers:
    """Headers as a mapping from name to a value or to values, or as a list in which names and values take turns."""
    if isinstance(value, list) and len(value) % 2 == 0:
        pairs = list(zip(value[::2], value[1::2], strict=True))
    else:
        pairs = list(value.items()) if isinstance(value, dict) else []
    found = []
    for name, told in pairs:
        for text in told if isinstance(told, list) else [told]:
            if isinstance(name, str) and isinstance(text, str | int | float):
                found.append((name, str(text)))
    return tuple(found)


def pieces(text: str) -> bytes | None:
    """The body that Polly keeps as a list of pieces; None for other texts."""
    found = listed(text)
    return None if found is None else bodies.joined(found)


def listed(text: str) -> list[bytes] | None:
    """The pieces that Polly keeps of a body, each in Base64 or as hexadecimal digits; None for other texts."""
    if not text.startswith('["'):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return None
    read = bodies.hexadecimal if all(map(_HEX.match, found)) else bodies.base64_text
    return [read(one) for one in found]
