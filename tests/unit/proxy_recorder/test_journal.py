"""The journal: closed words, in order, and never in anybody's way."""

import json
import os
import threading

import pytest

from proxy_addon.writing.journal import Event, Journal, Line, Style, write_to
from replay.validator import Report, validate

BLOCKED = b'{"profile": "openai", "tool_schemas": {}, "chunks": [1, 2]}'


def report() -> Report:
    return validate(BLOCKED)


LINES = {
    "written": Line(event=Event.WRITTEN, upstream="gate", case="c", file="c-2.json", report=report()),
    "same shape": Line(event=Event.SAME_SHAPE, upstream="gate", file="c.json", report=report()),
    "left out": Line(event=Event.LEFT_OUT, upstream="gate", why="w", report=report()),
    "refused": Line(event=Event.REFUSED, upstream="gate", case="c", why="w (n)"),
    "dropped": Line(event=Event.DROPPED, upstream="gate", why="w"),
    "notice": Line(event=Event.NOTICE, upstream="gate", why="w"),
}


def said(style: Style, *lines: Line) -> bytes:
    written: list[bytes] = []
    journal = Journal(written.append, style=style)
    for line in lines:
        journal.say(line)
    assert journal.close(30) == 0
    return b"".join(written)


def test_each_line_says_what_it_is_about() -> None:
    assert said(Style.TEXT, *LINES.values()).decode().splitlines() == [
        "toolreel: c-2.json: written, openai blocked, malformed_event, calls: 0",
        "toolreel: gate: same shape as c.json, openai blocked, malformed_event, calls: 0",
        "toolreel: gate: left out, w, openai blocked, malformed_event, calls: 0",
        "toolreel: c: refused, w (n)",
        "toolreel: gate: dropped, w",
        "toolreel: gate: w",
    ]


def test_lines_for_programs_are_json() -> None:
    verdict = {"profile": "openai", "status": "blocked", "codes": ["malformed_event"], "calls": 0}
    assert [json.loads(line) for line in said(Style.JSON, *LINES.values()).splitlines()] == [
        {"event": "written", "upstream": "gate", "case": "c", "file": "c-2.json", **verdict},
        {"event": "same_shape", "upstream": "gate", "file": "c.json", **verdict},
        {"event": "left_out", "upstream": "gate", "why": "w", **verdict},
        {"event": "refused", "upstream": "gate", "case": "c", "why": "w (n)"},
        {"event": "dropped", "upstream": "gate", "why": "w"},
        {"event": "notice", "upstream": "gate", "why": "w"},
    ]


def test_none_are_written_where_none_are_wanted() -> None:
    assert said(Style.NONE, *LINES.values()) == b""


@pytest.mark.parametrize("style", [Style.TEXT, Style.JSON])
def test_a_hostile_name_is_escaped(style: Style) -> None:
    line = Line(event=Event.NOTICE, upstream="a\x1b[31m\nb\ud800", why="w")
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
        journal.say(Line(event=Event.NOTICE, upstream=str(number), why="w"))
    go.set()
    assert journal.close(30) == 0
    assert written == [b"toolreel: %d: w\n" % number for number in range(50)]
