"""What was sent is in no message: a canary in any value or name of the arguments, or anywhere in the payloads."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.made.mutations import CARRIED, copied, load, places
from support.nightly import examples

from replay.validator import Allowance, Envelope, envelope_from, feedback_on, judge
from replay.validator.schema import violation

CANARY = "canary7f3a"
NUMBER = 778_899_001_122
GOLDEN = json.loads((Path(__file__).resolve().parents[1] / "data" / "messages.json").read_text("utf-8"))
SCHEMAS: list[Any] = [entry["schema"] for entry in GOLDEN["keywords"].values()]
FIXTURES = load(CARRIED)

marked = st.sampled_from(
    [CANARY, CANARY.upper(), f"{CANARY}@example.com", f"2024-05-17{CANARY}", NUMBER, -NUMBER, NUMBER + 0.5, [], {}]
)
values = st.recursive(
    marked,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([CANARY, "a", "n"]), inner, max_size=3),
    max_leaves=8,
)
schemas = st.recursive(
    st.sampled_from(SCHEMAS),
    lambda inner: st.one_of(
        st.builds(lambda one: {"properties": {"a": one, "n": one}, "additionalProperties": False}, inner),
        st.builds(lambda one: {"additionalProperties": one}, inner),
        st.builds(lambda one: {"items": one}, inner),
        st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
        st.builds(lambda one, two: {"allOf": [one, two]}, inner, inner),
        st.builds(lambda one: {"not": one}, inner),
    ),
    max_leaves=4,
)


def leaks(message: str) -> bool:
    return CANARY in message.lower() or str(NUMBER) in message


@settings(max_examples=examples(1_000), deadline=None)
@given(schemas, values)
def test_a_value_that_a_schema_rejects_is_in_no_message(schema: Any, value: Any) -> None:
    found = violation(schema, value)
    if found is not None:
        assert found.message
        assert not leaks(found.message)


@st.composite
def planted(draw: st.DrawFn) -> dict[str, Any]:
    """A carried case with a canary in the place of, or behind, one to three things in its payloads."""
    fixture: dict[str, Any] = copied(draw(st.sampled_from(FIXTURES)))
    payloads = [fixture[array] for array in ("chunks", "events") if isinstance(fixture.get(array), list)]
    for _ in range(draw(st.integers(1, 3))):
        spots = places(payloads)
        if not spots:
            break
        container, key = draw(st.sampled_from(spots))
        old = container[key]
        text = draw(st.sampled_from([CANARY, json.dumps({CANARY: CANARY}), f'{{"{CANARY}":{NUMBER}', str(NUMBER)]))
        container[key] = old + text if isinstance(old, str) and draw(st.booleans()) else text
    fixture["capture"] = {"stream_end": draw(st.sampled_from(["complete", CANARY])), "tool_choice": CANARY}
    return fixture


@settings(max_examples=examples(600), deadline=None)
@given(planted())
def test_what_a_turn_sent_is_in_no_message(fixture: dict[str, Any]) -> None:
    envelope = envelope_from(fixture)
    if isinstance(envelope, Envelope):
        report = judge(envelope, accept=list(Allowance))
        assert not [finding.message for finding in report.findings if leaks(finding.message)]
        assert not leaks(repr(report.calls))
        assert not leaks(repr(feedback_on(report)))
