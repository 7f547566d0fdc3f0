"""A capture, read and judged: the first step of redaction, and all that the later steps may look at.

In: an exchange, which is bytes and headers. Out: a `Captured`, which has its payloads, what its request declares and
the verdict on the raw turn; or the refusal of what cannot be read. Everything here is raw and stays in memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from redaction.captured.exchange import Ending, Exchange, Reason, Refused
from redaction.captured.facts import stream_end
from redaction.captured.payloads import Body, Broken, UndoCoding, read_body
from redaction.captured.request import Request, read_request
from redaction.captured.threads import Threads
from redaction.families import FAMILIES
from replay import families as wire
from replay.families import array
from replay.validator import Allowance, Code, Envelope, InvalidFixture, Report, envelope_from, judge
from replay.validator.limits import DEFAULT_LIMITS
from replay.wire.coding import decoder


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """An exchange with what was read from it: what the masks work on, and what the proof looks for.

    `schemas` are those of all tools, by name. `stream_end` is a word of `capture.stream_end`. `reports` are the raw
    verdicts, as `verdicts` gives them for the allowances in `accept`. `threads` has the argument texts.
    """

    exchange: Exchange
    body: Body = field(repr=False)
    request: Request = field(repr=False)
    schemas: Mapping[str, object] = field(repr=False)
    stream_end: str
    accept: tuple[Allowance, ...]
    reports: Sequence[Report] = field(repr=False)
    threads: Threads = field(repr=False)

    @property
    def over_a_limit(self) -> bool:
        """Whether the rules end this turn at one of their limits, and at an event that says which."""
        return any(
            finding.code is Code.LIMIT_EXCEEDED and finding.event is not None for finding in self.reports[0].findings
        )


def capture(exchange: Exchange, *, limit: int, undo: UndoCoding) -> Captured | Refused:
    """The exchange, read and judged; refused where it cannot be read, or where reading it passes a limit."""
    found = understood(exchange, limit=limit, undo=undo)
    if isinstance(found, Refused):
        return found
    exchange, body = found
    request = read_request(exchange.profile, exchange.request_body, body.payloads)
    schemas = {**exchange.schemas, **request.tool_schemas}
    end = stream_end(exchange.profile, body, exchange.ending)
    envelope = _envelope(exchange, body, request, schemas=schemas, stream_end=end)
    if isinstance(envelope, InvalidFixture):
        return Refused(reason=Reason.REQUEST)
    accept = tuple(Allowance(name) for name in exchange.allow)
    reports = verdicts(envelope, accept)
    if len(envelope.payloads) > DEFAULT_LIMITS.max_events:
        return Refused(reason=Reason.EVENT_LIMIT)
    return Captured(
        exchange=exchange,
        body=body,
        request=request,
        schemas=schemas,
        stream_end=end,
        accept=accept,
        reports=reports,
        threads=Threads(exchange.profile, body.payloads),
    )


def understood(exchange: Exchange, *, limit: int, undo: UndoCoding = decoder) -> tuple[Exchange, Body] | Refused:
    """The exchange in the wire family that its payloads are of, and its body; a refusal where they are of none."""
    if exchange.profile not in FAMILIES:
        return Refused(reason=Reason.PROFILE)
    framings = wire.FAMILIES[exchange.profile].framings
    body = read_body(exchange.body, exchange.content_coding, *framings, limit=limit, undo=undo)
    if isinstance(body, Refused):
        return body
    if _is_of_another_framing(exchange.profile, body):
        return Refused(reason=Reason.FRAMING)
    if not body.payloads and exchange.ending is not Ending.CLIENT:
        return Refused(reason=Reason.NO_EVENTS)  # a client may leave before the first event; nobody else leaves nothing
    if body.framing.form(body.frames) not in wire.CARRIERS:
        return exchange, body
    profile = wire.carried_family(body.payloads)
    if profile is None:
        return Refused(reason=Reason.CARRIED)
    return replace(exchange, profile=profile, allow=wire.effective(profile, exchange.allow)), body


def _is_of_another_framing(profile: str, body: Body) -> bool:
    """Whether the body starts as one of a framing that is none of its family's, and nothing in it can be read."""
    readable = any(not isinstance(payload, Broken) for payload in body.payloads)
    own = wire.FAMILIES[profile].framings
    others = [framing for framing in wire.FRAMINGS if framing not in own]
    return (
        not readable
        and not any(body.start.startswith(framing.starts) for framing in own)
        and any(body.start.startswith(framing.starts) for framing in others)
    )


def verdicts(envelope: Envelope, accept: tuple[Allowance, ...]) -> list[Report]:
    """The verdict with no allowance accepted; and, where the gateway has allowances, the one with all of them."""
    return [judge(envelope)] + ([judge(envelope, accept=accept)] if accept else [])


def _envelope(
    exchange: Exchange, body: Body, request: Request, *, schemas: Mapping[str, object], stream_end: str
) -> Envelope | InvalidFixture:
    """The raw turn as the validator takes it; it is never written anywhere."""
    facts: dict[str, object] = {"stream_end": stream_end}
    if request.tool_choice is not None:
        facts["tool_choice"] = request.tool_choice
    if request.parallel is not None:
        facts["parallel_tool_calls"] = request.parallel
    return envelope_from(
        {
            "profile": exchange.profile,
            "tool_schemas": dict(schemas),
            "allow": list(exchange.allow),
            "capture": facts,
            array(exchange.profile): [item.text if isinstance(item, Broken) else item for item in body.payloads],
        }
    )
