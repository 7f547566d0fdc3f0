"""Results of a replay as text, as JSON and as counts."""

import json

import pytest

from replay.judging.results import EXIT_CODES, Outcome, Result
from replay.reports import json_report, text
from replay.reports.totals import Totals
from replay.validator import Code, Finding, Report, Status

PASS = Report(status=Status.PASS, profile="openai", calls=(), findings=(), allowances=())
BLOCKED = Report(
    status=Status.BLOCKED,
    profile="openai",
    calls=(),
    findings=(Finding(code=Code.STREAM_ERROR, message="", event=0),),
    allowances=(),
)
NAME = "f/a\x1b.json"


def tally_of(*results: Result) -> Totals:
    tally = Totals()
    for result in results:
        tally.add(result)
    return tally


def test_what_is_as_pinned_takes_no_line_and_an_error_is_told_elsewhere() -> None:
    assert list(text.result(Result(fixture=NAME, outcome=Outcome.AS_PINNED, pinned=PASS, found=PASS))) == []
    assert list(text.result(Result(fixture=NAME, outcome=Outcome.ERROR, advice="what"))) == []


def test_a_changed_verdict_shows_both_and_the_next_step() -> None:
    result = Result(fixture=NAME, outcome=Outcome.CHANGED, pinned=PASS, found=BLOCKED, advice="run \x1b")
    assert list(text.result(result)) == [
        "changed: f/a\\x1b.json",
        '  - pass, executable, profile "openai"',
        '  + blocked, not executable, profile "openai"',
        "  + finding stream_error, turn, event 0",
        "  run \\x1b",
    ]


def test_a_new_verdict_is_shown_whole() -> None:
    assert list(text.result(Result(fixture=NAME, outcome=Outcome.PINNED, found=BLOCKED))) == [
        "pinned: f/a\\x1b.json",
        '  + blocked, not executable, profile "openai"',
        "  + finding stream_error, turn, event 0",
    ]


def test_an_orphan_is_named_by_its_pin() -> None:
    assert list(text.result(Result(fixture=NAME, outcome=Outcome.ORPHAN, advice="rm it"))) == [
        "pin without fixture: f/a\\x1b.expected.json",
        "  rm it",
    ]


def test_the_summary_counts_fixtures_outcomes_and_verdicts() -> None:
    tally = tally_of(
        *[Result(fixture=NAME, outcome=Outcome.AS_PINNED, pinned=PASS, found=PASS)] * 1200,
        Result(fixture=NAME, outcome=Outcome.CHANGED, pinned=PASS, found=BLOCKED),
        Result(fixture=NAME, outcome=Outcome.ORPHAN),
        Result(fixture=NAME, outcome=Outcome.ERROR),
    )
    assert text.summary(tally) == (
        "1,202 fixtures: 1,200 as pinned, 1 changed, 1 pin without fixture, 1 error. "
        "Verdicts: 1,200 executable, 1 blocked, 0 not applicable, 0 invalid."
    )
    assert text.summary(tally_of(Result(fixture=NAME, outcome=Outcome.PINNED, found=PASS))).startswith("1 fixture: ")


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_headline_and_an_exit_code(outcome: Outcome) -> None:
    assert text.HEADLINES[outcome]
    assert EXIT_CODES[outcome] in (0, 1, 2)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([], 2),
        ([Outcome.PRUNED], 2),
        ([Outcome.AS_PINNED, Outcome.PINNED, Outcome.REPINNED, Outcome.PRUNED], 0),
        ([Outcome.AS_PINNED, Outcome.CHANGED], 1),
        ([Outcome.UNPINNED], 1),
        ([Outcome.ORPHAN], 1),
        ([Outcome.OUTDATED], 1),
        ([Outcome.NOT_INVARIANT], 1),
        ([Outcome.ERROR, Outcome.CHANGED], 2),
    ],
)
def test_the_worst_outcome_decides_the_exit_code(outcomes: list[Outcome], code: int) -> None:
    assert tally_of(*[Result(fixture=NAME, outcome=outcome) for outcome in outcomes]).exit_code == code


def test_a_line_of_json_has_the_verdicts_only_where_they_differ() -> None:
    [same] = json_report.Lines().result(Result(fixture=NAME, outcome=Outcome.AS_PINNED, pinned=PASS, found=PASS))
    assert same.isascii()
    assert "\n" not in same
    assert json.loads(same) == {
        "fixture": "f/a\x1b.json",
        "pin": "f/a\x1b.expected.json",
        "outcome": "as_pinned",
        "status": "pass",
        "executable": True,
        "advice": None,
    }
    changed = json_report.members(
        Result(fixture=NAME, outcome=Outcome.CHANGED, pinned=PASS, found=BLOCKED, advice="run")
    )
    assert (changed["status"], changed["executable"], changed["advice"]) == ("blocked", False, "run")
    assert changed["pinned"] == PASS.as_dict()
    assert changed["found"] == {
        **BLOCKED.as_dict(),
        "findings": [{"code": "stream_error", "choice": None, "slot": None, "event": 0}],
    }


def test_an_error_and_an_orphan_have_no_verdict() -> None:
    for outcome in (Outcome.ERROR, Outcome.ORPHAN):
        found = json_report.members(Result(fixture=NAME, outcome=outcome, advice="do"))
        assert (found["status"], found["executable"]) == (None, False)
        assert not {"pinned", "found"} & found.keys()


def test_the_document_has_all_results_and_all_counts() -> None:
    result = Result(fixture=NAME, outcome=Outcome.UNPINNED, found=BLOCKED, advice="run")
    report = json_report.Document()
    lines = [*report.begin(), *report.result(result), *report.result(result), *report.end(tally_of(result, result))]
    found = json.loads("\n".join(lines))
    assert found["results"] == [json_report.members(result)] * 2
    assert found["summary"]["fixtures"] == 2
    assert found["summary"]["outcomes"] == {outcome.value: 2 * (outcome is Outcome.UNPINNED) for outcome in Outcome}
    assert found["summary"]["statuses"] == {status.value: 2 * (status is Status.BLOCKED) for status in Status}
