"""Recorded exchanges packed as other tools would have written them down, for tests of the import."""

import base64
import gzip
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import IO, Any, Final

from support.readings.streams import Stream

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One exchange as it was on the wire."""

    url: str
    request: bytes
    request_headers: Headers
    response_headers: Headers
    body: bytes
    method: str = "POST"
    status: int = 200


def exchange(stream: Stream) -> Exchange:
    """The exchange of a recorded stream, with the headers that any client and provider send."""
    content_type = stream.meta["content_type"]
    return Exchange(
        url=f"https://{stream.meta['host']}{stream.meta['path']}",
        request=(stream.request or "").encode(),
        request_headers=(("Authorization", "Bearer sk-test-0123456789"), ("Content-Type", "application/json")),
        response_headers=(("content-type", content_type),) if content_type else (),
        body=stream.body,
    )


def zipped(plain: Exchange) -> Exchange:
    """The same as a provider sends it to a client that takes gzip."""
    headers = (*plain.response_headers, ("content-encoding", "gzip"))
    return replace(plain, response_headers=headers, body=gzip.compress(plain.body, mtime=0))


def har(exchanges: Iterable[Exchange], **top: Any) -> bytes:
    """As a browser exports it: bodies decoded, headers as they came, Base64 where a body is no UTF-8."""
    return json.dumps({"log": {"version": "1.2", "entries": [_har_entry(one) for one in exchanges], **top}}).encode()


def _har_entry(one: Exchange) -> dict[str, Any]:
    body = _decoded(one)
    try:
        content = {"text": body.decode()}
    except UnicodeDecodeError:
        content = {"text": base64.b64encode(body).decode(), "encoding": "base64"}
    return {
        "_initiator": {"type": "script"},
        "request": {
            "method": one.method,
            "url": one.url,
            "headers": [{"name": ":path", "value": "/"}, *_listed(one.request_headers)],
            "postData": {"mimeType": "application/json", "text": one.request.decode()},
        },
        "response": {
            "status": one.status,
            "headers": _listed(one.response_headers),
            "content": {"size": len(body), **content},
        },
    }


def _decoded(one: Exchange) -> bytes:
    return gzip.decompress(one.body) if ("content-encoding", "gzip") in one.response_headers else one.body


def _listed(headers: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _grouped(headers: Headers) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name, []).append(value)
    return found


def _interaction(one: Exchange, body: object) -> dict[str, Any]:
    return {
        "request": {
            "body": one.request.decode(),
            "headers": _grouped(one.request_headers),
            "method": one.method,
            "uri": one.url,
        },
        "response": {
            "body": {"string": body},
            "headers": _grouped(one.response_headers),
            "status": {"code": one.status, "message": "OK"},
        },
    }


def _json_interaction(one: Exchange) -> dict[str, Any]:
    """As vcrpy writes it with urllib3; a body that is no UTF-8, which it cannot write, in Base64 as betamax does."""
    body = _decoded(one)
    try:
        return _interaction(one, body.decode())
    except UnicodeDecodeError:
        found = _interaction(one, None)
        found["response"]["body"] = {"encoding": None, "base64_string": base64.b64encode(one.body).decode()}
        return found


def _text_or_bytes(body: bytes) -> str | bytes:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body


def vcrpy_yaml(exchanges: Iterable[Exchange], **top: Any) -> bytes:
    """As vcrpy dumps it: bodies as they came, binary where they are no UTF-8."""
    import yaml

    found = [_interaction(one, _text_or_bytes(one.body)) for one in exchanges]
    return str(yaml.dump({"interactions": found, "version": 1, **top})).encode()


def vcrpy_json(exchanges: Iterable[Exchange], **top: Any) -> bytes:
    """As vcrpy dumps it with urllib3: the text of a body beside the header of its coding."""
    found = [_json_interaction(one) for one in exchanges]
    return (json.dumps({"version": 1, "interactions": found, **top}, indent=4) + "\n").encode()


def flows(exchanges: Iterable[Exchange]) -> bytes:
    """As mitmproxy saves it."""
    file = io.BytesIO()
    for one in exchanges:
        written(flow(one), file)
    return file.getvalue()


def written(one: Any, file: IO[bytes]) -> None:
    """Append a flow to a file of flows."""
    from mitmproxy.io import FlowWriter

    FlowWriter(file).add(one)


def flow(one: Exchange) -> Any:
    """The exchange as mitmproxy holds it."""
    from mitmproxy import http
    from mitmproxy.test import tflow

    found = tflow.tflow(resp=True)
    found.request = http.Request.make(one.method, one.url, one.request, dict(one.request_headers))
    found.response = http.Response.make(one.status, b"", {})
    found.response.headers = http.Headers([(name.encode(), value.encode()) for name, value in one.response_headers])
    found.response.raw_content = one.body
    return found


# Every way to pack, with the name of the file. All but flows work where mitmproxy is absent.
PACKS: Final[Mapping[str, Callable[[Iterable[Exchange]], bytes]]] = {
    "traffic.har": har,
    "cassette.yaml": vcrpy_yaml,
    "cassette.json": vcrpy_json,
    "traffic.flows": flows,
}


def zstd(text: bytes) -> bytes:
    """As zstd, with whichever library there is."""
    try:
        from backports.zstd import compress
    except ImportError:
        from zstandard import compress
    return bytes(compress(text))
