"""What a run did, in numbers. Counts closed words only: no name, path or text of the traffic ever gets in here."""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class Passed(Enum):
    """Why an exchange was served and not captured; the value is how the summary says it."""

    NOT_A_STREAM = "response is no event stream"
    OTHER_PATH = "path or method not recognised"
    OTHER_STATUS = "status other than 200"
    NO_RESPONSE = "ended before a response"
    BAD_RESPONSE = "provider sent no valid HTTP/1.1 response"
    UNREACHABLE = "provider not reachable"
    TLS_FAILED = "TLS with the provider failed"
    UNKNOWN_PREFIX = "no upstream for the path (answered here)"
    PROXY_REQUEST = "request meant for a forward proxy (refused)"
    OTHER_HOST = "host that is no upstream (--other pass)"
    REFUSED_HOST = "host that is no upstream (refused)"
    NO_AUTHORITY = "no certificate authority for HTTPS_PROXY (refused)"
    UNTRUSTED = "client that does not trust the certificate authority"
    MALFORMED = "malformed request (refused)"
    IDLE = "silent for longer than --idle"
    STOPPED = "cut by the end of the recorder"


class LeftOut(Enum):
    """Why a recognised stream was left out at the user's wish."""

    SAMPLE = "not in the sample (--sample)"
    ONLY = "another verdict (--only)"


class Dropped(Enum):
    """Why a captured stream was neither written nor refused."""

    BODY_LIMIT = "response over --max-body"
    REQUEST_LIMIT = "request over the limit of the recorder"
    REQUEST_CODING = "request that cannot be decoded"
    MEMORY = "captures over --max-memory"
    QUEUE_FULL = "writer behind, queue full"
    TAP = "fault in the recorder while it listened"
    REDACTION = "fault in the redaction"
    FOLDER_LIMIT = "over --max-fixtures"
    BYTES_LIMIT = "over --max-bytes"
    WRITE = "file not written"
    STOPPED = "recorder stopped at once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A run in numbers. Every captured stream is in exactly one of its first five parts."""

    written: int
    same_shape: int
    left_out: Mapping[str, int]
    refused: Mapping[str, int]
    dropped: Mapping[str, int]
    passed: Mapping[str, int]
    bad_case_names: int
    bugs: Mapping[str, int]
    lines_lost: int = 0

    @property
    def captured(self) -> int:
        """Streams that were recognised."""
        others = (*self.left_out.values(), *self.refused.values(), *self.dropped.values())
        return self.written + self.same_shape + sum(others)

    def as_dict(self) -> dict[str, object]:
        """For `--report json`."""
        return {
            "captured": self.captured,
            "written": self.written,
            "same_shape": self.same_shape,
            "left_out": dict(self.left_out),
            "refused": dict(self.refused),
            "dropped": dict(self.dropped),
            "passed": dict(self.passed),
            "bad_case_names": self.bad_case_names,
            "faults": dict(self.bugs),
            "lines_lost": self.lines_lost,
        }

    def lines(self) -> list[str]:
        """For people."""
        parts = (self.left_out, self.refused, self.dropped, self.passed)
        left_out, refused, dropped, passed = (sum(part.values()) for part in parts)
        found = [
            (
                f"captured {self.captured}: {self.written} written, {self.same_shape} same shape as one already there, "
                f"{f'{left_out} left out, ' if left_out else ''}{refused} refused, {dropped} dropped"
            ),
            *(f"  left out, {why}: {count}" for why, count in self.left_out.items()),
            *(f"  refused, {why}: {count}" for why, count in self.refused.items()),
            *(f"  dropped, {why}: {count}" for why, count in self.dropped.items()),
            f"passed through without capture: {passed}",
            *(f"  {why}: {count}" for why, count in self.passed.items()),
        ]
        if self.bad_case_names:
            found.append(f"X-Toolreel-Case values that are no case name (recorded without): {self.bad_case_names}")
        if self.lines_lost:
            found.append(f"lines that nobody read: {self.lines_lost}")
        found.extend(f"fault in the recorder, {kind}: {count}" for kind, count in self.bugs.items())
        return found


class Counts:
    """The counters of one run; event loop and writer thread both count here."""

    def __init__(self) -> None:
        """All at zero."""
        self._lock = threading.Lock()
        self._written = 0
        self._same_shape = 0
        self._bad_case_names = 0
        self._left_out: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._dropped: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._bugs: Counter[str] = Counter()

    def written(self) -> None:
        """A fixture was written."""
        with self._lock:
            self._written += 1

    def same_shape(self) -> None:
        """A fixture of this shape was there already."""
        with self._lock:
            self._same_shape += 1

    def left_out(self, why: LeftOut) -> None:
        """A recognised stream was not wanted."""
        with self._lock:
            self._left_out[why.value] += 1

    def refused(self, why: str) -> None:
        """Redaction refused a capture; `why` is one of its closed reasons."""
        with self._lock:
            self._refused[why] += 1

    def dropped(self, why: Dropped, detail: str = "") -> None:
        """A capture was given up; `detail` is an errno name or the name of an exception type."""
        with self._lock:
            self._dropped[f"{why.value} ({detail})" if detail else why.value] += 1

    def passed(self, why: Passed) -> None:
        """An exchange passed without being captured."""
        with self._lock:
            self._passed[why.value] += 1

    def bad_case_name(self) -> None:
        """A case header was removed and not used."""
        with self._lock:
            self._bad_case_names += 1

    def bug(self, error: Exception) -> None:
        """A hook of ours raised: our bug. The traffic went on; only the type of the exception is kept."""
        with self._lock:
            self._bugs[type(error).__name__] += 1

    def summary(self) -> Summary:
        """The numbers so far."""
        with self._lock:
            return Summary(
                written=self._written,
                same_shape=self._same_shape,
                left_out=dict(self._left_out),
                refused=dict(self._refused),
                dropped=dict(self._dropped),
                passed=dict(self._passed),
                bad_case_names=self._bad_case_names,
                bugs=dict(self._bugs),
            )
