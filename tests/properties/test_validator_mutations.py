"""Thousands of damaged cases, the same ones every time: each gives a report or is no envelope, and hangs together."""

from collections import Counter

from support.later import LATER_CODES
from support.made.judged_mutants import recorded
from support.made.mutations import CARRIED, hangs_together, load, mutants
from support.nightly import sampled

from replay.validator import Allowance, Code, Limits, Report, State, Turn, envelope_from, invalid_report, judge
from replay.validator.envelope import Envelope, InvalidFixture
from replay.validator.listener import Listener

SEED = 20_240_517
COUNT = 4_000
SMALL = Limits(max_events=6, max_slots=2, max_slot_bytes=12, max_turn_bytes=20, max_nesting=2)


def fed(envelope: Envelope, listener: Listener | None = None) -> Report:
    turn = Turn(
        listener=listener,
        profile=envelope.profile,
        tool_schemas=envelope.tool_schemas,
        allow=envelope.allow,
        accept=list(Allowance),
        stream_end=envelope.stream_end,
        tool_choice=envelope.tool_choice,
        parallel_tool_calls=envelope.parallel_tool_calls,
    )
    for payload in envelope.payloads:
        turn.feed(payload)
        assert all(call.state is not State.VALIDATED for call in turn.snapshot().calls)
    return turn.close()


def test_every_damaged_case_gives_a_report_and_they_reach_every_code() -> None:
    # The carried cases alone: then these are the same damages wherever the suite runs.
    fixtures = load(CARRIED)
    codes: Counter[Code] = Counter()
    for number, mutant in enumerate(mutants(fixtures, seed=SEED, count=COUNT)):
        envelope = envelope_from(mutant)
        if isinstance(envelope, InvalidFixture):
            report = invalid_report(envelope)
        else:
            report = judge(envelope, accept=list(Allowance))
            hangs_together(judge(envelope, limits=SMALL))
            if number % 4 == 0:
                assert fed(envelope) == report
        hangs_together(report)
        codes.update(finding.code for finding in report.findings)
    assert codes.keys() == set(Code) - LATER_CODES


def test_a_damaged_recording_is_judged_alike_by_the_short_cuts_and_by_whole_reading() -> None:
    # Text, reasoning and first chunks, which the cases have few of. A turn that has a listener takes no short cut.
    for mutant in mutants(recorded(), seed=SEED, count=sum(1 for _ in sampled(range(12_000)))):
        envelope = envelope_from(mutant)
        if isinstance(envelope, Envelope):
            assert judge(envelope, accept=list(Allowance)) == fed(envelope, lambda _: None)
