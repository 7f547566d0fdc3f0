"""Lines to a reader who is slow, gone, or was never there."""

import threading
import time

from replay.serve.log import FAREWELL, HELD, Log, writer


def test_lines_come_in_order_and_all_before_the_end() -> None:
    found: list[str] = []
    log = Log(found.append)
    for at in range(100):
        log.say(str(at))
    log.close()
    assert found == [f"{at}\n" for at in range(100)]


class Stuck:
    """A reader who reads nothing until `goes_on` is set."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.began = threading.Event()
        self.goes_on = threading.Event()

    def write(self, text: str) -> None:
        self.began.set()
        self.goes_on.wait()
        self.found.append(text)


def test_nobody_waits_for_a_reader_who_does_not_read_and_what_was_dropped_is_counted() -> None:
    reader = Stuck()
    log = Log(reader.write)
    log.say("first")
    assert reader.began.wait(30)
    for at in range(HELD + 10):
        log.say(str(at))
    reader.goes_on.set()
    while len(reader.found) < HELD + 1:
        time.sleep(0.001)
    log.say("later")
    log.close()
    note = "(10 lines are missing here: nobody read them in time)\n"
    assert reader.found == ["first\n", *(f"{at}\n" for at in range(HELD)), note, "later\n"]


def test_the_end_does_not_wait_for_long() -> None:
    reader = Stuck()
    log = Log(reader.write)
    for at in range(HELD + 10):
        log.say(str(at))
    start = time.monotonic()
    log.close()
    assert time.monotonic() - start < 4 * FAREWELL
    reader.goes_on.set()


def test_a_reader_who_is_gone_is_asked_once() -> None:
    asked: list[str] = []

    def write(text: str) -> None:
        asked.append(text)
        raise BrokenPipeError

    log = Log(write)
    log.say("one")
    log.say("two")
    log.close()
    assert asked == ["one\n"]


def test_without_a_stream_nothing_is_written() -> None:
    writer(None)("text\n")
