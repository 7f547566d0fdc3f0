"""The reports of `toolreel diff`, in the styles of a replay. What is as pinned or demanded is counted, not listed."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from replay.corpus.pins import without_messages
from replay.reports import github, sarif, verdict_lines
from replay.terminal import printable, printable_json
from replay.validator import Status

from .outcomes import End, Outcome, shown
from .runs import EXIT_CODES, Standing
from .scores import Scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .runs import Result

HEADLINES: Final[Mapping[Standing, str]] = {
    Standing.AS_PINNED: "as pinned",
    Standing.CHANGED: "changed",
    Standing.UNPINNED: "unpinned",
    Standing.REPINNED: "pinned anew",
    Standing.PINNED: "pinned",
    Standing.AS_DEMANDED: "as demanded",
    Standing.REFUSED: "not as demanded",
    Standing.NO_CONTROL: "no control",
    Standing.UNNEEDED: "unneeded",
    Standing.REMOVED: "outcome removed",
    Standing.ERROR: "error",
}
MEANS: Final[Mapping[Outcome, str]] = {
    Outcome.AGREE: "hands over what passed, and nothing of what did not",
    Outcome.UNSAFE: "hands over calls of a turn that may not be executed",
    Outcome.WRONG: "hands over other calls than those that passed",
    Outcome.LOST: "does not hand over all calls that passed",
    Outcome.CRASH: "broke",
    Outcome.HANG: "did not come back in time",
    Outcome.SPLIT: "does otherwise where the bytes of the stream are cut elsewhere",
    Outcome.NO_CONTROL: "has not handed over the call of a healthy turn with these tools",
}
ENDS: Final[Mapping[End, str]] = {
    End.RETURNED: "came back",
    End.REFUSED: "refused the turn",
    End.BROKEN: "broke",
    End.HUNG: "did not come back, and was ended",
    End.UNASKED: "never asked for the turn",
    End.NO_CALLS: "returned what is no list of calls",
    End.LATE: "handed over after it had come back",
}
_EXPECTED: Final = frozenset({Standing.AS_PINNED, Standing.AS_DEMANDED})
# Of the calls that an adapter handed over, so many are shown.
MAX_CALLS: Final = 8


@dataclass(slots=True, kw_only=True)
class PairTotals:
    """The number of results with each standing, and with each outcome by adapter."""

    standings: Counter[Standing] = field(default_factory=Counter)
    outcomes: dict[tuple[str, str], Counter[Outcome]] = field(default_factory=dict)
    scores: Scores = field(default_factory=Scores)

    def add(self, result: Result) -> None:
        """Count one result."""
        self.standings[result.standing] += 1
        self.scores.add(result)
        if result.outcome is not None:
            self.outcomes.setdefault((result.adapter, result.version), Counter())[result.outcome] += 1

    @property
    def exit_code(self) -> int:
        """The exit code of the worst standing."""
        return max((EXIT_CODES[standing] for standing, count in self.standings.items() if count), default=0)


def text(result: Result) -> Iterator[str]:
    """The lines of one result; none where it is as pinned or as demanded, and all that is pinned is needed.

    An error is told elsewhere.
    """
    if result.standing is Standing.ERROR or (result.standing in _EXPECTED and not result.advice):
        return
    yield f"{HEADLINES[result.standing]}: {_headline(result)}"
    yield from (f"  {line}" for line in details(result))
    if result.advice:
        yield f"  {printable(result.advice)}"


def _headline(result: Result) -> str:
    if result.outcome is None:
        return printable(f"{result.fixture}: {result.adapter} {result.version}")
    was = ""
    if result.pinned is not None:
        version = "" if result.pinned_version == result.version else f" by {result.pinned_version}"
        was = f" (pinned: {result.pinned.value}{version})"
    return printable(f"{result.fixture}: {result.adapter} {result.version}: {_said(result)}{was}")


def _said(result: Result) -> str:
    """The outcome, and of how many runs it is; where it does not count, what was observed."""
    assert result.outcome is not None
    observed = result.observed or result.outcome
    total = sum(result.runs.values())
    times = f"{result.runs.get(observed, total)} of {total}" if total > 1 else ""
    if result.outcome is Outcome.NO_CONTROL:
        return f"no control (observed: {observed.value}{', ' if times else ''}{times})"
    return f"{observed.value} ({times})" if times else observed.value


def details(result: Result) -> Iterator[str]:
    """What the verdict says, and what the adapter handed over instead."""
    report, heard = result.report, result.heard
    if report is None or heard is None or result.outcome is Outcome.AGREE:
        return
    if report.status is Status.PASS:
        for call in report.calls:
            yield f"verdict: {_call(call.name or '', call.id or '', call.arguments)}"
    else:
        codes = ", ".join(dict.fromkeys(finding.code.value for finding in report.findings))
        yield f"verdict: nothing may be executed ({report.status.value}{', ' if codes else ''}{codes})"
    for name, identity, arguments in shown(heard.handed[:MAX_CALLS]):
        yield f"handed over: {_call(name, identity, arguments)}"
    if len(heard.handed) > MAX_CALLS:
        yield f"handed over: {len(heard.handed) - MAX_CALLS} more"
    if not heard.handed:
        yield "handed over: nothing"
    if result.split:
        yield f"smallest cut: {printable(result.split)}"
    if result.unfaithful:
        yield printable(f"unfaithful: clients may do otherwise with the stream itself ({', '.join(result.unfaithful)})")
    error = f" ({heard.error})" if heard.error else ""
    yield printable(f"the adapter {ENDS[heard.end]}{error}")
    for mark in result.contested:
        yield f"contested: {mark}"


def _published(result: Result) -> Iterator[str]:
    """The same by codes and numbers alone: a report of this kind may be read by strangers."""
    report, heard = result.report, result.heard
    if report is None or heard is None or result.outcome is Outcome.AGREE:
        return
    codes = ", ".join(dict.fromkeys(finding.code.value for finding in report.findings))
    allowed = len(report.calls) if report.status is Status.PASS else 0
    yield f"verdict: {report.status.value}{', ' if codes else ''}{codes}; calls that may be executed: {allowed}"
    yield f"handed over: {len(heard.handed)}"
    yield f"the adapter {ENDS[heard.end]}"


def _call(name: str, identity: str, arguments: str) -> str:
    quoted = verdict_lines.quoted
    return f"{quoted(name)}, id {quoted(identity)}, arguments {quoted(arguments)}"


def summary(totals: PairTotals) -> Iterator[str]:
    """A line for each adapter, and one for all."""
    for (adapter, version), counts in totals.outcomes.items():
        found = ", ".join(
            f"{counts[outcome]:,} {outcome.value.replace('_', ' ')}" for outcome in Outcome if counts[outcome]
        )
        yield printable(f"{adapter} {version}: {found}.")
    for one in totals.scores:
        caught = f"{one.caught} of {one.kinds} blocked kinds ({one.percent} %)"
        yield printable(f"{one.adapter} {one.version}, {one.profile}: hands over nothing on {caught}.")
    compared = ", ".join(f"{count:,} {HEADLINES[standing]}" for standing, count in totals.standings.items() if count)
    total = totals.standings.total()
    yield f"{total:,} {'result' if total == 1 else 'results'}: {compared or 'nothing to compare'}."


def members(result: Result) -> dict[str, object]:
    """One result for programs, ASCII once written. Calls and verdict stand in it where they do not agree."""
    found: dict[str, object] = {
        "fixture": result.fixture,
        "adapter": result.adapter,
        "version": result.version,
        "outcome": result.outcome.value if result.outcome else None,
        "observed": result.observed.value if result.observed else None,
        "runs": {outcome.value: count for outcome, count in result.runs.items()},
        "standing": result.standing.value,
        "pinned": result.pinned.value if result.pinned else None,
        "pinned_version": result.pinned_version,
        "status": result.report.status.value if result.report else None,
        "codes": sorted({finding.code.value for finding in result.report.findings}) if result.report else [],
        "end": result.heard.end.value if result.heard else None,
        "error": result.heard.error if result.heard else None,
        "contested": list(result.contested),
        "advice": result.advice or None,
    }
    if result.split:
        found["smallest_cut"] = result.split
    if result.unfaithful:
        found["unfaithful"] = list(result.unfaithful)
    if result.outcome is not Outcome.AGREE and result.report is not None and result.heard is not None:
        found["verdict"] = without_messages(result.report)
        found["handed_over"] = [
            {"name": name, "id": identity, "arguments": arguments}
            for name, identity, arguments in shown(result.heard.handed)
        ]
    return found


def counts(totals: PairTotals) -> dict[str, object]:
    """The summary for programs."""
    return {
        "standings": {standing.value: totals.standings[standing] for standing in Standing},
        "adapters": [
            {"adapter": adapter, "version": version, **{outcome.value: found[outcome] for outcome in Outcome}}
            for (adapter, version), found in totals.outcomes.items()
        ],
        "scores": [
            {
                "adapter": one.adapter,
                "version": one.version,
                "profile": one.profile,
                "kinds": one.kinds,
                "caught": one.caught,
                "percent": one.percent,
            }
            for one in totals.scores
        ],
    }


def as_text(results: Iterable[Result], totals: PairTotals) -> Iterator[str]:
    """The report for people."""
    for result in results:
        totals.add(result)
        yield from text(result)
    yield from summary(totals)


def as_jsonl(results: Iterable[Result], totals: PairTotals) -> Iterator[str]:
    """One object a line."""
    for result in results:
        totals.add(result)
        yield printable_json(members(result))


def as_json(results: Iterable[Result], totals: PairTotals) -> Iterator[str]:
    """One document: `results`, one to a line, and `summary`."""
    yield '{"results": ['
    comma = ""
    for result in results:
        totals.add(result)
        yield f"{comma}{printable_json(members(result))}"
        comma = ","
    yield f'], "summary": {printable_json(counts(totals))}}}'


def as_github(results: Iterable[Result], totals: PairTotals) -> Iterator[str]:
    """An annotation for each result that fails."""
    for result in results:
        totals.add(result)
        if EXIT_CODES[result.standing]:
            title = f"{result.adapter}: {_word(result)}"
            yield github.error(result.fixture, line=1, title=title, message=message(result))


def as_junit(results: Iterable[Result], totals: PairTotals) -> Iterator[str]:
    """A suite; a case for each result, its adapter as the class."""
    cases: list[str] = []
    for result in results:
        totals.add(result)
        cases += _case(result)
    errors = totals.standings[Standing.ERROR]
    failures = sum(count for standing, count in totals.standings.items() if EXIT_CODES[standing] == 1)
    counted = f'tests="{totals.standings.total()}" failures="{failures}" errors="{errors}"'
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="toolreel diff" {counted}>'
    yield f' <testsuite name="toolreel diff" {counted}>'
    yield from cases
    yield " </testsuite>"
    yield "</testsuites>"


def _case(result: Result) -> Iterator[str]:
    names = f"classname={quoteattr(printable(result.adapter))} name={quoteattr(printable(result.fixture))}"
    if not EXIT_CODES[result.standing]:
        yield f"  <testcase {names}/>"
        return
    element = "error" if result.standing is Standing.ERROR else "failure"
    yield f"  <testcase {names}>"
    yield f"   <{element} type={quoteattr(_word(result))} message={quoteattr(message(result))}>"
    yield escape("\n".join(_published(result)))
    yield f"   </{element}>"
    yield "  </testcase>"


def as_sarif(results: Iterable[Result], totals: PairTotals) -> Iterator[str]:
    """SARIF 2.1.0: a result for each one that fails, its outcome as the rule."""
    rules = [
        {"id": outcome.value, "shortDescription": {"text": f"The adapter {words}."}} for outcome, words in MEANS.items()
    ]
    yield "{"
    yield f' "$schema": "{sarif.SCHEMA}",'
    yield ' "version": "2.1.0",'
    yield ' "runs": [{'
    yield f'  "tool": {{"driver": {printable_json({"name": "toolreel diff", "rules": rules})}}},'
    yield '  "results": ['
    comma = ""
    for result in results:
        totals.add(result)
        if EXIT_CODES[result.standing]:
            place = {"artifactLocation": {"uri": result.fixture.replace(os.sep, "/")}, "region": {"startLine": 1}}
            found = {
                "ruleId": _word(result),
                "level": "error",
                "message": {"text": message(result)},
                "locations": [{"physicalLocation": place}],
            }
            yield f"   {comma}{printable_json(found)}"
            comma = ","
    yield "  ]"
    yield " }]"
    yield "}"


def as_html(results: Iterable[Result], tally: PairTotals) -> Iterator[str]:
    """One page: what each client made of each turn, and the turns."""
    from replay.show import report  # only a run that wants the page pays for it

    found: dict[str, list[tuple[str, str, Outcome]]] = {}
    for result in results:
        tally.add(result)
        if result.outcome is not None:
            found.setdefault(result.fixture, []).append((result.adapter, result.version, result.outcome))
    yield report.of_clients(found).rstrip("\n")


def message(result: Result) -> str:
    """One line: who, what, and what to do about it."""
    if result.standing is Standing.ERROR or result.outcome is None:
        return printable(result.advice)
    was = f"; {result.pinned.value} was pinned" if result.pinned is not None else ""
    advice = f"; {result.advice}" if result.advice else ""
    total = sum(result.runs.values())
    times = f" ({result.runs.get(result.outcome, total)} of {total} runs)" if total > 1 else ""
    return printable(f"{result.adapter} {result.version} {MEANS[result.outcome]}{times}{was}{advice}")


def _word(result: Result) -> str:
    return result.outcome.value if result.outcome is not None else result.standing.value


STYLES: Final[Mapping[str, Callable[[Iterable[Result], PairTotals], Iterator[str]]]] = {
    "text": as_text,
    "json": as_json,
    "jsonl": as_jsonl,
    "junit": as_junit,
    "sarif": as_sarif,
    "github": as_github,
    "html": as_html,
}
