"""The watch of a recorder: what it says where a turn is lost, and where the disk is not as it should be."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("prometheus_client")

from prometheus_client.parser import text_string_to_metric_families
from support.sockets.wire import ask, body_of, status_of

from proxy_addon.watching.address import Address
from proxy_addon.watching.admin import admin
from proxy_addon.watching.numbers import Disk, Phase
from proxy_addon.watching.prometheus import Page
from proxy_addon.watching.watch import Watch, room_in
from proxy_addon.writing.finished import Budget
from proxy_addon.writing.histogram import Histogram
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.journal import Journal, Style
from proxy_addon.writing.outcomes.settled import Dropped, Passed, unwritten
from proxy_addon.writing.waiting import Waiting
from replay.local_clients import LocalClients


@contextmanager
def watch(counts: Counts, folder: Path) -> Iterator[Watch]:
    journal = Journal(lambda _: None, style=Style.NONE)
    waiting: Waiting[Any] = Waiting(1000)
    found = Watch(
        counts=counts,
        budget=Budget(1000),
        journal=journal,
        waiting=waiting,
        redaction=lambda: (),
        folder=folder,
        may_hold=1000,
    )
    found.phase = lambda: Phase.READY
    yield found
    journal.close(30)


def test_a_turn_that_is_lost_is_seen_by_the_sum_rule(tmp_path: Path) -> None:
    counts = Counts()
    with (
        watch(counts, tmp_path) as found,
        admin(
            Address("127.0.0.1"), clients=LocalClients(), numbers=found.numbers, render=Page(found.numbers).render
        ) as where,
    ):

        def get(target: str) -> bytes:
            return ask(int(where.rpartition(":")[2]), f"GET {target} HTTP/1.0\r\n\r\n".encode())

        counts.seen("gate")
        counts.settled(unwritten(Dropped.MEMORY), upstream="gate")
        counts.seen("gate")
        counts.no_turn(Passed.NOT_A_STREAM, upstream="gate")
        assert status_of(get("/healthz")) == 200
        counts.seen("gate")  # and nothing becomes of it
        answer = get("/healthz")
        assert status_of(answer) == 503
        assert json.loads(body_of(answer))["captures"]["unaccounted"] == 1
        families = text_string_to_metric_families(body_of(get("/metrics")).decode())
        values = {sample.name: sample.value for family in families for sample in family.samples}
        assert values["toolreel_captures_unaccounted"] == 1
        found.receiving = lambda: 1  # it was on its way
        assert status_of(get("/healthz")) == 200
        found.phase = lambda: Phase.STARTING
        assert status_of(get("/healthz")) == 503


def test_a_folder_is_told_as_it_is(tmp_path: Path) -> None:
    assert room_in(tmp_path).disk is Disk.GOOD
    assert room_in(tmp_path).free > 0
    assert room_in(tmp_path / "none").disk is Disk.GONE
    full = Path("/proc/self")  # a file system without a free byte
    if full.exists():
        assert room_in(full).disk in (Disk.FULL, Disk.CLOSED)


def test_a_histogram_counts_by_the_first_bound_that_is_not_passed() -> None:
    histogram = Histogram((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 1.0, 1.5):
        histogram.observe(seconds)
    found = histogram.buckets()
    assert (found.counts, found.total) == ((2, 2, 1), pytest.approx(3.15))
