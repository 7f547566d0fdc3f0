"""Interactions in the spellings of the libraries that write them."""

import base64
from typing import Any

import pytest

from proxy_addon.importing.entries import Unusable, UnusableError
from proxy_addon.importing.readers import cassettes
from proxy_addon.importing.readers.cassettes import MAX_HEAD_BYTES

BODY = 'data: {"é": 1}\n\n'
URL = "http://127.0.0.1:1/v1/messages"


def interaction(request: object, response: object) -> dict[str, Any]:
    return {"request": request, "response": response, "recorded_at": "x", "id": 7}


VCRPY = interaction(
    {"body": "{}", "headers": {"A": ["b", "c"]}, "method": "POST", "uri": URL},
    {"body": {"string": BODY}, "headers": {"D": ["e"]}, "status": {"code": 200, "message": "OK"}},
)
OLD_VCRPY_HTTPX = interaction(
    {"body": "{}", "headers": {"A": ["b", "c"]}, "method": "POST", "uri": URL},
    {"content": BODY, "headers": {"D": ["e"]}, "status_code": 200},
)
VCR = interaction(
    {
        "method": "post",
        "uri": URL,
        "body": {"encoding": "UTF-8", "string": "{}"},
        "headers": {"A": ["b", "c"]},
    },
    {
        "status": {"code": 200, "message": "OK"},
        "headers": {"D": ["e"]},
        "body": {"encoding": "ASCII-8BIT", "base64_string": base64.encodebytes(BODY.encode()).decode()},
    },
)
BETAMAX = interaction(
    {"body": {"encoding": "utf-8", "string": "{}"}, "headers": {"A": ["b", "c"]}, "method": "POST", "uri": URL},
    {
        "body": {"encoding": "ISO-8859-1", "string": BODY.encode().decode("iso-8859-1")},
        "headers": {"D": "e"},
        "status": {"code": 200, "message": "OK"},
        "url": URL,
    },
)
GO_VCR = interaction(
    {"proto": "HTTP/1.1", "body": "{}", "headers": {"A": ["b", "c"]}, "url": URL, "method": "POST"},
    {"proto": "HTTP/2.0", "body": BODY, "headers": {"D": ["e"]}, "status": "200 OK", "code": 200, "duration": "1s"},
)
CASSETTER = interaction(
    {"method": "POST", "uri": URL, "headers": {"A": ["b", "c"]}, "body": {"type": "json", "content": {}}},
    {"status": 200, "headers": {"D": ["e"]}, "body": {"type": "binary", "content": BODY.encode().hex()}},
)
PARSED = interaction(
    {"parsed_body": {}, "headers": {"A": ["b", "c"]}, "method": "POST", "uri": URL},
    {"body": {"string": BODY.encode()}, "headers": {"D": [b"e"]}, "status": {"code": "200"}},
)


@pytest.mark.parametrize("value", [VCRPY, OLD_VCRPY_HTTPX, VCR, BETAMAX, GO_VCR, CASSETTER, PARSED])
def test_every_library_says_the_same(value: dict[str, Any]) -> None:
    entry = cassettes.entry(value)
    assert (entry.method, entry.url, entry.status) == ("POST", URL, 200)
    assert entry.request_headers == (("A", "b"), ("A", "c"))
    assert entry.response_headers == (("D", "e"),)
    assert entry.request_body == b"{}"
    assert entry.body == BODY.encode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (None, None),
        ("", b""),
        ({"string": None}, None),
        ({"string": ""}, b""),
        ({"type": "none"}, b""),
        ({"type": "text", "content": "a"}, b"a"),
        ({}, None),
        (["a", b"b"], b"ab"),
    ],
)
def test_a_body_may_be_empty_in_pieces_or_not_there(body: object, expected: bytes | None) -> None:
    value = interaction(VCRPY["request"], {**VCRPY["response"], "body": body})
    assert cassettes.entry(value).body == expected


@pytest.mark.parametrize("body", [object(), 7, [["a"]], {"string": object()}, {"base64_string": "*"}, {"string": [7]}])
def test_a_body_in_no_known_form_is_unusable(body: object) -> None:
    with pytest.raises(UnusableError) as caught:
        cassettes.entry(interaction(VCRPY["request"], {**VCRPY["response"], "body": body}))
    assert caught.value.why is Unusable.ENCODING


@pytest.mark.parametrize(
    "value",
    [
        None,
        object(),
        interaction(None, VCRPY["response"]),
        interaction(VCRPY["request"], "text"),
        interaction({**VCRPY["request"], "uri": None}, VCRPY["response"]),
        interaction({**VCRPY["request"], "method": 1}, VCRPY["response"]),
        interaction(VCRPY["request"], {**VCRPY["response"], "status": "OK"}),
    ],
)
def test_what_is_no_exchange_is_unusable(value: object) -> None:
    with pytest.raises(UnusableError) as caught:
        cassettes.entry(value)
    assert caught.value.why is Unusable.NO_EXCHANGE


def test_what_says_one_long_text_many_times_is_not_multiplied() -> None:
    text = "x" * 1_000_000
    many: Any = [text] * 1_000_000
    nested: Any = "y"
    for _ in range(60):
        nested = [nested] * 8
    for request in (
        {**VCRPY["request"], "headers": {"cookie": many}},
        {**VCRPY["request"], "body": many},
        {**VCRPY["request"], "body": None, "parsed_body": many},
        {**VCRPY["request"], "body": None, "parsed_body": nested},
    ):
        with pytest.raises(UnusableError) as caught:
            cassettes.entry(interaction(request, VCRPY["response"]))
        assert caught.value.why is Unusable.TOO_LARGE


def test_a_long_head_is_taken_up_to_its_bound() -> None:
    request = {**VCRPY["request"], "headers": {"a": "b" * (MAX_HEAD_BYTES - 1)}}
    assert len(cassettes.entry(interaction(request, VCRPY["response"])).request_headers) == 1
