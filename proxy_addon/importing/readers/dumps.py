"""Streams that a library logged as a list of their payloads, in JSON: LiteLLM, Langfuse, and lines of payloads.

In: parsed values, or lines. Out: the body that a provider would have sent, one event a payload, and the request where
it stands beside them. The list is found by what is in it: payloads of a wire family, wherever they stand. No end marker
is put behind them, for the list does not say that one came.
"""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from proxy_addon.importing import bodies
from proxy_addon.importing.entries import Entry
from replay import families
from replay.wire.sse import SSE

# A dump keeps its payloads near its top.
_DEPTH: Final = 6
# Line ends between the tokens of a payload; no JSON string holds one.
_LINE_ENDS: Final = re.compile(rb"[\r\n]+")
_EVENT_STREAM: Final = (("content-type", SSE.content_type),)


def family(payload: object) -> str | None:
    """The first family that sends such payloads as server-sent events; None where none does."""
    found = families.look_of(payload)
    return next((one for one in found if families.FAMILIES[one].framing is SSE), None)


def events(payloads: Iterator[bytes]) -> Iterator[bytes]:
    """The events of payloads, each the text of a JSON value."""
    for payload in payloads:
        text = _LINE_ENDS.sub(b" ", payload.strip())
        if text:
            yield b"data: " + text + b"\n\n"


def entry(value: object) -> Entry | None:
    """The turn in a dump; None where it holds no list of payloads."""
    listed = next((one for one in _inner(value) if isinstance(one, list) and one and family(one[0])), None)
    if listed is None:
        return None
    texts = (bodies.json_value(payload) for payload in listed)
    return Entry(
        method="POST",
        url="",
        profile=family(listed[0]),
        request_headers=(),
        request_body=_request(value),
        status=200,
        response_headers=_EVENT_STREAM,
        body=bodies.joined(events(texts)),
    )


def _request(value: object) -> bytes | None:
    """The request beside the payloads: the object that has messages or input, with the tools that stand around it."""
    holders = [one for one in _inner(value) if isinstance(one, dict)]
    asked = next((one for one in holders if "tools" in one and ("messages" in one or "input" in one)), None)
    if asked is None:
        asked = next((one for one in holders if "messages" in one), {})
        tools = next((one["tools"] for one in holders if isinstance(one.get("tools"), list)), None)
        asked = {**asked, **({} if tools is None else {"tools": tools})}
    members = {name: member for name, member in asked.items() if not _is_payloads(member)}
    return bodies.json_value(members) if members else None


def _is_payloads(value: object) -> bool:
    return isinstance(value, list) and bool(value) and family(value[0]) is not None


def _inner(value: object) -> Iterator[Any]:
    """A value and those in it, the outer ones first; a text that is JSON is what it says."""
    waiting = deque([(value, 0)])
    while waiting:
        one, depth = waiting.popleft()
        yield one
        if depth < _DEPTH:
            waiting.extend((inner, depth + 1) for inner in _members(one))


def _members(value: object) -> Iterator[object]:
    found = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in found:
        if isinstance(one, str) and one.startswith(("{", "[")):
            try:
                yield json.loads(one)
            except (ValueError, RecursionError):
                continue
        elif isinstance(one, dict | list):
            yield one
