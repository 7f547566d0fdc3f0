"""A capture and its tap: all bytes or none, within two bounds, and never in the way."""

import pytest

from proxy_addon.recorder.capture import PIECE, Capture
from proxy_addon.recorder.tap import Tap
from proxy_addon.upstreams import TurnKind
from proxy_addon.writing.finished import Budget, Finished, Head
from proxy_addon.writing.outcomes.settled import Dropped
from redaction.captured.exchange import Ending


def head(*, request_body: bytes = b"") -> Head:
    return Head(
        upstream="openai",
        turn=TurnKind(profile="openai"),
        case=None,
        request_headers=(("Authorization", "Bearer CANARY"),),
        query="key=CANARY",
        request_body=request_body,
        status=200,
        response_headers=(("X-Id", "CANARY"),),
    )


# What a capture without a request and without pieces is counted for.
BARE = head().size


def test_a_finished_capture_holds_the_pieces_in_order_and_the_capture_nothing() -> None:
    budget = Budget(BARE + 1000)
    capture = Capture(head(request_body=b"1234"), limit=10, budget=budget)
    for piece in (b"ab", b"", b"cde"):
        capture.feed(piece)
    finished = capture.finish(Ending.CLIENT)
    assert isinstance(finished, Finished)
    assert (b"".join(finished.pieces), finished.ending) == (b"abcde", Ending.CLIENT)
    assert finished.size == BARE + 9 + 3 * PIECE
    assert budget.left == 1000 - 9 - 3 * PIECE
    assert capture.finish(Ending.CLIENT) is Dropped.TAP


def test_the_limit_itself_is_allowed_and_one_byte_more_is_not() -> None:
    budget = Budget(2 * BARE + 1000)
    capture = Capture(head(), limit=4, budget=budget)
    capture.feed(b"ab")
    capture.feed(b"cd")
    assert isinstance(capture.finish(Ending.CLOSE), Finished)
    over = Capture(head(), limit=4, budget=budget)
    for piece in (b"a", b"", b"bcd", b"e"):
        over.feed(piece)
    assert over.finish(Ending.CLOSE) is Dropped.BODY_LIMIT
    assert budget.left == BARE + 1000 - 4 - 2 * PIECE  # the first one still waits for its writer


def test_all_captures_together_stay_within_the_budget() -> None:
    budget = Budget(2 * BARE + 2 * PIECE + 10)
    first = Capture(head(), limit=100, budget=budget)
    second = Capture(head(request_body=b"12345"), limit=100, budget=budget)
    first.feed(b"abcde" + bytes(PIECE))
    second.feed(b"f")
    assert second.finish(Ending.CLOSE) is Dropped.MEMORY
    first.feed(b"ghijk")
    assert isinstance(first.finish(Ending.CLOSE), Finished)
    assert Capture(head(request_body=b"1"), limit=9, budget=Budget(BARE)).finish(Ending.CLOSE) is Dropped.MEMORY


def test_a_stream_of_small_pieces_is_counted_with_what_python_keeps_for_each() -> None:
    budget = Budget(BARE + 1000)
    capture = Capture(head(), limit=1000, budget=budget)
    for _ in range(1000):
        capture.feed(b"a")
    assert capture.finish(Ending.CLOSE) is Dropped.MEMORY


def test_a_dropped_capture_gives_its_memory_back_and_keeps_its_first_reason() -> None:
    budget = Budget(BARE + 100)
    capture = Capture(head(), limit=100, budget=budget)
    capture.feed(b"abc")
    capture.drop(Dropped.TAP)
    capture.drop(Dropped.MEMORY)
    capture.feed(b"defghijklmnop")
    assert budget.left == BARE + 100
    assert capture.finish(Ending.CLOSE) is Dropped.TAP


def test_nothing_raw_is_in_a_repr() -> None:
    capture = Capture(head(request_body=b"CANARY"), limit=100, budget=Budget(10_000))
    capture.feed(b"CANARY")
    finished = capture.finish(Ending.CLOSE)
    assert "CANARY" not in repr(finished) + repr(capture) + repr(head())


def test_the_tap_returns_the_piece_itself_also_past_a_bound() -> None:
    capture = Capture(head(), limit=4, budget=Budget(10_000))
    tap = Tap(capture)
    for piece in (b"abc", b"def", b"", b""):
        assert tap(piece) is piece
    assert capture.finish(Ending.CLOSE) is Dropped.BODY_LIMIT


class Failing(Budget):
    """A budget with a bug."""

    def take(self, size: int) -> bool:
        if size > self.left:
            raise RuntimeError("CANARY")
        return super().take(size)


def test_a_tap_that_meets_a_bug_passes_the_piece_on_and_the_capture_is_given_up() -> None:
    capture = Capture(head(), limit=4, budget=Failing(BARE))
    tap = Tap(capture)
    assert tap(b"abc") == b"abc"
    assert tap(b"def") == b"def"
    assert capture.finish(Ending.CLOSE) is Dropped.TAP


def test_a_budget_gives_what_is_there_and_no_more() -> None:
    budget = Budget(3)
    assert budget.take(2)
    assert not budget.take(2)
    assert budget.take(1)
    budget.give(3)
    assert budget.take(3)


@pytest.mark.parametrize("name", ["authorization", "x-missing"])
def test_a_header_is_found_by_its_lower_case_name(name: str) -> None:
    assert head().request_header(name) == ("Bearer CANARY" if name == "authorization" else None)
    assert head().response_header("x-id") == "CANARY"
