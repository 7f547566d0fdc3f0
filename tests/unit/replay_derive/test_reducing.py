"""A fixture made as short as it can be, with the same findings, and nothing made up."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.nightly import at_night, sampled
from support.shared import ROOT

from redaction.cli import scan
from replay.derive.cli import derive
from replay.derive.kinds import KINDS
from replay.derive.making import derived
from replay.derive.recording import read
from replay.derive.reducing import reduced, same_codes
from replay.derive.suite import bundled
from replay.families import array
from replay.fewest import fewest
from replay.search.cli import reduce_command
from replay.validator import Code, InvalidFixture, Status, envelope_from, judge
from replay.validator.profiles import PROFILES

CASES = [
    path
    for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.json"))
    if not path.name.endswith(".expected.json")
]


@given(st.lists(st.integers(0, 9), max_size=30), st.sets(st.integers(0, 9), min_size=1, max_size=3))
def test_what_is_left_is_needed_and_in_its_order(items: list[int], wanted: set[int]) -> None:
    def keeps(some: Any) -> bool:
        return wanted <= set(some)

    kept = fewest(items, keeps) if keeps(items) else []
    assert len(kept) == (len(wanted) if kept else 0)
    at = -1
    for one in kept:
        at = items.index(one, at + 1)


def codes(value: dict[str, Any]) -> tuple[Status, set[Code]]:
    envelope = envelope_from(value)
    assert not isinstance(envelope, InvalidFixture)
    report = judge(envelope)
    return report.status, {finding.code for finding in report.findings}


def cases() -> list[dict[str, Any]]:
    found = []
    for path in sampled(CASES):
        try:
            value = json.loads(path.read_bytes())
        except ValueError:
            continue
        if isinstance(value, dict) and not isinstance(envelope_from(value), InvalidFixture):
            found.append(value)
    return found


def test_every_case_keeps_its_status_and_codes_and_loses_what_does_not_matter() -> None:
    shorter = 0
    for value in cases():
        found = reduced(value, same_codes(value))
        assert codes(found) == codes(value)
        member = array(value["profile"])
        assert len(found[member]) <= len(value[member])
        shorter += len(found[member]) < len(value[member])
        again = reduced(found, same_codes(found))
        assert len(again[member]) == len(found[member])
    assert shorter > 10


def test_a_blocked_case_has_at_most_six_events_left_also_where_those_that_go_together_stand_apart() -> None:
    """Two blocks with one id between the events of a message: these can only go all three at once."""
    blocked = [value for value in cases() if judged_status(value) is Status.BLOCKED]
    assert len(blocked) > 40
    for value in blocked:
        left = reduced(value, same_codes(value))[array(value["profile"])]
        # Two codes in one turn may need a whole message around a call.
        assert len(left) <= 6 or (len(codes(value)[1]) > 1 and len(left) <= 8)


def judged_status(value: dict[str, Any]) -> Status:
    envelope = envelope_from(value)
    assert not isinstance(envelope, InvalidFixture)
    return judge(envelope).status


def test_a_long_recording_of_each_code_has_at_most_six_events_where_the_rules_allow_it(tmp_path: Path) -> None:
    """Chat completions need no event around a call: whatever is wrong, six events show it."""
    done = CliRunner().invoke(derive, ["--profile", "openai", "--kind", "interleaved", "--out", str(tmp_path)])
    assert done.exit_code == 0
    for kind in ("json-fence", "second-terminal", "id-of-other-call", "error-in-the-middle", "duplicate-key"):
        arguments = ["--profile", "openai", "--kind", kind, "--pairs", "3", "--out", str(tmp_path)]
        assert CliRunner().invoke(derive, arguments).exit_code == 0
    fixtures = [path for path in tmp_path.glob("*.json") if not path.name.endswith(".expected.json")]
    for path in fixtures:
        value = json.loads(path.read_bytes())
        value["chunks"][1:1] = [value["chunks"][1]] * 300
        assert len(reduced(value, same_codes(value))["chunks"]) <= 6
    assert len(fixtures) > 12


# Of these the rules want more: the most calls that a turn may have; two calls whose items end in a full copy.
MORE = {"too-many-calls": None, "other-item-id": 7}


@pytest.mark.parametrize("profile", at_night(PROFILES, but=("openai-responses", "anthropic")))
def test_every_fault_of_a_family_has_at_most_six_events_left_where_the_rules_allow_it(profile: str) -> None:
    source = read(bundled(profile), profile)
    for kind in (one for one in KINDS.values() if profile in one.of and MORE.get(one.name, 6)):
        value = json.loads(derived(source, kind).data)
        left = reduced(value, same_codes(value))[array(profile)]
        assert len(left) <= MORE.get(kind.name, 6), kind.name


def test_the_command_writes_a_fixture_that_is_data_only_and_says_what_it_was_made_of(tmp_path: Path) -> None:
    arguments = ["--profile", "openai-responses", "--kind", "item-differs", "--out", str(tmp_path)]
    assert CliRunner().invoke(derive, arguments).exit_code == 0
    source = tmp_path / "openai-responses.item-differs.json"
    done = CliRunner().invoke(reduce_command, [str(source)])
    assert done.exit_code == 0, done.output
    assert "became" in done.stdout
    assert "still copy_mismatch" in done.stdout
    short = source.with_name("openai-responses.item-differs.reduced.json")
    assert json.loads(short.read_bytes())["capture"]["derived"]["kind"] == "reduced"
    assert CliRunner().invoke(scan, [str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"profile": "openai"}'])
def test_what_is_no_fixture_is_told_in_words(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "turn.json"
    path.write_bytes(data)
    done = CliRunner().invoke(reduce_command, [str(path)])
    assert done.exit_code != 0
    assert "no fixture" in str(done.exception)
