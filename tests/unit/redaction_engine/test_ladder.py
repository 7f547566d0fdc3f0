"""The rungs of redaction: the most private one that keeps the verdict is taken, and the fixture names it."""

import json

import pytest
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Proved, Reason, Refused
from redaction.redactor import decide, redact
from replay.validator import Code

BOUNDED = {"type": "object", "properties": {"query": {"type": "string", "maxLength": 100_000}}}
# Longer than any placeholder that is made to meet a bound.
LONG = "mara lindqvist" * 8_000


def call(query: str) -> dict[str, object]:
    arguments = json.dumps({"query": query, "note": "for Mara"}, separators=(",", ":"))
    one = {"index": 0, "id": "call_9", "function": {"name": "find", "arguments": arguments}}
    choice = {"index": 0, "delta": {"tool_calls": [one]}, "finish_reason": "tool_calls"}
    return {"profile": "openai", "tool_schemas": {"find": BOUNDED}, "chunks": [{"id": "c1", "choices": [choice]}]}


@pytest.mark.parametrize(
    ("query", "rung", "masked", "codes"),
    [
        ("mara", "canonical", "x", []),
        (LONG, "needed_lengths", "x" * len(LONG), [Code.SCHEMA_VIOLATION]),
    ],
)
def test_a_length_is_revealed_only_where_the_verdict_depends_on_it(
    query: str, rung: str, masked: str, codes: list[Code]
) -> None:
    proved = redact(exchange_of(call(query)))
    assert isinstance(proved, Proved)
    assert proved.rung == json.loads(proved.fixture.data)["capture"]["rung"] == rung
    assert json.loads(proved.report.calls[0].arguments) == {"query": masked, "key_1": "x"}
    assert [finding.code for finding in proved.report.findings] == codes


def test_the_last_refusal_is_told() -> None:
    refusals = [Refused(reason=Reason.RAW_TEXT, note="request"), Refused(reason=Reason.VERDICT)]
    assert decide(refusals) == refusals[1]


def test_where_a_rung_is_the_last_one_that_may_be_tried_the_capture_is_refused_behind_it() -> None:
    refused = redact(exchange_of(call(LONG)), last="canonical")
    assert refused == Refused(
        reason=Reason.VERDICT,
        note="find: no placeholder answers type, maxLength at /query as the value did",
        masked_nothing=True,
    )


def test_a_refusal_that_looked_at_a_file_says_more_than_one_that_had_none() -> None:
    looked, had_none = Refused(reason=Reason.RAW_TEXT), Refused(reason=Reason.VERDICT, masked_nothing=True)
    assert decide([looked, had_none]) == decide([had_none, looked]) == looked
