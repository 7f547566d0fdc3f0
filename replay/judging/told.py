"""What a fixture says of where it came from: provider, model, client. No part of any verdict."""

from __future__ import annotations

from dataclasses import dataclass

import orjson


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The members of `capture` that a table of results has; None where the fixture does not say it."""

    provider: str | None = None
    model: str | None = None
    adapter: str | None = None
    adapter_version: str | None = None


def told(data: bytes) -> Told:
    """What the bytes of a fixture say; nothing where they are none."""
    try:
        value = orjson.loads(data)
    except ValueError:
        return Told()
    capture = value.get("capture") if isinstance(value, dict) else None
    if not isinstance(capture, dict):
        return Told()
    adapter = capture.get("adapter")
    client = adapter if isinstance(adapter, dict) else {}
    return Told(
        provider=_text(capture.get("provider")),
        model=_text(capture.get("model")),
        adapter=_text(client.get("name")),
        adapter_version=_text(client.get("version")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
