"""What of a turn is read in more than one way, stated as facts."""

from typing import Any

import pytest

from replay.adapters.healthy import TURNS, HealthyCall
from replay.diff import contested
from replay.families import array
from replay.validator import Envelope, envelope_from, judge
from replay.validator.profiles import PROFILES


def chunk(*calls: dict[str, Any], choice: int = 0, finish: str | None = None) -> dict[str, Any]:
    delta = {"tool_calls": list(calls)} if calls else {}
    choices = [{"index": choice, "delta": delta, "finish_reason": finish}]
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}


def call(arguments: str = "{}", **other: Any) -> dict[str, Any]:
    name = other.pop("name", "say")
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return {"index": 0, "id": "call_1", "function": function, **other}


def marks(*chunks: dict[str, Any]) -> tuple[str, ...]:
    envelope = envelope_from({"profile": "openai", "tool_schemas": {"say": {"type": "object"}}, "chunks": list(chunks)})
    assert isinstance(envelope, Envelope)
    return contested.marks(envelope, judge(envelope))


END = chunk(finish="tool_calls")


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([chunk(call()), END], ()),
        (
            [chunk(call()), END, chunk(call(id="b"), choice=1), chunk(choice=1, finish="tool_calls")],
            (contested.CHOICES,),
        ),
        ([chunk(call("{")), chunk(call("}", id=None)), END], (contested.NAME_REPEATED,)),
        ([chunk(call("{", name="s")), chunk(call("}", name="ay", id=None)), END], (contested.NAME_IN_PIECES,)),
        ([chunk(call("{")), chunk(call("}", name="")), END], (contested.ID_REPEATED,)),
        ([chunk(call("{")), chunk(call("}", name="", id="call_2")), END], (contested.ID_CHANGED,)),
        ([chunk(call("{")), chunk({"index": [0], "id": {}, "function": 5}), END], (contested.NO_INDEX,)),
        ([chunk(call()), END, END], ("passes with an allowance: `repeated_terminal`", contested.FINISHED_AGAIN)),
        ([chunk(call("")), END], ("passes with an allowance: `empty_arguments`",)),
        (
            [chunk(call(index=None), finish="tool_calls")],
            ("passes with an allowance: `unindexed_whole_call`", contested.NO_INDEX),
        ),
        ([{"choices": 5}, {"choices": [5]}, {"choices": [{"delta": {"tool_calls": [5]}}]}, END], ()),
    ],
)
def test_a_turn_has_the_marks_of_what_is_in_it(chunks: list[dict[str, Any]], expected: tuple[str, ...]) -> None:
    assert marks(*chunks) == expected


@pytest.mark.parametrize("profile", [profile for profile in TURNS if profile in PROFILES])
def test_a_healthy_turn_has_none(profile: str) -> None:
    healthy = HealthyCall(id=TURNS[profile].identity, name="say", arguments="{}", custom=False)
    envelope = envelope_from(
        {
            "profile": profile,
            "tool_schemas": {"say": {"type": "object"}},
            array(profile): TURNS[profile].payloads(healthy),
        }
    )
    assert isinstance(envelope, Envelope)
    assert contested.marks(envelope, judge(envelope)) == ()


def test_no_allowance_is_named_where_none_helps() -> None:
    envelope = envelope_from({"profile": "openai", "tool_schemas": {}, "chunks": [chunk(call()), END]})
    assert isinstance(envelope, Envelope)
    assert contested.allowances(envelope, judge(envelope)) == ()
