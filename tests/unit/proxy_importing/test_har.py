"""HAR entries."""

import base64
from typing import Any

import pytest

from proxy_addon.importing.entries import Entry, Unusable, UnusableError
from proxy_addon.importing.readers import har
from redaction.captured.exchange import Ending


def har_entry(**response: Any) -> dict[str, Any]:
    return {
        "comment": "a comment",
        "request": {
            "method": "post",
            "url": "https://api.openai.com/v1/chat/completions?a=b",
            "headers": [{"name": ":authority", "value": "api.openai.com"}, {"name": "A", "value": "b"}, {"name": 1}, 2],
            "postData": {"mimeType": "application/json", "text": '{"ü": 1}'},
        },
        "response": {"status": 200, "headers": [], "content": {"text": "data: ü\n\n"}, **response},
    }


def test_an_entry_is_its_request_line_headers_and_bodies() -> None:
    assert har.entry(har_entry(headers=[{"name": "content-type", "value": "text/event-stream"}])) == Entry(
        method="POST",
        url="https://api.openai.com/v1/chat/completions?a=b",
        request_headers=(("A", "b"),),
        request_body='{"ü": 1}'.encode(),
        status=200,
        response_headers=(("content-type", "text/event-stream"),),
        body="data: ü\n\n".encode(),
        ending=Ending.CLOSE,
    )


def test_a_body_may_be_base64() -> None:
    content = {"text": base64.b64encode(b"data: \xff\n\n").decode(), "encoding": "base64"}
    assert har.entry(har_entry(content=content)).body == b"data: \xff\n\n"


@pytest.mark.parametrize("content", [None, {}, {"size": 7}, {"text": None}, "text"])
def test_a_body_that_the_browser_did_not_keep_is_none(content: object) -> None:
    assert har.entry(har_entry(content=content)).body is None


def test_a_body_that_is_no_base64_is_unusable() -> None:
    with pytest.raises(UnusableError) as caught:
        har.entry(har_entry(content={"text": "*", "encoding": "base64"}))
    assert caught.value.why is Unusable.ENCODING


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"request": {}, "response": {}},
        {**har_entry(), "response": None},
        {**har_entry(), "request": {"method": "POST", "url": None}},
        har_entry(status="200"),
    ],
)
def test_what_is_no_exchange_is_unusable(value: object) -> None:
    with pytest.raises(UnusableError) as caught:
        har.entry(value)
    assert caught.value.why is Unusable.NO_EXCHANGE


def test_nothing_raw_is_in_a_repr() -> None:
    assert repr(har.entry(har_entry())) == "Entry(status=200, ending=<Ending.CLOSE: 'close'>)"
