"""The exchange of a finished capture, as redaction takes it. Pure functions, for the writer's thread.

What a request or response says beside its body (values of headers, the query) becomes `secrets`: raw values that the
gate looks for in the finished file. There is no list of harmful headers. All values count, but for those of a few
headers that the fixture states itself.
"""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final
from urllib.parse import unquote, unquote_plus

from proxy_addon.writing.finished import Finished, Head, Headers
from proxy_addon.writing.outcomes.settled import Dropped, Passed
from proxy_addon.writing.redacting.decoders import decoder
from redaction.captured.exchange import Arrivals, Exchange
from replay.families import asks_by_query, asks_for_stream, model_in, names_no_stream, starts
from replay.wire.coding import CodingError, Undecodable

# A request carries a conversation with its media; past this it is not worth reading for its tools.
MAX_REQUEST_BYTES: Final = 64 * 1024 * 1024

# Headers whose value the fixture states, or from which it names the SDK: not secret by themselves.
STATED_REQUEST_HEADERS: Final = frozenset({"content-type", "content-encoding", "user-agent"})
STATED_RESPONSE_HEADERS: Final = frozenset({"content-type", "content-encoding", "transfer-encoding"})

# Enough of a body to see how it starts.
_HEAD_BYTES: Final = 4096
_MAX_HEAD_DECODED: Final = 16 * 1024 * 1024


def exchange(finished: Finished, *, schemas: Mapping[str, object]) -> Exchange | Dropped:
    """The exchange of a finished capture, or why it is dropped. `schemas` are the tools that the user added.

    Without its request a turn has no declared tools, and the gate has nothing to look for. So a turn whose request
    cannot be read is dropped.
    """
    head = finished.head
    request = _decoded(head.request_body, head.request_header("content-encoding"))
    if isinstance(request, Dropped):
        return request
    return Exchange(
        profile=head.turn.profile,
        provider=head.upstream,
        request_body=request,
        user_agent=head.request_header("user-agent"),
        status=head.status,
        content_type=head.response_header("content-type"),
        content_coding=head.response_header("content-encoding"),
        body=b"".join(finished.pieces),
        ending=finished.ending,
        mode=head.mode,
        allow=head.turn.allow,
        schemas=schemas,
        secrets=secrets(head),
        model=model_in(head.turn.profile, head.path),
        sampled=head.sampled,
        arrivals=Arrivals(ends=tuple(accumulate(map(len, finished.pieces))), times=finished.times),
    )


def streamed(finished: Finished, *, schemas: Mapping[str, object]) -> Exchange | Dropped | Passed:
    """The exchange of a finished capture that is a stream, as was thought when its response started; else why not."""
    found = exchange(finished, schemas=schemas)
    if isinstance(found, Dropped) or is_stream(found, f"{finished.head.path}?{finished.head.query}"):
        return found
    return Passed.NOT_A_STREAM


def is_stream(found: Exchange, target: str) -> bool:
    """Whether this is a streamed turn after all; `target` is the path of its request, with the query.

    A response that names another content type was never captured; some real providers name none on their streams,
    or one that says nothing. Then the request must have asked for a stream, and the body must start like one.
    """
    if not names_no_stream(found.content_type):
        return True
    if not _asks_for_stream(found, target):
        return False
    try:
        start = decoder(found.content_coding, limit=_MAX_HEAD_DECODED).feed(found.body[:_HEAD_BYTES])
    except CodingError:
        return True  # redaction refuses the coding, and says why
    return not start or starts(found.profile, start)


def _asks_for_stream(found: Exchange, target: str) -> bool:
    path, _, query = target.partition("?")
    if not found.request_body:
        return asks_by_query(query) or asks_for_stream(found.profile, path, None)
    try:
        asked = json.loads(found.request_body)
    except (ValueError, RecursionError):
        asked = None
    return asks_for_stream(found.profile, path, asked)


def secrets(head: Head) -> tuple[str, ...]:
    """Every raw value beside the bodies, in order of appearance, each once."""
    found = [
        *_values(head.request_headers, STATED_REQUEST_HEADERS),
        *_values(head.response_headers, STATED_RESPONSE_HEADERS),
        *_query_values(head.query),
        *_path_values(head.path),
    ]
    return tuple(dict.fromkeys(value for value in found if value))


def _values(headers: Headers, stated: frozenset[str]) -> Iterator[str]:
    """Each value as it stands, and the parts of it that could stand elsewhere on their own."""
    for name, value in headers:
        if name.lower() in stated:
            continue
        yield value
        scheme, space, rest = value.partition(" ")
        if space and name.lower() in ("authorization", "proxy-authorization"):
            yield rest.strip()
            if scheme.lower() == "basic":
                yield from _user_and_password(rest)
        elif name.lower() in ("cookie", "set-cookie"):
            yield from (part.partition("=")[2].strip() for part in value.split(";"))


def _user_and_password(credentials: str) -> Iterator[str]:
    try:
        pair = base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return
    yield from pair.split(":", 1)


def _path_values(path: str) -> Iterator[str]:
    """Each segment of a path, as it stands and decoded, and its parts: a project, an account in the name of a model."""
    for segment in path.split("/"):
        text = unquote(segment, errors="replace")
        yield from (segment, text, *text.replace("/", ":").split(":"))


def _query_values(query: str) -> Iterator[str]:
    for pair in query.split("&"):
        value = pair.partition("=")[2] or pair
        yield value
        yield unquote_plus(value, errors="replace")


def _decoded(body: bytes, coding: str | None) -> bytes | Dropped:
    """The request body without its content coding; a reason to drop it where that cannot be undone within the bound."""
    try:
        undo = decoder(coding, limit=MAX_REQUEST_BYTES)
        text = undo.feed(body)
        undo.close()
    except CodingError as error:
        return Dropped.REQUEST_LIMIT if error.why is Undecodable.OVER_LIMIT else Dropped.REQUEST_CODING
    return text
