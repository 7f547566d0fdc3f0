"""What is told about the slot around a finding."""

import json
from dataclasses import replace

import pytest
from support.builders import verdicts

from replay.judging.comparison.timeline import around, parting
from replay.reports import text
from replay.validator import Code, Envelope, Finding, judge, read_envelope


def envelope(data: bytes) -> Envelope:
    found = read_envelope(data)
    assert isinstance(found, Envelope)
    return found


def told(data: bytes, code: Code) -> list[str]:
    """The timeline of the one finding of this code, as a report prints it."""
    turn = envelope(data)
    [finding] = [found for found in judge(turn).findings if found.code is code]
    return list(text.timeline(around(turn, finding)))


def test_a_collision_shows_who_was_there_first() -> None:
    assert told(verdicts.COLLISION, Code.IDENTITY_COLLISION) == [
        '  event 0  opened, id arrives, name arrives, +4 bytes  "{\\"te"',
        '> event 1  identity_collision, +9 bytes, blocked from here on  "xt\\":\\"hi\\"}"',
    ]


def test_a_truncated_call_shows_its_last_fragments_and_the_end() -> None:
    assert told(verdicts.TRUNCATED, Code.MISSING_TERMINAL)[-2:] == [
        '  event 1  +9 bytes  "xt\\":\\"hi\\"}"',
        "> end      missing_terminal",
    ]


def test_a_second_terminal_shows_the_first() -> None:
    assert told(verdicts.REPEATED, Code.DUPLICATE_TERMINAL)[-2:] == [
        "  event 1  choice 0 slot 0  terminal",
        "> event 2  choice 0  duplicate_terminal",
    ]


def test_other_slots_stay_out_of_it() -> None:
    data = verdicts.fixture(
        verdicts.chunk(verdicts.call("{", slot=0)),
        *[verdicts.chunk(verdicts.call("[", slot=1, identity="call_2")) for _ in range(5)],
        verdicts.chunk(verdicts.call("}", slot=0, identity="call_3")),
    )
    assert told(data, Code.IDENTITY_COLLISION) == [
        '  event 0  opened, id arrives, name arrives, +1 bytes  "{"',
        '> event 6  identity_collision, +1 bytes, blocked from here on  "}"',
    ]


def test_a_finding_of_the_whole_turn_shows_every_slot() -> None:
    data = verdicts.fixture(
        verdicts.chunk(verdicts.call("{", slot=0)),
        verdicts.chunk(verdicts.call("{", slot=1, identity="call_2")),
        {"error": {"message": "overloaded"}},
    )
    assert told(data, Code.STREAM_ERROR) == [
        '  event 0  choice 0 slot 0  opened, id arrives, name arrives, +1 bytes  "{"',
        '  event 1  choice 0 slot 1  opened, id arrives, name arrives, +1 bytes  "{"',
        "> event 2  turn  stream_error",
    ]


def test_only_a_few_moments_on_each_side_are_kept_and_the_turn_may_be_long() -> None:
    chunks = [verdicts.chunk(verdicts.call("x")) for _ in range(3000)]
    chunks[1500] = verdicts.chunk(verdicts.call("y", identity="call_2"))
    lines = told(verdicts.fixture(*chunks), Code.IDENTITY_COLLISION)
    assert [line.split()[line.startswith(">") + 1] for line in lines] == [
        "1497",
        "1498",
        "1499",
        "1500",
        "1501",
        "1502",
    ]


def test_a_fragment_is_printable_and_short() -> None:
    data = verdicts.fixture(
        verdicts.chunk(verdicts.call("\x1b[31m\u202e" + "x" * 500)),
        verdicts.chunk(verdicts.call("", identity="call_2")),
    )
    [line, _] = told(data, Code.IDENTITY_COLLISION)
    assert line.isprintable()
    assert "(506 characters, sha256 " in line
    assert len(line) < 200


def test_a_place_that_the_stream_does_not_have_is_no_error() -> None:
    """The finding of a pin may be about events that the fixture has no more."""
    turn = envelope(json.dumps({"profile": "openai", "tool_schemas": {}, "chunks": []}).encode())
    gone = Finding(code=Code.IDENTITY_COLLISION, message="", choice=0, slot=3, event=17)
    assert around(turn, gone) == ()


PIECES = ['{"te', 'xt":"', "h\u00e9", "llo", '"}']


@pytest.mark.parametrize(
    ("arguments", "event"),
    [
        ('{"text":"hello"}', 2),  # within the bytes of one character
        ('{"text":"h\u00e9llO"}', 3),
        ('{"text":"h\u00e9llo"} ', 4),  # the last one: what is pinned goes on
        ('{"text":"h\u00e9', 3),  # what is pinned ends before it
        ("", 0),
    ],
)
def test_calls_part_at_the_event_of_the_first_byte_that_differs(arguments: str, event: int) -> None:
    first, *rest = PIECES
    turn = envelope(
        verdicts.fixture(
            verdicts.chunk(verdicts.call(first)),
            *[verdicts.chunk(verdicts.more(piece)) for piece in rest],
            verdicts.chunk({}, "tool_calls"),
        )
    )
    [found] = judge(turn).calls
    at, moments = parting(turn, replace(found, arguments=arguments), found)
    assert at == event
    assert [moment.event for moment in moments if moment.here] == [event]


def test_calls_of_the_same_arguments_part_where_the_name_or_id_arrives() -> None:
    late = {"tool_calls": [{"index": 0, "id": "call_7"}]}
    bare = {"tool_calls": [{"index": 0, "function": {"name": "say", "arguments": '{"text":"hi"}'}}]}
    turn = envelope(
        verdicts.fixture(*map(verdicts.chunk, (bare, {"content": ""}, late)), verdicts.chunk({}, "tool_calls"))
    )
    [found] = judge(turn).calls
    at, moments = parting(turn, replace(found, id="call_8"), found)
    assert at == 2
    assert list(text.timeline(moments)) == [
        '  event 0  opened, name arrives, +13 bytes  "{\\"text\\":\\"hi\\"}"',
        "> event 2  id arrives",
        "  event 3  terminal",
    ]
