"""Redaction in its own process: real processes, the real redaction."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from support.builders.turns import DONE, call, request
from support.processes import orphans
from support.processes.command import environment

from proxy_addon.writing.outcomes.settled import NoResultError
from proxy_addon.writing.redacting.process import RedactionProcess
from redaction.captured.exchange import Exchange, Proved, Reason, Refused
from redaction.redactor import redact

TURN = Exchange(
    profile="openai",
    provider="openai",
    request_body=request(),
    content_type="text/event-stream",
    body=b"".join([*call('{"ci', 'ty": "Oslo"}'), DONE]),
    secrets=("Bearer sk-CANARY",),
)


@pytest.fixture(scope="module")
def process() -> Iterator[RedactionProcess]:
    started = RedactionProcess()
    yield started
    started.end()


def test_the_process_says_what_redaction_says(process: RedactionProcess) -> None:
    found = process(TURN)
    assert isinstance(found, Proved)
    assert found == redact(TURN)
    assert process(replace(TURN, content_coding="compress")) == Refused(
        reason=Reason.CODING, note=redact_note(replace(TURN, content_coding="compress"))
    )


def redact_note(exchange: Exchange) -> str:
    refused = redact(exchange)
    assert isinstance(refused, Refused)
    return refused.note


def test_a_bug_in_redaction_comes_back_as_the_name_of_its_type(process: RedactionProcess) -> None:
    before = process.pid
    with pytest.raises(NoResultError) as caught:
        process(replace(TURN, body="CANARY"))  # type: ignore[arg-type]
    assert caught.value.why in {"TypeError", "AttributeError"}
    assert caught.value.__context__ is None
    assert isinstance(process(TURN), Proved)
    assert process.pid == before


def test_a_process_that_dies_costs_one_capture(process: RedactionProcess) -> None:
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(NoResultError, match="process ended"):
        process(TURN)
    assert isinstance(process(TURN), Proved)


def test_a_redaction_that_takes_too_long_costs_one_capture() -> None:
    hasty = RedactionProcess(max_seconds=0)
    try:
        before = hasty.pid
        with pytest.raises(NoResultError, match="took too long"):
            hasty(TURN)
        assert hasty.pid != before
    finally:
        hasty.end()


def test_the_signals_that_stop_a_recorder_do_not_stop_its_redaction(process: RedactionProcess) -> None:
    assert isinstance(process(TURN), Proved)  # it is up, and has set its handlers
    before = process.pid
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(before, number)
    assert isinstance(process(TURN), Proved)
    assert process.pid == before
    assert os.getsid(before) != os.getsid(0)


def test_the_process_ends_with_the_recorder_and_frees_who_waits_for_it() -> None:
    process = RedactionProcess()
    assert isinstance(process(TURN), Proved)
    os.kill(process.pid, signal.SIGSTOP)
    words = []

    def wait() -> None:
        with pytest.raises(NoResultError) as caught:
            process(TURN)
        words.append(caught.value.why)

    waiting = threading.Thread(target=wait)
    waiting.start()
    process.end()
    waiting.join(30)
    assert words == ["process ended"]


ORPHAN = (
    "import os; from proxy_addon.writing.redacting.process import RedactionProcess; "
    "print(RedactionProcess().pid, flush=True); os._exit(0)"
)


def test_a_process_whose_recorder_is_gone_ends_by_itself() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN], env=environment(), capture_output=True, text=True, timeout=60, check=True
    )
    orphan = int(done.stdout)
    deadline = time.monotonic() + 30
    while orphans.runs(orphan):
        assert time.monotonic() < deadline
        time.sleep(0.01)
