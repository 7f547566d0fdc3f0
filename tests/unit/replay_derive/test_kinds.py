"""Every kind of every family has exactly the findings that the rules give it, and so have its twins."""

import json
from collections.abc import Iterator
from functools import cache

import pytest
from support.nightly import nightly, sampled
from support.shared import ROOT

from redaction.proof.scan import scan_fixture
from replay import derived
from replay.derive import making
from replay.derive.kinds import KINDS
from replay.derive.kinds.kind import Made, NotInThisError
from replay.derive.recording import Recording, read
from replay.derive.suite import bundled
from replay.derive.twins import TWINS, twin
from replay.derive.wires import WIRES
from replay.derived import UNDONE
from replay.errors import ToolreelError
from replay.validator import Code, Report, Turn
from replay.validator.profiles import PROFILES

CASES = ROOT / "tests" / "data" / "cases"


@cache
def recording(profile: str) -> Recording:
    return read(bundled(profile), profile)


def judged(one: Recording, made: Made) -> Report:
    turn = Turn(
        profile=one.profile,
        tool_schemas=made.schemas or one.schemas,
        stream_end=made.stream_end,
        tool_choice=made.tool_choice,
        parallel_tool_calls=made.parallel,
    )
    turn.feed_all(one.wire.finished(made.payloads) if made.numbered else made.payloads)
    return turn.close()


def differs(one: Recording, made: Made) -> bool:
    report = judged(one, made)
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
        sent = judged(one, KINDS[name].make(one)).calls[0].arguments
        assert told.report.calls[0].arguments == sent
        assert UNDONE[name](sent) == one.first.text
        assert list(scan_fixture(told.data)) == []


def test_what_a_kind_takes_away_is_nothing_but_its_own_words() -> None:
    """Anything that stands beside them is found, as in any fixture."""
    data = making.derived(recording("openai"), KINDS["json-fence"]).data
    assert data.count(b"``json") == 1
    for other in (b"``mara", b"``python", b"x``json"):
        assert list(scan_fixture(data.replace(b"``json", other)))
