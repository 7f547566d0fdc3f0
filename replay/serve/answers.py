"""A request to its answer: a plan of writes, pauses and how it ends. No socket, no clock, no file.

Nothing is ever forwarded. A request that no fixture fits gets the status 599, which no provider uses, and a body that
names the nearest fixtures.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote_to_bytes

from replay.body.rendering import Rendered, render
from replay.body.transport import COMPLETE
from replay.families import asks_for_stream, form_at
from replay.local_clients import Foreign, LocalClients

from .cutting import Cuts, Piece, pieces
from .http1 import BODILESS
from .matching import Asked, NoFixture, ServedFixture

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from .http1 import Request
    from .matching import FixtureMatcher

NO_FIXTURE: Final = 599
REFUSED: Final = 403
CASE_HEADER: Final = "x-toolreel-case"
CASE_PREFIX: Final = "/case/"
# The answer names its fixture, so that a log on the other side can.
FIXTURE_HEADER: Final = "X-Toolreel-Fixture"
# Answers that are kept ready; a corpus of thousands is not held in memory twice.
KEPT: Final = 64


class Ending(Enum):
    """What the server does behind the last piece."""

    WHOLE = "the message ends as its framing says"
    FIN = "the server closes the connection in the middle of the message"
    RST = "the server resets the connection in the middle of the message"
    HOLD = "the server sends no more and waits for the client to go"


class Cut(Enum):
    """How the server ends a stream that its provider did not finish; the value is how the option says it."""

    FIN = "fin"
    RST = "rst"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One response: what to write, when, and how to end. Holds captured data, so its repr shows none of it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    pieces: Sequence[Piece] = field(repr=False)
    ending: Ending = Ending.WHOLE
    fixture: str | None = None  # the name of the one that is served
    reason: str = ""  # why there is none


class Answers:
    """Answers requests from fixtures, in the order in which they come.

    `cuts` says in which pieces a body is written, `cut` how the server ends a stream that its provider cut,
    `clients` whose requests are answered.
    """

    def __init__(
        self,
        matcher: FixtureMatcher,
        *,
        cuts: Cuts | None = None,
        cut: Cut = Cut.FIN,
        clients: LocalClients | None = None,
    ) -> None:
        self._matcher: Final = matcher
        self._cuts = cuts or Cuts()
        self._cut: Final = cut
        self._clients: Final = clients or LocalClients()
        self._kept: OrderedDict[tuple[str, str | None], Answer] = OrderedDict()

    def recut(self, cuts: Cuts) -> None:
        """Cut bodies so from now on."""
        self._cuts = cuts
        self._kept.clear()

    def answer(self, request: Request) -> Answer:
        """The answer to one request. One that comes from no client of this machine is refused, and moves no case on."""
        foreign = self._clients.refuses(request.headers)
        if foreign is not None:
            return _refused(foreign)
        asked = read_target(request.target, request.header(CASE_HEADER), self._matcher, method=request.method)
        chosen = self._choose(request, asked)
        if isinstance(chosen, NoFixture):
            return no_fixture(chosen)
        form = form_at(chosen.profile, asked.path, chosen.form)
        found = self._kept.pop((chosen.name, form), None) or self._made(chosen, form)
        self._kept[chosen.name, form] = found
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found

    def _choose(self, request: Request, asked: Asked) -> ServedFixture | NoFixture:
        reason = _no_turn(request, asked)
        if reason:
            return NoFixture(reason=reason, nearest=self._nearest(asked), do="have the client ask so")
        return self._matcher.choose(asked)

    def _nearest(self, asked: Asked) -> tuple[str, ...]:
        return self._matcher.nearest(asked.case or "")

    def _made(self, fixture: ServedFixture, form: str | None) -> Answer:
        rendered = render(fixture.loaded, form)
        told = fixture.loaded.value.get("transport")
        headers = [("Content-Type", rendered.content_type)] if rendered.content_type is not None else []
        if rendered.coding != "identity":
            headers.append(("Content-Encoding", rendered.coding))
        headers.append((FIXTURE_HEADER, encoded(fixture.name)))
        return Answer(
            status=rendered.status,
            headers=tuple(headers),
            pieces=() if rendered.status in BODILESS else pieces(rendered, self._cuts, _members(told)),
            ending=self._ending(rendered),
            fixture=fixture.name,
        )

    def _ending(self, rendered: Rendered) -> Ending:
        if rendered.stream_end == COMPLETE:
            return Ending.WHOLE
        if rendered.stream_end == "client_disconnected":
            return Ending.HOLD
        return Ending.RST if self._cut is Cut.RST else Ending.FIN


def read_target(target: str, case: str | None, known: Container[str], *, method: str = "POST") -> Asked:
    """What a request target and the case header say; of two cases, the one in the path counts.

    Both are as `http1` gives them, a character for each byte. Where bytes can be read in several ways, the one that is
    `known`, a name that there is, is meant.
    """
    path, _, query = target.partition("?")
    if path.startswith(CASE_PREFIX):
        name, slash, rest = path.removeprefix(CASE_PREFIX).partition("/")
        case, path = _meant(_readings(_unquoted(name)), known), slash + rest
    elif case is not None:
        case = _meant([*_readings(_unquoted(case)), *_readings(case.encode("latin-1"))], known)
    first = path.removeprefix("/").partition("/")[0]
    return Asked(case=case, upstream=_readings(_unquoted(first))[0] or None, path=path, method=method, query=query)


def _unquoted(text: str) -> bytes:
    return unquote_to_bytes(text.encode("latin-1"))


def _readings(data: bytes) -> list[str]:
    """The texts that bytes may stand for, the likeliest first: UTF-8, Latin-1, a file name of neither."""
    try:
        return [data.decode("utf-8"), data.decode("latin-1")]
    except UnicodeDecodeError:
        return [data.decode("latin-1"), data.decode("utf-8", errors="surrogateescape")]


def _meant(readings: Sequence[str], known: Container[str]) -> str:
    """The reading that is the name of a fixture; the first one where none is."""
    return next((reading for reading in readings if reading in known), readings[0])


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def encoded(name: str) -> str:
    """The name of a fixture as one segment of a path, and as the value of a header; every byte of it is kept."""
    return quote(name, safe="", errors="surrogateescape")


def no_fixture(missing: NoFixture) -> Answer:
    """The answer where no fixture fits: JSON in the shape that SDKs show as an error."""
    error = {
        "type": "toolreel_no_fixture",
        "message": f"toolreel serve: {missing.reason}; nearest: {', '.join(missing.nearest) or 'none'}; {missing.do}",
        "nearest": list(missing.nearest),
        "do": missing.do,
    }
    return _error(NO_FIXTURE, error, reason=missing.reason)


# By reason, the type of the error in an answer to a request that comes from no client of this machine.
_FOREIGN: Final = {Foreign.HOST: "toolreel_foreign_host", Foreign.PAGE: "toolreel_foreign_page"}


def _refused(foreign: Foreign) -> Answer:
    """The answer to a request that comes from no client of this machine."""
    reason = f"the request was refused: {foreign.value}"
    return _error(REFUSED, {"type": _FOREIGN[foreign], "message": f"toolreel serve: {reason}"}, reason=reason)


def _error(status: int, error: Mapping[str, object], *, reason: str) -> Answer:
    members = {"type": "error", "error": error}
    return Answer(
        status=status,
        headers=(("Content-Type", "application/json"),),
        pieces=(Piece(data=json.dumps(members).encode("ascii") + b"\n"),),
        reason=reason,
    )


def _no_turn(request: Request, asked: Asked) -> str:
    """Why the request asks for no turn as a stream; empty where it does. A GET has no body, so its query says it."""
    if asked.retrieves:
        return "" if asked.by_query else "the request asks for no stream; every fixture is one: ask with ?stream=true"
    if request.method != "POST":
        return "a turn is asked for by POST"
    reason = _no_stream(request, asked.path)
    return f'{reason}; every fixture is one: send "stream": true' if reason else ""


_NO_OBJECT: Final = "the request is no JSON object that asks for a stream"


def _no_stream(request: Request, path: str) -> str:
    """Why the request asks for no stream; empty where it does. A body that is coded is not looked into."""
    if request.header("content-encoding") not in (None, "", "identity"):
        return ""
    try:
        value = json.loads(request.body)
    except (ValueError, RecursionError):
        value = None
    if asks_for_stream(None, path, value):
        return ""
    return "the request asks for no stream" if isinstance(value, dict) else _NO_OBJECT
