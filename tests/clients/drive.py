"""Drives the official clients over a list of streamed calls; runs in the clients' own environment.

Standard input: one call as JSON a line, with the members of `support.processes.clients.Call`.
Standard output: one result as JSON a line, in no promised order: what the client received, byte for byte and event for
event. Each call goes through the client's typed method (its helper for streams, where `helper` says so) and the
client's own stream parser; beneath it the transport
puts the recorded request body and path in place, because a typed method cannot say everything that was recorded, and
notes the response bytes as they arrive. Imports the clients and the HTTP library they share; nothing of this project.
"""

import hashlib
import inspect
import json
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import httpx2
import mistralai.client
import openai

# A call, or its result, as it stands in a line of JSON.
Call = dict[str, Any]

# How many calls are under way at once: enough that streams overlap in the proxy.
PARALLEL = 4
TIMEOUT = 60.0


class Noting(httpx2.SyncByteStream):
    """A response body that notes what passes. A client that stops at `[DONE]` leaves a rest, which `drain` fetches."""

    def __init__(self, inner: httpx2.SyncByteStream, *, drain: bool) -> None:
        self.inner = inner
        self.drain = drain
        self.pieces: list[bytes] = []
        self.source = self._noted()

    def _noted(self) -> Iterator[bytes]:
        for piece in self.inner:
            self.pieces.append(piece)
            yield piece

    def __iter__(self) -> Iterator[bytes]:
        yield from self.source

    def close(self) -> None:
        if self.drain:
            for _ in self.source:
                pass
        self.inner.close()


class Wire(httpx2.BaseTransport):
    """Sends what was recorded, to where it is served, and notes what comes back."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.inner = httpx2.HTTPTransport()
        self.body: Noting | None = None
        self.status = 0
        self.head: list[tuple[str, str]] = []
        self.typed = True

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        content = request.read()
        recorded = self.call["request"]
        if recorded is not None:
            self.typed = json.loads(content) == json.loads(recorded)
            content = recorded.encode()
        replaced = OWN_HEADERS | {name.encode() for name in self.call["headers"]}
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in replaced]
        headers += [(name.encode(), value.encode()) for name, value in self.call["headers"].items()]
        sent = httpx2.Request(
            request.method,
            self.call["url"] + self.call["path"],
            headers=headers,
            content=content,
            extensions=request.extensions,
        )
        response = self.inner.handle_request(sent)
        self.status = response.status_code
        self.head = [(name.lower(), value) for name, value in response.headers.multi_items()]
        self.body = Noting(response.stream, drain=self.call["drain"])
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=self.body, extensions=response.extensions
        )


# These follow from the target and the body, which are ours here.
OWN_HEADERS = {b"host", b"content-length"}

FALLBACK = {"messages": [{"role": "user", "content": "Hello"}]}
FALLBACKS = {"openai.responses": {"input": "Hello"}}  # by API, where it is another


def split(method: Callable[..., object], request: Call) -> tuple[Call, Call]:
    """The recorded members that `method` has parameters for, and the others."""
    known = inspect.signature(method).parameters
    return (
        {name: value for name, value in request.items() if name in known},
        {name: value for name, value in request.items() if name not in known},
    )


def openai_client(call: Call, client: httpx2.Client) -> openai.OpenAI:
    return openai.OpenAI(api_key="x", base_url=call["url"], http_client=client, max_retries=0)


def openai_events(call: Call, client: httpx2.Client, request: Call) -> Iterable[object]:
    create = openai_client(call, client).chat.completions.create
    known, rest = split(create, request)
    return create(**known, stream=True, extra_body=rest)


def response_events(call: Call, client: httpx2.Client, request: Call) -> Iterable[object]:
    create = openai_client(call, client).responses.create
    known, rest = split(create, request)
    return create(**known, stream=True, extra_body=rest)


def response_helper_events(call: Call, client: httpx2.Client, request: Call) -> Iterable[object]:
    stream = openai_client(call, client).responses.stream
    known, rest = split(stream, request)
    with stream(**known, extra_body=rest) as events:
        yield from events


def anthropic_events(call: Call, client: httpx2.Client, request: Call) -> Iterable[object]:
    sdk = anthropic.Anthropic(api_key="x", base_url=call["url"], http_client=client, max_retries=0)
    create = (sdk.beta.messages if "beta=true" in call["path"] else sdk.messages).create
    known, rest = split(create, {"max_tokens": 1024, **request})
    return create(**known, stream=True, extra_body=rest)


def mistral_events(call: Call, client: httpx2.Client, request: Call) -> Iterable[object]:
    stream = mistralai.client.Mistral(api_key="x", server_url=call["url"], client=client).chat.stream
    known, _ = split(stream, request)
    try:
        return stream(**known)
    except ValueError:  # its models refuse some recorded requests; the transport sends the recorded one all the same
        return stream(model=call["model"], **FALLBACK)


EVENTS = {
    "openai.chat": openai_events,
    "anthropic.messages": anthropic_events,
    "mistral.chat": mistral_events,
    "openai.responses": response_events,
}
HELPERS = {"openai.responses": response_helper_events}


def drive(call: Call) -> Call:
    """Make one call, read it to the end of what the client reads, and say what came."""
    wire = Wire(call)
    fallback = FALLBACKS.get(call["api"], FALLBACK)
    request = {"model": call["model"], **fallback, **json.loads(call["request"] or "{}")}
    events = (HELPERS if call["helper"] else EVENTS)[call["api"]]
    request.pop("stream", None)
    digest = hashlib.sha256()
    count = 0
    error = None
    try:
        with httpx2.Client(transport=wire, timeout=TIMEOUT, trust_env=False) as client:
            for event in events(call, client, request):
                digest.update(json.dumps(event.model_dump(mode="json"), sort_keys=True).encode() + b"\n")
                count += 1
    except Exception as failure:  # what a client makes of a bad stream is part of the result
        error = type(failure).__name__
    body = b"".join(wire.body.pieces) if wire.body else b""
    return {
        "name": call["name"],
        "status": wire.status,
        "head": wire.head,
        "bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
        "events": count,
        "events_sha256": digest.hexdigest(),
        "error": error,
        "typed": wire.typed,
    }


def main() -> None:
    warnings.simplefilter("ignore")
    calls = [json.loads(line) for line in sys.stdin if line.strip()]
    lock = threading.Lock()

    def one(call: Call) -> None:
        line = json.dumps(drive(call))
        with lock:
            print(line, flush=True)

    with ThreadPoolExecutor(PARALLEL) as pool:
        for finished in [pool.submit(one, call) for call in calls]:
            finished.result()


if __name__ == "__main__":
    main()
