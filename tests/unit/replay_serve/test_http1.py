"""Requests from bytes that are cut anywhere, and what is refused."""

import pytest

from replay.serve import http1
from replay.serve.http1 import BadRequestError, Framing, Request, RequestReader

POST = b"POST /v1/x?y=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nX-Toolreel-Case:  b \r\n\r\nbody"
CHUNKED = (
    b"POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
)


def read(data: bytes, *cuts: int) -> list[Request]:
    reader, found = RequestReader(), []
    for start, end in zip((0, *cuts), (*cuts, len(data)), strict=True):
        reader.feed(data[start:end])
        while (request := reader.next()) is not None:
            found.append(request)
    return found


def test_a_request_is_the_same_wherever_it_is_cut() -> None:
    data = POST + CHUNKED + b"\r\nGET / HTTP/1.0\r\n\r\n"
    whole = read(data)
    assert [(one.method, one.target, one.body, one.minor) for one in whole] == [
        ("POST", "/v1/x?y=1", b"body", 1),
        ("POST", "/c", b"abc0123456789", 1),
        ("GET", "/", b"", 0),
    ]
    assert whole[0].header("x-toolreel-case") == "b"
    for cut in range(1, len(data)):
        assert read(data, cut) == whole
    assert read(data, *range(1, len(data))) == whole


def test_a_client_that_waits_for_the_go_ahead_gets_it_once() -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    assert reader.next() is None
    assert reader.wants_go_ahead()
    assert not reader.wants_go_ahead()
    reader.feed(b"{}")
    assert reader.next() is not None
    assert not reader.wants_go_ahead()


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 0\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"\r\n"]
)
def test_a_client_that_waits_for_no_body_gets_no_go_ahead(framing: bytes) -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\n" + framing)
    assert reader.next() is not None
    assert not reader.wants_go_ahead()


def test_a_client_of_http_1_0_knows_no_go_ahead() -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    assert reader.next() is None
    assert not reader.wants_go_ahead()


def test_a_chunk_is_taken_when_it_is_whole_and_not_looked_at_again() -> None:
    reader = RequestReader()
    reader.feed(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(2000):
        reader.feed(b"1000\r\n" + b"x" * 0x1000 + b"\r\n")
        assert reader.next() is None
        assert len(reader._held) == 0
    reader.feed(b"0\r\n\r\n")
    request = reader.next()
    assert request is not None
    assert request.body == b"x" * 0x1000 * 2000


def test_an_empty_line_in_front_of_a_request_is_passed_over() -> None:
    assert [one.body for one in read(b"\r\n\r\n" + POST)] == [b"body"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"x" * http1.MAX_LINE_BYTES,
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"x" * http1.MAX_LINE_BYTES * 2,
        b"GET / HTTP/1.1\r\nX: " + b"x" * http1.MAX_HEAD_BYTES,
    ],
)
def test_what_is_no_request_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequestError):
        read(data)


def test_the_connection_is_kept_unless_the_client_says_otherwise() -> None:
    assert Request(method="GET", target="/").keeps_alive
    assert not Request(method="GET", target="/", minor=0).keeps_alive
    assert not Request(method="GET", target="/", headers=(("connection", "Close"),)).keeps_alive
    assert not Request(method="GET", target="/", headers=(("connection", "x"), ("connection", "TE, close"))).keeps_alive
    assert Request(method="GET", target="/", headers=(("connection", "closed"),)).keeps_alive


def test_each_piece_is_a_chunk_and_a_client_of_http_1_0_gets_none() -> None:
    new, old = Request(method="POST", target="/"), Request(method="POST", target="/", minor=0)
    assert http1.head(200, (("A", "b"),), new) == b"HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert http1.head(599, (), old) == b"HTTP/1.1 599 No Such Fixture\r\nConnection: close\r\n\r\n"
    assert http1.chunk(b"x" * 17, new) == b"11\r\n" + b"x" * 17 + b"\r\n"
    assert http1.chunk(b"x", old) == b"x"
    assert http1.chunk(b"", new) == b""


def test_where_the_connection_ends_behind_an_answer_its_head_says_so() -> None:
    closing = Request(method="POST", target="/", headers=(("connection", "close"),))
    assert http1.head(200, (), closing) == (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )


@pytest.mark.parametrize(("method", "status"), [("HEAD", 599), ("POST", 204), ("POST", 304)])
def test_an_answer_that_has_no_body_has_no_framing(method: str, status: int) -> None:
    request = Request(method=method, target="/")
    assert http1.framing(status, request) is Framing.NONE
    assert http1.head(status, (), request).count(b"\r\n") == 2
