"""What became of a capture, as one value. The summary counts it, and its line says it, from this value alone.

Examples: a turn that was written is `Settled(how=How.WRITTEN, file="a.json", report=report)`; the summary counts one
more as written, and the line is `a.json: written, openai pass, no finding, calls: 1`. A response that was too long is
`unwritten(Dropped.BODY_LIMIT)`; summary and line both say `dropped` and `response over --max-body`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from redaction.captured.exchange import FIRST_RUNGS, Reason, Words
from replay.validator import Report


class How(Enum):
    """How a capture was settled; the value stands in lines for programs."""

    WRITTEN = "written"
    SAME_SHAPE = "same_shape"
    LEFT_OUT = "left_out"
    REFUSED = "refused"
    DROPPED = "dropped"
    PASSED = "passed"  # it was no capture after all


class Passed(Enum):
    """Why an exchange is no capture; the value is how the summary says it."""

    NOT_A_STREAM = "response is no event stream"
    OTHER_FRAMING = "stream of another framing than the path's"
    OTHER_PATH = "path or method not recognised"
    OTHER_STATUS = "status other than 200"
    NO_RESPONSE = "ended before a response"
    BAD_RESPONSE = "provider sent no valid HTTP/1.1 response"
    UNREACHABLE = "provider not reachable"
    TLS_FAILED = "TLS with the provider failed"
    PROXY_UNREACHABLE = "proxy on the way to the provider not reachable"
    PROXY_REFUSED = "proxy on the way to the provider refused"
    PROXY_FAILED = "proxy could not reach the provider"
    UNKNOWN_PREFIX = "no upstream for the path (answered here)"
    PROXY_REQUEST = "request meant for a forward proxy (refused)"
    OTHER_HOST = "host that is no upstream (--other pass)"
    REFUSED_HOST = "host that is no upstream (refused)"
    FOREIGN_HOST = "Host that is no loopback name (refused)"
    FOREIGN_PAGE = "page of another site in a browser (refused)"
    UNKNOWN_CLIENT = "client without a token of --client-token-file (refused)"
    CLIENT_TLS = "TLS handshake of a client that failed (refused)"
    NO_AUTHORITY = "no certificate authority for HTTPS_PROXY (refused)"
    OTHER_NAME = "TLS for another host than that of the tunnel (refused)"
    UNTRUSTED = "client that does not trust the certificate authority"
    HTTP_2 = "HTTP/2 (refused)"
    MALFORMED = "malformed request (refused)"
    IDLE = "silent for longer than --idle"
    STOPPED = "cut by the end of the recorder"


# The exchanges that the recorder answers itself.
ANSWERED_HERE: Final = frozenset(
    {
        Passed.UNKNOWN_PREFIX,
        Passed.PROXY_REQUEST,
        Passed.REFUSED_HOST,
        Passed.FOREIGN_HOST,
        Passed.FOREIGN_PAGE,
        Passed.UNKNOWN_CLIENT,
        Passed.MALFORMED,
    }
)
# What ends at the recorder: it reaches no provider, so it is not said to pass through.
ENDED_HERE: Final = ANSWERED_HERE | {
    Passed.CLIENT_TLS,
    Passed.NO_AUTHORITY,
    Passed.OTHER_NAME,
    Passed.UNTRUSTED,
    Passed.HTTP_2,
}


class LeftOut(Enum):
    """Why a recognised stream was left out at the user's wish; the value is how the summary says it."""

    SAMPLE = "not in the sample (--sample)"
    ONLY = "another verdict (--only)"
    OTHER_TURN = "the case was recorded with another turn here (--rewrite records it anew)"
    NO_FIXTURE = "a file that is no fixture has the name of the turn; choose another case"
    MORE_TURNS = "the case was recorded with fewer turns (--rewrite records it anew)"


# Why turns of a recorded case are left out, as they are others now.
OTHER_CASE: Final = (LeftOut.OTHER_TURN, LeftOut.MORE_TURNS, LeftOut.NO_FIXTURE)


class Dropped(Enum):
    """Why a capture was given up; the value is how the summary says it."""

    BODY_LIMIT = "response over --max-body"
    REQUEST_LIMIT = "request over the limit of the recorder"
    REQUEST_CODING = "request that cannot be decoded"
    MEMORY = "captures over --max-memory"
    QUEUE_FULL = "writer behind, queue full"
    TAP = "bug in the recorder while it listened"
    REDACTION = "bug in the redaction"
    FOLDER_LIMIT = "over --max-fixtures"
    BYTES_LIMIT = "over --max-bytes"
    FOLDER_FULL = "folder over --max-folder"
    WRITE = "file not written"
    STORE = "object store does not take it"
    STOPPED = "recorder stopped at once"
    WORKER = "worker of the recorder ended"


Why = Passed | LeftOut | Reason | Dropped

_HOW: Final[dict[type[Why], How]] = {
    Passed: How.PASSED,
    LeftOut: How.LEFT_OUT,
    Reason: How.REFUSED,
    Dropped: How.DROPPED,
}


_RENAMED: Final = {Words.DECLARED: "", Words.NO_VALUES: ", values renamed", Words.NONE: ", contract renamed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of one capture: closed words and the name of a file, and nothing of the capture.

    `file` is the fixture that was written, has the shape or stays; else `why` is the reason. `note` says more about a
    reason: an errno (`ENOSPC`), the name of an exception type, the place where a refusal arose. `report` is the verdict
    on a turn that was proved, `rung` the rung of redaction that it took, `unfaithful` the classes in which clients may
    find the fixture otherwise than the stream, `words` which words of the tools it has as ordinals. `notice` says what
    else there is to know, `notices` what is to be known of the tools, `hint` with which allowances a blocked turn
    passes.
    """

    how: How
    file: str | None = None
    why: Why | None = None
    note: str = ""
    report: Report | None = None
    rung: str = ""
    unfaithful: tuple[str, ...] = ()
    notice: str = ""
    hint: str = ""
    words: Words = Words.DECLARED
    notices: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The reason with its note, such as `file not written (ENOSPC)`; empty where there is a file."""
        said = self.why.value if self.why is not None else ""
        return f"{said} ({self.note})" if self.note else said

    @property
    def counted(self) -> str:
        """The words under which the summary counts it among those that were settled in the same way.

        Refusals are counted by the bare reason: their notes name a place in the capture, such as `event 3`, and the
        summary would have a row for each.
        """
        return self.why.value if isinstance(self.why, Reason) else self.reason

    @property
    def said(self) -> str:
        """The verdict, and the rung where it is not the most private one; empty where no turn was proved."""
        if self.report is None:
            return ""
        revealed = f", rung: {self.rung}" if self.rung and self.rung not in FIRST_RUNGS else ""
        said = verdict(self.report) + revealed + _RENAMED[self.words]
        return "; ".join(part for part in (said, self.hint, self.notice, *self.notices) if part)

    def text(self) -> str:
        """What a line says about it. Examples: `written a.json, openai pass, no finding, calls: 1`, `dropped, …`."""
        said = self.said
        match self.how:
            case How.WRITTEN:
                return f"written {self.file}, {said}"
            case How.SAME_SHAPE:
                return f"same shape as {self.file}, {said}"
            case How.LEFT_OUT:
                return f"left out, {f'{self.file} stays: ' if self.file else ''}{self.reason}, {said}"
            case How.PASSED:
                return f"passed over, {self.reason}"
            case How.REFUSED | How.DROPPED:
                return f"{self.how.value}, {self.reason}"


def unwritten(why: Why, *, note: str = "", report: Report | None = None) -> Settled:
    """What became of a capture of which no fixture is made, for this reason."""
    return Settled(how=_HOW[type(why)], why=why, note=note, report=report)


class NoResultError(Exception):
    """Raised where redaction has no result for a capture, which is a bug.

    `why` is the name of an exception type, such as `ValueError`, or says what became of the process: `process ended`,
    `took too long`. Nothing of the capture is in it.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why: Final = why


def verdict(report: Report) -> str:
    """Profile, status, codes and number of calls: `openai pass, no finding, calls: 1`. No name, no text of the turn."""
    found = ", ".join(codes(report)) or "no finding"
    return f"{report.profile} {report.status.value}, {found}, calls: {len(report.calls)}"


def codes(report: Report) -> list[str]:
    """The codes of the findings, each once, in order."""
    return list(dict.fromkeys(finding.code.value for finding in report.findings))
