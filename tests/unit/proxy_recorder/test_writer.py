"""The writer: each capture decided and counted once, whatever redaction does."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from proxy_addon.upstreams import TurnKind
from proxy_addon.writing.cases import Turn
from proxy_addon.writing.finished import Budget, Finished, Head
from proxy_addon.writing.outcomes.counts import Counts, Summary
from proxy_addon.writing.outcomes.journal import Journal, Style
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.storage.folder import FixtureFolder
from proxy_addon.writing.storage.room import Limits
from proxy_addon.writing.waiting import Waiting
from proxy_addon.writing.writer import Writer
from redaction.captured.exchange import Ending, Exchange, Fixture, Proved, Reason, Refused
from replay.validator import validate

EMPTY = b'{"profile": "openai", "tool_schemas": {}, "chunks": []}'
STREAM = (("content-type", "text/event-stream"),)


def proved(exchange: Exchange) -> Proved:
    """Stands for redaction: the digest of a fixture is the body."""
    text = exchange.body.decode()
    return Proved(
        fixture=Fixture(data=EMPTY, stem=f"openai-{text}", digest=text), report=validate(EMPTY), rung="canonical"
    )


def finished(
    body: bytes, *, case: str | None = None, headers: tuple[tuple[str, str], ...] = STREAM, size: int = 1
) -> Finished:
    head = Head(
        upstream="openai",
        turn=TurnKind(profile="openai"),
        case=case,
        request_headers=(),
        query="",
        request_body=b"{}",
        status=200,
        response_headers=headers,
    )
    turn = None if case is None else Turn(case=case)
    return Finished(head=head, pieces=(body,), size=size, ending=Ending.MESSAGE_END, turn=turn)


class Run:
    """A writer with all that it writes to."""

    def __init__(
        self,
        folder: Path,
        redact: Callable[[Exchange], Proved | Refused],
        *more: Callable[[Exchange], Proved | Refused],
        max_waiting: int = 1000,
        only: Only = Only.ALL,
    ) -> None:
        self.lines: list[bytes] = []
        self.journal = Journal(self.lines.append, style=Style.TEXT)
        self.counts = Counts()
        self.budget = Budget(1000)
        self.writer = Writer(
            redactors=(redact, *more),
            folder=FixtureFolder(folder, digest_of=lambda _: None, limits=Limits(files=100)),
            counts=self.counts,
            budget=self.budget,
            journal=self.journal,
            schemas={},
            only=only,
            waiting=Waiting(max_waiting),
        )

    def offer(self, *captures: Finished) -> None:
        for capture in captures:
            assert self.budget.take(capture.size)
            self.writer.offer(capture)

    def end(self) -> Summary:
        self.writer.stop()
        self.writer.join(30)
        assert not self.writer.running
        assert self.journal.close(30) == 0
        return self.counts.summary()

    @property
    def said(self) -> str:
        return b"".join(self.lines).decode()


def test_every_capture_is_written_or_the_same_shape_and_its_memory_given_back(tmp_path: Path) -> None:
    run = Run(tmp_path, proved)
    run.writer.start()
    run.offer(finished(b"a"), finished(b"a"), finished(b"b", case="c", size=500))
    summary = run.end()
    assert (summary.written, summary.same_shape, summary.captured) == (2, 1, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json", "openai-a.json"]
    assert run.budget.left == 1000
    assert run.said.splitlines() == [
        "toolreel: openai-a.json: written, openai not_applicable, no finding, calls: 0",
        (
            "toolreel: openai: same shape as openai-a.json, openai not_applicable, no finding, calls: 0; "
            "events, tools and transport are those of that file; a case of its own keeps both"
        ),
        "toolreel: c.json: written, openai not_applicable, no finding, calls: 0",
    ]


def test_a_refusal_is_counted_with_its_reason(tmp_path: Path) -> None:
    run = Run(tmp_path, lambda _: Refused(reason=Reason.RAW_TEXT, note="event 3"))
    run.writer.start()
    run.offer(finished(b"CANARY", case="c"))
    assert run.end().refused == {"raw text in the finished file": 1}
    assert run.said.startswith("toolreel: c: refused, raw text in the finished file (event 3); the text at the place ")
    assert list(tmp_path.iterdir()) == []


def test_an_exception_in_redaction_is_counted_by_type_alone_and_the_next_capture_is_taken(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def sometimes(exchange: Exchange) -> Proved:
        if exchange.body == b"CANARY":
            raise ValueError(exchange.body)
        return proved(exchange)

    run = Run(tmp_path, sometimes)
    run.writer.start()
    run.offer(finished(b"CANARY"), finished(b"a"))
    summary = run.end()
    assert (summary.written, summary.dropped) == (1, {"bug in the redaction (ValueError)": 1})
    assert "CANARY" not in run.said + "".join(capfd.readouterr())
    assert run.budget.left == 1000


def test_where_those_that_wait_hold_too_much_the_newest_is_dropped_and_nothing_waits(tmp_path: Path) -> None:
    at_it, go_on = threading.Event(), threading.Event()

    def slow(exchange: Exchange) -> Proved:
        at_it.set()
        assert go_on.wait(30)
        return proved(exchange)

    run = Run(tmp_path, slow, max_waiting=300)
    run.writer.start()
    run.offer(finished(b"a", size=100))
    assert at_it.wait(30)
    run.offer(finished(b"b", size=199), finished(b"c", size=2), finished(b"d", size=1), finished(b"e", size=1))
    assert (run.writer.waiting.length, run.writer.waiting.size) == (3, 300)
    assert run.writer.waiting.age > 0
    go_on.set()
    summary = run.end()
    assert (summary.written, summary.dropped) == (3, {"writer behind, queue full": 2})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["openai-a.json", "openai-b.json", "openai-d.json"]
    assert "the newest is given up where those that wait hold half of --max-memory" in run.said
    assert summary.captured == 5
    assert run.budget.left == 1000
    assert (run.writer.waiting.length, run.writer.waiting.size, run.writer.waiting.age) == (0, 0, 0.0)


def test_thousands_of_small_captures_wait_where_they_hold_little(tmp_path: Path) -> None:
    run = Run(tmp_path, proved, max_waiting=5000)
    run.budget.give(5000)
    run.offer(*(finished(b"a") for _ in range(5000)))
    run.writer.start()
    summary = run.end()
    assert (summary.written, summary.same_shape, summary.dropped) == (1, 4999, {})


def test_one_capture_is_taken_however_large_it_is(tmp_path: Path) -> None:
    run = Run(tmp_path, proved, max_waiting=10)
    run.offer(finished(b"a", size=1000))
    run.writer.start()
    assert run.end().written == 1


def test_several_redactions_run_at_a_time_and_are_stored_in_the_order_in_which_the_captures_came(
    tmp_path: Path,
) -> None:
    both, second_done = threading.Barrier(2), threading.Event()

    def either(exchange: Exchange) -> Proved:
        if exchange.body in (b"a", b"b"):
            both.wait(30)  # each waits for the other, so both are at work
        if exchange.body == b"a":
            assert second_done.wait(30)
        elif exchange.body == b"c":
            second_done.set()  # whoever had `b` has gone on to `c`, and `a` is not yet done
        return proved(exchange)

    run = Run(tmp_path, either, either)
    run.writer.start()
    run.offer(*(finished(body, case="c") for body in (b"a", b"b", b"c")))
    run.end()
    files = [line.partition(":")[0] for line in run.said.removeprefix("toolreel: ").split("\ntoolreel: ")]
    assert files == ["c.json", "c", "c"]
    assert run.counts.summary().left_out == {
        "the case was recorded with another turn here (--rewrite records it anew)": 2
    }


def test_an_abort_drops_what_waits_and_ends_after_the_capture_at_hand(tmp_path: Path) -> None:
    at_it, go_on = threading.Event(), threading.Event()

    def slow(exchange: Exchange) -> Proved:
        at_it.set()
        assert go_on.wait(30)
        return proved(exchange)

    run = Run(tmp_path, slow)
    run.writer.start()
    run.offer(finished(b"a"), finished(b"b"), finished(b"c"))
    assert at_it.wait(30)
    run.writer.abort()
    go_on.set()
    run.writer.join(30)
    summary = run.counts.summary()
    assert (summary.written, summary.dropped) == (1, {"recorder stopped at once": 2})


def test_what_turns_out_to_be_no_stream_is_passed_and_not_captured(tmp_path: Path) -> None:
    run = Run(tmp_path, proved)
    run.writer.start()
    run.offer(finished(b"{}", headers=()))
    summary = run.end()
    assert (summary.captured, summary.passed) == (0, {"response is no event stream": 1})


def test_a_folder_that_is_gone_costs_the_capture_and_not_the_writer(tmp_path: Path) -> None:
    run = Run(tmp_path / "out", proved)
    (tmp_path / "out").rmdir()
    run.writer.start()
    run.offer(finished(b"a"), finished(b"b"))
    assert run.end().dropped == {"file not written (ENOENT)": 2}


def test_a_folder_with_a_bug_costs_the_capture_and_not_the_writer(tmp_path: Path) -> None:
    def nameless(exchange: Exchange) -> Proved:
        found = proved(exchange)
        return Proved(fixture=Fixture(data=b"", stem="\0", digest="d"), report=found.report, rung=found.rung)

    run = Run(tmp_path, nameless)
    run.writer.start()
    run.offer(finished(b"a"), finished(b"a", case="c"))
    summary = run.end()
    assert (summary.captured, summary.written) == (2, 1)
    assert sum(summary.dropped.values()) == 1


def test_a_note_and_every_line_come_out_escaped(tmp_path: Path) -> None:
    run = Run(tmp_path, proved)
    run.writer.start()
    run.writer.note("openai", "a\x1b[31m\nb")
    run.end()
    assert run.said == "toolreel: openai: a\\x1b[31m\\x0ab\n"


@pytest.mark.parametrize("only", [Only.BLOCKED, Only.PASS])
def test_a_turn_with_another_verdict_is_left_out_and_counted(tmp_path: Path, only: Only) -> None:
    run = Run(tmp_path, proved, only=only)
    run.writer.start()
    run.offer(finished(b"a"))
    summary = run.end()
    assert (summary.captured, summary.written, summary.left_out) == (1, 0, {"another verdict (--only)": 1})
    assert (
        run.said
        == "toolreel: openai: left out, another verdict (--only), openai not_applicable, no finding, calls: 0\n"
    )
    assert list(tmp_path.iterdir()) == []
    assert run.budget.left == 1000
