"""Exchanges that hold a canary in every place where user data is known to hide, for each profile.

A place is named by what it is; its canary is found again by that name. Numbers have canaries of digits. Where data
hides in the requests and payloads of a family says its sample in `tests/data/hiding`, which `planter.py` fills.
A sample is written after the rules (their tables of positions, items and events), not after what redaction knows.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from support.families import FAMILIES
from support.planted.canaries import PIECE
from support.planted.planter import PLAIN, Filled, Material, Planter, digits
from support.recorded import event_messages
from support.recorded.exchanges import content_type
from support.shared import ROOT

from redaction.captured.exchange import Exchange

__all__ = ["Hidden", "Material", "betrayed", "digits", "hidden"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """An exchange, and every canary in it by the name of its place."""

    exchange: Exchange
    canaries: dict[str, str]


def betrayed(views: Iterable[bytes], canaries: Mapping[str, str]) -> list[str]:
    """The places of which eight characters of the canary stand in any of the views."""
    owners = {
        secret[at : at + PIECE]: place for place, secret in canaries.items() for at in range(len(secret) - PIECE + 1)
    }
    texts = dict.fromkeys(view.decode("utf-8", "replace") for view in views)
    hits = {owners.get(text[at : at + PIECE]) for text in texts for at in range(len(text) - PIECE + 1)}
    return [place for place in canaries if place in hits]


def _sample(name: str) -> dict[str, Any]:
    found = json.loads((ROOT / "tests" / "data" / "hiding" / f"{name}.json").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def _planted(profile: str, plant: Planter) -> tuple[object, list[object]]:
    """The request of the sample of a profile, and its payloads: first those that have numbers in a sequence."""
    sample = _sample(FAMILIES[profile].sample)
    filled = Filled(plant, {**_sample("every-family"), **sample.get("parts", {})})
    numbered, others = (filled.value(sample.get(name, []), {}) for name in ("numbered", "payloads"))
    numbers = count()
    for payload in numbered:
        if isinstance(payload, dict) and "sequence_number" not in payload:
            payload["sequence_number"] = next(numbers)
    return filled.value(sample["request"], {}), [*numbered, *others]


def _event_stream(plant: Planter, payloads: list[object], broken: Iterable[bytes]) -> bytes:
    """The payloads as server-sent events, with canaries in their lines and half an event behind them."""
    lines = [f": {plant.line('comment')}\n", f"event: {plant.line('event name')}\n", f"id: {plant.line('event id')}\n"]
    lines += [f"retry: {plant.number('retry')}\n", f"{plant.line('field name')}: {plant.line('field value')}\n"]
    lines += [f"data: {json.dumps(payload)}\n\n" for payload in payloads]
    body = "".join(lines).encode() + b"".join(b"data: %b\n\n" % text for text in broken)
    return body + f"data: {plant.line('half event')}".encode()


def _messages(plant: Planter, payloads: list[object], broken: Iterable[bytes]) -> bytes:
    """The payloads as messages of an AWS event stream, canaries in headers, beside what is carried, in errors."""
    header = {"x-note": plant.line("header of a message")}
    found = event_messages.event("messageStart", b'{"role":"assistant"}', **header)
    found += event_messages.event_body(payloads)
    found += b"".join(event_messages.carried(text, p=plant.line("padding beside a carrier")) for text in broken)
    failed = {
        ":error-code": plant.line("error code of a message"),
        ":error-message": plant.line("its message"),
    }
    found += event_messages.message({":message-type": "error", **failed}, b"")
    kind = {":exception-type": plant.line("exception of a message"), ":message-type": "exception"}
    found += event_messages.message(kind, json.dumps({"message": plant.line("message of an exception")}).encode())
    return found + event_messages.event("metadata", plant.line("half message").encode())[:-3]


def _lines(plant: Planter, payloads: list[object], broken: Iterable[bytes]) -> bytes:
    """The payloads as lines, and half a line behind them."""
    texts = [*(json.dumps(payload).encode() for payload in payloads), *broken]
    return b"".join(text + b"\n" for text in texts) + b'{"%b' % plant.line("half line").encode()


_BODIES: Final[Mapping[str, Callable[[Planter, list[object], Iterable[bytes]], bytes]]] = {
    "text/event-stream": _event_stream,
    "application/vnd.amazon.eventstream": _messages,
    "application/x-ndjson": _lines,
}


def _broken(plant: Planter) -> list[bytes]:
    """Texts that are no payloads, one of each kind."""
    broken = {
        "prose": plant.line("prose payload"),
        "cut": f'{{"a": "{plant.line("cut payload")}',
        "two": f'{{}} {{"a": "{plant.line("second document")}"}}',
        "trailing": f"{{}} {plant.line('trailing payload')}",
        "twice": f'{{"{plant.line("repeated key")}": 1, "{plant.line("repeated key")}": 2}}',
        "bare": json.dumps(plant("bare string payload")),
        "surrogate": f'{{"a": "{plant.line("surrogate payload")}\\ud800"}}',
        "nan": f'{{"{plant.line("key beside NaN")}": NaN}}',
    }
    bad = b'{"a": "%b\xff"}' % plant.line("payload of bad bytes").encode()
    return [*(text.encode() for text in broken.values()), bad]


def hidden(profile: str, material: Material = PLAIN) -> Hidden:
    """The exchange of one profile."""
    plant = Planter(profile, material)
    request, payloads = _planted(profile, plant)
    sent = content_type(profile)
    return Hidden(
        exchange=Exchange(
            profile=profile,
            provider=profile,
            request_body=json.dumps(request).encode(),
            user_agent=f"agent {plant.line('user agent')}",
            content_type=f"{sent}; boundary={plant.line('content type')}",
            body=_BODIES[sent](plant, payloads, _broken(plant)),
            secrets=(plant.line("header"), f"key={plant.line('query')}"),
        ),
        canaries=plant.canaries,
    )
