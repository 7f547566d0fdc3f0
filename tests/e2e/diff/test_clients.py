"""The official clients over every case of the suite: what they make of it is what is written down."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from support import shared
from support.nightly import nightly
from support.processes import clients

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

ADAPTERS: Final = (
    "openai",
    "openai-stream",
    "openai-responses",
    "openai-responses-stream",
    "anthropic",
    "anthropic-tool-runner",
    "mistralai",
)
# One of each client, for every run; the nightly run has the others too.
SOME: Final = ("openai", "openai-responses", "anthropic", "mistralai")
CASES: Final = shared.ROOT / "tests" / "data" / "cases"
KEPT: Final = shared.ROOT / "tests" / "data" / "adapters" / "outcomes.json"


def run(cases: Path, *arguments: str, adapters: tuple[str, ...] = ADAPTERS, code: int = 1) -> list[dict[str, Any]]:
    """One result for each case and client that speak the same API."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "replay.cli", "diff", ".", "--report", "jsonl", "--demand", "agree"),
            *("--python", str(clients.python()), *(f"--adapter={name}" for name in adapters), *arguments),
        ],
        cwd=cases,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(shared.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def found(rows: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    by_case: dict[str, dict[str, str]] = {}
    for row in rows:
        by_case.setdefault(row["fixture"], {})[row["adapter"]] = row["outcome"]
    return by_case


def one_for_each_outcome(adapters: tuple[str, ...]) -> list[str]:
    """The first case for each outcome of each client."""
    kept = json.loads(KEPT.read_text("utf-8"))["cases"]
    ends = [(end, name) for name, case in kept.items() for end in case["outcomes"].items() if end[0] in adapters]
    return sorted(set(dict(reversed(ends)).values()))


def every_one(_: tuple[str, ...]) -> list[str]:
    return [path.name for path in CASES.glob("*.json") if ".expected." not in path.name]


@pytest.mark.parametrize(
    ("choose", "adapters"), [(one_for_each_outcome, SOME), pytest.param(every_one, ADAPTERS, marks=nightly)]
)
def test_every_bundled_case_ends_as_it_is_written_down_for_these_versions(
    choose: Callable[[tuple[str, ...]], list[str]], adapters: tuple[str, ...], tmp_path: Path
) -> None:
    names = choose(adapters)
    for name in names:
        for path in CASES.glob(name.replace(".json", ".*json")):  # the pin beside it says what is accepted
            (tmp_path / path.name).write_bytes(path.read_bytes())
    rows = run(tmp_path, adapters=adapters)
    kept = json.loads(KEPT.read_text("utf-8"))
    versions = {row["adapter"]: row["version"] for row in rows}
    if versions != {name: kept["versions"][name] for name in adapters}:
        pytest.skip(f"outcomes are written down for other versions than {versions}")
    expected = {
        name: mine
        for name, case in kept["cases"].items()
        if name in names and (mine := {one: outcome for one, outcome in case["outcomes"].items() if one in adapters})
    }
    assert found(rows) == expected


@nightly
def test_tearing_the_streams_in_forty_places_changes_no_outcome() -> None:
    """The three clients read torn streams as whole ones; where they would not, a case would show it here."""
    kept = json.loads(KEPT.read_text("utf-8"))["cases"]
    for row in run(CASES, "--cuts", "40"):
        assert row["outcome"] == kept[row["fixture"]]["outcomes"][row["adapter"]], (row["fixture"], row["adapter"])


@nightly
def test_every_shared_case_is_asked_for_and_none_hangs() -> None:
    cases = shared.folder("cases")
    rows = run(cases)
    fixtures = [
        json.loads(path.read_bytes())
        for path in cases.glob("*.json")
        if not path.name.endswith(".expected.json")
        and json.loads(path.with_suffix(".expected.json").read_bytes())["status"] != "invalid"
    ]
    spoken = {"openai": 2, "openai-responses": 2, "anthropic": 2, "mistral": 1}
    # Of profiles that are not built here no row is expected.
    assert len(rows) >= sum(spoken.get(one["profile"], 0) for one in fixtures)
    assert {row["end"] for row in rows} <= {"returned", "refused", "broken"}
    assert {row["outcome"] for row in rows} <= {"agree", "unsafe", "wrong", "lost", "crash", "no_control"}


AGENT: Final = """
import openai


def run(turn):
    responses = openai.OpenAI(api_key=turn.key, base_url=turn.base_url + "/v1", max_retries=0).responses
    with responses.stream(model=turn.model, input=turn.messages, tools=turn.responses_tools()) as events:
        first = events.get_final_response()
    calls = [item for item in first.output if item.type == "function_call"]
    results = [{"type": "function_call_output", "call_id": call.call_id, "output": "x"} for call in calls]
    with responses.stream(model=turn.model, input=results, previous_response_id=first.id) as events:
        last = events.get_final_response()
    if last.output_text == "Done." and last.status == "completed" and last.error is None:
        for call in calls:
            turn.hand_over(call.name, call.arguments, id=call.call_id)


run.profiles = ["openai-responses"]
"""


def test_the_client_takes_the_answer_that_closes_a_turn_of_the_responses_api(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    case = "openai-responses-plain-call.json"
    (tmp_path / case).write_bytes((CASES / case).read_bytes())
    rows = run(tmp_path, adapters=("agent:run",), code=0)
    assert [(row["fixture"], row["outcome"]) for row in rows] == [(case, "agree")]


def test_no_passing_turn_of_the_suite_loses_its_calls_but_those_written_down() -> None:
    kept = json.loads(KEPT.read_text("utf-8"))["cases"]
    odd = {
        (name, client)
        for name, case in kept.items()
        for client, outcome in case["outcomes"].items()
        if case["status"] == "pass" and outcome != "agree" and client in ADAPTERS
    }
    assert odd == {
        # The empty string is handed over as it came, or parsed; the verdict says that {} is meant.
        ("openai-empty-arguments-accepted.json", "openai"),
        ("openai-empty-arguments-accepted.json", "openai-stream"),
        ("openai-responses-empty-arguments-accepted.json", "openai-responses"),
        ("openai-responses-empty-arguments-accepted.json", "openai-responses-stream"),
        # `stream()` passes over chunks that do not name themselves as such in `object`.
        ("openai-keys-in-another-order.json", "openai-stream"),
        ("openai-interleaved.json", "openai-stream"),
        ("openai-late-id.json", "openai-stream"),
        ("openai-late-name.json", "openai-stream"),
        # Both count on an index that is a number.
        ("openai-unindexed-whole-call-null-index-accepted.json", "openai"),
        ("openai-unindexed-whole-call-null-index-accepted.json", "openai-stream"),
        # They add up the tokens of a message, and this one counts none.
        ("bedrock-invoke-plain-call.json", "anthropic"),
        ("bedrock-invoke-plain-call.json", "anthropic-tool-runner"),
        # They count on a list of choices in every chunk.
        ("openai-choices-null.json", "openai"),
        ("openai-usage-chunk-without-choices.json", "openai"),
        ("openai-usage-chunk-without-choices.json", "openai-stream"),
        # The connection is cut behind the end of the turn, which they report as an error.
        ("openai-disconnect-after-terminal.json", "openai"),
        ("openai-disconnect-after-terminal.json", "openai-stream"),
        ("openai-stream-end-unknown-word.json", "openai"),
        ("openai-stream-end-unknown-word.json", "openai-stream"),
        ("anthropic-stream-end-after-message-stop.json", "anthropic"),
        ("anthropic-stream-end-after-message-stop.json", "anthropic-tool-runner"),
        # It counts on `message_start`.
        ("anthropic-whole-input-number-forms.json", "anthropic"),
        ("anthropic-whole-input-number-forms.json", "anthropic-tool-runner"),
        # A function without a name is none to it; an index that does not come is 0, so that two calls are one.
        ("mistral-no-choices-under-another-id.json", "mistralai"),
        ("mistral-two-unindexed-whole-calls-accepted.json", "mistralai"),
        ("mistral-unindexed-calls-in-two-chunks-accepted.json", "mistralai"),
        # It refuses a delta of a call whose function has no name, so arguments that come in several are lost.
        ("mistral-empty-deltas.json", "mistralai"),
        ("mistral-interleaved.json", "mistralai"),
        ("mistral-late-id.json", "mistralai"),
        ("mistral-late-name.json", "mistralai"),
        ("mistral-multi-byte.json", "mistralai"),
        ("mistral-parallel.json", "mistralai"),
        # `get_final_response()` has the final list as it came: it is empty, or lacks the calls.
        ("openai-responses-custom-call-that-looks-like-json.json", "openai-responses-stream"),
        ("openai-responses-custom-tool-with-a-grammar-accepted.json", "openai-responses-stream"),
        ("openai-responses-empty-final-list.json", "openai-responses-stream"),
        ("openai-responses-other-item-never-added-and-done-twice.json", "openai-responses-stream"),
        # `responses.stream()` refuses what is not as the API of OpenAI has it: items that are never done, that change
        # their ids or get them late, responses that change theirs.
        ("openai-responses-items-never-done.json", "openai-responses-stream"),
        ("openai-responses-late-call-id-and-name.json", "openai-responses-stream"),
        ("openai-responses-no-item-ids.json", "openai-responses-stream"),
        ("openai-responses-rotating-item-ids-accepted.json", "openai-responses-stream"),
        ("openai-responses-rotating-response-ids-accepted.json", "openai-responses-stream"),
    }
