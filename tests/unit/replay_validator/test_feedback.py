import logging
import pickle
from typing import Any

import pytest
from support.builders import chunks

from replay.validator import RETRY, Code, Feedback, Report, Retry, Turn, feedback_on

LIMIT = {"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 20}}, "required": ["q"]}
SCHEMAS: dict[str, object] = {"find": LIMIT, "any": {}, "bad": {"unknown": 1}}


def call(index: int, arguments: str, *, name: str = "find", identity: str | None = None) -> dict[str, Any]:
    return chunks.call(index, arguments, name=name, **({"id": identity} if identity else {}))


def report(*calls: object, finish: str | None = "tool_calls") -> Report:
    turn = Turn(profile="openai", tool_schemas=SCHEMAS)
    turn.feed(chunks.chunk_of(*calls, finish=finish))
    return turn.close()


def lines(feedback: Feedback, identity: str) -> list[str]:
    return feedback[identity].text.splitlines()


def test_a_call_that_passes_needs_no_answer() -> None:
    feedback = feedback_on(report(call(0, '{"q":1}')))
    assert (dict(feedback), feedback.retry) == ({}, None)


def test_what_was_wrong_is_said_by_call_id_with_what_was_sent() -> None:
    feedback = feedback_on(report(call(0, '{"q":"","limit":40}'), call(1, '{"q":1}')))
    assert list(feedback) == ["call_0", "call_1"]
    assert lines(feedback, "call_0") == [
        "The call was not executed.",
        "- `limit` must be an integer from 1 to 20; for example 20; you sent 40",
        "Correct what is wrong and send every call of the turn again.",
    ]
    assert lines(feedback, "call_1") == [
        "The call was not executed.",
        "- Nothing is wrong with this call; another one of the same turn was refused.",
        "Correct what is wrong and send every call of the turn again.",
    ]
    assert feedback.retry is feedback["call_0"].retry is feedback["call_1"].retry is Retry.WITH_FEEDBACK


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("40", "40"),
        ("1.50", "1.50"),
        ('"forty"', '"forty"'),
        ("null", "null"),
        ("true", "true"),
        ("[]", "an array of 0 items"),
        ("[[1]]", "an array of 1 item"),
        ("{}", "an empty object"),
        ('{"a":1,"b":2}', 'an object with "a", "b"'),
        ('"' + "x" * 999 + '"', '"' + "x" * 199 + "…"),
    ],
)
def test_what_was_sent_is_told_in_few_words(value: str, words: str) -> None:
    feedback = feedback_on(report(call(0, f'{{"q":1,"limit":{value}}}')))
    assert lines(feedback, "call_0")[1].endswith(f"; you sent {words}")


def test_the_place_of_what_was_sent_is_found_by_its_pointer() -> None:
    schema = {"properties": {"a/b~": {"items": {"type": "integer"}}}}
    turn = Turn(profile="openai", tool_schemas={"f": schema})
    text = '{"a/b~":[1,2,"three"]}'
    turn.feed({"choices": [{"delta": {"tool_calls": [call(0, text, name="f")]}, "finish_reason": "tool_calls"}]})
    assert lines(feedback_on(turn.close()), "call_0")[1].endswith('; you sent "three"')


def test_an_unknown_tool_and_a_missing_property_are_told_too() -> None:
    assert lines(feedback_on(report(call(0, "{}", name="serch"))), "call_0")[1].endswith('; you sent "serch"')
    assert lines(feedback_on(report(call(0, '{"limit":3}'))), "call_0")[1] == (
        '- the arguments must have `q`; you sent an object with "limit"'
    )
    assert lines(feedback_on(report(call(0, "[1,2]"))), "call_0")[1].endswith("; you sent an array of 2 items")


def test_every_code_says_whether_a_retry_makes_sense() -> None:
    assert RETRY.keys() == set(Code)
    truncated_or_mixed = {Code.MISSING_TERMINAL, Code.WRONG_TERMINAL, Code.STREAM_ERROR, Code.TURN_COLLISION}
    assert {RETRY[code] for code in truncated_or_mixed | {Code.IDENTITY_COLLISION}} == {Retry.NOT_AUTOMATIC}


def test_a_truncated_or_colliding_turn_is_not_asked_for_again_whatever_else_is_wrong() -> None:
    for refused in (
        report(call(0, "{}"), call(1, "{"), finish=None),
        report(call(0, "{"), call(0, "", identity="call_9"), call(1, "{"), finish="tool_calls"),
        report(call(0, "{}"), call(1, "{"), finish="length"),
    ):
        feedback = feedback_on(refused)
        assert feedback.retry is Retry.NOT_AUTOMATIC
        assert {answer.retry for answer in feedback.values()} == {Retry.NOT_AUTOMATIC}
        assert lines(feedback, "call_1")[-1] == "Do not send it again unless you are asked to."


def test_a_finding_of_the_choice_or_the_turn_concerns_each_of_its_calls() -> None:
    feedback = feedback_on(report(call(0, "{}"), call(1, "{}"), finish="length"))
    assert lines(feedback, "call_0") == lines(feedback, "call_1")
    assert "cut short" in lines(feedback, "call_0")[1]


def test_a_turn_without_calls_still_says_whether_to_retry() -> None:
    turn = Turn(profile="anthropic", tool_schemas={})
    turn.feed({"type": "error"})
    feedback = feedback_on(turn.close())
    assert (len(feedback), feedback.retry) == (0, Retry.NOT_AUTOMATIC)


def test_calls_that_share_an_id_share_one_answer_and_a_call_without_id_has_none() -> None:
    shared = feedback_on(report(call(0, '{"q":1}', identity="same"), call(1, '{"q":1}', identity="same")))
    assert list(shared) == ["same"]
    assert any("same id" in line for line in lines(shared, "same"))
    assert not any("Nothing is wrong" in line for line in lines(shared, "same"))
    nameless = feedback_on(report({"index": 0, "function": {"name": "find", "arguments": "{}"}}))
    assert (len(nameless), nameless.retry) == (0, Retry.NOT_AUTOMATIC)


def test_feedback_stays_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    canary = "canary-51c2"
    refused = report(call(0, f'{{"q":1,"limit":"{canary}"}}', identity=canary))
    with caplog.at_level(logging.DEBUG):
        feedback = feedback_on(refused)
    assert canary in feedback[canary].text
    assert canary not in repr(feedback)
    assert canary not in repr(feedback[canary])
    assert canary not in str(feedback[canary])
    assert not any(canary in finding.message for finding in refused.findings)
    assert canary not in caplog.text
    # The report itself keeps nothing but the calls, the findings and what its JSON has.
    assert {name for name in dir(refused) if not name.startswith("_")} == {
        *("status", "profile", "calls", "findings", "allowances"),
        *("applicable", "executable", "exit_code", "as_dict"),
    }
    assert pickle.loads(pickle.dumps(refused)) == refused


def test_arguments_as_deep_as_a_caller_allows_are_looked_up_all_the_same() -> None:
    from replay.validator import Limits

    levels = 20_000
    turn = Turn(profile="openai", tool_schemas={"f": {"type": "null"}}, limits=Limits(max_nesting=levels))
    text = '{"a":' * levels + "1" + "}" * levels
    turn.feed({"choices": [{"delta": {"tool_calls": [call(0, text, name="f")]}, "finish_reason": "tool_calls"}]})
    assert lines(feedback_on(turn.close()), "call_0")[1].endswith('; you sent an object with "a"')
