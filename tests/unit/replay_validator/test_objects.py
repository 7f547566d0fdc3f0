"""Scripts of chunks with whole calls and what they come to; the decisions that the cases leave untouched."""

from typing import Any

import pytest

from replay.validator import Allowance, Limits, Report, Turn

TOOLS = {"f": {"type": "object"}}


def call(name: str | None = "f", **members: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, **members}}


def chunk(*parts: object, reason: object = None, index: object = None, **members: Any) -> dict[str, Any]:
    candidate = {"index": index, "content": {"parts": list(parts)}, "finishReason": reason}
    return {"candidates": [candidate], **members}


def line(*calls: object, done: object = False, **members: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "tool_calls": list(calls)}, "done": done, **members}


def entry(arguments: object = None, **members: Any) -> dict[str, Any]:
    return {"function": {"name": "f", "arguments": arguments}, **members}


def turn_of(profile: str, *payloads: object, **options: Any) -> Report:
    turn = Turn(profile=profile, tool_schemas=TOOLS, **options)
    for payload in payloads:
        turn.feed(payload)
    return turn.close()


def gemini(*payloads: object, **options: Any) -> Report:
    return turn_of("gemini", *payloads, **options)


def ollama(*payloads: object, **options: Any) -> Report:
    return turn_of("ollama", *payloads, **options)


def found(report: Report) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(one.code.value, one.choice, one.slot, one.event) for one in report.findings]


def test_a_call_that_came_whole_passes() -> None:
    report = gemini(chunk(call(args={"a": 1}), reason="STOP"))
    assert (found(report), [one.arguments for one in report.calls]) == ([], ['{"a":1}'])


def test_a_call_in_pieces_is_one_call() -> None:
    report = gemini(
        chunk(call(willContinue=True)),
        chunk(
            call(None, partialArgs=[{"jsonPath": "$.a", "stringValue": "x", "willContinue": True}], willContinue=True)
        ),
        chunk(call(None, partialArgs=[{"jsonPath": "$.a", "stringValue": "y"}], willContinue=True)),
        chunk({"functionCall": {}}, reason="STOP"),
    )
    assert (found(report), [one.arguments for one in report.calls]) == ([], ['{"a":"xy"}'])


def test_a_call_that_another_one_left_open_never_ends() -> None:
    report = gemini(chunk(call(willContinue=True), call()), chunk(reason="STOP"))
    assert found(report) == [("missing_terminal", 0, 0, None)]


def test_an_open_call_that_a_wrong_reason_closes_has_no_arguments() -> None:
    report = gemini(chunk(call(willContinue=True), reason="MAX_TOKENS"))
    assert found(report) == [("wrong_terminal", 0, None, 0)]
    assert [one.arguments for one in report.calls] == [""]


def test_candidates_count_their_calls_each_for_itself() -> None:
    both = {"candidates": [chunk(call())["candidates"][0], chunk(call(), call(), index=1)["candidates"][0]]}
    report = gemini(both, chunk(reason="STOP"), chunk(reason="STOP", index=1))
    assert found(report) == []
    assert [(one.choice, one.slot) for one in report.calls] == [(0, 0), (1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("reason", "codes"),
    [
        (1, []),
        ("STOP", []),
        (0, ["missing_terminal"]),
        ("", ["missing_terminal"]),
        ("FINISH_REASON_UNSPECIFIED", ["missing_terminal"]),
        (2, ["wrong_terminal"]),
        ("OTHER", ["wrong_terminal"]),
        ("MALFORMED_FUNCTION_CALL", ["wrong_terminal"]),
        ("UNEXPECTED_TOOL_CALL", ["wrong_terminal"]),
        (-1, ["malformed_event", "missing_terminal"]),
        (True, ["malformed_event", "missing_terminal"]),
    ],
)
def test_a_reason_is_a_word_or_its_number(reason: object, codes: list[str]) -> None:
    assert [code for code, *_ in found(gemini(chunk(call()), chunk(reason=reason)))] == codes


def test_a_repeated_reason_is_allowed_where_it_is_the_first_one_however_it_is_written() -> None:
    allowed = {"allow": [Allowance.REPEATED_TERMINAL], "accept": [Allowance.REPEATED_TERMINAL]}
    twice = (chunk(call(), reason="STOP"), chunk(reason=1))
    assert found(gemini(*twice, **allowed)) == []
    assert found(gemini(*twice)) == [("duplicate_terminal", 0, None, 1)]
    assert found(gemini(chunk(call(), reason="STOP"), chunk(reason="OTHER"), **allowed)) == [
        ("duplicate_terminal", 0, None, 1)
    ]
    assert found(ollama(line(entry({}), done=True, done_reason="stop"), line(done=True), **allowed)) == [
        ("duplicate_terminal", 0, None, 1)
    ]


def test_a_second_reason_of_a_text_turn_is_no_finding() -> None:
    assert found(gemini(chunk(reason="STOP"), chunk(reason="OTHER"))) == []
    assert found(ollama(line(done=True, done_reason="stop"), line(done=True))) == []


@pytest.mark.parametrize("name", ["function_call", "computerCall", "CALL", "recall"])
def test_a_member_that_ends_in_call_is_a_call_of_another_kind(name: str) -> None:
    assert found(gemini(chunk({name: {}}))) == [("unsupported_event", 0, None, 0)]
    assert found(gemini(chunk({name: None}))) == []


@pytest.mark.parametrize("name", ["toolCall", "toolResponse", "executableCode", "thought", "callable"])
def test_what_the_provider_runs_is_none(name: str) -> None:
    assert found(gemini(chunk({name: {}}))) == []


def test_bytes_of_pieces_count_and_pass_no_limit() -> None:
    pieces = [{"jsonPath": "$.a", "stringValue": "é"}, {"jsonPath": "$.b", "numberValue": 1e2}]
    call_in_pieces = chunk(call(partialArgs=pieces), reason="STOP")
    assert found(gemini(call_in_pieces, limits=Limits(max_slot_bytes=5 + 6))) == []  # `$.a` and `é`, `$.b` and `100`
    over = gemini(call_in_pieces, limits=Limits(max_slot_bytes=10))
    assert found(over) == [("limit_exceeded", 0, 0, 0)]
    assert [one.arguments for one in over.calls] == ['{"a":"é"}']


@pytest.mark.parametrize(
    "piece",
    [
        3,
        {"jsonPath": 3, "stringValue": ""},
        {"jsonPath": "$", "stringValue": ""},
        {"jsonPath": "$.a", "stringValue": 3},
        {"jsonPath": "$.a", "stringValue": "\ud800"},
        {"jsonPath": "$.a", "numberValue": "3"},
        {"jsonPath": "$.a", "numberValue": True},
        {"jsonPath": "$.a", "numberValue": float("inf")},
        {"jsonPath": "$.a", "boolValue": 0},
        {"jsonPath": "$.a", "nullValue": False},
        {"jsonPath": "$.a", "nullValue": "null"},
        {"jsonPath": "$.a", "nullValue": 0, "boolValue": False},
        {"jsonPath": "$.a", "boolValue": True, "willContinue": True},
        {"jsonPath": "$.a", "stringValue": "", "willContinue": 1},
        {"jsonPath": "$.a[]", "stringValue": ""},
    ],
)
def test_a_piece_that_is_wrong_in_itself_breaks_the_payload(piece: object) -> None:
    report = gemini(chunk(call(partialArgs=[piece])))
    assert found(report) == [("malformed_event", 0, None, 0)]
    assert report.calls == ()


def test_a_late_name_is_no_call_that_goes_on() -> None:
    report = gemini(chunk(call()), chunk(call(None, args={})))
    assert found(report) == [("orphan_event", 0, None, 1), ("missing_terminal", 0, 0, None)]


def test_another_response_is_a_collision_until_a_reason_came() -> None:
    first, other = chunk(call(), responseId="a"), chunk({"text": "b"}, responseId="b")
    assert found(gemini(first, other, chunk(reason="STOP", responseId="b"))) == [("turn_collision", None, None, 1)]
    assert found(gemini(first, chunk(reason="STOP", responseId="a"), other)) == []


def test_entries_are_calls_of_their_own_whatever_their_index() -> None:
    same = {"function": {"name": "f", "index": 0, "arguments": {"a": 1}}}
    report = ollama(line(same, same), line(done=True, done_reason="stop"))
    assert found(report) == []
    assert [(one.slot, one.arguments) for one in report.calls] == [(0, '{"a":1}'), (1, '{"a":1}')]


def test_a_call_without_arguments_is_a_finding_in_one_family_and_none_in_the_other() -> None:
    assert found(ollama(line(entry(), done=True, done_reason="stop"))) == [("empty_arguments", 0, 0, None)]
    assert found(gemini(chunk(call(), reason="STOP"))) == []


def test_a_line_without_message_ends_nothing() -> None:
    report = ollama(line(entry({})), {"done": True, "done_reason": "stop"})
    assert found(report) == [("unsupported_event", None, None, 1), ("missing_terminal", 0, 0, None)]


def test_a_word_of_one_family_does_not_pass_in_another() -> None:
    assert found(ollama(line(entry({}), done=True, done_reason="STOP"))) == [("wrong_terminal", 0, None, 0)]
    assert found(gemini(chunk(call(), reason="stop"))) == [("wrong_terminal", 0, None, 0)]
