"""What redaction gets of a capture."""

import base64
import gzip
import json
import zlib

import pytest

from proxy_addon.upstreams import TurnKind
from proxy_addon.writing.finished import Finished, Head, Headers
from proxy_addon.writing.outcomes.settled import Dropped
from proxy_addon.writing.redacting.exchanges import exchange, is_stream, secrets
from redaction.captured.exchange import Ending, Exchange

REQUEST = b'{"stream": true}'
PACKED = gzip.compress(REQUEST, mtime=0)  # the same in every process that names tests by it


def finished(
    *,
    request_headers: Headers = (),
    response_headers: Headers = (),
    request_body: bytes = REQUEST,
    query: str = "",
    body: tuple[bytes, ...] = (b"data: 1\n", b"\n"),
) -> Finished:
    head = Head(
        upstream="gate",
        turn=TurnKind(profile="openai", allow=("repeated_terminal",)),
        case="c",
        request_headers=request_headers,
        query=query,
        request_body=request_body,
        status=200,
        response_headers=response_headers,
    )
    return Finished(head=head, pieces=body, size=0, ending=Ending.UPSTREAM)


def made(capture: Finished) -> Exchange:
    """The exchange of a capture whose request can be read."""
    found = exchange(capture, schemas={})
    assert isinstance(found, Exchange)
    return found


def test_an_exchange_has_all_that_redaction_asks_for() -> None:
    found = exchange(
        finished(
            request_headers=(("User-Agent", "SDK/1"),),
            response_headers=(("Content-Type", "text/event-stream"), ("content-encoding", "gzip")),
        ),
        schemas={"t": {}},
    )
    assert isinstance(found, Exchange)
    assert (found.profile, found.provider, found.status) == ("openai", "gate", 200)
    assert (found.user_agent, found.content_type, found.content_coding) == ("SDK/1", "text/event-stream", "gzip")
    assert (found.body, found.request_body, found.ending) == (b"data: 1\n\n", REQUEST, Ending.UPSTREAM)
    assert (found.allow, found.schemas) == (("repeated_terminal",), {"t": {}})


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "body", "text"),
    [
        (None, REQUEST, REQUEST),
        ("identity", REQUEST, REQUEST),
        ("gzip", PACKED, REQUEST),
        ("GZIP", PACKED, REQUEST),
        ("deflate", zlib.compress(REQUEST), REQUEST),
        ("deflate", raw_deflate(REQUEST), REQUEST),
        ("gzip", PACKED[:-4], Dropped.REQUEST_CODING),
        ("gzip", REQUEST, Dropped.REQUEST_CODING),
        ("deflate", REQUEST, Dropped.REQUEST_CODING),
        ("deflate", zlib.compress(REQUEST) + b"x", Dropped.REQUEST_CODING),
        ("br", REQUEST, Dropped.REQUEST_CODING),
        ("gzip, gzip", REQUEST, Dropped.REQUEST_CODING),
    ],
)
def test_a_request_body_is_decoded_or_the_reason_why_not(
    coding: str | None, body: bytes, text: bytes | Dropped
) -> None:
    headers = () if coding is None else (("Content-Encoding", coding),)
    raw = exchange(finished(request_headers=headers, request_body=body), schemas={})
    assert (raw if isinstance(raw, Dropped) else raw.request_body) == text


def test_a_request_beyond_the_bound_coded_or_not_is_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxy_addon.writing.redacting.exchanges.MAX_REQUEST_BYTES", 1000)
    for coding, pack in (("identity", bytes), ("gzip", gzip.compress), ("deflate", zlib.compress)):
        headers = (("Content-Encoding", coding),)
        bomb = finished(request_headers=headers, request_body=pack(b"x" * 1001))
        assert exchange(bomb, schemas={}) is Dropped.REQUEST_LIMIT
        fits = made(finished(request_headers=headers, request_body=pack(b"x" * 1000)))
        assert fits.request_body == b"x" * 1000


def test_every_value_beside_the_bodies_is_a_secret() -> None:
    basic = base64.b64encode(b"user:pass:word").decode()
    found = secrets(
        finished(
            request_headers=(
                ("Authorization", "Bearer sk-1"),
                ("Proxy-Authorization", f"Basic {basic}"),
                ("Cookie", "a=1a; b=2b"),
                ("X-Api-Key", "key"),
                ("X-Api-Key", "key"),
                ("Empty", ""),
            ),
            response_headers=(("x-request-id", "req"), ("Set-Cookie", "s=3c; Path=/p")),
            query="k=q%20v&flag&n=",
        ).head
    )
    assert found == (
        "Bearer sk-1",
        "sk-1",
        f"Basic {basic}",
        basic,
        "user",
        "pass:word",
        "a=1a; b=2b",
        "1a",
        "2b",
        "key",
        "req",
        "s=3c; Path=/p",
        "3c",
        "/p",
        "q%20v",
        "q v",
        "flag",
        "n=",
    )


def test_what_the_fixture_states_itself_is_no_secret() -> None:
    head = finished(
        request_headers=(("Content-Type", "application/json"), ("User-Agent", "SDK/1")),
        response_headers=(("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")),
    ).head
    assert secrets(head) == ()


def test_credentials_that_are_no_base64_are_kept_as_they_stand() -> None:
    assert secrets(finished(request_headers=(("Authorization", "Basic ???"),)).head) == ("Basic ???", "???")


@pytest.mark.parametrize(
    ("body", "streams"),
    [
        (b"data: x\n\n", True),
        (b": ping\n\n", True),
        (b"event: message_start\n", True),
        (b"\n\ndata: x\n\n", True),
        (b"\xef\xbb\xbfdata: x\n\n", True),
        (b"", True),
        (b'{"choices": []}', False),
        (b"<html>", False),
    ],
)
def test_without_a_content_type_the_body_must_start_like_a_stream(body: bytes, streams: bool) -> None:
    assert is_stream(made(finished(body=(body,))), "") is streams
    packed = finished(body=(gzip.compress(body),), response_headers=(("Content-Encoding", "gzip"),))
    assert is_stream(made(packed), "") is streams


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"stream": false}', b'{"stream": "true"}', b"[" * 100_000])
def test_without_a_content_type_the_request_must_have_asked_for_a_stream(body: bytes) -> None:
    assert not is_stream(made(finished(request_body=body)), "")


def test_a_named_content_type_was_judged_when_the_response_began() -> None:
    named = finished(response_headers=(("Content-Type", "text/event-stream"),), request_body=json.dumps([]).encode())
    assert is_stream(made(named), "")


def test_a_coding_that_is_not_known_is_left_to_redaction() -> None:
    assert is_stream(made(finished(response_headers=(("Content-Encoding", "zstd"),))), "")
