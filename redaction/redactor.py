"""One exchange to one proved fixture, or a refusal: the whole road from raw bytes to bytes that may be stored.

Raw and masked turns are judged side by side. The most private form is tried first; where its verdict differs, the next
rung reveals one relation more; past the last one the capture is refused. Only what the gate proves is returned.
Everything raw lives in this call and is gone with it. Knows every part of this package; knows no disk, no network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from redaction.captured.exchange import Exchange, Proved, Reason, Refused, Widths
from redaction.captured.facts import capture_facts, stream_end, transport_facts
from redaction.captured.payloads import Body, Broken, UndoCoding, UnreadableError, read_body
from redaction.captured.request import Request, read_request
from redaction.families import FAMILIES
from redaction.fixture import Draft, finish, written
from redaction.masks.arguments import Lengths
from redaction.masks.mask import Mask
from redaction.masks.scalars import NoSampleError
from redaction.masks.slots import masked_fragments
from redaction.masks.tool_schemas import mask_schema
from redaction.proof.compare import same_verdict
from redaction.proof.gate import Leak, inspect
from redaction.proof.readback import read_back
from redaction.proof.tripwire import Tripwire
from replay import families as wire
from replay.families import array
from replay.validator import Allowance, Code, Envelope, InvalidFixture, Report, envelope_from, judge
from replay.wire.coding import decoder

# One response body, decoded. A turn at the validator's limits is smaller.
MAX_BODY_BYTES: Final = 64 * 1024 * 1024

# The ladder, most private rung first; a rung's name stands in `capture`. Where widths were asked for, there is nothing
# more private to try.
RUNGS: Final[Mapping[Widths, Mapping[str, Lengths]]] = {
    Widths.DROPPED: {"canonical": Lengths.CANONICAL, "exact_lengths": Lengths.AT_LEAST},
    Widths.KEPT: {"widths": Lengths.WIDTHS, "exact_lengths": Lengths.AT_LEAST},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Raw:
    """What was captured, read and judged."""

    exchange: Exchange
    body: Body = field(repr=False)
    request: Request = field(repr=False)
    schemas: Mapping[str, object] = field(repr=False)
    stream_end: str
    accept: tuple[Allowance, ...]
    widths: Widths
    reports: Sequence[Report] = field(repr=False)


# What the gate found, as a reason to refuse.
_LEAKS: Final[Mapping[Leak, Reason]] = {
    Leak.VOCABULARY: Reason.VOCABULARY,
    Leak.RAW_TEXT: Reason.RAW_TEXT,
    Leak.TRIPWIRE: Reason.TRIPWIRE,
}


def redact(
    exchange: Exchange,
    *,
    limit: int = MAX_BODY_BYTES,
    tripwire: Tripwire | None = None,
    undo: UndoCoding = decoder,
    widths: Widths = Widths.DROPPED,
) -> Proved | Refused:
    """The proved fixture of an exchange, or why there is none. Nothing of the exchange is in a refusal.

    `widths` says whether lengths may be seen. `limit` bounds the decoded body in bytes; `tripwire` is asked last, where
    there is one. `undo` makes the decoder of a content coding: the standard library knows few, and who has more brings
    them.
    """
    if exchange.profile not in FAMILIES:
        return Refused(reason=Reason.PROFILE)
    raw = _read(exchange, limit, undo, widths)
    if isinstance(raw, Refused):
        return raw
    refusal = Refused(reason=Reason.VERDICT, note="no placeholder answers the schema as the value did")
    for rung, lengths in RUNGS[widths].items():
        try:
            found = _climb(raw, rung, lengths, tripwire)
        except NoSampleError:
            continue
        if isinstance(found, Proved):
            return found
        refusal = found
    return refusal


def _read(exchange: Exchange, limit: int, undo: UndoCoding, widths: Widths) -> _Raw | Refused:
    unreadable: UnreadableError | None = None
    try:
        framing = wire.FAMILIES[exchange.profile].framing
        body = read_body(exchange.body, exchange.content_coding, framing, limit=limit, undo=undo)
    except UnreadableError as error:
        unreadable = error
    if unreadable is not None:
        return Refused(reason=Reason.BODY_LIMIT if unreadable.over_limit else Reason.CODING, note=unreadable.note)
    if not body.payloads and body.tail.pending and exchange.body and exchange.ending.complete:
        return Refused(reason=Reason.NO_EVENTS)
    request = read_request(exchange.profile, exchange.request_body, body.payloads)
    schemas = {**exchange.schemas, **request.tool_schemas}
    end = stream_end(exchange.profile, body, exchange.ending)
    envelope = _envelope(exchange, body, request, schemas, end)
    if isinstance(envelope, InvalidFixture):
        return Refused(reason=Reason.REQUEST)
    accept = tuple(Allowance(name) for name in exchange.allow)
    reports = _judged(envelope, accept)
    if any(finding.code is Code.LIMIT_EXCEEDED and finding.event is not None for finding in reports[0].findings):
        return Refused(reason=Reason.EVENT_LIMIT)
    return _Raw(
        exchange=exchange,
        body=body,
        request=request,
        schemas=schemas,
        stream_end=end,
        accept=accept,
        widths=widths,
        reports=reports,
    )


def _envelope(
    exchange: Exchange, body: Body, request: Request, schemas: Mapping[str, object], end: str
) -> Envelope | InvalidFixture:
    """The raw turn as the validator takes it; never written anywhere."""
    capture: dict[str, object] = {"stream_end": end}
    if request.tool_choice is not None:
        capture["tool_choice"] = request.tool_choice
    if request.parallel is not None:
        capture["parallel_tool_calls"] = request.parallel
    return envelope_from(
        {
            "profile": exchange.profile,
            "tool_schemas": dict(schemas),
            "allow": list(exchange.allow),
            "capture": capture,
            array(exchange.profile): [item.text if isinstance(item, Broken) else item for item in body.payloads],
        }
    )


def _judged(envelope: Envelope, accept: tuple[Allowance, ...]) -> list[Report]:
    """The verdict with no allowance accepted and, where the gateway has some, with them."""
    return [judge(envelope)] + ([judge(envelope, accept=accept)] if accept else [])


def _climb(raw: _Raw, rung: str, lengths: Lengths, tripwire: Tripwire | None) -> Proved | Refused:
    """The fixture of one rung, proved, or why it is none."""
    exchange = raw.exchange
    schemas: dict[str, object] = {name: mask_schema(schema) for name, schema in raw.schemas.items()}
    mask = Mask(exchange.profile, schemas.keys(), _places(raw.reports), raw.widths)
    fragments = masked_fragments(exchange.profile, raw.body.payloads, schemas, lengths)
    draft = Draft(
        profile=exchange.profile,
        tool_schemas=schemas,
        allow=tuple(dict.fromkeys(exchange.allow)),
        capture=capture_facts(exchange, raw.request, raw.body, raw.stream_end, rung, raw.widths),
        transport=transport_facts(exchange, raw.body),
        payloads=written(mask.payload(payload, fragments.get(at, {})) for at, payload in enumerate(raw.body.payloads)),
    )
    fixture = finish(draft)
    read = read_back(fixture.data)
    envelope = envelope_from(read)
    if isinstance(envelope, InvalidFixture):
        return Refused(reason=Reason.VERDICT, note="the fixture is no envelope")
    reports = _judged(envelope, raw.accept)
    for before, after in zip(raw.reports, reports, strict=True):
        if not same_verdict(before, after, mask.index):
            return Refused(reason=Reason.VERDICT)
    leak = inspect(fixture.data, read, envelope, exchange, raw.request, raw.body, tripwire=tripwire)
    if leak is not None:
        return Refused(reason=_LEAKS[leak.kind], note=leak.place)
    return Proved(fixture=fixture, report=reports[0], rung=rung)


def _places(reports: Sequence[Report]) -> set[int]:
    """Every choice and slot number that the reports name."""
    pairs = [(call.choice, call.slot) for report in reports for call in report.calls]
    named = [(finding.choice, finding.slot) for report in reports for finding in report.findings]
    return {number for pair in (*pairs, *named) for number in pair if number is not None}
