"""The last steps of a capture: what is stored, and under which name."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.recorded.exchanges import exchange_of
from support.recorded.settling import settle

from proxy_addon.writing.cases import Turn
from proxy_addon.writing.outcomes.settled import How
from proxy_addon.writing.storage.folder import FixtureFolder
from proxy_addon.writing.storage.room import Limits
from redaction.fixture import digest_of
from redaction.redactor import redact
from replay.validator import Status

CALL = {"index": 0, "id": "call_9", "function": {"name": "send_email", "arguments": "{}"}}
CHOICE = {"index": 0, "delta": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}
TURN = {"profile": "openai", "tool_schemas": {"send_email": {}}, "chunks": [{"id": "c", "choices": [CHOICE]}]}


@pytest.mark.parametrize(
    ("case", "file"),
    [
        ("no-subject", "no-subject.json"),
        ("send_email-1", "send_email-1.json"),
        ("lymphoma-2", None),
        ("of-mara.lindqvist", None),
        ("agent-of-acme", None),
    ],
)
def test_a_case_that_repeats_its_request_names_no_file(case: str, file: str | None, tmp_path: Path) -> None:
    exchange = replace(exchange_of(TURN), secrets=("Mara.Lindqvist",), user_agent="Agent-of-ACME/2.1")
    assert b"lymphoma" in (exchange.request_body or b"")
    folder = FixtureFolder(tmp_path, digest_of=digest_of, limits=Limits(files=9))
    settled = settle(lambda: exchange, redact=redact, folder=folder, turn=Turn(case=case))
    assert settled.how is How.WRITTEN
    (written,) = [path.name for path in tmp_path.iterdir()]
    assert settled.file == written
    if file is not None:
        assert (written, settled.notice) == (file, "")
    else:
        assert case not in written
        assert settled.text().endswith("; case name not used, for it repeats the request")
    assert json.loads((tmp_path / written).read_bytes())["profile"] == "openai"


@pytest.mark.parametrize(("allow", "hint"), [(("repeated_terminal",), True), ((), False), (("message_mirror",), False)])
def test_a_blocked_turn_says_with_which_named_allowance_it_passes(
    allow: tuple[str, ...], *, hint: bool, tmp_path: Path
) -> None:
    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    exchange = replace(exchange_of({**TURN, "chunks": [*TURN["chunks"], end]}), allow=allow)
    folder = FixtureFolder(tmp_path, digest_of=digest_of, limits=Limits(files=9))
    settled = settle(lambda: exchange, redact=redact, folder=folder, turn=None)
    assert settled.report is not None
    assert settled.report.status is Status.BLOCKED
    assert settled.text().endswith("; with `--accept repeated_terminal` it passes") is hint
    assert ("--accept" in settled.text()) is hint
