"""What the recorder answers in a provider's place."""

import json

import pytest

from proxy_addon.recorder.requests.own_answers import Cause, answer, cause_of, speaks_no_http


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_has_an_answer_in_json(cause: Cause) -> None:
    said = answer(cause, prefixes=("/a", "/b"))
    error = json.loads(said.body)["error"]
    assert error["type"] == cause.value
    assert error["message"].startswith("toolreel: ")
    assert 400 <= said.status < 600


@pytest.mark.parametrize("cause", [Cause.UNKNOWN_PREFIX, Cause.PROXY_REQUEST])
def test_a_request_without_an_upstream_is_told_the_prefixes(cause: Cause) -> None:
    assert b"/a, /b" in answer(cause, prefixes=("/a", "/b")).body


@pytest.mark.parametrize(
    ("status", "message", "cause"),
    [
        (502, "[Errno 111] Connect call failed ('127.0.0.1', 9)", Cause.UNREACHABLE),
        (502, "Certificate verify failed: self-signed certificate", Cause.TLS),
        (502, "The remote server does not speak TLS.", Cause.TLS),
        (502, "connection closed", Cause.TLS),
        (502, "Cannot parse HTTP response: Invalid header line: b'CANARY'", Cause.BAD_RESPONSE),
        (502, "unexpected server response: b'CANARY'", Cause.BAD_RESPONSE),
        (502, "server closed connection", Cause.BAD_RESPONSE),
        (502, "", Cause.UNREACHABLE),
        (400, "Bad HTTP request line: b'CANARY'", Cause.BAD_REQUEST),
        (400, "Received invalid header from client", Cause.BAD_REQUEST),
        (400, "mitmproxy received an HTTP CONNECT request even though", Cause.PROXY_REQUEST),
        (413, "", Cause.BAD_REQUEST),
    ],
)
def test_an_error_page_is_known_by_how_its_message_begins(status: int, message: str, cause: Cause) -> None:
    assert cause_of(status, message) is cause


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Cannot parse HTTP response: Invalid header line: b'CANARY'", True),
        ("unexpected server response: b'CANARY'", True),
        ("HTTP/1 protocol error: illegal chunk header", True),
        ("server closed connection", False),
        ("connection closed", False),
        ("", False),
    ],
)
def test_a_provider_without_http_is_known_from_one_that_says_nothing(message: str, found: bool) -> None:
    assert speaks_no_http(message) is found
