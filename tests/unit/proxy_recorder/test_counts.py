"""The numbers of a run, and how they are told."""

import json

from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.settled import Dropped, How, Passed, Settled, unwritten
from proxy_addon.writing.outcomes.unrecorded import Kind, NotRecorded, Sort, What
from redaction.captured.exchange import Reason


def test_every_captured_stream_is_in_exactly_one_count() -> None:
    counts = Counts()
    counts.settled(Settled(how=How.WRITTEN, file="a.json", rung="needed_lengths"))
    counts.settled(Settled(how=How.SAME_SHAPE, file="a.json"))
    counts.settled(unwritten(Reason.RAW_TEXT, note="event 3"))
    counts.settled(unwritten(Reason.RAW_TEXT, note="event 4"))
    counts.settled(unwritten(Dropped.WRITE, note="ENOSPC"))
    embeddings = Kind(upstream="openai", what=What(name="embeddings", sort=Sort.NO_TURN), why=Passed.OTHER_PATH)
    assert counts.passed(embeddings)
    assert not counts.passed(embeddings)
    foreign = Kind(upstream="openai", what=What(name="another request"), why=Passed.FOREIGN_PAGE)
    counts.passed(foreign)
    counts.bad_case_name()
    counts.bug(ValueError("CANARY"))
    summary = counts.summary()
    assert summary.captured == 5
    assert summary.lines() == [
        "captured 5: 1 written, 1 same shape as one already there, 2 refused, 1 dropped",
        "  on the rung needed_lengths: 1",
        "  refused, raw text in the finished file: 2",
        "  dropped, file not written (ENOSPC): 1",
        "passed through without capture: 2",
        "  path or method not recognised: 2",
        "    openai, embeddings: 2",
        "not passed on: 1",
        "  page of another site in a browser (refused): 1",
        "    openai, another request: 1",
        "X-Toolreel-Case values that are no case name (recorded without): 1",
        "bug in the recorder, ValueError: 1",
    ]
    assert json.loads(json.dumps(summary.as_dict()))["captured"] == 5


def test_a_summary_does_not_change_any_more() -> None:
    counts = Counts()
    before = counts.summary()
    counts.settled(unwritten(Reason.RAW_TEXT))
    assert before.refused == {}


def test_the_line_that_counts_kinds_says_of_each_why_it_is_not_recorded() -> None:
    request = What(name="another request")
    kinds = [(Kind(upstream="gw", what=request, why=why), 2) for why in (Passed.FOREIGN_HOST, Passed.FOREIGN_PAGE)]
    assert NotRecorded(counts=tuple(kinds)).text() == (
        "not recorded so far: gw, another request, Host that is no loopback name (refused): 2; "
        "gw, another request, page of another site in a browser (refused): 2"
    )
