"""A body in each form of a framing: what it is made of is read back from it, however it is cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.body.forms import FORMS, Told, framed
from replay.body.transport import Transport, Usual, reading
from replay.families import CARRIERS, FRAMINGS
from replay.wire.framing import Framing

BROKEN = ("", "x", '{"x":', '{"x":x}', "{} {}", '{"x":0,"x":0}', '{"x":"\ufffd"}', "[DONE]", "a\nb", "a\rb", "\ufeff{}")
EVENTS = (
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": 'a "b" : {ü}'}}},
    {"error": {"type": "throttlingException"}},
    {"error": {"code": "internal"}},
    {"error": {"type": "x", "more": 1}},
    {"error": "said"},
    {"two": {}, "members": {}},
    {"": {}},
    {},
    [1],
    5,
    None,
)


def framing_with(form: str) -> Framing:
    return next(framing for framing in FRAMINGS if form in framing.forms)


def told(payloads: list[object], **transport: object) -> Told:
    texts = [json.dumps(payload, ensure_ascii=False) for payload in payloads]
    usual = Usual(named=False, done=0, whole=transport.get("whole", True) is True)
    return Told(payloads=payloads, texts=texts, transport=Transport(transport, usual))


def read(form: str, body: bytes, size: int) -> tuple[list[object], str]:
    framing = framing_with(form)
    stream = framing.open()
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    frames = [frame for piece in pieces for frame in stream.feed(piece)]
    frames += stream.close().frames
    return framing.collect(frames, lambda one: reading(one.data)).items, framing.form(frames)


def is_broken(payload: object) -> bool:
    return isinstance(payload, str)


@pytest.mark.parametrize("form", FORMS)
@given(st.lists(st.sampled_from([*EVENTS, *BROKEN]), max_size=5), st.integers(1, 40))
def test_payloads_are_read_back_from_every_form_at_every_cut(form: str, payloads: list[object], size: int) -> None:
    frames = framed(form, told(payloads, done=0))
    assert len(frames) >= len(payloads)
    found, _ = read(form, b"".join(frames), size)
    whole = [payload for payload in payloads if not is_broken(payload)]
    if not form.startswith("json"):  # where what is no object is no element
        assert [payload for payload in found if not is_broken(payload)] == whole
    assert [payload for payload in found if isinstance(payload, dict)] == [
        payload for payload in whole if isinstance(payload, dict)
    ]
    assert len(found) == len(payloads)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_known_again_by_its_frames(form: str) -> None:
    assert read(form, b"".join(framed(form, told([{"messageStop": {"a": 1}}]))), 7)[1] == form


def test_every_form_of_every_framing_has_its_function_and_a_carrier_is_one_of_them() -> None:
    assert FORMS.keys() == {form for framing in FRAMINGS for form in framing.forms} > CARRIERS


@pytest.mark.parametrize("form", FORMS)
def test_a_half_payload_is_no_payload(form: str) -> None:
    frames = framed(form, told([{"a": {}}], unterminated_event=True, done=0))
    framing = framing_with(form)
    stream = framing.open()
    found = stream.feed(b"".join(frames))
    assert len(found) == 1
    assert stream.close().pending is (form != "json-object")  # there is nothing behind the one object


def test_an_array_is_closed_unless_the_recording_or_the_cut_says_it_was_not() -> None:
    assert b"".join(framed("json", told([{"a": 1}, {"b": 2}]))) == b'[{"a": 1}\n,\r\n{"b": 2}\n]\n'
    assert b"".join(framed("json", told([{"a": 1}], unclosed=True))) == b'[{"a": 1}'
    assert b"".join(framed("json", told([{"a": 1}], whole=False))) == b'[{"a": 1}'
    assert b"".join(framed("json", told([]))) == b"[\n]\n"


def test_one_object_is_the_whole_body() -> None:
    assert framed("json-object", told([{"error": {"code": 400}}])) == [b'{"error": {"code": 400}}']
    assert b"".join(framed("json-object", told([{}, {}]))).startswith(b"[")
