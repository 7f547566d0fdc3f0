"""The canonical file: one order, one payload a line, exact numbers; and its digest."""

import json
from decimal import Decimal

from redaction.fixture import Draft, finish
from redaction.masks.mask import MaskedPayload
from replay.validator.strict_json import parse


def draft(**changed: object) -> Draft:
    parts: dict[str, object] = {
        "profile": "openai",
        "tool_schemas": {"t": {"minimum": Decimal("0.1"), "maximum": 10**30}},
        "allow": (),
        "capture": {"provider": "openai", "model": "gpt-4o", "stream_end": "complete", "rung": "canonical"},
        "transport": {"status": 200},
        "payloads": [MaskedPayload({"b": 1, "a": Decimal("1E+2")}), MaskedPayload("x")],
        **changed,
    }
    return Draft(**parts)  # type: ignore[arg-type]


def test_the_file_is_canonical() -> None:
    assert finish(draft()).data.decode() == (
        "{\n"
        '"fixture_version": 1,\n'
        '"profile": "openai",\n'
        '"tool_schemas": {\n'
        '"t": {"minimum":0.1,"maximum":1000000000000000000000000000000}\n'
        "},\n"
        '"capture": {"provider":"openai","model":"gpt-4o","stream_end":"complete","rung":"canonical"},\n'
        '"transport": {"status":200},\n'
        '"chunks": [\n'
        '{"b":1,"a":1e+2},\n'
        '"x"\n'
        "]\n"
        "}\n"
    )


def test_an_empty_turn_is_a_file_too() -> None:
    data = finish(draft(tool_schemas={}, payloads=[], profile="anthropic", allow=("repeated_terminal",))).data
    value = json.loads(data)
    assert (value["tool_schemas"], value["events"], value["allow"]) == ({}, [], ["repeated_terminal"])


def test_numbers_of_any_size_are_written_exactly() -> None:
    numbers = [2**63, -(2**63) - 1, 10**300, Decimal("0.1"), Decimal("1E-400"), Decimal("123456789.123456789123456789")]
    parsed = parse(finish(draft(payloads=[MaskedPayload(numbers)])).data.decode(), max_nesting=512)
    assert isinstance(parsed.value, dict)
    assert parsed.value["chunks"] == [numbers]


def test_the_digest_is_over_the_shape_alone() -> None:
    one = finish(draft())
    other = finish(
        draft(
            capture={"provider": "azure", "model": "gpt-4", "stream_end": "complete", "rung": "exact_lengths"},
        )
    )
    assert one.digest == other.digest
    assert one.stem == f"openai-gpt-4o-{one.digest[:12]}"
    for changed in (
        {"profile": "mistral"},
        {"tool_schemas": {}},
        {"allow": ("repeated_terminal",)},
        {"payloads": []},
        {"transport": {"status": 201}},
        {"capture": {"provider": "openai", "model": "gpt-4o", "stream_end": "proxy_stopped"}},
    ):
        assert finish(draft(**changed)).digest != one.digest


def test_the_order_of_allowances_makes_no_other_shape() -> None:
    names = ("repeated_terminal", "empty_arguments")
    assert finish(draft(allow=names)).digest == finish(draft(allow=names[::-1])).digest
