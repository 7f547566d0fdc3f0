"""The choice of turns that become fixtures: all, those with one outcome, or one of so many. Nothing else decides.

Streams are counted, and no coin is tossed, so that the same traffic gives the same files. With a header that names the
session of a request (`--sample-by X-Session-Id`) its hash decides: all turns of a session are recorded, or none.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from redaction.captured.exchange import Each, Sampled
from replay.validator import Report, Status


class Only(Enum):
    """The turns that are wanted; the value is what `--only` takes."""

    ALL = "all"
    BLOCKED = "blocked"
    PASS = "pass"  # noqa: S105 (a verdict, not a password)
    CALLS = "calls"

    def takes(self, report: Report) -> bool:
        """Whether a turn with this verdict is wanted."""
        return _TAKES[self](report)


_TAKES: Final[Mapping[Only, Callable[[Report], bool]]] = {
    Only.ALL: lambda _: True,
    Only.BLOCKED: lambda report: report.status is Status.BLOCKED,
    Only.PASS: lambda report: report.status is Status.PASS,
    Only.CALLS: lambda report: bool(report.calls) or report.status is Status.BLOCKED,
}

# So much of a hash that no session is chosen more often than another, whatever the rate.
_HASH_BYTES: Final = 8


class Sample:
    """Takes one of so many streams, at the rate of their upstream, or at `other` where `rates` does not name it.

    Of streams without a session these are the first of every so many of an upstream, in the order in which their
    responses start. `by` is the header that names a session, in lower case.
    """

    def __init__(self, rates: Mapping[str, int] | None = None, *, other: int = 1, by: str | None = None) -> None:
        self._rates: Final = dict(rates or {})
        self._other: Final = other
        self.by: Final = by
        self._seen: Counter[str] = Counter()

    def take(self, upstream: str, session: str | None = None) -> Sampled | None:
        """How the next stream of an upstream came into the sample; None where it did not."""
        number = self._rates.get(upstream, self._other)
        if session:
            return Sampled(one_in=number, of=Each.SESSION) if _hash(session) % number == 0 else None
        taken = self._seen[upstream] % number == 0
        self._seen[upstream] += 1
        return Sampled(one_in=number, of=Each.STREAM) if taken else None


def _hash(session: str) -> int:
    """A number that is the same in every run and on every machine, so that several recorders choose the same."""
    return int.from_bytes(hashlib.sha256(session.encode("utf-8", "surrogateescape")).digest()[:_HASH_BYTES])
