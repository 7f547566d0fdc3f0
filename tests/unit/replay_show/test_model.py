"""A judged turn, taken apart: what each event did in each lane."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.builders import verdicts
from support.shared import ROOT

from replay.corpus.loading import load
from replay.families import FAMILIES, Words
from replay.show.picture import preview, reading
from replay.show.picture.beside_calls import sayings
from replay.show.picture.cells import Cell, grid
from replay.show.picture.drawing import picture
from replay.show.picture.model import Did, Kind, Picture
from replay.show.picture.preview import Standing
from replay.validator import Status

CASES = sorted(path for path in (ROOT / "tests/data/cases").glob("*.json") if ".expected." not in path.name)


def drawn(data: bytes) -> Picture:
    return picture(load(data))


def blocks(*events: object) -> bytes:
    """The bytes of a fixture of these events of content blocks."""
    return json.dumps({"profile": "anthropic", "tool_schemas": {}, "events": events}).encode()


def told(one: Picture) -> list[list[tuple[str, tuple[Did, ...], str]]]:
    """By event: lane, what was done there, the piece."""
    return [[(one.lanes[act.lane].label, act.did, act.text) for act in event.acts] for event in one.events]


def test_each_fragment_stands_in_the_lane_of_its_call() -> None:
    call = (Did.OPENED, Did.ID, Did.NAME, Did.ARGUMENTS)
    assert told(drawn(verdicts.PASS)) == [
        [("slot 0", call, '{"te')],
        [("slot 0", (Did.ARGUMENTS,), 'xt":"hi"}')],
        [("slot 0", (Did.CLOSED,), ""), ("turn", (Did.FINISH,), "tool_calls")],
    ]


def test_text_has_a_lane_of_its_own() -> None:
    one = drawn(verdicts.TEXT)
    assert [lane.kind for lane in one.lanes] == [Kind.TURN, Kind.TEXT]
    assert told(one)[0] == [("text", (Did.TEXT,), "hi")]


def test_a_finding_is_marked_in_the_lane_of_its_slot_and_at_its_event() -> None:
    one = drawn(verdicts.COLLISION)
    (mark,) = one.marks
    assert (mark.finding.code.value, one.lanes[mark.lane].label, mark.finding.event) == (
        "identity_collision",
        "slot 0",
        1,
    )
    assert one.marks_at(1) == (mark,)
    assert one.marks_at(None) == ()


def test_what_is_no_envelope_has_no_event_and_its_finding() -> None:
    one = drawn(verdicts.INVALID)
    assert one.report.status is Status.INVALID
    assert (one.events, len(one.marks), len(one.lanes)) == ((), 1, 1)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_picture_agrees_with_the_pinned_verdict_and_its_pieces_are_the_arguments(path: Path) -> None:
    shown = reading.read(str(path))
    one = shown.picture
    assert shown.pinned is reading.Pinned.AS_PINNED
    for number, lane in one.calls():
        pieces = [act.text for event in one.events for act in event.acts if act.lane == number and act.brings]
        assert "".join(pieces) == lane.text or (not pieces and lane.text == "{}")
    assert all(event.acts for event in one.events)
    assert len(one.marks) == len(one.report.findings)


@pytest.mark.parametrize(
    ("profile", "payload", "found"),
    [
        ("openai", {"choices": [{"index": 2, "delta": {"content": "a"}}]}, [(Words.TEXT, 2, "a")]),
        ("openai", {"choices": [{"delta": {"reasoning_content": "r"}}]}, [(Words.REASONING, 0, "r")]),
        ("openai", {"choices": [{"index": 0, "finish_reason": "stop"}]}, [(Words.FINISH, 0, "stop")]),
        (
            "mistral",
            {"choices": [{"index": 0, "delta": {"content": [{"type": "thinking", "thinking": [{"text": "t"}]}]}}]},
            [(Words.REASONING, 0, "t")],
        ),
        ("mistral", {"choices": [{"index": 0, "delta": {"content": [{"text": "t"}]}}]}, [(Words.TEXT, 0, "t")]),
        ("anthropic", {"type": "content_block_delta", "delta": {"text": "a"}}, [(Words.TEXT, 0, "a")]),
        ("anthropic", {"type": "content_block_delta", "delta": {"thinking": "a"}}, [(Words.REASONING, 0, "a")]),
        ("anthropic", {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, [(Words.FINISH, 0, "end_turn")]),
        ("openai-responses", {"type": "response.output_text.delta", "delta": "a"}, [(Words.TEXT, 0, "a")]),
        ("openai-responses", {"type": "response.function_call_arguments.delta", "delta": "a"}, []),
        (
            "openai-responses",
            {"type": "response.completed", "response": {"status": "completed"}},
            [(Words.FINISH, 0, "completed")],
        ),
        ("openai", "[DONE]", []),
        ("openai", {"choices": {"index": 0}}, []),
        ("openai", {"choices": [None, {"delta": {"content": ""}}, {"delta": {"content": 5}}]}, []),
    ],
)
def test_words_are_read_by_the_rows_of_the_family(
    profile: str, payload: object, found: Sequence[tuple[Words, int, str]]
) -> None:
    assert [tuple(one) for one in sayings(payload, FAMILIES[profile].said)] == list(found)


@pytest.mark.parametrize("profile", FAMILIES)
def test_every_family_says_where_its_text_and_its_end_stand(profile: str) -> None:
    family = FAMILIES[profile]
    found = [one.words for payload in family.answer for one in sayings(payload, family.said)]
    assert found == [Words.TEXT, Words.FINISH]


def test_what_a_client_has_grows_with_the_events_and_is_validated_at_the_end_alone() -> None:
    one = drawn(verdicts.PASS)
    after = [[(part.standing, part.name, part.text) for part in preview.after(one, event)] for event in range(3)]
    assert after == [
        [(Standing.NAMED, "say", '{"te')],
        [(Standing.NAMED, "say", '{"text":"hi"}')],
        [(Standing.VALIDATED, "say", '{"text":"hi"}')],
    ]


def test_a_call_that_is_blocked_stays_so_and_closes_like_any_other() -> None:
    one = drawn(verdicts.COLLISION)
    last = len(one.events) - 1
    assert [(part.standing, part.closed) for part in preview.after(one, 1)] == [(Standing.BLOCKED, False)]
    assert [(part.standing, part.closed) for part in preview.after(one, last)] == [(Standing.BLOCKED, True)]
    assert [act.did for act in one.events[last].acts if act.lane == 1] == [(Did.CLOSED,)]


def test_a_fragment_that_no_call_takes_stands_in_the_lane_that_it_names() -> None:
    late = drawn(
        blocks(
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": "a", "name": "put"},
            },
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": " "}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "}"}},
            {"type": "content_block_delta", "index": 7, "delta": {"type": "input_json_delta", "partial_json": "x"}},
        )
    )
    acts = [act for event in late.events[3:] for act in event.acts if act.text]
    assert [(act.lane, act.did, act.text, act.brings) for act in acts] == [
        (1, (Did.LATE,), " ", False),
        (1, (Did.LATE,), "}", False),
        (0, (Did.NOT_TAKEN,), "x", False),
    ]
    assert [lane.text for _, lane in late.calls()] == ["{}"]
    # The second late one is no finding of its own: it has a sign all the same.
    assert grid(late)[1][4] is Cell.UNTAKEN


def test_a_surrogate_pair_that_is_cut_stays_cut() -> None:
    halves = verdicts.fixture(
        verdicts.chunk(verdicts.call('{"text":"\\ud83d')),
        verdicts.chunk(verdicts.more('\\ude00"}')),
        verdicts.chunk({}, "tool_calls"),
    )
    assert [act.text for event in drawn(halves).events for act in event.acts if act.brings] == [
        '{"text":"\\ud83d',
        '\\ude00"}',
    ]


def test_times_are_those_of_the_transport_where_each_event_has_one() -> None:
    timed = json.loads(verdicts.PASS) | {"transport": {"milliseconds": [1, 5, 9]}}
    assert [event.at for event in drawn(json.dumps(timed).encode()).events] == [1, 5, 9]
    assert [event.at for event in drawn(verdicts.PASS).events] == [None] * 3


def test_times_of_reads_are_those_of_the_events_that_were_whole_with_them() -> None:
    reads = [[0, "string"], [0, "frame"], [1, "escape"], [3, "frame"]]
    timed = json.loads(verdicts.PASS) | {"transport": {"reads": reads, "milliseconds": [100, 200, 300, 400]}}
    assert [event.at for event in drawn(json.dumps(timed).encode()).events] == [200, 400, 400]
    late = json.loads(verdicts.PASS) | {"transport": {"reads": [[0, "frame"], "x", [7]], "milliseconds": [100, 1, 2]}}
    assert [event.at for event in drawn(json.dumps(late).encode()).events] == [100, None, None]


def test_the_end_says_what_came_after_the_last_event() -> None:
    def ending(**members: object) -> tuple[str, ...]:
        return drawn(verdicts.fixture(verdicts.chunk({"content": "hi"}), **members)).ending()

    assert ending() == ("stream complete", "end marker")
    assert ending(transport={"done": 2}) == ("stream complete", "2 end markers")
    cut = {"capture": {"stream_end": "upstream_disconnected"}, "transport": {"unterminated_event": True}}
    assert ending(**cut) == ("stream upstream_disconnected", "half an event")


def test_no_repr_holds_what_was_captured() -> None:
    one = drawn(verdicts.PASS)
    shown = f"{one!r}{one.lanes!r}{one.events!r}"
    assert "hi" not in shown
    assert "call_1" not in shown


def by_path(*pieces: object) -> bytes:
    """The bytes of a fixture of one call whose arguments come by path, a piece to a chunk."""
    begin = {"functionCall": {"name": "put", "willContinue": True}}
    parts = [begin, *({"functionCall": {"partialArgs": [one], "willContinue": True}} for one in pieces)]
    chunks = [{"candidates": [{"content": {"parts": [part]}}]} for part in (*parts, {"functionCall": {}})]
    chunks.append({"candidates": [{"finishReason": "STOP"}]})
    return json.dumps({"profile": "gemini", "tool_schemas": {"put": {}}, "chunks": chunks}).encode()


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        (
            [
                {"jsonPath": "$.city", "stringValue": "Øs", "willContinue": True},
                {"jsonPath": "$.city", "stringValue": "lo"},
                {"jsonPath": "$.days[0]", "numberValue": 3},
            ],
            ['{"city":"Øs', 'lo"', ',"days":[3]}'],
        ),
        # The second value comes before the end of the first, and waits for it.
        (
            [
                {"jsonPath": "$.a", "stringValue": "x", "willContinue": True},
                {"jsonPath": "$.b", "boolValue": True},
                {"jsonPath": "$.a", "stringValue": "y"},
            ],
            ['{"a":"x', "", 'y","b":true}'],
        ),
        # The second one does not fit, and brings nothing.
        ([{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a[0]", "numberValue": 2}], ['{"a":1}', ""]),
    ],
)
def test_a_piece_by_path_brings_what_stands_once_it_came(pieces: Sequence[object], found: Sequence[str]) -> None:
    one = drawn(by_path(*pieces))
    assert [act.text for event in one.events for act in event.acts if act.brings] == list(found)
    assert [lane.text for _, lane in one.calls()] == ["".join(found)]


def test_a_piece_by_path_that_no_call_takes_is_shown_by_its_value() -> None:
    chunks = [
        {"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [piece]}}]}}]}
        for piece in ({"jsonPath": "$.a", "stringValue": "x"}, {"jsonPath": "$.b", "numberValue": 2.5})
    ]
    one = drawn(json.dumps({"profile": "gemini", "tool_schemas": {}, "chunks": chunks}).encode())
    told_of = [(act.lane, act.did, act.text) for event in one.events for act in event.acts if act.is_fragment]
    assert told_of == [(0, (Did.NOT_TAKEN,), "x"), (0, (Did.NOT_TAKEN,), "2.5")]
