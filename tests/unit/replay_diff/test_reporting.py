"""What the report of a pair says beside its outcome."""

from dataclasses import replace

from replay.diff.outcomes import End, Heard, Outcome
from replay.diff.reporting import details, members
from replay.diff.runs import Result, Standing
from replay.validator import validate

BLOCKED = validate(b'{"profile": "openai", "tool_schemas": {}, "chunks": [1]}')
RESULT = Result(
    fixture="a.json",
    adapter="openai",
    version="1",
    standing=Standing.REFUSED,
    outcome=Outcome.UNSAFE,
    report=BLOCKED,
    heard=Heard(handed=(), end=End.RETURNED),
)


def test_a_fixture_that_clients_may_take_otherwise_than_the_stream_is_marked() -> None:
    marked = replace(RESULT, unfaithful=("payloads", "ids"))
    mark = "unfaithful: clients may do otherwise with the stream itself (payloads, ids)"
    assert mark in list(details(marked))
    assert members(marked)["unfaithful"] == ["payloads", "ids"]
    assert not any(line.startswith("unfaithful") for line in details(RESULT))
    assert "unfaithful" not in members(RESULT)
