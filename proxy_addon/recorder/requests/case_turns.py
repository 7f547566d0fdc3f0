"""The numbers of turns in their cases: by the start of their requests, within one run of the recorder.

Example: three requests of the case `weather` start one after the other. The second one ends first, and the first one
gets the status 429, so that it is no turn. Then the second request is turn 1 and the third is turn 2: what came of the
requests before one is known when their responses have started, and until then a capture that is finished waits here.

Knows requests and numbers; knows no mitmproxy and no file. It lives on the event loop.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from proxy_addon.writing.cases import Turn


class _Known(Enum):
    """What is known of a request."""

    NOTHING = "its response has not started"
    TURN = "it is answered by a stream"
    NO_TURN = "it is answered otherwise, or never"


@dataclass(slots=True, kw_only=True, eq=False)
class Request:
    """A request that names a case, and the turn that it is, once that is known."""

    case: str
    turn: Turn | None = None
    known: _Known = _Known.NOTHING
    then: Callable[[Turn], None] | None = field(default=None, repr=False)


@dataclass(slots=True)
class _Case:
    """The requests of a case that have no number yet, in the order of their starts, and how many turns came before."""

    waiting: deque[Request] = field(default_factory=deque)
    turns: int = 0


class CaseTurns:
    """Numbers the turns of all cases of one run."""

    def __init__(self) -> None:
        self._cases: dict[str, _Case] = {}

    def start(self, case: str) -> Request:
        """Note that a request of this case starts."""
        request = Request(case=case)
        self._cases.setdefault(case, _Case()).waiting.append(request)
        return request

    def is_turn(self, request: Request) -> None:
        """Note that a stream answers the request."""
        self._decide(request, _Known.TURN)

    def is_none(self, request: Request) -> None:
        """Note that no stream answers the request, unless one does already."""
        self._decide(request, _Known.NO_TURN)

    def when_numbered(self, request: Request, then: Callable[[Turn], None]) -> None:
        """Call `then` with the turn that a request is: at once, or when what came before it is known."""
        if request.turn is not None:
            then(request.turn)
        else:
            request.then = then

    def _decide(self, request: Request, known: _Known) -> None:
        if request.known is not _Known.NOTHING:
            return
        request.known = known
        case = self._cases[request.case]
        while case.waiting and case.waiting[0].known is not _Known.NOTHING:
            first = case.waiting.popleft()
            if first.known is _Known.TURN:
                case.turns += 1
                first.turn = Turn(case=first.case, number=case.turns)
                if first.then is not None:
                    first.then(first.turn)
