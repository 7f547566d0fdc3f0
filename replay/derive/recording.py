"""A fixture as the kinds take it: its wire, two calls, and the tools that it declares."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from replay.corpus.loading import load
from replay.errors import ToolreelError
from replay.validator import InvalidFixture, Status, Turn, judge

from . import samples
from .calls import ToolCall, digest, thirds
from .wires import WIRES
from .wires.wire import CannotTellError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.validator import Envelope, Report

    from .calls import Payload
    from .wires.wire import Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A healthy turn with two calls, of which the second one is made where one was recorded.

    `schemas` are the tools as declared; `capture` and `transport` what the source says of itself; `digest` names it.
    """

    profile: str
    wire: Wire = field(repr=False)
    first: ToolCall
    second: ToolCall
    schemas: Mapping[str, Any] = field(repr=False)
    capture: Mapping[str, Any] = field(repr=False)
    transport: Mapping[str, Any] = field(repr=False)
    digest: str
    seed: int = 0
    _rejected: dict[str, dict[str, tuple[Any, str]]] = field(default_factory=dict, repr=False)

    @property
    def values(self) -> dict[str, Any]:
        """The arguments of the first call, decoded."""
        found: dict[str, Any] = json.loads(self.first.text)
        return found

    @property
    def schema(self) -> Any:
        """The schema of the first call's tool."""
        return self.schemas[self.first.name]

    def pieces(self, text: str) -> list[str]:
        """A text in up to three fragments, the first of one character; with a seed, cut elsewhere behind it."""
        if not self.seed or len(text) < 4:
            return thirds(text)
        at = random.Random(f"{self.seed}:{text}").randrange(2, len(text))  # noqa: S311 - a choice of tests, no secret
        return [text[:1], text[1:at], text[at:]]

    def violating(self, call: ToolCall) -> dict[str, tuple[Any, str]]:
        """For each keyword that can reject, arguments that it rejects, and the place; of the tool of this call."""
        if call.name not in self._rejected:
            self._rejected[call.name] = samples.violating(self.schemas[call.name], json.loads(call.text))
        return self._rejected[call.name]

    def turn(self, *calls: Sequence[Payload], after: Sequence[ToolCall]) -> list[Payload]:
        """A message of these payloads of calls."""
        return self.wire.turn(*calls, after=after)

    def told(self, call: ToolCall | None = None) -> list[Payload]:
        """A call, else the first one, in a few fragments."""
        call = call or self.first
        return self.wire.told(call, self.pieces(call.text))


def read(data: bytes, place: str, seed: int = 0) -> Recording:
    """The recording in the bytes of a fixture; `ToolreelError` where it is none that others can be made of."""
    loaded = load(data)
    if isinstance(loaded.envelope, InvalidFixture):
        raise ToolreelError(f"{place} is no fixture; see: toolreel validate {place}")
    report = judge(loaded.envelope)
    if report.status is not Status.PASS:
        raise ToolreelError(
            f"{place} is judged {report.status.value}; name a fixture that passes, with at least one tool call"
        )
    return _recording(loaded.envelope, report, loaded.value, digest(data), place, seed)


def _recording(
    envelope: Envelope, report: Report, value: Mapping[str, Any], digest: str, place: str, seed: int
) -> Recording:
    try:
        wire = WIRES[envelope.profile](envelope.payloads)
    except CannotTellError as error:
        raise ToolreelError(f"{place} has {error}, so its calls cannot be told again") from None
    schemas = dict(envelope.tool_schemas)
    first = _recorded(wire, report, schemas, place)
    found = Recording(
        profile=envelope.profile,
        wire=wire,
        first=first,
        second=_second(wire, report, schemas, first),
        schemas=schemas,
        capture=value.get("capture") or {},
        transport=value.get("transport") or {},
        digest=digest,
        seed=seed,
    )
    calls = (found.first, found.second)
    again = Turn(profile=found.profile, tool_schemas=schemas)
    again.feed_all(wire.finished(found.turn(*map(found.told, calls), after=calls)))
    if again.close().status is not Status.PASS:
        raise ToolreelError(f"{place} has another turn around its calls, so they cannot be told again")
    return found


def _recorded(wire: Wire, report: Report, schemas: Mapping[str, Any], place: str) -> ToolCall:
    """The first recorded call whose arguments are an object; else one of a declared tool that takes one."""
    for call in report.calls:
        name, text = call.name or "", call.arguments.strip()
        if text.startswith("{") and name in schemas and schemas[name] != {"type": "string"}:
            return ToolCall(wire.first, call.id or wire.id_of(1), name, text)
    for name, schema in schemas.items():
        made = samples.satisfying(schema)
        if made is not None:
            return ToolCall(wire.first, wire.id_of(1), name, samples.written(made))
    raise ToolreelError(f"{place} declares no tool whose arguments are an object")


def _second(wire: Wire, report: Report, schemas: Mapping[str, Any], first: ToolCall) -> ToolCall:
    """Another recorded call, else one of another declared tool, else the first one with another id."""
    slot = first.slot + 1
    for call in report.calls:
        name, text = call.name or "", call.arguments.strip()
        if name != first.name and text.startswith("{") and name in schemas:
            return ToolCall(slot, wire.id_of(2), name, text)
    for name, schema in schemas.items():
        made = samples.satisfying(schema) if name != first.name else None
        if made is not None:
            return ToolCall(slot, wire.id_of(2), name, samples.written(made))
    return ToolCall(slot, wire.id_of(2), first.name, first.text)
