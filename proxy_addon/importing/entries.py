"""The entries of a source: exchanges as another tool wrote them down, and the words for those that cannot be used.

Raw data, in memory alone, which no repr shows. Knows no file format.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Final

from proxy_addon.writing.finished import Headers
from proxy_addon.writing.outcomes.settled import Passed
from redaction.captured.exchange import Arrivals, Ending
from replay.errors import ToolreelError

# One exchange as its source writes it: a response and a request at the limits of the recorder, escaped. What is larger
# is stepped over without being held.
MAX_ENTRY_BYTES: Final = 192 * 1024 * 1024


class Unusable(Enum):
    """Why an entry of a source cannot be taken; the value is how its line says it. The other entries go on."""

    NO_EXCHANGE = "no HTTP request with its response; nothing to do if it is none, else export it anew with both"
    NO_BODY = "the response body is not in the source; export it with its bodies, or record with `toolreel record`"
    NOT_STORED = (
        "the response body is not in the source: mitmproxy leaves streamed bodies out, unless it runs with "
        "`--set store_streamed_bodies=true`; record again so, or with `toolreel record`"
    )
    NO_EVENT = "no event in the body; record the turn again with `toolreel record`"
    LINES = (
        "no event in the body: a line-wise capture, in which the blank lines between the events are gone; "
        "capture the bytes of the response, or record with `toolreel record`"
    )
    ERROR = "no event in the body: it is an error response in JSON; nothing to do, or repeat the request"
    WHOLE_RESPONSE = (
        "no event in the body: it is a whole response in JSON, and no stream; ask the provider for a stream"
    )
    NO_STREAM = "no event in the body: it is no event stream; give the response to a request for a stream"
    OTHER_FAMILY = "its payloads are of another wire family"
    ENCODING = "a body is not in the encoding that the source names; export it anew, or correct the name"
    TOO_LARGE = f"larger than {MAX_ENTRY_BYTES:,} bytes; leave it out, or record a shorter turn"
    NOT_READABLE = "not readable in the format of the source; export it anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One request and its response. A body that the source left out is None."""

    method: str = field(repr=False)
    url: str = field(repr=False)
    request_headers: Headers = field(repr=False)
    request_body: bytes | None = field(repr=False)  # its content coding still on it, as the headers say
    status: int
    response_headers: Headers = field(repr=False)
    body: bytes | None = field(repr=False)  # as the source has it: content coding on it or undone
    profile: str | None = field(default=None, repr=False)  # the wire family, where the payloads say it and no URL does
    no_body: Unusable = field(default=Unusable.NO_BODY, repr=False)  # what is said where the body is None
    arrivals: Arrivals | None = field(default=None, repr=False)  # of `body`, where the source has times or reads
    began: float | None = field(default=None, repr=False)  # the second of its request, since whenever
    ending: Ending = Ending.CLOSE  # a file that was written afterwards does not tell a finished stream from a cut one


class UnusableError(Exception):
    """Raised where an entry turns out to be unusable. It holds the reason, and nothing of the entry."""

    def __init__(self, why: Unusable) -> None:
        super().__init__(why.value)
        self.why: Final = why


# Gives the bytes of a file that an entry names beside its source; None where there is none.
Attached = Callable[[str], bytes | None]


def nothing(_: str) -> None:
    """What is beside a source of which no folder is known."""


# What a reader yields, one for each entry of its source, in order.
Item = Entry | Unusable | Passed


class BrokenError(Exception):
    """A source that is broken from a place on: names the place (`byte 7`, `line 7`) and what is broken there.

    Both are closed words; nothing of the source is in them.
    """

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place}: {what}")
        self.place: Final = place
        self.what: Final = what


class SourceError(ToolreelError):
    """A source that cannot be read, or only up to a place: names the path, what was found and the next step."""

    def __init__(self, path: Path, found: str) -> None:
        super().__init__(f"{path}: {found}")


class NoSourceError(SourceError):
    """A file that is whole, and in which no exchange and no stream is found."""
