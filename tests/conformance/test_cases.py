"""Every case gives exactly its expected report: the shared ones where they are, and those the suite carries."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.later import LATER, built
from support.shared import folder

from replay.judging.cli import coverage
from replay.validator import (
    Allowance,
    Call,
    Envelope,
    InvalidFixture,
    Limits,
    Report,
    State,
    Turn,
    judge,
    read_envelope,
    validate,
)
from replay.validator.profiles import PROFILES

CARRIED = Path(__file__).resolve().parents[1] / "data" / "cases"


def expected_of(case: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(case.with_suffix(".expected.json").read_bytes())
    return expected


def cases_in(place: Path) -> list[Path]:
    return sorted(path for path in place.glob("*.json") if not path.name.endswith(".expected.json"))


def run(case: Path, expected: dict[str, Any]) -> Report:
    accept = [Allowance(name) for name in expected.pop("accept", [])]
    return validate(case.read_bytes(), accept=accept, limits=Limits(**expected.pop("limits", {})))


def without_messages(report: Report) -> dict[str, Any]:
    """The report as its cases are written: messages are free, so they are not in them."""
    found: dict[str, Any] = report.as_dict()
    for finding in found["findings"]:
        assert finding.pop("message")
    return found


@pytest.mark.parametrize("case", cases_in(CARRIED), ids=lambda case: case.stem)
def test_a_carried_case_gives_its_report(case: Path) -> None:
    expected = expected_of(case)
    assert without_messages(run(case, expected)) == expected


def test_the_carried_cases_have_every_kind_and_code_that_a_family_can_have() -> None:
    done = CliRunner().invoke(coverage, [str(CARRIED)])
    lacks = [line for line in done.stdout.splitlines() if " lacks: " in line]
    assert lacks == [f"{profile} lacks: nothing" for profile in PROFILES]


def test_every_shared_case_gives_its_report() -> None:
    cases = built(cases_in(folder("cases")))
    assert cases
    wrong = {}
    for case in cases:
        expected = expected_of(case)
        found = without_messages(run(case, expected))
        if found != expected:
            wrong[case.stem] = found
    assert not wrong


def test_no_profile_is_left_out_that_is_built() -> None:
    assert not LATER.keys() & PROFILES.keys()


def test_the_shared_cases_have_no_profile_that_is_neither_built_nor_left_out() -> None:
    named = {expected_of(case)["profile"] for case in cases_in(folder("cases")) if not case.name.startswith("fixture-")}
    assert named == PROFILES.keys() | LATER.keys()


class Gateway:
    """A second consumer of the validator: it hands payloads on one by one, and calls only when the turn has passed."""

    def __init__(self, envelope: Envelope, accept: list[Allowance], limits: Limits) -> None:
        self.turn = Turn(
            profile=envelope.profile,
            tool_schemas=envelope.tool_schemas,
            allow=envelope.allow,
            accept=accept,
            stream_end=envelope.stream_end,
            tool_choice=envelope.tool_choice,
            parallel_tool_calls=envelope.parallel_tool_calls,
            limits=limits,
        )
        self.passed: list[object] = []

    def take(self, payload: object) -> None:
        before = self.turn.snapshot()
        self.turn.feed(payload)
        self.passed.append(payload)
        after = self.turn.snapshot()
        assert all(call.state is not State.VALIDATED for call in after.calls)
        assert before.events <= after.events <= len(self.passed)
        assert after.findings[: len(before.findings)] == before.findings
        assert sum(call.size for call in before.calls) <= sum(call.size for call in after.calls)
        blocked = {(call.choice, call.slot) for call in before.calls if call.state is State.BLOCKED}
        assert blocked <= {(call.choice, call.slot) for call in after.calls if call.state is State.BLOCKED}

    def end(self) -> tuple[Report, list[Call]]:
        last = self.turn.snapshot()
        report = self.turn.close()
        assert [(c.choice, c.slot, c.id, c.name) for c in last.calls] == [
            (c.choice, c.slot, c.id, c.name) for c in report.calls
        ]
        return report, list(report.calls) if report.executable else []


def gatewayed(case: Path) -> bool:
    """Whether the case, fed piece by piece, gives its batch report; True too where it is no envelope."""
    expected = expected_of(case)
    accept = [Allowance(name) for name in expected.pop("accept", [])]
    limits = Limits(**expected.pop("limits", {}))
    envelope = read_envelope(case.read_bytes())
    if isinstance(envelope, InvalidFixture):
        return expected["status"] == "invalid"
    gateway = Gateway(envelope, accept, limits)
    for payload in envelope.payloads:
        gateway.take(payload)
    report, calls = gateway.end()
    assert gateway.passed == list(envelope.payloads)
    assert bool(calls) is expected["executable"]
    return report == judge(envelope, accept=accept, limits=limits) and without_messages(report) == expected


@pytest.mark.parametrize("case", cases_in(CARRIED), ids=lambda case: case.stem)
def test_a_carried_case_fed_while_it_runs_gives_the_same_report(case: Path) -> None:
    assert gatewayed(case)


def test_every_shared_case_fed_while_it_runs_gives_the_same_report() -> None:
    cases = built(cases_in(folder("cases")))
    assert cases
    assert [case.stem for case in cases if not gatewayed(case)] == []
