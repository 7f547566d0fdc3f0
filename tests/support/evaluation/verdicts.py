"""Whether masked turns are judged as the raw ones: each finding of each fault kept, none added; and what is refused."""

import collections
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from support.evaluation.baselines import BASELINES, raw_payloads
from support.made import captures
from support.readings.streams import parallel, tool_choice, verdict

from redaction.captured.exchange import Ending, Exchange, Proved
from redaction.families import FAMILIES
from redaction.redactor import redact
from replay.families import array
from replay.validator import Report, envelope_from, judge, validate
from replay.validator.envelope import InvalidFixture

CLEAN: Final = "clean"


@dataclass(slots=True)
class Judged:
    """One kind of turn: how many, refused, judged the same, and findings lost and added."""

    turns: int = 0
    refused: int = 0
    equal: int = 0
    reached: int = 0  # turns in which the raw report has the code
    findings: int = 0
    lost: int = 0
    added: int = 0


@dataclass(slots=True)
class Verdicts:
    """By code; rungs and refusals over all; and for each baseline how often its verdict equals the raw one."""

    kinds: dict[str, Judged] = field(default_factory=lambda: collections.defaultdict(Judged))
    rungs: collections.Counter[str] = field(default_factory=collections.Counter)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    baselines: dict[str, dict[bool, Judged]] = field(
        default_factory=lambda: collections.defaultdict(lambda: collections.defaultdict(Judged))
    )


def report_of(exchange: Exchange, payloads: Sequence[Any], schemas: dict[str, Any]) -> Report:
    """The verdict on payloads, by the validator alone."""
    request = json.loads(exchange.request_body or b"{}")
    complete = exchange.ending is Ending.MESSAGE_END
    capture = {"stream_end": "complete" if complete else "upstream_disconnected"}
    asked = {"tool_choice": tool_choice(request), "parallel_tool_calls": parallel(request)}
    envelope = envelope_from(
        {
            "profile": exchange.profile,
            "tool_schemas": schemas,
            array(exchange.profile): list(payloads),
            "capture": {**capture, **{key: said for key, said in asked.items() if said is not None}},
        }
    )
    assert not isinstance(envelope, InvalidFixture)
    return judge(envelope)


def measure(seed: int, each: int, *, say: Callable[[str], None] = lambda _: None) -> Verdicts:
    """`each` turns of every fault and profile, and ten times as many healthy ones."""
    found = Verdicts()
    for code in (CLEAN, *captures.FAULTS):
        profiles = captures.PROFILES if code == CLEAN else captures.FAULTS[code][1]
        for profile in (profile for profile in profiles if profile in FAMILIES):
            for number in range(each * (10 if code == CLEAN else 1)):
                chance = random.Random(f"{seed} {code} {profile} {number}")
                turn = captures.turn(profile, chance)
                payloads = captures.payloads(turn) if code == CLEAN else captures.FAULTS[code][0](turn)
                exchange = captures.exchange(turn, payloads)
                _one(found, code, exchange, dict(turn.schemas), with_baselines=number < max(2, each // 5))
        say(f"verdicts: {code}")
    return found


def _one(found: Verdicts, code: str, exchange: Exchange, schemas: dict[str, Any], *, with_baselines: bool) -> None:
    raw = report_of(exchange, raw_payloads(exchange), schemas)
    kind = found.kinds[code]
    kind.turns += 1
    kind.reached += (raw.executable) if code == CLEAN else any(one.code.value == code for one in raw.findings)
    if with_baselines:
        for name, mask in BASELINES.items():
            cell = found.baselines[name][code == CLEAN]
            cell.turns += 1
            cell.equal += _same(raw, report_of(exchange, mask(exchange), schemas), schemas)
    result = redact(exchange)
    if not isinstance(result, Proved):
        kind.refused += 1
        found.reasons[result.reason.value] += 1
        return
    found.rungs[result.rung] += 1
    masked = validate(result.fixture.data)
    kind.equal += _same(raw, masked, schemas)
    before = collections.Counter((one.code, one.choice, one.slot, one.event) for one in raw.findings)
    after = collections.Counter((one.code, one.choice, one.slot, one.event) for one in masked.findings)
    kind.findings += before.total()
    kind.lost += (before - after).total()
    kind.added += (after - before).total()


def _same(raw: Report, masked: Report, schemas: dict[str, Any]) -> bool:
    """Status, findings with their places and paths, states of calls: all of it, in order."""
    return verdict(raw, schemas) == verdict(masked, schemas)
