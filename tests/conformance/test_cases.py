"""Every case gives exactly its expected report: the shared ones where they are, and those the suite carries."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.shared import folder

from replay.validator import Allowance, Limits, Report, validate

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


def test_every_shared_case_gives_its_report() -> None:
    cases = cases_in(folder("cases"))
    assert cases
    wrong = {}
    for case in cases:
        expected = expected_of(case)
        found = without_messages(run(case, expected))
        if found != expected:
            wrong[case.stem] = found
    assert not wrong
