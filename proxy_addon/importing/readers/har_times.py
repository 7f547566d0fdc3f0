"""When the parts of a body came, as HAR files of browsers and of Polly tell it. In: an entry, parsed, and its body.

Chrome tells the time of each message of an event stream (`_eventSourceMessages`), tools that make HAR from its
protocol that of each network read (`_chunks`), Polly the pieces of a body without their times. What does not fit the
body is not used: better no time than one of another event.
"""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Final

from proxy_addon.importing.readers import other_tools
from redaction.captured.exchange import Arrivals, Came

# The blank line behind an event, whatever its line ends.
_BLANK: Final = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
_DATA: Final = re.compile(rb"(?:\A|[\r\n])data(?::|[\r\n]|\Z)")
# Chrome writes seconds since 1970; a larger number is milliseconds.
_SECONDS: Final = 100_000_000_000


def arrivals(entry: object, body: bytes) -> Arrivals | None:
    """How the body of an entry came; None where the entry does not tell it."""
    if not isinstance(entry, dict):
        return None
    return _chunks(entry.get("_chunks"), body) or _messages(entry.get("_eventSourceMessages"), body) or _pieces(entry)


def began(entry: object) -> float | None:
    """When the request of an entry began, in seconds since 1970; None where the entry does not tell it."""
    told = entry.get("startedDateTime") if isinstance(entry, dict) else None
    try:
        return datetime.fromisoformat(told).timestamp() if isinstance(told, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _chunks(told: object, body: bytes) -> Arrivals | None:
    """The reads with their times: `{"ts": 120.5, "bytes": 48}`."""
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        return None
    times, sizes = _numbers(one.get("ts") for one in told), [one.get("bytes") for one in told]
    if not times or not all(type(size) is int and size >= 0 for size in sizes) or sum(sizes) != len(body):
        return None
    return Arrivals(ends=tuple(accumulate(sizes)), times=_since(times))


def _messages(told: object, body: bytes) -> Arrivals | None:
    """The events with their times, where there are as many messages as events."""
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        return None
    times = _numbers(one.get("time") for one in told)
    ends = tuple(_events(body))
    if not times or len(times) != len(ends):
        return None
    scale = 1 if times[0] > _SECONDS else 1000
    return Arrivals(ends=ends, times=_since([time * scale for time in times]), of=Came.EVENT)


def _events(body: bytes) -> Iterator[int]:
    """Where each event of a body ends, which has data."""
    start = 0
    for blank in _BLANK.finditer(body):
        if _DATA.search(body[start : blank.start() + 1]):
            yield blank.end()
        start = blank.end()


def _pieces(entry: dict[str, object]) -> Arrivals | None:
    response = entry.get("response")
    content = response.get("content") if isinstance(response, dict) else None
    text = content.get("text") if isinstance(content, dict) else None
    found = other_tools.listed(text) if isinstance(text, str) else None
    return None if found is None else Arrivals(ends=tuple(accumulate(map(len, found))))


def _numbers(told: Iterator[object]) -> list[float]:
    """All of these as numbers; none where one is no number, or is before the one before it."""
    found = [float(one) for one in told if isinstance(one, int | float) and not isinstance(one, bool)]
    return found if all(map(math.isfinite, found)) and found == sorted(found) else []


def _since(times: Sequence[float]) -> tuple[int, ...]:
    """Whole milliseconds since the first of these times."""
    return tuple(int(time - times[0]) for time in times)
