"""What became of a capture, as one value: how it is counted and what a line says."""

import itertools

import pytest

from proxy_addon.writing.outcomes import advice
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut, Passed, Settled, unwritten
from redaction.captured.exchange import Reason
from replay.validator import validate

REPORT = validate(b'{"profile": "openai", "tool_schemas": {}, "chunks": []}')
VERDICT = "openai not_applicable, no finding, calls: 0"


@pytest.mark.parametrize("why", list(itertools.chain(Passed, LeftOut, Reason, Dropped)), ids=str)
def test_every_reason_belongs_to_one_way_and_is_counted_under_its_own_words(
    why: Passed | LeftOut | Reason | Dropped,
) -> None:
    settled = unwritten(why)
    assert settled.how not in (How.WRITTEN, How.SAME_SHAPE)
    assert settled.counted == settled.reason == why.value


@pytest.mark.parametrize(
    ("settled", "said"),
    [
        (Settled(how=How.WRITTEN, file="a.json", report=REPORT), f"written a.json, {VERDICT}"),
        (Settled(how=How.WRITTEN, file="a.json", report=REPORT, rung="canonical"), f"written a.json, {VERDICT}"),
        (
            Settled(how=How.WRITTEN, file="a.json", report=REPORT, rung="needed_lengths"),
            f"written a.json, {VERDICT}, rung: needed_lengths",
        ),
        (Settled(how=How.SAME_SHAPE, file="a.json", report=REPORT), f"same shape as a.json, {VERDICT}"),
        (unwritten(LeftOut.ONLY, report=REPORT), f"left out, another verdict (--only), {VERDICT}"),
        (unwritten(Reason.RAW_TEXT, note="event 3"), "refused, raw text in the finished file (event 3)"),
        (unwritten(Dropped.WRITE, note="ENOSPC"), "dropped, file not written (ENOSPC)"),
        (unwritten(Passed.NOT_A_STREAM), "passed over, response is no event stream"),
    ],
    ids=lambda value: value.how.value if isinstance(value, Settled) else "",
)
def test_a_line_says_what_became_of_it(settled: Settled, said: str) -> None:
    assert settled.text() == said


def test_the_note_of_a_refusal_makes_no_row_of_its_own_and_that_of_a_drop_does() -> None:
    assert unwritten(Reason.RAW_TEXT, note="event 3").counted == "raw text in the finished file"
    assert unwritten(Dropped.WRITE, note="ENOSPC").counted == "file not written (ENOSPC)"


def test_every_refusal_and_drop_says_what_to_do() -> None:
    lacking = [why for why in (*Reason, *Dropped) if not advice.step(unwritten(why))]
    assert lacking == []
    assert (
        advice.line(unwritten(Dropped.BODY_LIMIT))
        == "dropped, response over --max-body; --max-body BYTES raises the bound"
    )
