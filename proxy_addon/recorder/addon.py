"""The recorder: the hooks that mitmproxy calls, and what becomes of each exchange that passes.

Theory of operation. Three share the work, and the first of them never waits:

- *The event loop* carries the traffic: mitmproxy, the hooks in this module, the taps. Whatever waits here, all streams
  wait for. So nothing here decodes, parses, masks, takes a lock for long or touches the disk.
- *The writer's threads* (`writing.writer`) take finished captures from a queue. One for each redaction process waits
  for the redaction, and one more for the disk, in the order in which the captures came.
- *The redaction processes* (`writing.redacting`) decode, mask and prove. That may take seconds, and each can be ended
  at any time; that costs one capture.

One stream, from top to bottom. The client posts to `/openai/v1/chat/completions`, and the answer comes in two pieces:

    called                          by          what happens
    Recorder.requestheaders         event loop  `openai` names the upstream: the request is for api.openai.com now
    Recorder.responseheaders        event loop  a POST of …/chat/completions, 200, text/event-stream: it is a turn, so a
                                                capture opens, and a tap is put where the body streams through
    Tap(b'data: {"cho')             event loop  the capture keeps the piece; the client gets the very same one
    Tap(b'ices":[]}⏎⏎')             event loop  again
    Recorder.response               event loop  the message ended: the capture is finished and waits in the queue
    Writer._redact                  writer      one value is made of head and pieces, and goes through a pipe
    redact                          process     the bytes of a fixture come back, or a refusal
    FixtureFolder.store             writer      the file is there, and its line on standard error

An exchange is opened by `requestheaders` and closed once, by what comes first: `response` (its message ended), `error`
(one side cut it), `client_disconnected`, `idle`, or `done` (the recorder stops). Closed, it is one of these:

- no capture: it passed, or was left out at the user's wish, and is counted by kind. Example: a request for a list of
  models.
- a capture that was given up: it is dropped. Example: the response was longer than `--max-body`.
- a finished capture: the writer takes it, unless its queue is full. What ended it stands in it, for a stream that was
  cut is a turn as well.

What a hook raises is a bug. It is counted and costs a capture, and the traffic goes on. But a request that no hook has
routed goes nowhere: nobody has checked where it would go.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Concatenate, Final, ParamSpec

from mitmproxy import connection, http, tls
from mitmproxy.proxy import server_hooks

from proxy_addon.recorder.capture import Capture, Clock
from proxy_addon.recorder.requests import other_apis
from proxy_addon.recorder.requests.case_turns import CaseTurns
from proxy_addon.recorder.requests.held_requests import HeldRequests
from proxy_addon.recorder.requests.live import Live
from proxy_addon.recorder.requests.messages import ending_of, head_of, headers_of, lets_in, name_host, send_on, send_to
from proxy_addon.recorder.requests.own_answers import LOOK, Cause, answer, cause_of, speaks_no_http
from proxy_addon.recorder.routes import NOWHERE, Routes
from proxy_addon.recorder.settings.tokens import Tokens
from proxy_addon.recorder.tap import Tap
from proxy_addon.recorder.tunnels.forward import Other, Tunnels
from proxy_addon.recorder.tunnels.via import PASSED, Via
from proxy_addon.upstreams import TurnKind, Upstream
from proxy_addon.writing.cases import CASE_NAME, CASE_NAME_SAID
from proxy_addon.writing.finished import Budget, Finished
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.settled import Dropped, LeftOut, Passed, unwritten
from proxy_addon.writing.outcomes.unrecorded import Kind
from proxy_addon.writing.outlet import Outlet
from proxy_addon.writing.sampling import Sample
from redaction.captured.exchange import Ending, Mode, Sampled
from replay.local_clients import Foreign, LocalClients

CASE_HEADER: Final = "X-Toolreel-Case"

# How a request is answered and counted that comes from no client of this machine.
_FOREIGN: Final = {
    Foreign.HOST: (Cause.FOREIGN_HOST, Passed.FOREIGN_HOST),
    Foreign.PAGE: (Cause.FOREIGN_PAGE, Passed.FOREIGN_PAGE),
}

P = ParamSpec("P")


def _guarded(hook: Callable[Concatenate["Recorder", P], None]) -> Callable[Concatenate["Recorder", P], None]:
    """A hook whose bugs are counted. What mitmproxy sees of an exception, it logs with its text."""

    def guarded(self: "Recorder", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            hook(self, *args, **kwargs)
        except Exception as error:
            self.counts.bug(error)

    guarded.__doc__ = hook.__doc__
    return guarded


class Recorder:
    """The addon that mitmproxy calls: opens each exchange, taps the turns, and closes each exchange once.

    `max_body` bounds one response, and `budget` all captures together, both in bytes.
    """

    name = "toolreel"

    def __init__(
        self,
        *,
        routes: Routes,
        writer: Outlet,
        counts: Counts,
        budget: Budget,
        max_body: int,
        sample: Sample,
        tunnels: Tunnels,
        other: Other,
        clients: LocalClients,
        via: Via,
        tokens: Tokens | None = None,
        clock: Clock | None = None,
        turns: CaseTurns | None = None,
    ) -> None:
        self.counts: Final = counts
        self.prefixes: Final = tuple(f"/{upstream.name}" for upstream in routes.prefixed)
        self._routes: Final = routes
        self._writer: Final = writer
        self.held: Final = HeldRequests(budget.left)  # as much again as all captures may hold
        self._budget: Final = budget
        self._max_body: Final = max_body
        self._sample: Final = sample
        self._tunnels: Final = tunnels
        self._other: Final = other
        self._clients: Final = clients
        self._clock: Final = clock
        self._turns: Final = turns or CaseTurns()
        self._via: Final = via
        self._tokens: Final = tokens
        self._live: dict[str, Live] = {}  # by flow
        self._unnumbered = 0  # captures that wait for their number in their case
        self._unreached: dict[str, Passed] = {}  # by client: why the provider was not reached

    @property
    def live(self) -> int:
        """How many exchanges are in progress."""
        return len(self._live)

    @property
    def captures(self) -> int:
        """How many turns were seen that neither are counted yet nor were handed to the writer. From any thread."""
        return self._unnumbered + sum(live.is_turn for live in list(self._live.values()))

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Open an exchange: take its case, and choose its upstream or answer it here."""
        try:
            self._open(flow)
        except Exception as error:
            self.counts.bug(error)
            if not self._tunnels.opened(flow.client_conn.id):  # the host of a tunnel has been checked
                flow.request.scheme, flow.request.host, flow.request.port = NOWHERE

    def _open(self, flow: http.HTTPFlow) -> None:
        live = Live(client=flow.client_conn.id)
        self._live[flow.id] = live
        self.held.open(flow.id)
        if flow.error is not None:  # mitmproxy has refused it already
            live.passed = Passed.PROXY_REQUEST if flow.request.method == "CONNECT" else Passed.MALFORMED
            return
        case = self._take_case(flow.request)
        live.named = None if case is None else self._turns.start(case)
        if flow.request.authority:  # a whole URL where a path was to be: on a plain connection, or in a tunnel
            self._answer(flow, live, Cause.PROXY_REQUEST, Passed.PROXY_REQUEST)
        elif not self._let_in(flow.request, live):
            proxied = self._tunnels.whole_urls(live.client)
            cause = Cause.UNKNOWN_PROXY_CLIENT if proxied else Cause.UNKNOWN_CLIENT
            self._answer(flow, live, cause, Passed.UNKNOWN_CLIENT)
        elif self._tunnels.opened(live.client):
            name_host(flow.request)
            self._note_host(flow.request, live)
        elif self._tunnels.whole_urls(live.client):
            self._forward(flow, live)
        else:
            self._route(flow, live)
        if live.named is not None and not live.may_be_turn(flow.request.method):
            self._turns.is_none(live.named)
        if flow.response is None:
            self._via.send(flow)

    def _let_in(self, request: http.Request, live: Live) -> bool:
        """Whether a client has shown a token where one is wanted: a tunnel's has, when the tunnel was opened."""
        return lets_in(self._tokens, request.headers) or self._tunnels.opened(live.client)

    def _take_case(self, request: http.Request) -> str | None:
        """The case that a request names. Its header goes no further, whatever is in it."""
        values = request.headers.get_all(CASE_HEADER)
        if not values:
            return None
        del request.headers[CASE_HEADER]
        if len(values) == 1 and CASE_NAME.fullmatch(values[0]):
            return values[0]
        self.counts.bad_case_name()
        self._writer.note(CASE_HEADER, f"no case name, so recorded without; expected {CASE_NAME_SAID}")
        return None

    def _route(self, flow: http.HTTPFlow, live: Live) -> None:
        """Send a request to the upstream that its prefix names, if a client of this machine sent it."""
        foreign = self._clients.refuses(headers_of(flow.request.headers))
        if foreign is not None:
            self._answer(flow, live, *_FOREIGN[foreign])
            return
        route = self._routes.find(flow.request.path)
        if route is None:
            self._look(flow.request.path, live)
            self._answer(flow, live, Cause.UNKNOWN_PREFIX, Passed.UNKNOWN_PREFIX)
            return
        live.upstream, live.target = route.upstream, route.target
        live.what = other_apis.asked_for(route.upstream, flow.request.method, route.target)
        send_to(flow.request, route)

    def _look(self, target: str, live: Live) -> None:
        """Look at the authority on the disk, if that is what was asked for."""
        if target == LOOK:
            live.target = target
            self._tunnels.look()

    def _forward(self, flow: http.HTTPFlow, live: Live) -> None:
        """Send on the plain request of a proxy's client: to an upstream, or to any host where all may pass."""
        if self._other is not Other.PASS and not self._routes.lists(flow.request.host, flow.request.port):
            live.where = other_apis.host_of(flow.request.host)
            self._answer(flow, live, Cause.OTHER_HOST, Passed.REFUSED_HOST)
            return
        self._note_host(flow.request, live)
        send_on(flow.request)

    def _note_host(self, request: http.Request, live: Live) -> None:
        """Note which upstream a request is for that names its host itself."""
        live.mode, live.target = Mode.FORWARD, request.path
        live.upstream = self._routes.hosted(request.scheme, request.host, request.port, request.path)
        if live.upstream is None:
            listed = self._routes.lists(request.host, request.port)
            live.passed = Passed.OTHER_PATH if listed else Passed.OTHER_HOST
            live.where = other_apis.host_of(request.host)
        else:
            live.what = other_apis.asked_for(live.upstream, request.method, request.path)

    def _answer(self, flow: http.HTTPFlow, live: Live, cause: Cause, passed: Passed) -> None:
        live.passed = passed
        said = answer(cause, prefixes=self.prefixes)
        flow.response = http.Response.make(said.status, said.body, said.headers)
        flow.request.stream = False  # it goes nowhere; `mitmproxy_patches` sees to it that it is not held either

    @_guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let every body stream, and tap it where it is a turn."""
        response = flow.response
        live = self._live.get(flow.id)
        if response is None or (live is not None and live.answered_here):
            return
        if response.status_code == 101:
            return  # an upgrade: there is no body, and mitmproxy goes on without us
        response.stream = True
        if live is None or live.passed is not None or live.upstream is None:
            return
        turn = live.turn(flow.request.method, response.status_code, response.headers.get("content-type"))
        if turn is not None:
            self._tap(flow, response, live, live.upstream, turn)
            self.counts.seen(live.upstream.name)
        self._number(live)

    def _tap(
        self, flow: http.HTTPFlow, response: http.Response, live: Live, upstream: Upstream, turn: TurnKind
    ) -> None:
        """Open the capture of a turn and tap its body, unless the turn is left out."""
        sampled = self._sample.take(upstream.name, self._session(flow.request, live))
        if sampled is None:
            live.passed = LeftOut.SAMPLE
            return
        live.capture = self._capture(flow, response, live, upstream, turn, sampled)
        response.stream = Tap(live.capture)

    def _session(self, request: http.Request, live: Live) -> str | None:
        """What names the session of a request, where a header does that the user names; its case may be that."""
        by = self._sample.by
        if by is None:
            return None
        return live.case if by == CASE_HEADER.lower() else request.headers.get(by)

    def _number(self, live: Live) -> None:
        """Have the case of a request know whether a stream answers it."""
        if live.named is None:
            return
        if live.is_turn:
            self._turns.is_turn(live.named)
        else:
            self._turns.is_none(live.named)

    def _capture(
        self,
        flow: http.HTTPFlow,
        response: http.Response,
        live: Live,
        upstream: Upstream,
        turn: TurnKind,
        sampled: Sampled,
    ) -> Capture:
        """The capture of a turn whose response starts."""
        head = head_of(
            flow,
            response,
            upstream=upstream.name,
            turn=turn,
            target=live.target,
            case=live.case,
            mode=live.mode,
            sampled=sampled,
        )
        capture = Capture(head, limit=self._max_body, budget=self._budget, clock=self._clock)
        if flow.request.stream:  # it was too long to be held, and mitmproxy has sent it on as it came
            capture.drop(Dropped.REQUEST_LIMIT)
        return capture

    @_guarded
    def response(self, flow: http.HTTPFlow) -> None:
        """The message ended, as its framing says or with its connection."""
        self._close(flow.id, ending_of(flow.response))

    @_guarded
    def error(self, flow: http.HTTPFlow) -> None:
        """One side cut it. A client that went away is closed by now; the client of an upstream that did is open."""
        live = self._live.get(flow.id)
        upstream = flow.client_conn.state is connection.ConnectionState.OPEN
        if live is not None and live.capture is None and live.passed is None:
            said = flow.error.msg if upstream and flow.error is not None else ""
            why = Passed.BAD_RESPONSE if speaks_no_http(said) else Passed.NO_RESPONSE
            live.passed = PASSED.get(cause_of(502, said)) or self._unreached.get(live.client, why)
            self._unreached.pop(live.client, None)
        self._close(flow.id, Ending.UPSTREAM if upstream else Ending.CLIENT)

    @_guarded
    def client_disconnected(self, client: connection.Client) -> None:
        """A flow of this connection that no hook has closed never will be by another."""
        self._unreached.pop(client.id, None)
        for flow_id in self._flows_of(client.id):
            self._close(flow_id, Ending.CLIENT)

    @_guarded
    def idle(self, client: str) -> None:
        """A connection (of the client with this id) was silent for too long, and is cut by the proxy itself."""
        for flow_id in self._flows_of(client):
            self._live[flow_id].passed = self._live[flow_id].passed or Passed.IDLE
            self._close(flow_id, Ending.PROXY)

    @_guarded
    def done(self) -> None:
        """The proxy stops: what is in progress ends here. `error` still fires for it, and finds nothing."""
        for flow_id in list(self._live):
            self._close(flow_id, Ending.PROXY)

    def _flows_of(self, client: str) -> list[str]:
        return [flow_id for flow_id, live in self._live.items() if live.client == client]

    def _close(self, flow_id: str, ending: Ending) -> None:
        """Close an exchange, unless another hook has; its capture is the writer's from here on."""
        live = self._live.pop(flow_id, None)
        self.held.close(flow_id)
        if live is None or live.target == LOOK:  # toolreel itself asked: that is no traffic
            return
        self._number(live)
        if isinstance(live.passed, LeftOut):
            self.counts.settled(unwritten(live.passed), upstream=live.upstream_name)
            return
        if live.capture is None:
            why = live.passed or (Passed.STOPPED if ending is Ending.PROXY else Passed.NO_RESPONSE)
            self._writer.passed(Kind(upstream=live.upstream_name or live.where, what=live.what, why=why))
            return
        finished = live.capture.finish(ending)
        if isinstance(finished, Dropped):
            self._writer.tell(unwritten(finished), upstream=live.upstream_name, case=live.case)
        elif live.named is None:
            self._writer.offer(finished)
        else:
            self._unnumbered += 1
            self._turns.when_numbered(live.named, lambda turn: self._offer(replace(finished, turn=turn)))

    def _offer(self, numbered: Finished) -> None:
        """Hand over a capture of a case, once it is known which turn of it that is."""
        self._unnumbered -= 1
        self._writer.offer(numbered)

    @_guarded
    def server_connect_error(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Why the `error` that follows comes: the provider cannot be reached."""
        self._unreached[data.client.id] = Passed.UNREACHABLE

    @_guarded
    def tls_failed_server(self, data: tls.TlsData) -> None:
        """Why the `error` that follows comes: TLS with the provider came to nothing."""
        self._unreached[data.context.client.id] = Passed.TLS_FAILED

    @_guarded
    def websocket_message(self, flow: http.HTTPFlow) -> None:
        """Forget relayed messages: mitmproxy keeps them all."""
        if flow.websocket is not None:
            del flow.websocket.messages[:-1]
