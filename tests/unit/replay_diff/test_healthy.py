"""The healthy turn of each API: the rules pass it, and its call is the one that was asked for."""

import pytest

from replay.adapters.healthy import TURNS, HealthyCall
from replay.adapters.task import MODELS
from replay.families import array
from replay.validator import Envelope, Status, envelope_from, judge, strict_json
from replay.validator.profiles import PROFILES


def test_every_api_that_an_adapter_can_speak_has_one() -> None:
    assert TURNS.keys() >= MODELS.keys()


@pytest.mark.parametrize("profile", [profile for profile in TURNS if profile in PROFILES])
@pytest.mark.parametrize("arguments", ["{}", '{"city":"Å"}', '{"list":[1,{"a":null}]}'])
def test_a_healthy_turn_passes_with_its_call(profile: str, arguments: str) -> None:
    call = HealthyCall(id=TURNS[profile].identity, name="look_up", arguments=arguments, custom=False)
    payloads = TURNS[profile].payloads(call)
    envelope = envelope_from(
        {"profile": profile, "tool_schemas": {"look_up": {"type": "object"}}, array(profile): payloads}
    )
    assert isinstance(envelope, Envelope)
    report = judge(envelope)
    assert (report.status, report.findings, report.allowances) == (Status.PASS, (), ())
    [found] = report.calls
    assert (found.id, found.name) == (call.id, call.name)
    # Where the arguments are sent as a value, the report has a text of its own for it.
    assert strict_json.parse(found.arguments, max_nesting=9) == strict_json.parse(arguments, max_nesting=9)


@pytest.mark.parametrize(
    ("name", "custom", "schema"),
    [("patch", True, {"type": "string"}), ("crm.note", True, {"type": "string"}), ("crm.find", False, {})],
)
def test_custom_tools_and_namespaces_have_theirs(name: str, custom: bool, schema: dict[str, str]) -> None:
    profile = "openai-responses"
    call = HealthyCall(id="call_1", name=name, arguments="text" if custom else "{}", custom=custom)
    envelope = envelope_from(
        {"profile": profile, "tool_schemas": {name: schema}, array(profile): TURNS[profile].payloads(call)}
    )
    assert isinstance(envelope, Envelope)
    assert [(one.name, one.arguments) for one in judge(envelope).calls] == [(name, call.arguments)]
