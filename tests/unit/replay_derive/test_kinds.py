"""Every kind of every family has exactly the findings that the rules give it, and so have its twins."""

import json
from collections.abc import Iterator
from functools import cache

import pytest
from support.nightly import at_night, nightly, sampled
from support.shared import ROOT

from redaction.proof.scan import scan_fixture
from replay import derived
from replay.derive import making
from replay.derive.kinds import KINDS
from replay.derive.kinds.kind import Made, NotInThisError
from replay.derive.making import Derived
from replay.derive.recording import Recording, read
from replay.derive.seconds import SECONDS, with_second
from replay.derive.suite import bundled, suite
from replay.derive.twins import TWINS, twin
from replay.derive.wires import WIRES
from replay.derived import UNDONE
from replay.errors import ToolreelError
from replay.validator import Code
from replay.validator.profiles import PROFILES

CASES = ROOT / "tests" / "data" / "cases"


@cache
def recording(profile: str) -> Recording:
    return read(bundled(profile), profile)


def differs(one: Recording, made: Made) -> bool:
    report = making.judged(one, made)
    wanted = {(found.code, found.choice, found.slot, found.event, found.path) for found in made.expected}
    found = {(found.code, found.choice, found.slot, found.event, found.path) for found in report.findings}
    return wanted != found or report.status is not made.verdict


def all_made(one: Recording) -> Iterator[tuple[str, Made]]:
    for name, kind in KINDS.items():
        if one.profile in kind.of:
            try:
                yield name, kind.make(one)
            except NotInThisError:
                continue


@pytest.mark.parametrize("profile", PROFILES)
def test_each_kind_has_the_verdict_that_the_rules_give(profile: str) -> None:
    one = recording(profile)
    assert [name for name, made in all_made(one) if differs(one, made)] == []


@pytest.mark.parametrize("profile", PROFILES)
def test_the_bundled_turn_can_have_every_kind_of_its_family(profile: str) -> None:
    there = {name for name, _ in all_made(recording(profile))}
    assert {name for name, kind in KINDS.items() if profile in kind.of} - there == set()


@pytest.mark.parametrize("profile", PROFILES)
def test_every_code_that_the_family_can_have_is_expected_by_a_kind(profile: str) -> None:
    expected = {found.code for _, made in all_made(recording(profile)) for found in made.expected}
    assert {code for code in Code if code not in PROFILES[profile].never} - expected == {Code.INVALID_FIXTURE}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_twin_has_the_verdict_of_its_kind(profile: str) -> None:
    one = recording(profile)
    twins = [(name, way, twin(one, made, way)) for name, made in sampled(list(all_made(one))) for way in TWINS]
    assert sum(again is not None for _, _, again in twins) > 5
    assert [(name, way) for name, way, again in twins if again is not None and differs(one, again)] == []


def pairs_of_faults(one: Recording) -> Iterator[tuple[str, str, Made]]:
    for name, _ in all_made(one):
        for beside in SECONDS:
            try:
                yield name, beside, with_second(one, KINDS[name], beside)
            except NotInThisError:
                continue


@pytest.mark.parametrize("profile", at_night(tuple(PROFILES), but=("openai", "gemini")))
def test_two_faults_have_the_findings_that_follow_from_what_the_rules_say_of_each(profile: str) -> None:
    one = recording(profile)
    pairs = list(pairs_of_faults(one))
    assert len(pairs) > 500
    assert [(name, beside) for name, beside, made in pairs if differs(one, made)] == []


def codes_of(name: str, beside: str) -> list[tuple[str, int | None, int | None]]:
    report = making.derived(recording("openai"), KINDS[name], beside).report
    return [(found.code.value, found.slot, found.event) for found in report.findings]


def test_of_two_faults_the_rules_say_which_is_found() -> None:
    assert codes_of("ended-by-length", "nan") == [("wrong_terminal", None, 6)]
    assert codes_of("call-behind-terminal", "nan") == [("delta_after_terminal", 1, 7), ("non_finite_number", 0, None)]
    assert codes_of("no-object", "broken-payload") == [("malformed_event", None, 3)]
    assert codes_of("second-terminal", "unknown-event") == [
        ("unsupported_event", None, 3),
        ("duplicate_terminal", None, 8),
    ]


def kinds_of(*, seed: int) -> list[str]:
    made = suite(recording("openai"), ["nan", "second-terminal"], 6, seed)
    return [one.kind for one in made if isinstance(one, Derived)]


def test_pairs_are_of_twins_and_of_second_faults_and_the_seed_chooses_them() -> None:
    found = kinds_of(seed=1)
    assert found[:2] == ["second-terminal", "nan"]
    beside = {name.partition("+")[2] for name in found[2:]}
    assert {name in TWINS for name in beside} == {True, False}
    assert beside <= TWINS.keys() | SECONDS.keys()
    assert kinds_of(seed=2)[2:] != found[2:]


def of_other_recordings() -> Iterator[tuple[str, Recording]]:
    for path in sampled(sorted(CASES.glob("*.json"))[1::2]):
        try:
            yield path.name, read(path.read_bytes(), path.name)
        except ToolreelError:
            continue


@nightly
def test_kinds_of_every_passing_case_have_their_verdicts() -> None:
    found = list(of_other_recordings())
    assert len(found) > 15
    assert [(case, name) for case, one in found for name, made in all_made(one) if differs(one, made)] == []


def test_kinds_of_other_recordings_have_their_verdicts() -> None:
    found = list(of_other_recordings())[::3]
    assert found
    assert [(case, name) for case, one in found for name, made in all_made(one) if differs(one, made)] == []


def test_the_names_that_a_fixture_may_say_are_those_of_the_tables() -> None:
    assert set(KINDS) == derived.KINDS
    assert set(TWINS) == derived.TWINS
    assert set(SECONDS) == derived.SECONDS


def test_a_seed_cuts_elsewhere_and_changes_no_verdict() -> None:
    one = read(bundled("openai"), "openai", 7)
    assert one.told() != recording("openai").told()
    assert [name for name, made in all_made(one) if differs(one, made)] == []


def test_with_one_recorded_call_the_second_is_of_another_declared_tool() -> None:
    value = json.loads(bundled("anthropic"))
    value["events"] = [payload for payload in value["events"] if payload.get("index") != 2]
    one = read(json.dumps(value).encode(), "one call")
    assert (one.first.name, one.second.name) == ("send_email", "place_order")
    assert [name for name, made in all_made(one) if differs(one, made)] == []


def test_what_is_no_passing_recording_is_refused_in_words() -> None:
    with pytest.raises(ToolreelError, match=r"turn\.json is no fixture; see: toolreel validate turn\.json"):
        read(b"{", "turn.json")
    blocked = bundled("openai").replace(b'"finish_reason":"tool_calls"', b'"finish_reason":"length"')
    with pytest.raises(ToolreelError, match="is judged blocked; name a fixture that passes"):
        read(blocked, "turn.json")


@pytest.mark.parametrize("profile", [profile for profile in PROFILES if WIRES[profile].texts])
def test_a_kind_that_is_known_by_its_text_keeps_it_through_redaction_and_is_data_only(profile: str) -> None:
    one = recording(profile)
    for name in UNDONE:
        told = making.derived(one, KINDS[name])
        sent = making.judged(one, KINDS[name].make(one)).calls[0].arguments
        assert told.report.calls[0].arguments == sent
        assert UNDONE[name](sent) == one.first.text
        assert list(scan_fixture(told.data)) == []


def test_what_a_kind_takes_away_is_nothing_but_its_own_words() -> None:
    """Anything that stands beside them is found, as in any fixture."""
    data = making.derived(recording("openai"), KINDS["json-fence"]).data
    assert data.count(b"``json") == 1
    for other in (b"``mara", b"``python", b"x``json"):
        assert list(scan_fixture(data.replace(b"``json", other)))
