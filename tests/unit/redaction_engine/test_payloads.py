"""Bodies read to payloads: each break class, content codings, what half an event leaves behind."""

import gzip
import json

import pytest

from redaction.captured.exchange import Reason, Refused
from redaction.captured.payloads import PAYLOAD_NESTING, Break, Broken, read_body
from replay.validator.strict_json import parse
from replay.wire.coding import ContentDecoder, Undecodable, decoder
from replay.wire.sse import SSE

CASES = [
    ('{"a": ', Break.TRUNCATED),
    ('{"a": "lymph', Break.TRUNCATED),
    ('{"a": lymphoma}', Break.MALFORMED),
    ("The patient has lymphoma", Break.PROSE),
    ("<html>", Break.PROSE),
    ("", Break.EMPTY),
    ("  \t", Break.EMPTY),
    ('{"a": 1}{"b": 2}', Break.TWO_DOCUMENTS),
    ('{"a": 1} [2]', Break.TWO_DOCUMENTS),
    ('{"a": 1} lymphoma', Break.TRAILING),
    ('{"a": 1, "a": 2}', Break.DUPLICATE_KEY),
    ('{"a": NaN}', Break.NON_FINITE),
    ('{"a": 1e999}', Break.NON_FINITE),
    ('{"a": "\\ud83d"}', Break.SURROGATE),
    ('"lymphoma"', Break.BARE_STRING),
    ("[" * (PAYLOAD_NESTING + 1) + "]" * (PAYLOAD_NESTING + 1), Break.TOO_DEEP),
]


def body(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


@pytest.mark.parametrize(("text", "kind"), CASES)
def test_a_payload_that_no_fixture_could_hold_has_a_break_class(text: str, kind: Break) -> None:
    (found,) = read_body(body(text), None, SSE, limit=10_000).payloads
    assert isinstance(found, Broken)
    assert found.kind is kind


@pytest.mark.parametrize(
    "kind", [kind for kind in Break if kind not in (Break.BAD_UTF8, Break.BYTE_ORDER_MARK, Break.DONE)]
)
def test_a_representative_is_of_its_own_class(kind: Break) -> None:
    (found,) = read_body(body(kind.value), None, SSE, limit=10_000).payloads
    assert isinstance(found, Broken)
    assert found.kind is kind


def test_bytes_that_are_no_utf8_and_a_byte_order_mark_are_classes_of_their_own() -> None:
    raw = b'data: {"a":"\xff"}\n\ndata: \xef\xbb\xbf{}\n\n'
    kinds = [item.kind for item in read_body(raw, None, SSE, limit=10_000).payloads if isinstance(item, Broken)]
    assert kinds == [Break.BAD_UTF8, Break.BYTE_ORDER_MARK]


def test_an_end_marker_that_an_event_follows_is_a_payload() -> None:
    found = read_body(b"data: [DONE]\n\ndata: {}\n\ndata: [DONE]\n\ndata: [DONE]\n\n", None, SSE, limit=10_000)
    assert [item.kind if isinstance(item, Broken) else item for item in found.payloads] == [Break.DONE, {}]
    assert found.done == 2


@pytest.mark.parametrize("kind", list(Break))
def test_every_representative_can_stand_in_a_strict_file(kind: Break) -> None:
    assert parse(json.dumps(kind.value), max_nesting=512).value == kind.value


def test_numbers_are_exact() -> None:
    (found,) = read_body(body('{"a": 123456789012345678901234567890, "b": 19.99}'), None, SSE, limit=10_000).payloads
    assert isinstance(found, dict)
    assert found["a"] == 123456789012345678901234567890
    assert str(found["b"]) == "19.99"


def test_gzip_is_undone_and_a_torn_end_is_said() -> None:
    coded = gzip.compress(body('{"a":1}') * 50)
    whole = read_body(coded, "gzip", SSE, limit=10_000)
    torn = read_body(coded[:-9], "gzip", SSE, limit=10_000)
    assert (len(whole.payloads), whole.torn, torn.torn) == (50, False, True)


@pytest.mark.parametrize(
    ("raw", "coding", "reason", "note"),
    [
        (b"x", "acme", Reason.CODING, Undecodable.UNKNOWN_CODING.value),
        (b"no gzip at all", "gzip", Reason.CODING, Undecodable.CORRUPT.value),
        (gzip.compress(b"x" * 100_000), "gzip", Reason.BODY_LIMIT, Undecodable.OVER_LIMIT.value),
        (b"data: " + b"x" * 100_000, None, Reason.BODY_LIMIT, Undecodable.OVER_LIMIT.value),
        (b"data: " + b"x" * 15_000, "long", Reason.BODY_LIMIT, "one event is longer than the limit"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason_and_nothing_of_the_bytes(
    raw: bytes, coding: str | None, reason: Reason, note: str
) -> None:
    def undo(content_coding: str | None, *, limit: int) -> ContentDecoder:
        return decoder(None, limit=2 * limit) if content_coding == "long" else decoder(content_coding, limit=limit)

    assert read_body(raw, coding, SSE, limit=10_000, undo=undo) == Refused(reason=reason, note=note)


def test_no_payload_shows_in_a_repr() -> None:
    found = read_body(
        body('{"a": "lymphoma"}') + body("lymphoma") + b"id: lymphoma\n: lymphoma\n", None, SSE, limit=10_000
    )
    assert "lymphoma" not in repr(found)
