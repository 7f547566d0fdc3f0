"""A kind of a recording as a fixture: told, judged by the rules, redacted, and judged once more.

The turn goes through redaction like any that was recorded, so what comes out is data only, and its verdict is proved to
be that of the turn. `capture.derived` says of which kind it is and of which recording, so nobody takes it for one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from redaction.captured.exchange import Contract, Ending, Exchange, Fixture, Mode, Refused, Uncalled
from redaction.fixture import of_parts
from redaction.redactor import redact
from replay.body.stream import body
from replay.corpus.loading import load
from replay.derived import UNDONE
from replay.families import FAMILIES, array
from replay.validator import Envelope, Report, judge

from .calls import ARGUMENT_TEXTS
from .kinds.kind import NotInThisError
from .samples import exact
from .seconds import with_second
from .twins import TWINS
from .twins import twin as told_as

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.corpus.loading import Loaded
    from replay.wire.framing import Framing

    from .kinds.kind import Kind, Made
    from .recording import Recording

# What of a recording's transport is so for any turn; the rest counts its own events.
_KEPT: Final = ("status", "content_type", "framing", "line_ends", "done")
# What of a recording's capture is said of any turn of that request; the client that asked did not ask for this one.
_OF_THE_REQUEST: Final = ("provider", "model", "api", "mode", "tool_choice")

# What the recording says of its tools was shown, or masked, when it was recorded.
_AS_RECORDED: Final = Contract(uncalled=Uncalled.AS_CALLED)


class KindError(Exception):
    """A kind whose verdict is another than the rules say: a bug of ours. The text names the kind and the codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A fixture of a kind, and the report on it."""

    kind: str
    data: bytes = field(repr=False)
    report: Report = field(repr=False)


def derived(one: Recording, kind: Kind, beside: str = "") -> Derived:
    """The fixture of this kind; told as the twin `beside`, or with the fault of that name as well.

    `NotInThisError` where the recording cannot have it, `KindError` where we err.
    """
    made = _made(one, kind, beside)
    name = f"{kind.name}+{beside}" if beside else kind.name
    told = _told(one, made)
    _same(one, name, made, _report(told), places=_all_of)
    data = _proved(one, name, made, told)
    report = _report(load(data))
    _same(one, name, made, report, places=_but_the_path)
    return Derived(kind=name, data=data, report=report)


def _made(one: Recording, kind: Kind, beside: str) -> Made:
    if not beside:
        return kind.make(one)
    if beside not in TWINS:
        return with_second(one, kind, beside)
    again = told_as(one, kind.make(one), beside)
    if again is None:
        raise NotInThisError(f"{beside} would change nothing in it")
    return again


def judged(one: Recording, made: Made) -> Report:
    """The verdict on a turn as it was told, before redaction."""
    return _report(_told(one, made))


def _told(one: Recording, made: Made) -> Loaded:
    return load(json.dumps(fixture_value(one, made), default=exact).encode())


def _report(told: Loaded) -> Report:
    assert isinstance(told.envelope, Envelope), "what is told is a fixture"
    return judge(told.envelope)


def fixture_of(one: Recording, name: str, made: Made) -> bytes:
    """The turn as a fixture that is data only; `KindError` where redaction refuses it."""
    return _proved(one, name, made, _told(one, made))


def _proved(one: Recording, name: str, made: Made, told: Loaded) -> bytes:
    fixture = _redacted(one, name, made, told)
    value = json.loads(fixture.data)
    if name.partition("+")[0] in UNDONE:
        member = array(one.profile)
        raw: Any = told.value[member]
        value[member] = [_with_texts(*pair) for pair in zip(raw, value[member], strict=True)]
    return of_parts(value, capture=_capture(one, name, made, value["capture"]))


def _with_texts(raw: Any, masked: Any) -> Any:
    """The masked payload with the argument texts of the raw one, which say nothing but the kind and placeholders.

    Members keep their order when they are masked, and their names may not; what was emptied stays so.
    """
    if isinstance(masked, dict) and isinstance(raw, dict) and len(masked) == len(raw):
        pairs = zip(raw.items(), masked.items(), strict=True)
        return {
            name: inner if key in ARGUMENT_TEXTS and isinstance(inner, str) else _with_texts(inner, value)
            for (key, inner), (name, value) in pairs
        }
    if isinstance(masked, list) and isinstance(raw, list) and len(masked) == len(raw):
        return [_with_texts(*pair) for pair in zip(raw, masked, strict=True)]
    return masked


def fixture_value(one: Recording, made: Made) -> dict[str, Any]:
    """The turn as a fixture that is not redacted, for whoever only looks at it: a JSON value."""
    transport = {name: one.transport[name] for name in _KEPT if name in one.transport}
    if FAMILIES[one.profile].named and one.transport.get("event_names"):
        transport["event_names"] = "type"
    if made.comments:
        transport["comments"] = [[event, 1] for event in made.comments]
    told: dict[str, object] = {"stream_end": made.stream_end, "tool_choice": made.tool_choice}
    told |= {"parallel_tool_calls": made.parallel}
    return {
        "profile": one.profile,
        "tool_schemas": dict(made.schemas or one.schemas),
        "capture": {name: said for name, said in told.items() if said is not None},
        "transport": transport,
        array(one.profile): one.wire.finished(made.payloads) if made.numbered else made.payloads,
    }


def _redacted(one: Recording, name: str, made: Made, told: Loaded) -> Fixture:
    asked = body(told)
    found = redact(
        Exchange(
            profile=_asked_in(one.profile, asked.framing),
            provider=str(one.capture.get("provider", FAMILIES[one.profile].provider)),
            content_type=asked.framing.content_type,
            body=asked.data,
            ending=Ending.UPSTREAM if made.stream_end else Ending.WHOLE,
            mode=Mode.IMPORT,
            request_body=b"{}",  # what a response repeats of its request is masked, and says nothing
            schemas=made.schemas or one.schemas,
        ),
        contract=_AS_RECORDED,
    )
    if isinstance(found, Refused):
        raise KindError(f"{name} of {one.profile}: redaction refuses it: {found.reason.value}")
    return found.fixture


def _asked_in(profile: str, framing: Framing) -> str:
    """The family of the API that answered: where payloads came in a carrier, that whose framing it is."""
    if framing in FAMILIES[profile].framings:
        return profile
    return next(name for name, family in FAMILIES.items() if framing in family.framings)


def _capture(one: Recording, name: str, made: Made, proved: Mapping[str, Any]) -> dict[str, object]:
    """What the fixture says of itself: of the request what the recording said, of redaction what was proved."""
    told: dict[str, object] = {**proved, **{key: one.capture[key] for key in _OF_THE_REQUEST if key in one.capture}}
    if made.tool_choice is not None:
        told["tool_choice"] = made.tool_choice
    if made.parallel is not None:
        told["parallel_tool_calls"] = made.parallel
    order = [*_OF_THE_REQUEST, "parallel_tool_calls", *proved]
    told = {key: told[key] for key in dict.fromkeys(order) if key in told}
    return {**told, "derived": {"kind": name, "source": one.digest}}


def _all_of(found: Any) -> tuple[object, ...]:
    return (found.code, found.choice, found.slot, found.event, found.path)


def _but_the_path(found: Any) -> tuple[object, ...]:
    """The place in the turn: the names in a path are masked."""
    return (found.code, found.choice, found.slot, found.event)


def _same(one: Recording, name: str, made: Made, report: Report, *, places: Any) -> None:
    wanted = {places(finding) for finding in made.expected}
    found = {places(finding) for finding in report.findings}
    if report.status is not made.verdict or wanted != found:
        codes = ", ".join(sorted({finding.code.value for finding in report.findings})) or report.status.value
        expected = ", ".join(sorted({finding.code.value for finding in made.expected})) or made.verdict.value
        raise KindError(f"{name} of {one.profile}: the verdict is {codes}, by the rules {expected}")
