"""The journal: closed words, in order, and never in anybody's way."""

import json
import os
import re
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from proxy_addon.writing.outcomes.journal import Journal, Line, Notice, Style, write_to
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut, Settled, unwritten
from redaction.captured.exchange import Reason
from replay.validator import Report, validate

BLOCKED = b'{"profile": "openai", "tool_schemas": {}, "chunks": [1, 2]}'


def report() -> Report:
    return validate(BLOCKED)


def line(settled: Settled, case: str | None = None) -> Line:
    return Line(upstream="gate", case=case, settled=settled)


LINES = {
    "written": line(Settled(how=How.WRITTEN, file="c-2.json", report=report()), "c"),
    "same shape": line(Settled(how=How.SAME_SHAPE, file="c.json", report=report())),
    "left out": line(unwritten(LeftOut.ONLY, report=report())),
    "refused": line(unwritten(Reason.RAW_TEXT, note="n"), "c"),
    "dropped": line(unwritten(Dropped.WRITE, note="ENOSPC")),
    "notice": Notice(about="gate", says="w"),
}


def said(style: Style, *lines: Line | Notice) -> bytes:
    written: list[bytes] = []
    journal = Journal(written.append, style=style)
    for line in lines:
        journal.say(line)
    assert journal.close(30) == 0
    return b"".join(written)


SAME = "events, tools and transport are those of that file; a case of its own keeps both"
SAID = "the text at the place was also said in the turn; record it with other texts"
FOLDER = "look at the folder: its disk, and who may write there"


def test_each_line_says_what_it_is_about() -> None:
    assert said(Style.TEXT, *LINES.values()).decode().splitlines() == [
        "toolreel: c-2.json: written, openai blocked, malformed_event, calls: 0",
        f"toolreel: gate: same shape as c.json, openai blocked, malformed_event, calls: 0; {SAME}",
        "toolreel: gate: left out, another verdict (--only), openai blocked, malformed_event, calls: 0",
        f"toolreel: c: refused, raw text in the finished file (n); {SAID}",
        f"toolreel: gate: dropped, file not written (ENOSPC); {FOLDER}",
        "toolreel: gate: w",
    ]


def test_lines_for_programs_are_json() -> None:
    verdict = {"profile": "openai", "status": "blocked", "codes": ["malformed_event"], "calls": 0}
    found = [json.loads(line) for line in said(Style.JSON, *LINES.values()).splitlines()]
    assert [line.pop("number") for line in found] == [1, 2, 3, 4, 5, 6]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time")) for line in found)
    assert found == [
        {"event": "written", "upstream": "gate", "case": "c", "file": "c-2.json", **verdict},
        {"event": "same_shape", "upstream": "gate", "file": "c.json", "do": SAME, **verdict},
        {"event": "left_out", "upstream": "gate", "why": "another verdict (--only)", **verdict},
        {"event": "refused", "upstream": "gate", "case": "c", "why": "raw text in the finished file (n)", "do": SAID},
        {"event": "dropped", "upstream": "gate", "why": "file not written (ENOSPC)", "do": FOLDER},
        {"event": "notice", "upstream": "gate", "why": "w"},
    ]


def test_lines_tell_when_they_were_said_and_their_numbers_where_one_was_lost() -> None:
    written: list[bytes] = []
    begun, free = threading.Event(), threading.Event()

    def write(data: bytes) -> None:
        begun.set()
        assert free.wait(30)
        written.append(data)

    journal = Journal(write, style=Style.JSON, max_waiting=2)
    before = datetime.now(UTC)
    for about in ("one", "two", "lost"):
        journal.say(Notice(about=about, says="w"))
    after = datetime.now(UTC)
    assert begun.wait(30)
    time.sleep(0.05)  # a reader that is late
    free.set()
    deadline = time.monotonic() + 30
    while len(written) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.05)  # the place of the second line is free a moment after it was written
    journal.say(Notice(about="four", says="w"))
    assert journal.close(30) == 1
    found = [json.loads(line) for line in written]
    assert [(line["upstream"], line["number"]) for line in found] == [("one", 1), ("two", 2), ("four", 4)]
    slack = timedelta(milliseconds=1)  # times are told in milliseconds
    assert all(before - slack <= datetime.fromisoformat(line["time"]) <= after for line in found[:2])


def test_a_line_names_in_what_clients_may_do_otherwise() -> None:
    one = line(Settled(how=How.WRITTEN, file="c.json", report=report(), unfaithful=("payloads", "texts")))
    written = said(Style.TEXT, one).decode()
    assert (
        written == "toolreel: c.json: written, openai blocked, malformed_event, calls: 0, unfaithful: payloads, texts\n"
    )
    assert json.loads(said(Style.JSON, one))["unfaithful"] == ["payloads", "texts"]


def test_none_are_written_where_none_are_wanted() -> None:
    assert said(Style.NONE, *LINES.values()) == b""


@pytest.mark.parametrize("style", [Style.TEXT, Style.JSON])
def test_a_hostile_name_is_escaped(style: Style) -> None:
    line = Notice(about="a\x1b[31m\nb\ud800", says="w")
    assert said(style, line).count(b"\n") == 1
    assert b"\x1b" not in said(style, line)


def test_a_reader_that_stopped_holds_nobody_up_and_what_it_misses_is_counted() -> None:
    reading, writing = os.pipe()
    wanted = 1_000_000 // len(said(Style.TEXT, LINES["notice"]))  # more than a pipe holds
    journal = Journal(write_to(writing), style=Style.TEXT, max_waiting=100)
    try:
        for _ in range(wanted):
            journal.say(LINES["notice"])  # returns, or this test hangs
        lost = journal.close(0)
        assert 0 < lost <= wanted
    finally:
        os.close(reading)  # frees the writing thread, with an error


def test_a_reader_that_went_away_is_counted() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    journal = Journal(write_to(writing), style=Style.TEXT)
    journal.say(LINES["notice"])
    assert journal.close(30) == 1
    os.close(writing)


def test_lines_wait_for_a_slow_reader_in_order() -> None:
    go, written = threading.Event(), []

    def write(data: bytes) -> None:
        go.wait(30)
        written.append(data)

    journal = Journal(write, style=Style.TEXT)
    for number in range(50):
        journal.say(Notice(about=str(number), says="w"))
    go.set()
    assert journal.close(30) == 0
    assert written == [b"toolreel: %d: w\n" % number for number in range(50)]
