"""One exchange in progress: what the hooks have seen of it, and what its response makes of it. No mitmproxy."""

from dataclasses import dataclass

from proxy_addon.recorder.capture import Capture
from proxy_addon.recorder.requests import other_apis
from proxy_addon.recorder.requests.case_turns import Request
from proxy_addon.upstreams import TurnKind, Upstream
from proxy_addon.writing.outcomes.settled import ANSWERED_HERE, LeftOut, Passed
from proxy_addon.writing.outcomes.unrecorded import REQUEST, Sort, What
from redaction.captured.exchange import Mode
from replay.families import is_of_another_framing, streams


@dataclass(slots=True, kw_only=True)
class Live:
    """One exchange in progress. It ends as its capture, if it has one, else as `passed` says; `what` is its name."""

    client: str
    mode: Mode = Mode.REVERSE
    upstream: Upstream | None = None
    target: str = ""
    named: Request | None = None  # the request as its case knows it, where it names one
    capture: Capture | None = None
    passed: Passed | LeftOut | None = None
    what: What = REQUEST
    where: str = "request"  # what stands in the place of an upstream

    @property
    def case(self) -> str | None:
        """The case that the request names."""
        return None if self.named is None else self.named.case

    @property
    def upstream_name(self) -> str:
        """The name of its upstream, or nothing."""
        return self.upstream.name if self.upstream else ""

    @property
    def is_turn(self) -> bool:
        """Whether its response is a recognised stream."""
        return self.capture is not None or isinstance(self.passed, LeftOut)

    @property
    def answered_here(self) -> bool:
        """Whether the recorder itself has answered."""
        return self.passed in ANSWERED_HERE

    def may_be_turn(self, method: str) -> bool:
        """Whether the request asks for a turn, so that its response has to be waited for."""
        return self.passed is None and self.upstream is not None and self.upstream.turn(method, self.target) is not None

    def turn(self, method: str, status: int, content_type: str | None) -> TurnKind | None:
        """The turn that a response with this head is. Where it is none, `passed` says why from here on."""
        if self.passed is not None or self.upstream is None:
            return None
        turn = self.upstream.turn(method, self.target)
        if turn is None:
            self.what = other_apis.answered(self.what, content_type)
            self.passed = Passed.NOT_A_STREAM if self.what.sort is Sort.UNSTREAMED else Passed.OTHER_PATH
        elif status != 200:
            self.what = other_apis.with_status(self.what, status)
            self.passed = Passed.OTHER_STATUS
        elif not streams(turn.profile, content_type):
            self.passed = Passed.OTHER_FRAMING if is_of_another_framing(content_type) else Passed.NOT_A_STREAM
        return turn if self.passed is None else None
