"""Every case that can be traffic goes through redaction: nothing is refused, the verdict stays, no raw text remains."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support import shared
from support.later import built
from support.recorded.exchanges import PROMPT, exchange_of

from redaction.captured.exchange import Ending, Proved, Reason, Refused
from redaction.redactor import redact
from replay.families import array
from replay.validator import Allowance, judge, read_envelope


def cases() -> list[Path]:
    folder = shared.beside("cases")
    found = sorted(path for path in folder.glob("*.json") if not path.name.endswith(".expected.json")) if folder else []
    return built(found)


@pytest.mark.parametrize("path", cases(), ids=lambda path: path.stem)
def test_a_case_keeps_its_verdict(path: Path) -> None:
    expected = json.loads(path.with_name(path.stem + ".expected.json").read_bytes())
    if "limits" in expected:
        pytest.skip("judged with limits that a recorder does not set")
    if expected["status"] == "invalid":
        pytest.skip("no envelope, so no traffic")
    if path.stem == "anthropic-stream-end-after-message-stop":
        pytest.skip("a recorder takes the stream's own end marker for its end")
    if path.stem == "bedrock-events-in-the-other-form":
        pytest.skip("a recorder takes the events of another family for that family")
    fixture = json.loads(path.read_bytes())
    exchange = exchange_of(fixture)
    if not fixture[array(fixture["profile"])] and exchange.ending is not Ending.CLIENT:
        assert redact(exchange) == Refused(reason=Reason.NO_EVENTS)
        exchange = replace(exchange, ending=Ending.CLIENT)  # who alone may leave nothing behind
    found = redact(exchange)
    assert isinstance(found, Proved), found
    assert PROMPT.encode() not in found.fixture.data
    envelope = read_envelope(found.fixture.data)
    accept = [Allowance(name) for name in expected.get("accept", []) if name in fixture.get("allow", [])]
    report = judge(envelope, accept=accept)
    seen = [(f.code.value, f.choice, f.slot, f.event) for f in report.findings]
    wanted = [(f["code"], f["choice"], f["slot"], f["event"]) for f in expected["findings"]]
    assert (report.status.value, seen) == (expected["status"], wanted)
