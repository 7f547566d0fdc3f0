"""Words that JSON has not but models write: they are placeholders of nothing, and no raw text either."""

import json

import pytest
from support.exchanges import request_body, sse_body

from redaction.exchange import Exchange, Proved
from redaction.redactor import redact


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400", "9" * 400])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_number_that_is_none_is_no_reason_to_refuse(word: str, size: int) -> None:
    text = f'{{"limit":{word}}}'
    entries = [{"index": 0, "id": "c", "function": {"name": "t", "arguments": ""}}]
    entries += [{"index": 0, "function": {"arguments": text[at : at + size]}} for at in range(0, len(text), size)]
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]} for entry in entries]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
    result = redact(
        Exchange(
            profile="openai",
            provider="openai",
            request_body=request_body("openai", {"t": {}}),
            body=sse_body(chunks, done=True),
        )
    )
    assert isinstance(result, Proved)
    assert [finding.code.value for finding in result.report.findings] == ["non_finite_number"]
    assert json.loads(result.fixture.data)["capture"]["rung"] == "canonical"
