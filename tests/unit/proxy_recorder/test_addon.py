"""The hooks, called as mitmproxy calls them, with flows of its own test kit."""

from pathlib import Path

import pytest

pytest.importorskip("mitmproxy")

from mitmproxy import connection, flow, http
from mitmproxy.test import tflow, tutils

from proxy_addon.recorder.addon import CASE_NAME, Recorder
from proxy_addon.recorder.routes import Routes
from proxy_addon.recorder.tap import Tap
from proxy_addon.recorder.tunnels.forward import Other, Tunnels
from proxy_addon.recorder.tunnels.upstream_proxies import NO_PROXIES
from proxy_addon.recorder.tunnels.via import Via
from proxy_addon.upstreams import BUILT_IN
from proxy_addon.writing.finished import Budget
from proxy_addon.writing.outcomes.counts import Counts, Summary
from proxy_addon.writing.outcomes.journal import Journal, Style
from proxy_addon.writing.sampling import Sample
from proxy_addon.writing.storage.folder import FixtureFolder
from proxy_addon.writing.storage.room import Limits
from proxy_addon.writing.waiting import Waiting
from proxy_addon.writing.writer import Writer
from redaction.captured.exchange import Ending, Exchange, Fixture, Proved
from replay.local_clients import LocalClients
from replay.validator import validate

EMPTY = b'{"profile": "openai", "tool_schemas": {}, "chunks": []}'
CHAT = "/openai/v1/chat/completions"


class Run:
    """A recorder whose captures stop at the writer, which keeps them."""

    def __init__(self, folder: Path, *, sample: int = 1, other: Other = Other.REFUSE) -> None:
        self.exchanges: list[Exchange] = []
        self.counts = Counts()
        self.budget = Budget(1_000_000)
        self.said: list[bytes] = []
        self.journal = Journal(self.said.append, style=Style.TEXT)
        self.writer = Writer(
            redactors=[self._keep],
            folder=FixtureFolder(folder, digest_of=lambda _: None, limits=Limits(files=100)),
            counts=self.counts,
            budget=self.budget,
            journal=self.journal,
            schemas={},
            waiting=Waiting(10_000_000),
        )
        routes = Routes(BUILT_IN.values())
        self.tunnels = Tunnels(
            routes=routes,
            other=other,
            counts=self.counts,
            authority=lambda: True,
            passed=self.writer.passed,
            via=Via(NO_PROXIES),
        )
        self.recorder = Recorder(
            routes=routes,
            writer=self.writer,
            counts=self.counts,
            budget=self.budget,
            max_body=1000,
            sample=Sample(other=sample),
            tunnels=self.tunnels,
            other=other,
            clients=LocalClients(),
            via=Via(NO_PROXIES),
        )

    def _keep(self, exchange: Exchange) -> Proved:
        self.exchanges.append(exchange)
        number = str(len(self.exchanges))
        return Proved(fixture=Fixture(data=EMPTY, stem=number, digest=number), report=validate(EMPTY), rung="canonical")

    def end(self) -> Summary:
        self.writer.start()
        self.writer.stop()
        self.writer.join(30)
        assert self.journal.close(30) == 0
        return self.counts.summary()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def a_flow(path: str = CHAT, *, method: str = "POST", headers: tuple[tuple[bytes, bytes], ...] = ()) -> http.HTTPFlow:
    request = tutils.treq(
        method=method.encode(), path=path.encode(), host="unrouted.invalid", port=1, headers=http.Headers(headers)
    )
    found = tflow.tflow(req=request)
    found.client_conn.state = connection.ConnectionState.OPEN
    return found


def answered(found: http.HTTPFlow, *, status: int = 200, **headers: str) -> http.HTTPFlow:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    found.response = tutils.tresp(
        status_code=status, headers=http.Headers([(k.encode(), v.encode()) for k, v in named.items()])
    )
    found.response.raw_content = None
    return found


def stream(found: http.HTTPFlow) -> http.HTTPFlow:
    return answered(found, content_type="text/event-stream; charset=utf-8", transfer_encoding="chunked")


def tapped(found: http.HTTPFlow) -> Tap:
    assert found.response is not None
    assert isinstance(found.response.stream, Tap)
    return found.response.stream


def fail(found: http.HTTPFlow, message: str = "CANARY") -> None:
    found.error = flow.Error(message)


def test_a_request_is_sent_to_the_upstream_of_its_prefix(run: Run) -> None:
    found = a_flow(f"{CHAT}?a=1", headers=((b"host", b"localhost:8100"), (b"x", b"1"), (b"X-Toolreel-Case", b"c")))
    run.recorder.requestheaders(found)
    request = found.request
    assert (request.scheme, request.host, request.port) == ("https", "api.openai.com", 443)
    assert request.path == "/v1/chat/completions?a=1"
    assert request.headers.fields == ((b"host", b"api.openai.com"), (b"x", b"1"))
    assert request.authority == ""
    assert found.response is None


@pytest.mark.parametrize(
    ("coding", "length", "ending"),
    [("chunked", None, Ending.MESSAGE_END), (None, "5", Ending.MESSAGE_END), (None, None, Ending.CLOSE)],
)
def test_a_finished_stream_is_handed_over_once(
    run: Run, coding: str | None, length: str | None, ending: Ending
) -> None:
    found = a_flow(headers=((b"X-Toolreel-Case", b"c"), (b"User-Agent", b"SDK/1")))
    run.recorder.requestheaders(found)
    headers = {"transfer_encoding": coding, "content_length": length, "content_type": "text/event-stream"}
    answered(found, **{name: value for name, value in headers.items() if value is not None})
    run.recorder.responseheaders(found)
    for piece in (b"data", b":1", b""):
        assert tapped(found)(piece) is piece
    run.recorder.response(found)
    run.recorder.error(found)
    run.recorder.done()
    summary = run.end()
    assert (summary.captured, summary.written, summary.passed) == (1, 1, {})
    (exchange,) = run.exchanges
    assert (exchange.body, exchange.ending, exchange.user_agent) == (b"data:1", ending, "SDK/1")
    assert exchange.request_body == b"content"
    assert run.recorder.live == 0
    assert run.budget.left == 1_000_000


@pytest.mark.parametrize(
    ("state", "ending"),
    [
        (connection.ConnectionState.OPEN, Ending.UPSTREAM),
        (connection.ConnectionState.CLOSED, Ending.CLIENT),
        (connection.ConnectionState.CAN_WRITE, Ending.CLIENT),
    ],
)
def test_an_error_is_blamed_on_the_side_that_left(run: Run, state: connection.ConnectionState, ending: Ending) -> None:
    found = a_flow()
    run.recorder.requestheaders(found)
    run.recorder.responseheaders(stream(found))
    found.client_conn.state = state
    fail(found)
    run.recorder.error(found)
    run.recorder.response(found)
    run.end()
    assert [exchange.ending for exchange in run.exchanges] == [ending]


def test_what_is_live_when_the_proxy_stops_ends_there(run: Run) -> None:
    found, early = a_flow(), a_flow()
    run.recorder.requestheaders(found)
    run.recorder.requestheaders(early)
    run.recorder.responseheaders(stream(found))
    assert run.recorder.live == 2
    run.recorder.done()
    fail(found)
    run.recorder.error(found)
    summary = run.end()
    assert [exchange.ending for exchange in run.exchanges] == [Ending.PROXY]
    assert summary.passed == {"cut by the end of the recorder": 1}


def test_a_connection_that_goes_without_a_hook_for_its_flow_ends_it(run: Run) -> None:
    found, other = a_flow(), a_flow()
    other.client_conn = tflow.tclient_conn()
    other.client_conn.id = "another"
    for one in (found, other):
        run.recorder.requestheaders(one)
        run.recorder.responseheaders(stream(one))
    run.recorder.client_disconnected(found.client_conn)
    assert run.recorder.live == 1
    run.end()
    assert [exchange.ending for exchange in run.exchanges] == [Ending.CLIENT]


@pytest.mark.parametrize(
    ("path", "method", "status", "content_type", "kind"),
    [
        (CHAT, "POST", 200, "application/json", "response is no event stream"),
        (CHAT, "POST", 200, "text/event-streams", "response is no event stream"),
        (CHAT, "POST", 200, "application/x-ndjson", "stream of another framing than the path's"),
        (CHAT, "POST", 200, "application/vnd.amazon.eventstream", "stream of another framing than the path's"),
        (CHAT, "POST", 201, "text/event-stream", "status other than 200"),
        (CHAT, "POST", 500, "text/event-stream", "status other than 200"),
        (CHAT, "GET", 200, "text/event-stream", "path or method not recognised"),
        ("/openai/v1/models", "POST", 200, "text/event-stream", "path or method not recognised"),
    ],
)
def test_other_responses_stream_by_and_are_counted_by_kind(
    run: Run, path: str, method: str, status: int, content_type: str, kind: str
) -> None:
    found = a_flow(path, method=method)
    run.recorder.requestheaders(found)
    run.recorder.responseheaders(answered(found, status=status, content_type=content_type))
    assert found.response is not None
    assert found.response.stream is True
    run.recorder.response(found)
    summary = run.end()
    assert (summary.captured, summary.passed) == (0, {kind: 1})


def test_an_upgrade_is_left_to_mitmproxy(run: Run) -> None:
    found = a_flow("/openai/v1/realtime", method="GET")
    run.recorder.requestheaders(found)
    run.recorder.responseheaders(answered(found, status=101))
    assert found.response is not None
    assert found.response.stream is False


def test_relayed_messages_of_an_upgraded_connection_are_forgotten(run: Run) -> None:
    found = tflow.twebsocketflow()
    assert found.websocket is not None
    last = found.websocket.messages[-1]
    run.recorder.websocket_message(found)
    assert found.websocket.messages == [last]


@pytest.mark.parametrize(
    ("authority", "path", "status", "kind"),
    [
        ("", "/nowhere", 404, "no upstream for the path (answered here)"),
        ("", "*", 404, "no upstream for the path (answered here)"),
        ("evil.example", CHAT, 501, "request meant for a forward proxy (refused)"),
    ],
)
def test_what_fits_no_prefix_is_answered_here(run: Run, authority: str, path: str, status: int, kind: str) -> None:
    found = a_flow(path)
    found.request.authority = authority
    run.recorder.requestheaders(found)
    assert found.response is not None
    assert found.response.status_code == status
    assert found.response.headers["content-type"] == "application/json"
    run.recorder.responseheaders(found)
    run.recorder.response(found)
    assert run.end().passed == {kind: 1}


def test_a_request_that_mitmproxy_has_refused_is_counted_and_not_routed(run: Run) -> None:
    for method, kind in (("POST", "malformed request (refused)"), ("CONNECT", "request meant for a forward proxy")):
        found = a_flow(method=method)
        fail(found)
        run.recorder.requestheaders(found)
        assert found.request.host == "unrouted.invalid"
        run.recorder.error(found)
        assert any(passed.startswith(kind) for passed in run.counts.summary().passed)


def test_a_provider_that_is_not_reached_is_counted_by_how_it_failed(run: Run) -> None:
    class Data:
        """What mitmproxy hands to both hooks, as far as they look."""

        def __init__(self, client: connection.Client) -> None:
            self.client = client
            self.context = self

    for hook in (run.recorder.server_connect_error, run.recorder.tls_failed_server, lambda _: None):
        found = a_flow()
        run.recorder.requestheaders(found)
        hook(Data(found.client_conn))  # type: ignore[arg-type]
        fail(found)
        run.recorder.error(found)
    assert run.end().passed == {
        "provider not reachable": 1,
        "TLS with the provider failed": 1,
        "ended before a response": 1,
    }
    assert b"".join(run.said).decode().splitlines()[0] == (
        "toolreel: openai: chat.completions: not recorded, provider not reachable; "
        "check the URL of its --upstream and the network with: toolreel doctor"
    )
    assert "CANARY" not in b"".join(run.said).decode()


def test_a_request_over_the_limit_streams_by_and_its_response_is_not_captured(run: Run) -> None:
    found = a_flow()
    run.recorder.requestheaders(found)
    found.request.stream = True  # mitmproxy's doing, at the length that it is told
    run.recorder.responseheaders(stream(found))
    assert tapped(found)(b"data: 1") == b"data: 1"
    run.recorder.response(found)
    assert run.end().dropped == {"request over the limit of the recorder": 1}


def test_a_long_request_that_is_answered_here_is_not_passed_on(run: Run) -> None:
    found = a_flow(path="/nowhere")
    found.request.stream = True
    run.recorder.requestheaders(found)
    assert found.response is not None
    assert found.request.stream is False


@pytest.mark.parametrize(
    "value", ["", ".a", "A", "a b", "a/b", "a" * 65, "a.expected", "a.adapters", "\u00e4", "a\x1b"]
)
def test_a_case_name_that_is_none_is_removed_and_counted(run: Run, value: str) -> None:
    found = a_flow(headers=((b"x-toolreel-case", value.encode("latin-1", "replace")),))
    run.recorder.requestheaders(found)
    assert "x-toolreel-case" not in found.request.headers
    assert run.end().bad_case_names == 1
    assert not CASE_NAME.fullmatch(value)
    assert "\x1b" not in b"".join(run.said).decode()


@pytest.mark.parametrize(
    "value", ["a", "0", "_a", "_", "a.b-c_d", "a" * 64, "expected", "a.expected.b", "adapters", "a.adapters.b"]
)
def test_a_case_name_that_is_one(value: str) -> None:
    assert CASE_NAME.fullmatch(value)


def test_two_case_headers_are_none(run: Run) -> None:
    found = a_flow(headers=((b"x-toolreel-case", b"a"), (b"X-Toolreel-Case", b"b")))
    run.recorder.requestheaders(found)
    assert "x-toolreel-case" not in found.request.headers
    assert run.end().bad_case_names == 1


def test_a_hook_with_a_bug_is_counted_by_type_and_lets_the_traffic_go_on(run: Run) -> None:
    found = a_flow()
    run.recorder.requestheaders(found)
    found.response = "CANARY"  # type: ignore[assignment]
    run.recorder.responseheaders(found)
    assert run.end().bugs == {"AttributeError": 1}
    assert "CANARY" not in b"".join(run.said).decode()


def test_after_a_fault_a_request_goes_nowhere_unless_its_tunnel_was_checked(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise ValueError("CANARY")

    monkeypatch.setattr(run.recorder, "_take_case", broken)
    found = a_flow()
    found.request.host = "127.0.0.1"
    run.recorder.requestheaders(found)
    assert (found.request.host, found.request.port) == ("unrouted.invalid", 1)

    connect = a_flow()
    connect.request.host, connect.request.port = "api.openai.com", 443
    run.tunnels.http_connect(connect)
    inside = a_flow("/v1/chat/completions")
    inside.client_conn = connect.client_conn
    inside.request.host = "api.openai.com"
    run.recorder.requestheaders(inside)
    assert inside.request.host == "api.openai.com"
    assert run.counts.summary().bugs == {"ValueError": 2}
