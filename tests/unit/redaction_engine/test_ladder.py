"""The rungs of redaction: the most private one that keeps the verdict is taken, and the fixture names it."""

import json

import pytest
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Proved, Reason, Refused
from redaction.redactor import decide, redact
from replay.validator import Code

AT_MOST_NINE = {"type": "object", "properties": {"query": {"type": "string", "pattern": r"^[\s\S]{0,9}$"}}}


def call(query: str) -> dict[str, object]:
    arguments = json.dumps({"query": query}, separators=(",", ":"))
    one = {"index": 0, "id": "call_9", "function": {"name": "find", "arguments": arguments}}
    choice = {"index": 0, "delta": {"tool_calls": [one]}, "finish_reason": "tool_calls"}
    return {"profile": "openai", "tool_schemas": {"find": AT_MOST_NINE}, "chunks": [{"id": "c1", "choices": [choice]}]}


@pytest.mark.parametrize(
    ("query", "rung", "masked", "codes"),
    [
        ("mara", "canonical", "x", []),
        ("mara lindqvist", "exact_lengths", "x" * 14, [Code.SCHEMA_VIOLATION]),
    ],
)
def test_a_length_is_revealed_only_where_the_verdict_depends_on_it(
    query: str, rung: str, masked: str, codes: list[Code]
) -> None:
    proved = redact(exchange_of(call(query)))
    assert isinstance(proved, Proved)
    assert proved.rung == json.loads(proved.fixture.data)["capture"]["rung"] == rung
    assert json.loads(proved.report.calls[0].arguments) == {"query": masked}
    assert [finding.code for finding in proved.report.findings] == codes


def test_the_last_refusal_is_told() -> None:
    refusals = [Refused(reason=Reason.RAW_TEXT, note="request"), Refused(reason=Reason.VERDICT)]
    assert decide(refusals) == refusals[1]


def test_where_no_rung_has_a_placeholder_the_capture_is_refused_for_its_verdict() -> None:
    refused = decide([])
    assert refused == Refused(reason=Reason.VERDICT, note="no placeholder answers the schema as the value did")
