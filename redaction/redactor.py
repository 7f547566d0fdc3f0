r"""One exchange to one proved fixture, or to a refusal: the whole of redaction, from raw bytes to bytes on a disk.

There are four steps, and `redact` below is nothing but these:

    capture   the bytes are read: payloads, the tools that the request declares, and the verdict on the raw turn
    mask      a fixture is made in which every value is a protocol word, a declared word or a placeholder
    prove     the fixture's own bytes are read back: are they judged as the capture was, and is there no leak in them?
    decide    the first fixture that is proved is the result; where none is, the capture is refused

Masking and proving are tried on each rung of a ladder, the most private one first. For an example, let a tool declare
that its query has at most 100,000 characters. Two models call it:

    {"query":"mara lindqvist"}
        `canonical` makes `{"query":"x"}` of it, as of every query that is short enough. The call and its masked form
        pass both, and the gate finds no leak. So this is the result.
    {"query":"mara lindqvist …"}, with 100,020 characters
        The query is too long, so the call is blocked, and the masked one must be blocked as well. But `canonical` makes
        no placeholder that long. The next rung, `needed_lengths`, gives this one value as many `x` as it had
        characters, and all others what `canonical` gives them. The call is blocked in the same place.

So a length is revealed only where the verdict depends on it, and `capture.rung` says that it was. Past the last rung
nothing is written. All that is raw lives in this call and is gone with it. Knows all parts of redaction; knows no disk
and no network.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from redaction.captured.exchange import (
    CALLED_TOOLS,
    RUNGS,
    Contract,
    Exchange,
    Fixture,
    Kept,
    Pieces,
    Proved,
    Reason,
    Refused,
    Widths,
)
from redaction.captured.facts import capture_facts, transport_facts
from redaction.captured.judged_capture import Captured, capture, verdicts
from redaction.captured.network import NOTHING, Network, network
from redaction.captured.payloads import Body, Broken, UndoCoding
from redaction.captured.threads import Threads
from redaction.fixture import Draft, finish, written
from redaction.masks.arguments import Lengths
from redaction.masks.contract.declarations import Declarations, declared_tools
from redaction.masks.mask import Mask
from redaction.masks.rounded_pieces import with_rounded_runs
from redaction.masks.scalars import NoSampleError
from redaction.masks.slots import MaskedFragments, masked_fragments
from redaction.proof.calls_in_text import holds_call
from redaction.proof.compare import same_verdict
from redaction.proof.faithful import (
    Unfaithful,
    unfaithful,
    unfaithful_payloads,
    unfaithful_repairs,
    unfaithful_shapes,
)
from redaction.proof.gate import Finished, inspect
from redaction.proof.readback import read_back
from redaction.proof.tripwire import Tripwire
from replay.validator import InvalidFixture, Report, envelope_from
from replay.wire.coding import decoder

# One response body, decoded. A turn at the validator's limits is smaller.
MAX_BODY_BYTES: Final = 64 * 1024 * 1024


class Joined(Enum):
    """Which texts the argument masks take for one."""

    AS_CLIENTS = "the units of `captured.threads`"
    AS_JUDGED = "the texts of the verdict"


@dataclass(frozen=True, slots=True)
class Rung:
    """How much one try reveals: its name, as `capture.rung` says it, and what it keeps of lengths."""

    name: str
    lengths: Lengths
    widths: Widths


# The rungs by what the user allows to be seen, most private first. Where widths were asked for, none is more private.
LADDER: Final[Mapping[Widths, Sequence[Rung]]] = {
    Widths.DROPPED: (
        Rung("canonical", Lengths.CANONICAL, Widths.DROPPED),
        Rung("needed_lengths", Lengths.WHERE_NEEDED, Widths.DROPPED),
        Rung("exact_lengths", Lengths.AT_LEAST, Widths.DROPPED),
    ),
    Widths.KEPT: (
        Rung("widths", Lengths.WIDTHS, Widths.KEPT),
        Rung("exact_lengths", Lengths.AT_LEAST, Widths.KEPT),
    ),
}

# The last try for a turn that the rules end at one of their limits: at which event, the widths of its fragments say.
_OVER_A_LIMIT: Final = Rung("exact_lengths", Lengths.WIDTHS, Widths.DROPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """What one rung made of a capture. `renumbered` gives the masked number of a choice or slot."""

    fixture: Fixture
    rung: Rung
    unfaithful: tuple[str, ...]
    renumbered: Callable[[int], object] = field(repr=False)


_NO_RUNG: Final = Refused(reason=Reason.VERDICT)


def _no_placeholder(error: NoSampleError, tools: Collection[str]) -> Refused:
    """The refusal that says for which place no placeholder was found: the tool, the pointer and the keywords."""
    tool = error.tool if error.tool in tools else "a tool that is not declared"
    asked = ", ".join(error.keywords) or "no keyword"
    where = f"at {error.pointer}" if error.pointer else "at the top"
    return Refused(
        reason=Reason.VERDICT,
        note=f"{tool}: no placeholder answers {asked} {where} as the value did",
        masked_nothing=True,
    )


def redact(
    exchange: Exchange,
    *,
    limit: int = MAX_BODY_BYTES,
    tripwire: Tripwire | None = None,
    undo: UndoCoding = decoder,
    widths: Widths = Widths.DROPPED,
    pieces: Pieces = Pieces.ROUNDED,
    last: str = RUNGS[-1],
    contract: Contract = CALLED_TOOLS,
    kept: Collection[Kept] = (),
) -> Proved | Refused:
    """The proved fixture of an exchange, or why there is none. No value of the exchange is in a refusal.

    `widths` says whether lengths may be seen, `pieces` how much of the number of text deltas, `contract` how much of
    the declared tools, and `kept` what of the network, with which every delta stays; `last` names the last rung that
    may be tried. `limit` bounds the decoded body in bytes; `tripwire` is asked last, where there is one. `undo` makes
    the decoder of a content coding: the standard library knows few, and who has more brings them.
    """
    captured = capture(exchange, limit=limit, undo=undo)
    if isinstance(captured, Refused):
        return captured
    came = network(captured.exchange, captured.body, kept, limit=limit, undo=undo)
    exact = widths is Widths.KEPT or came != NOTHING
    showing = replace(shown(captured, Pieces.EXACT if exact else pieces), came=came)
    ways = (Joined.AS_CLIENTS,) if captured.threads.simple else (Joined.AS_CLIENTS, Joined.AS_JUDGED)
    tried = [*rungs(widths, last), *((_OVER_A_LIMIT,) if last == RUNGS[-1] and captured.over_a_limit else ())]
    tries = ((rung, way) for rung in tried for way in ways)
    declarations = declared_tools(
        captured.exchange.profile, captured.body.payloads, captured.threads, captured.schemas, contract
    )
    found = decide(prove(captured, mask(captured, showing, declarations, rung, way), tripwire) for rung, way in tries)
    return replace(found, words=contract.words, tools=declarations.told()) if isinstance(found, Proved) else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What of a capture stands in its fixture: the body, and the argument texts in it."""

    body: Body = field(repr=False)
    threads: Threads = field(repr=False)
    pieces: Pieces
    came: Network = NOTHING


def shown(captured: Captured, pieces: Pieces) -> Shown:
    """All of it; but of a turn without a tool slot and without a finding as many deltas as `pieces` says."""
    said = any(report.calls or report.findings or report.allowances for report in captured.reports)
    if said or pieces is Pieces.EXACT:
        return Shown(body=captured.body, threads=captured.threads, pieces=Pieces.EXACT)
    profile = captured.exchange.profile
    body = with_rounded_runs(profile, captured.body)
    return Shown(body=body, threads=Threads(profile, body.payloads), pieces=pieces)


def rungs(widths: Widths, last: str) -> Sequence[Rung]:
    """The rungs that are tried, in their order, up to the one with the name `last`."""
    ladder = LADDER[widths]
    return ladder[: [rung.name for rung in ladder].index(last) + 1]


def mask(
    captured: Captured, showing: Shown, declarations: Declarations, rung: Rung, joined: Joined = Joined.AS_CLIENTS
) -> Masked | Refused:
    """The fixture of one rung, not proved yet; refused where no placeholder answers the schema as the value did."""
    exchange, body, threads = captured.exchange, showing.body, showing.threads
    names = {**declarations.pieces, **declarations.names}
    positions = Mask(exchange.profile, names, _numbers(captured.reports), rung.widths)
    texts = threads.units(captured.schemas.keys()) if joined is Joined.AS_CLIENTS else threads.judged
    try:
        fragments = masked_fragments(declarations.renamed(texts), declarations.schemas, rung.lengths)
    except NoSampleError as error:
        return _no_placeholder(error, declarations.schemas)
    payloads = (positions.payload(payload, fragments.places.get(at, {})) for at, payload in enumerate(body.payloads))
    all_read = not any(isinstance(payload, Broken) for payload in body.payloads)
    kept = None if threads.read_alike and all_read else list(payloads)
    lost = _unfaithful(captured, showing, kept, fragments, declarations.names, moved=positions.moved)
    facts = capture_facts(
        exchange,
        captured.request,
        body,
        stream_end=captured.stream_end,
        rung=rung.name,
        widths=rung.widths,
        pieces=showing.pieces,
        unfaithful=lost,
        words=declarations.words,
        network=showing.came,
    )
    draft = Draft(
        profile=exchange.profile,
        tool_schemas=declarations.schemas,
        allow=tuple(dict.fromkeys(exchange.allow)),
        capture=facts,
        transport=transport_facts(exchange, body, showing.came),
        payloads=written(payloads if kept is None else kept),
    )
    return Masked(fixture=finish(draft), rung=rung, unfaithful=lost, renumbered=positions.index)


def prove(captured: Captured, masked: Masked | Refused, tripwire: Tripwire | None) -> Proved | Refused:
    """The fixture, if its file is judged as the capture was and the gate finds no leak in it."""
    if isinstance(masked, Refused):
        return masked
    data = masked.fixture.data
    value = read_back(data)
    envelope = envelope_from(value)
    if isinstance(envelope, InvalidFixture):
        return Refused(reason=Reason.VERDICT, note="the fixture is no envelope")
    reports = verdicts(envelope, captured.accept)
    for raw, again in zip(captured.reports, reports, strict=True):
        if not same_verdict(raw, again, masked.renumbered):
            return Refused(reason=Reason.VERDICT)
    refusal = inspect(Finished(data=data, value=value, envelope=envelope), captured, tripwire)
    return refusal or Proved(
        fixture=masked.fixture, report=reports[0], rung=masked.rung.name, unfaithful=masked.unfaithful
    )


def decide(proofs: Iterable[Proved | Refused]) -> Proved | Refused:
    """The first fixture that was proved. Where there is none, the last refusal that tells of a file, if one does."""
    refusal = _NO_RUNG
    for proof in proofs:
        if isinstance(proof, Proved):
            return proof
        if not proof.masked_nothing or refusal is _NO_RUNG or refusal.masked_nothing:
            refusal = proof
    return refusal


def _unfaithful(
    captured: Captured,
    showing: Shown,
    payloads: Sequence[object] | None,
    fragments: MaskedFragments,
    names: Mapping[str, str],
    *,
    moved: bool,
) -> tuple[str, ...]:
    """The classes in which clients may find the masked turn otherwise, as words; `payloads` None: as the verdict.

    `names` has what each tool is called in the fixture; `moved` says that a fault of a payload has no place of its own.
    """
    found = {Unfaithful.VALUES} if fragments.unkept else set()
    if moved:
        found.add(Unfaithful.PAYLOADS)
    if holds_call(captured.body.payloads):
        found.add(Unfaithful.TEXTS)
    if captured.reports[0].findings:
        found.update(unfaithful_shapes(captured.reports[0], captured.body.payloads))
        found.update(unfaithful_repairs(captured.threads, captured.schemas))
    if payloads is not None:
        found.update(unfaithful_payloads(showing.body.payloads, payloads))
        masked = Threads(captured.exchange.profile, payloads)
        found.update(unfaithful(showing.threads, masked, names))
    return tuple(one.value for one in Unfaithful if one in found)


def _numbers(reports: Sequence[Report]) -> set[int]:
    """Every choice and slot number that the reports name."""
    pairs = [(call.choice, call.slot) for report in reports for call in report.calls]
    named = [(finding.choice, finding.slot) for report in reports for finding in report.findings]
    return {number for pair in (*pairs, *named) for number in pair if number is not None}
