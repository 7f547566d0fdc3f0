"""mitmproxy's flow files, written by mitmproxy itself."""

import io
from dataclasses import replace

import pytest

pytest.importorskip("mitmproxy", reason="mitmproxy is not installed")

from mitmproxy import flow, http
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow
from support.recorded import packed

from proxy_addon.importing.entries import BrokenError, Entry, Item, Unusable
from proxy_addon.importing.readers import flows
from proxy_addon.writing.outcomes.settled import Passed
from redaction.captured.exchange import Ending

ONE = packed.Exchange(
    url="https://api.openai.com/v1/chat/completions?key=a",
    request=b'{"stream": true}',
    request_headers=(("A", "b"),),
    response_headers=(("content-type", "text/event-stream"), ("x", "1"), ("x", "2")),
    body=b"data: {}\n\n",
)


def saved(*found: flow.Flow) -> bytes:
    file = io.BytesIO()
    for one in found:
        FlowWriter(file).add(one)
    return file.getvalue()


def items(data: bytes) -> list[Item]:
    return list(flows.items(io.BytesIO(data)))


def entry(one: http.HTTPFlow) -> Entry:
    (item,) = items(saved(one))
    assert isinstance(item, Entry)
    return item


def test_a_flow_is_its_exchange() -> None:
    found = entry(packed.flow(ONE))
    assert (found.method, found.url, found.status) == ("POST", ONE.url, 200)
    assert ("A", "b") in found.request_headers
    assert found.request_body == ONE.request
    assert found.response_headers == ONE.response_headers
    assert found.body == ONE.body


def test_what_is_no_http_or_has_no_response_or_no_body_is_said() -> None:
    streamed = packed.flow(ONE)
    streamed.response.raw_content = None
    found = items(saved(tflow.ttcpflow(), tflow.tflow(), streamed))
    assert found[:2] == [Passed.OTHER_PATH, Passed.NO_RESPONSE]
    assert isinstance(found[2], Entry)
    assert found[2].body is None


@pytest.mark.parametrize(
    ("headers", "version", "error", "ending"),
    [
        ((("transfer-encoding", "chunked"),), "HTTP/1.1", None, Ending.MESSAGE_END),
        ((("content-length", "10"),), "HTTP/1.1", None, Ending.MESSAGE_END),
        ((), "HTTP/1.1", None, Ending.CLOSE),
        ((), "HTTP/2.0", None, Ending.MESSAGE_END),
        ((("transfer-encoding", "chunked"),), "HTTP/1.1", "Client disconnected.", Ending.CLIENT),
        ((), "HTTP/2.0", "peer closed connection", Ending.CLIENT),
        ((), "HTTP/1.1", "HTTP/1 protocol error: peer closed connection without sending", Ending.UPSTREAM),
    ],
)
def test_a_flow_knows_how_its_response_ended(
    headers: packed.Headers, version: str, error: str | None, ending: Ending
) -> None:
    one = packed.flow(replace(ONE, response_headers=headers))
    one.response.http_version = version
    one.error = flow.Error(error) if error else None
    assert entry(one).ending is ending


def test_a_flow_that_mitmproxy_cannot_read_does_not_end_the_rest() -> None:
    good = saved(packed.flow(ONE))
    found = items(good + b"4:true!" + b"3:abc?" + b"2:ab," + b"0:}" + good)
    assert [type(item) for item in found[:1] + found[-1:]] == [Entry, Entry]
    assert found[1:-1] == [Unusable.NOT_READABLE] * 4


def test_a_flow_over_the_limit_is_stepped_over(monkeypatch: pytest.MonkeyPatch) -> None:
    good, big = saved(packed.flow(ONE)), saved(packed.flow(replace(ONE, body=b"data: {}\n\n" * 100_000)))
    monkeypatch.setattr(flows, "MAX_ENTRY_BYTES", 100_000)
    assert [item if isinstance(item, Unusable) else "" for item in items(big + good)] == [Unusable.TOO_LARGE, ""]
    with pytest.raises(BrokenError):
        items(good + big[:-5])


def test_a_file_that_breaks_off_anywhere_says_where_the_flow_starts() -> None:
    good = saved(packed.flow(ONE))
    for end in range(1, len(good)):
        with pytest.raises(BrokenError) as caught:
            items(good + good[:end])
        assert caught.value.place == f"byte {len(good)}"
        assert caught.value.__context__ is None


@pytest.mark.parametrize("junk", [b"\n", b"x", b"12", b":", b"99999999999999:x", b"{}"])
def test_what_is_no_flow_is_no_flow(junk: bytes) -> None:
    good = saved(packed.flow(ONE))
    with pytest.raises(BrokenError) as caught:
        items(good + junk)
    assert caught.value.place == f"byte {len(good)}"


def test_an_empty_file_has_no_flows() -> None:
    assert items(b"") == []
