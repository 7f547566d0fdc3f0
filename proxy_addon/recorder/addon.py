"""The mitmproxy addon: routes requests by prefix, taps the streams that are turns, hands them over once they end.

Hooks run on the event loop, so none of them waits, decodes or writes. A fault in a hook is counted and costs a capture,
not the traffic; but a request that was not routed goes nowhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, Final, ParamSpec

from mitmproxy import connection, http, tls
from mitmproxy.proxy import server_hooks

from proxy_addon.recorder.capture import Capture
from proxy_addon.recorder.forward import Other, Tunnels
from proxy_addon.recorder.own_answers import CONTENT_TYPE, Cause, answer, speaks_no_http
from proxy_addon.recorder.routes import Route, Routes
from proxy_addon.recorder.tap import Tap
from proxy_addon.upstreams import TurnKind, Upstream, authority
from proxy_addon.writing.cases import CASE_NAME, CASE_NAME_SAID
from proxy_addon.writing.counts import Counts
from proxy_addon.writing.finished import Budget, Head, Headers
from proxy_addon.writing.sampling import Sample
from proxy_addon.writing.settled import Dropped, LeftOut, Passed, unwritten
from proxy_addon.writing.writer import Writer
from redaction.captured.exchange import Ending, Mode
from replay.families import streams

CASE_HEADER: Final = "X-Toolreel-Case"

# Where a request goes that nothing has routed: a name that can never exist (RFC 6761).
NOWHERE: Final = ("http", "unrouted.invalid", 1)

# What the recorder answers itself.
_ANSWERED_HERE: Final = frozenset({Passed.UNKNOWN_PREFIX, Passed.PROXY_REQUEST, Passed.REFUSED_HOST, Passed.MALFORMED})

P = ParamSpec("P")


@dataclass(slots=True, kw_only=True)
class _Open:
    """One exchange in progress. Ends as a capture if it has one, else as `passed`."""

    client: str
    mode: Mode = Mode.REVERSE
    upstream: Upstream | None = None
    target: str = ""
    case: str | None = None
    capture: Capture | None = None
    passed: Passed | LeftOut | None = None


def _guarded(hook: Callable[Concatenate["Recorder", P], None]) -> Callable[Concatenate["Recorder", P], None]:
    """Count what a hook raises instead of letting mitmproxy see it, which would log the text of the exception."""

    def guarded(self: "Recorder", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            hook(self, *args, **kwargs)
        except Exception as error:
            self.counts.bug(error)

    guarded.__doc__ = hook.__doc__
    return guarded


class Recorder:
    """Opens each flow in `requestheaders`; the first of `response`, `error` and `done` closes it, once."""

    name = "toolreel"

    def __init__(
        self,
        *,
        routes: Routes,
        writer: Writer,
        counts: Counts,
        budget: Budget,
        max_body: int,
        sample: Sample,
        tunnels: Tunnels,
        other: Other,
    ) -> None:
        """`budget` bounds all captures together, `max_body` each of them, both in bytes."""
        self._sample: Final = sample
        self._tunnels: Final = tunnels
        self._other: Final = other
        self.counts: Final = counts
        self._routes: Final = routes
        self._writer: Final = writer
        self._budget: Final = budget
        self._max_body: Final = max_body
        self._live: dict[str, _Open] = {}
        self._unreached: dict[str, Passed] = {}  # by client connection: why its last try to reach a provider failed
        self._prefixes: Final = tuple(f"/{upstream.name}" for upstream in routes.upstreams)

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The paths that lead somewhere."""
        return self._prefixes

    @property
    def live(self) -> int:
        """How many exchanges are in progress."""
        return len(self._live)

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Take the case header, choose the upstream, or answer here; after a fault, go nowhere that is not checked."""
        try:
            self._route(flow)
        except Exception as error:
            self.counts.bug(error)
            if not self._tunnels.opened(flow.client_conn.id):
                flow.request.scheme, flow.request.host, flow.request.port = NOWHERE

    def _route(self, flow: http.HTTPFlow) -> None:
        opened = _Open(client=flow.client_conn.id)
        self._live[flow.id] = opened
        if flow.error is not None:  # mitmproxy has refused it already
            opened.passed = Passed.PROXY_REQUEST if flow.request.method == "CONNECT" else Passed.MALFORMED
            return
        opened.case = self._take_case(flow.request)
        if flow.request.authority:  # a whole URL, on a connection that is no proxy's or already a tunnel
            self._answer(flow, opened, Cause.PROXY_REQUEST, Passed.PROXY_REQUEST)
            return
        if self._tunnels.opened(opened.client):
            self._forward(flow.request, opened)
        elif self._tunnels.whole_urls(opened.client):
            if not self._may_forward(flow.request):
                self._answer(flow, opened, Cause.OTHER_HOST, Passed.REFUSED_HOST)
                return
            self._forward(flow.request, opened)
            _send_on(flow.request)
        else:
            route = self._routes.find(flow.request.path)
            if route is None:
                self._answer(flow, opened, Cause.UNKNOWN_PREFIX, Passed.UNKNOWN_PREFIX)
                return
            opened.upstream, opened.target = route.upstream, route.target
            _send_to(flow.request, route)

    @_guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let every body stream, and tap it where it is a turn."""
        response = flow.response
        opened = self._live.get(flow.id)
        if response is None or (opened is not None and opened.passed in _ANSWERED_HERE):
            return
        if response.status_code == 101:
            return  # an upgrade: there is no body, and mitmproxy goes on without us
        response.stream = True
        if opened is None or opened.passed is not None or opened.upstream is None:
            return
        turn = opened.upstream.turn(flow.request.method, opened.target)
        content_type = response.headers.get("content-type")
        if turn is None:
            opened.passed = Passed.OTHER_PATH
        elif response.status_code != 200:
            opened.passed = Passed.OTHER_STATUS
        elif not streams(turn.profile, content_type):
            opened.passed = Passed.NOT_A_STREAM
        elif not self._sample.take():
            opened.passed = LeftOut.SAMPLE
        else:
            opened.capture = Capture(
                _head(
                    flow,
                    response,
                    upstream=opened.upstream.name,
                    turn=turn,
                    target=opened.target,
                    case=opened.case,
                    mode=opened.mode,
                ),
                limit=self._max_body,
                budget=self._budget,
            )
            if flow.request.stream:  # as mitmproxy does with one that is too long to be held
                opened.capture.abandon(Dropped.REQUEST_LIMIT)
            response.stream = Tap(opened.capture)

    @_guarded
    def response(self, flow: http.HTTPFlow) -> None:
        """The message ended, as its framing says or with its connection."""
        self._close(flow.id, _clean_ending(flow.response))

    @_guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """Somebody cut it: a client that went away is closed by now, the client of a failed upstream is open."""
        opened = self._live.get(flow.id)
        upstream = flow.client_conn.state is connection.ConnectionState.OPEN
        if opened is not None and opened.capture is None and opened.passed is None:
            no_http = upstream and flow.error is not None and speaks_no_http(flow.error.msg)
            why = self._unreached.pop(opened.client, Passed.BAD_RESPONSE if no_http else Passed.NO_RESPONSE)
            opened.passed = why
            if opened.upstream is not None:
                self._writer.note(opened.upstream.name, why.value)
        self._close(flow.id, Ending.UPSTREAM if upstream else Ending.CLIENT)

    @_guarded
    def client_disconnected(self, client: connection.Client) -> None:
        """A flow of this connection that no hook has closed never will be by another."""
        self._unreached.pop(client.id, None)
        for flow_id in [key for key, opened in self._live.items() if opened.client == client.id]:
            self._close(flow_id, Ending.CLIENT)

    @_guarded
    def idle(self, client: str) -> None:
        """A connection (of the client with this id) was silent for too long, and is cut by the proxy itself."""
        for flow_id, opened in [(key, opened) for key, opened in self._live.items() if opened.client == client]:
            opened.passed = opened.passed or Passed.IDLE
            self._close(flow_id, Ending.PROXY)

    @_guarded
    def server_connect_error(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Why the `error` that follows comes."""
        self._unreached[data.client.id] = Passed.UNREACHABLE

    @_guarded
    def tls_failed_server(self, data: tls.TlsData) -> None:
        """Why the `error` that follows comes."""
        self._unreached[data.context.client.id] = Passed.TLS_FAILED

    @_guarded
    def websocket_message(self, flow: http.HTTPFlow) -> None:
        """Forget relayed messages: mitmproxy keeps them all."""
        if flow.websocket is not None:
            del flow.websocket.messages[:-1]

    @_guarded
    def done(self) -> None:
        """The proxy stops: what is in progress ends here. `error` still fires for it, and finds nothing."""
        for flow_id in list(self._live):
            self._close(flow_id, Ending.PROXY)

    def _close(self, flow_id: str, ending: Ending) -> None:
        opened = self._live.pop(flow_id, None)
        if opened is None:
            return
        if isinstance(opened.passed, LeftOut):
            self.counts.settled(unwritten(opened.passed))
            return
        if opened.capture is None:
            self.counts.passed(opened.passed or (Passed.STOPPED if ending is Ending.PROXY else Passed.NO_RESPONSE))
            return
        finished = opened.capture.finish(ending)
        if isinstance(finished, Dropped):
            upstream = opened.upstream.name if opened.upstream else ""
            self._writer.tell(unwritten(finished), upstream=upstream, case=opened.case)
        else:
            self._writer.offer(finished)

    def _may_forward(self, request: http.Request) -> bool:
        """Whether a plain request of a proxy's client goes on: to an upstream, or to any host where all may pass."""
        return self._other is Other.PASS or self._routes.lists(request.host, request.port)

    def _forward(self, request: http.Request, opened: _Open) -> None:
        """Note which upstream a request is for that names its host itself."""
        opened.mode, opened.target = Mode.FORWARD, request.path
        opened.upstream = self._routes.hosted(request.scheme, request.host, request.port, request.path)
        if opened.upstream is None:
            listed = self._routes.lists(request.host, request.port)
            opened.passed = Passed.OTHER_PATH if listed else Passed.OTHER_HOST

    def _answer(self, flow: http.HTTPFlow, opened: _Open, trouble: Cause, passed: Passed) -> None:
        opened.passed = passed
        said = answer(trouble, prefixes=self._prefixes)
        flow.response = http.Response.make(said.status, said.body, {"Content-Type": CONTENT_TYPE})
        flow.request.stream = False  # it goes nowhere; `repairs` sees to it that it is not held either

    def _take_case(self, request: http.Request) -> str | None:
        """The case name; the header goes no further, whatever is in it."""
        values = request.headers.get_all(CASE_HEADER)
        if not values:
            return None
        del request.headers[CASE_HEADER]
        if len(values) == 1 and CASE_NAME.fullmatch(values[0]):
            return values[0]
        self.counts.bad_case_name()
        self._writer.note(CASE_HEADER, f"no case name, so recorded without; expected {CASE_NAME_SAID}")
        return None


def _send_to(request: http.Request, route: Route) -> None:
    request.scheme = route.upstream.scheme
    request.host = route.upstream.host
    request.port = route.upstream.port
    request.path = route.target
    request.host_header = route.upstream.authority


def _send_on(request: http.Request) -> None:
    """As a proxy does: the host leaves the request line and stands in the Host header."""
    request.host_header = authority(request.scheme, request.host, request.port)
    request.headers.pop("proxy-connection", None)
    request.headers.pop("proxy-authorization", None)


def _clean_ending(response: http.Response | None) -> Ending:
    """Whether the end of the message was told, or is only the end of its connection."""
    if response is None:
        return Ending.UPSTREAM
    coding = response.headers.get("transfer-encoding")
    told = "content-length" in response.headers if coding is None else "chunked" in coding.lower()
    return Ending.MESSAGE_END if told else Ending.CLOSE


def _head(
    flow: http.HTTPFlow,
    response: http.Response,
    *,
    upstream: str,
    turn: TurnKind,
    target: str,
    case: str | None,
    mode: Mode,
) -> Head:
    return Head(
        upstream=upstream,
        turn=turn,
        case=case,
        request_headers=_text(flow.request.headers),
        query=target.partition("?")[2],
        request_body=flow.request.raw_content or b"",
        status=response.status_code,
        response_headers=_text(response.headers),
        mode=mode,
    )


def _text(headers: http.Headers) -> Headers:
    return tuple((name.decode("utf-8", "replace"), value.decode("utf-8", "replace")) for name, value in headers.fields)
