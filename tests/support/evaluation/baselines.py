"""Other ways to mask a stream, as they are met in the wild, for the same measurements. Each gives payloads."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from redaction.captured.argument_texts import groups
from redaction.captured.exchange import Exchange
from redaction.captured.payloads import Broken, read_body
from redaction.redactor import MAX_BODY_BYTES
from replay.families import FAMILIES

Payload = Any
MASKED: Final = "[REDACTED]"

# What a line filter looks for: addresses, keys of known shape, long runs of letters and digits.
_SECRETS: Final = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.]+|\b(?:sk|pk|ghp|xoxb|AKIA|AIza)[-_]?[A-Za-z0-9_-]{8,}|\b[A-Za-z0-9_-]{16,}\b"
)
# What the other filters leave: the words by which a client finds its way.
_LEFT: Final = frozenset({"type", "role", "object", "finish_reason", "stop_reason", "name"})


def raw_payloads(exchange: Exchange) -> list[Payload]:
    """The payloads of an exchange as the validator takes them."""
    framings = FAMILIES[exchange.profile].framings
    body = read_body(exchange.body, exchange.content_coding, *framings, limit=MAX_BODY_BYTES)
    return [item.text if isinstance(item, Broken) else item for item in body.payloads]


def by_line(exchange: Exchange) -> list[Payload]:
    """A regular expression over each line of the body."""
    text = exchange.body.decode("utf-8", "replace")
    lines = "\n".join(_SECRETS.sub(MASKED, line) for line in text.split("\n"))
    masked = Exchange(profile=exchange.profile, provider="", body=lines.encode())
    return raw_payloads(masked)


def _leaves(value: Payload, mask: Callable[[str, str], str], key: str = "") -> Payload:
    if isinstance(value, dict):
        return {name: _leaves(inner, mask, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_leaves(inner, mask, key) for inner in value]
    return mask(key, value) if isinstance(value, str) and value else value


def by_fragment(exchange: Exchange) -> list[Payload]:
    """`[REDACTED]` in the place of every text, fragment by fragment."""
    return [
        _leaves(payload, lambda key, value: value if key in _LEFT else MASKED) for payload in raw_payloads(exchange)
    ]


def _assembled(exchange: Exchange, fill: Callable[[str], str], *, split: bool) -> list[Payload]:
    """Arguments joined, their values masked, and sent as one chunk or cut where they were cut."""
    payloads = raw_payloads(exchange)
    masked = [_leaves(payload, lambda key, value: value if key in _LEFT else fill(value)) for payload in payloads]
    for group in groups(exchange.profile, payloads):
        whole = group.text()
        try:
            text = json.dumps(_leaves(json.loads(whole), lambda _, value: fill(value)), ensure_ascii=False)
        except (RecursionError, ValueError):
            text = fill(whole)
        for number, piece in enumerate(group.pieces):
            size = len(piece.text)
            last = number == len(group.pieces) - 1
            part, text = (text if last else text[:size], text[size:]) if split else (text, "")
            _put(masked[piece.event], piece.path, part)
    return masked


def _put(payload: Payload, path: tuple[str | int, ...], text: str) -> None:
    for step in path[:-1]:
        payload = payload[step]
    payload[path[-1]] = text


def on_leaves(exchange: Exchange) -> list[Payload]:
    """`[REDACTED]` on assembled values, sent as one chunk."""
    return _assembled(exchange, lambda _: MASKED, split=False)


def constant_fill(exchange: Exchange) -> list[Payload]:
    """Every value filled with one character, its length kept, cut at the same offsets."""
    return _assembled(exchange, lambda value: "x" * len(value), split=True)


BASELINES: Final[Mapping[str, Callable[[Exchange], list[Payload]]]] = {
    "a regular expression per line": by_line,
    "`[REDACTED]` per fragment": by_fragment,
    "`[REDACTED]` on assembled values": on_leaves,
    "constant fill, re-split": constant_fill,
}
