"""What `capture` and `transport` may say: each key its own words and counts, and nothing under any other key."""

from decimal import Decimal

import pytest

from redaction.captured.facts import POLICY
from redaction.families import FAMILIES
from redaction.proof.words.known_facts import known_adapter, leaking_facts

EVENTS = 3


def strange(part: str, key: str, value: object) -> list[str]:
    return list(leaking_facts({part: {key: value}}, EVENTS, FAMILIES["anthropic"].spoken))


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("capture", "provider", "our-gateway-2"),
        ("capture", "model", "gpt-4o"),
        ("capture", "api", "messages"),
        ("capture", "adapter", {"name": "curl", "version": "8.5.0"}),
        ("capture", "parallel_tool_calls", False),
        ("capture", "policy", POLICY),
        ("transport", "status", 529),
        ("transport", "content_type", None),
        ("transport", "content_type", "text/event-stream; charset=utf-8"),
        ("transport", "line_ends", []),
        ("transport", "line_ends", ["cr", "crlf", "lf"]),
        ("transport", "done", 2),
        ("transport", "byte_order_mark", True),
        ("transport", "unterminated_event", True),
        ("transport", "event_names", "type"),
        ("transport", "event_names", ["ping", "", "x"]),
        ("transport", "comments", [[0, 1], [2, 40]]),
        ("transport", "data_lines", [[0, 2], [2, 40]]),
        ("transport", "blocks", [[0, 2, {"comments": 1}], [0, 1, {}], [2, 1, {"event": "ping", "id": True}]]),
        ("transport", "ids", [0, 1, 2]),
        ("transport", "retries", [1]),
    ],
    ids=str,
)
def test_what_a_recorder_writes_is_known(part: str, key: str, value: object) -> None:
    assert strange(part, key, value) == []


NUMBERS = ("policy", "status", "done")
LISTS = ("line_ends", "event_names", "comments", "data_lines", "blocks", "ids", "retries")
WORDS = ("provider", "model", "api", "mode", "tool_choice", "lengths", "stream_end", "rung")
FLAGS = ("parallel_tool_calls", "byte_order_mark", "unterminated_event")
KEYS = (*NUMBERS, *LISTS, *WORDS, *FLAGS, "adapter", "content_type", "content_coding", "framing")
OF_CAPTURE = ("policy", *WORDS, "parallel_tool_calls", "adapter")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "value", ["Mara", {}, {"Mara": None}, ["Mara"], [["Mara"]], [[0, "Mara"]], 41111111, "200", Decimal("200.0"), 1.5]
)
def test_any_other_value_of_a_key_is_strange(key: str, value: object) -> None:
    part = "capture" if key in OF_CAPTURE else "transport"
    if key == "provider" and value == "200":
        pytest.skip("a name that a provider may have in the configuration")
    assert strange(part, key, value) == [f"{part}.{key}"]


@pytest.mark.parametrize("part", ["capture", "transport"])
@pytest.mark.parametrize("key", ["Mara", "", "note", "name", "*"])
@pytest.mark.parametrize("value", [None, {}, [], 0, False, "", "x", "complete"])
def test_any_other_key_is_strange_whatever_its_value(part: str, key: str, value: object) -> None:
    assert strange(part, key, value) == [f"key in {part}"]


@pytest.mark.parametrize("part", ["capture", "transport"])
@pytest.mark.parametrize("value", [None, [], "Mara", 1])
def test_a_part_that_is_no_object_is_strange(part: str, value: object) -> None:
    assert list(leaking_facts({part: value}, EVENTS, FAMILIES["anthropic"].spoken)) == [part]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ids", [3]),
        ("ids", [-1]),
        ("ids", [1, 0]),
        ("ids", [1, 1]),
        ("ids", [True]),
        ("ids", [[0]]),
        ("data_lines", [[0, 1]]),
        ("data_lines", [[3, 2]]),
        ("blocks", [[0, 1]]),
        ("blocks", [[0, 0, {}]]),
        ("blocks", [[0, True, {}]]),
        ("blocks", [[0, 1, {}], [0, 1, {}]]),
        ("blocks", [[1, 1, {}], [0, 1, {}]]),
        ("blocks", [[9, 1, {}]]),
        ("blocks", [[0, 1, {"id": "7"}]]),
        ("blocks", [[0, 1, {"id": False}]]),
        ("blocks", [[0, 1, {"event": ""}]]),
        ("blocks", [[0, 1, {"event": "mara"}]]),
        ("blocks", [[0, 1, {"comments": 0}]]),
        ("blocks", [[0, 1, {"retry": True, "id": True}]]),
        ("blocks", [[0, 1, {"mara": True}]]),
        ("comments", [[0]]),
        ("comments", [[0, 1, 1]]),
        ("comments", [[3, 1]]),
        ("comments", [[0, -1]]),
        ("comments", [[0, 4111111111]]),
        ("comments", [[1, 1], [0, 1]]),
        ("comments", [0, 1]),
        ("event_names", ["ping"]),
        ("event_names", ["ping"] * 4),
        ("event_names", ["ping", "Mara", "x"]),
        ("event_names", ["ping", None, "x"]),
        ("line_ends", ["lf", "cr"]),
        ("line_ends", ["lf", "lf"]),
        ("byte_order_mark", False),
        ("byte_order_mark", 1),
        ("status", True),
        ("status", 99),
    ],
    ids=str,
)
def test_a_list_or_a_count_that_no_stream_has_is_strange(key: str, value: object) -> None:
    assert strange("transport", key, value) == [f"transport.{key}"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "curl",
        {},
        {"name": "curl"},
        {"version": "8.5.0"},
        {"version": "8.5.0", "name": "curl"},
        {"name": "curl", "version": "8.5.0", "note": None},
        {"name": "Mara", "version": "8.5.0"},
        {"name": ["curl"], "version": "8.5.0"},
        {"name": "curl", "version": 8},
        {"name": "curl", "version": "8.5.0\n"},
        {"name": "curl", "version": "8.5.0-mara"},
        {"name": "curl", "version": "41111.1111.1111"},
        {"name": "curl", "version": "8"},
    ],
    ids=str,
)
def test_an_adapter_is_a_client_that_the_recorder_knows(value: object) -> None:
    assert not known_adapter(value)
