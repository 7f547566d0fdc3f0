"""The kernel against a naive reading of two more families with blocks: Bedrock's converse and Cohere's chat.

Each generated payload comes with what it means by the rules, so that no reader vouches for itself. Both must
agree: every finding with its place, every call.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.nightly import examples, nightly
from support.readings.naive import NAMES, TOOLS, Reached, as_model, turn_of
from support.readings.naive_messages import COMPLETE, Sent, Told, model
from support.streamed import bedrock, cohere

from replay.validator import Code, Limits, Report


def agreed(profile: str, sent: list[Sent], bounds: Limits, context: dict[str, Any]) -> Report:
    """The kernel's report, once it is known to agree with the model."""
    turn = turn_of(profile, TOOLS, bounds, context)
    turn.feed_all([payload for payload, _ in sent])
    report = turn.close()
    assert as_model(report) == model(sent, bounds, {"profile": profile, **context})
    return report


def given_or(value: str | None) -> str | None:
    """An empty text is one that is not provided."""
    return value or None


INDICES = st.sampled_from([0, 0, 0, 1, 1, 2, None])
IDS = st.sampled_from([None, "", "a", "a", "b"])
CALLED = st.sampled_from([None, "", "f", "f", "s", "s", "bad", "g"])
WHOLE = (
    *("{}", "\ufeff{}", '{"a":1}', '{"a":"x"}', '{"a":1,"a":2}', '{"a":NaN}', '{"a":"\\ud800"}'),
    *("[1]", '{"a":1} x', '{"a":[[1]]}', '{"a":1,}', " "),
)
FRAGMENTS = st.sampled_from(["", "{", "}", '{"a":', "1", "}", "é", *WHOLE])
BOUNDS = [Limits(max_nesting=2), Limits(max_slots=1), Limits(max_slot_bytes=3), Limits(max_turn_bytes=9)]
LIMITS = st.sampled_from([*[Limits()] * 4, *BOUNDS, Limits(max_events=3)])
CONTEXTS = st.fixed_dictionaries(
    {
        "allow": st.sampled_from([set(), set(NAMES)]),
        "tool_choice": st.sampled_from([None, "auto", "named", "none"]),
        "parallel": st.sampled_from([None, True, False]),
        "cut": st.sampled_from([False, False, False, True]),
    }
)
ERROR = Told("error")
NOTHING = Told("nothing")
UNKNOWN = Told("unknown")


def malformed(payload: Any, choice: int | None = None, slot: int | None = None) -> Sent:
    return payload, Told("malformed", place=(choice, slot))


# -- Bedrock


def converse_call(index: int | None, own_id: str | None, name: str | None, kind: str, odd: str) -> Sent:
    tool = {"toolUseId": own_id, "name": name, **({} if kind == "absent" else {"type": kind or None})}
    payload = bedrock.begin(index, toolUse=tool, **({"odd": 1} if odd else {}))
    if kind == "server_tool_use":
        return payload, Told("start", index, "server", unsupported=bool(odd))
    strange = bool(odd) or kind == "new"
    return payload, Told("start", index, "call", given_or(own_id), given_or(name), unsupported=strange)


def converse_other(index: int | None, members: dict[str, Any]) -> Sent:
    return bedrock.begin(index, **members), Told("start", index, "other", unsupported="odd" in members)


def converse_delta(index: int | None, fragment: str, members: dict[str, Any], *, of_call: bool) -> Sent:
    tool = {"toolUse": {"input": fragment}} if of_call else {}
    kept = [name for name, value in members.items() if value is not None]
    group = "content" if not of_call else "both" if kept else "input"
    return bedrock.delta(index, **tool, **members), Told(
        "delta", index, "odd" if "odd" in kept else group, fragment=fragment if of_call else None
    )


CONVERSE_STRANGE: list[Sent] = [
    malformed("text"),
    malformed({}),
    malformed({**bedrock.BEGIN, "metadata": {}}),
    malformed({"messageStart": 1}),
    malformed({"new": 1}),
    malformed({"contentBlockStop": 5}, 0),
    malformed(bedrock.stop("1"), 0),
    malformed({"contentBlockStart": {"contentBlockIndex": 1}}, 0, 1),
    malformed(bedrock.start(1, toolUseId=5), 0, 1),
    malformed(bedrock.start(None, name=5), 0),
    malformed(bedrock.grow(1, 5), 0, 1),
    malformed(bedrock.end(5), 0),
    ({"throttlingException": {}}, ERROR),
    ({**bedrock.stop(0), "error": {"code": "x"}}, ERROR),
    ({"metadata": {"usage": {}}}, NOTHING),
    ({"new": {}}, UNKNOWN),
    ({"amazon-bedrock-x": 1, **bedrock.stop(0)}, Told("stop", 0)),
]
converse_pieces = (
    st.builds(
        converse_call,
        INDICES,
        IDS,
        CALLED,
        st.sampled_from(["absent", "absent", "", "tool_use", "tool_use", "server_tool_use", "new"]),
        st.sampled_from(["", "", "", "", "odd"]),
    )
    | st.builds(
        converse_other,
        INDICES,
        st.sampled_from([{}, {"toolResult": {}}, {"image": {}}, {"toolUse": None}, {"odd": {}}]),
    )
    | st.builds(
        converse_delta,
        INDICES,
        FRAGMENTS,
        st.sampled_from([{}, {}, {}, {}, {"text": None}, {"text": "x"}, {"odd": 1}]),
        of_call=st.just(True),
    )
    | st.builds(
        converse_delta,
        INDICES,
        st.just(""),
        st.sampled_from([{}, {"text": "x"}, {"text": "x"}, {"reasoningContent": {}}, {"citation": None}, {"odd": 1}]),
        of_call=st.just(False),
    )
    | INDICES.map(lambda index: (bedrock.stop(index), Told("stop", index)))
)
converse_begin: Sent = (bedrock.BEGIN, Told("begin"))


def converse_end(reason: str | None) -> Sent:
    return bedrock.end(reason), Told("end", reason=given_or(reason))


# -- Cohere


def chat_call(
    kind: str, index: int | None, own_id: str | None, name: str | None, fragment: str | None, type_: str
) -> Sent:
    members = {"id": own_id, "name": name, "arguments": fragment, **({} if type_ == "absent" else {"type": type_})}
    starts = kind == "tool-call-start"
    return cohere.call(kind, index, **members), Told(
        "start" if starts else "delta",
        index,
        "call" if starts else "piece",
        given_or(own_id),
        given_or(name),
        fragment,
        unsupported=starts and type_ == "new",
    )


def chat_growth(index: int | None, text: str) -> Sent:
    return cohere.grow(index, text), Told("delta", index, "piece", fragment=text)


CHAT_STRANGE: list[Sent] = [
    malformed("text"),
    malformed({"type": 5}),
    malformed({"type": "message-start", "delta": 5}),
    malformed({"type": "message-start", "delta": {"message": []}}),
    malformed({"type": "message-end", "delta": 5}, 0),
    malformed(cohere.end(5), 0),
    malformed(cohere.stop("1"), 0),
    malformed({"type": "tool-call-delta", "index": 1}, 0, 1),
    malformed({"type": "tool-call-start", "index": None, "delta": {"message": {"tool_calls": []}}}, 0),
    malformed(cohere.start(1, id=5), 0, 1),
    malformed(cohere.grow(1, 5), 0, 1),
    ({"type": "error"}, ERROR),
    ({"type": "content-delta", "delta": {"error": "x"}}, ERROR),
    ({"type": "content-delta", "index": "x", "delta": {"message": {}}}, NOTHING),
    ({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "x"}}}, NOTHING),
    ({"type": "citation-start", "index": 0}, NOTHING),
    ({"type": "new"}, UNKNOWN),
]
chat_pieces = (
    st.builds(
        chat_call,
        st.just("tool-call-start"),
        INDICES,
        IDS,
        CALLED,
        st.sampled_from([None, "", "", *WHOLE[:4]]),
        st.sampled_from(["absent", "", "function", "function", "new"]),
    )
    | st.builds(
        chat_call,
        st.just("tool-call-delta"),
        INDICES,
        st.sampled_from([None, None, None, "", "a", "b"]),
        st.sampled_from([None, None, None, "", "f", "s"]),
        FRAGMENTS | st.none(),
        st.sampled_from(["absent", "absent", "new"]),
    )
    | st.builds(
        lambda index, text: (cohere.grow(index, text), Told("delta", index, "piece", fragment=text)), INDICES, FRAGMENTS
    )
    | INDICES.map(lambda index: (cohere.stop(index), Told("stop", index)))
)
chat_begin: Sent = (cohere.begin(), Told("begin"))
chat_begins = st.sampled_from(
    [
        chat_begin,
        (cohere.begin(tool_calls=None), Told("begin")),
        (cohere.begin(tool_calls=[{}]), Told("begin", unsupported=True)),
    ]
)


def chat_end(reason: str | None) -> Sent:
    return cohere.end(reason), Told("end", reason=given_or(reason))


CONVERSE_ENDS = st.sampled_from([None, "", "tool_use", "tool_use", "end_turn", "malformed_tool_use"]).map(converse_end)
CHAT_ENDS = st.sampled_from([None, "", "TOOL_CALL", "TOOL_CALL", "COMPLETE"]).map(chat_end)


def turns(
    pieces: st.SearchStrategy[Sent],
    begins: st.SearchStrategy[Sent],
    ends: st.SearchStrategy[Sent],
    strange: list[Sent],
) -> st.SearchStrategy[list[Sent]]:
    """Payloads in any order, and messages that begin and end."""
    anything = pieces | pieces | pieces | begins | ends | st.sampled_from(strange)
    orderly = st.builds(lambda begin, middle, end: [begin, *middle, end], begins, st.lists(pieces, max_size=7), ends)
    return st.lists(anything, max_size=9) | orderly


def whole(profile: str) -> st.SearchStrategy[list[Sent]]:
    """A message of one call in two pieces, from its start to its end."""
    begin, end = (converse_begin, converse_end) if profile == "bedrock-converse" else (chat_begin, chat_end)

    def sent(name: str, text: str, cut: int) -> list[Sent]:
        if profile == "bedrock-converse":
            grown = [converse_delta(0, piece, {}, of_call=True) for piece in (text[:cut], text[cut:])]
            start, stop = converse_call(0, "a", name, "absent", ""), (bedrock.stop(0), Told("stop", 0))
        else:
            grown = [chat_growth(0, text[:cut]), chat_growth(0, text[cut:])]
            start, stop = chat_call("tool-call-start", 0, "a", name, "", "function"), (cohere.stop(0), Told("stop", 0))
        return [begin, start, *grown, stop, end(COMPLETE[profile])]

    return st.builds(
        sent, st.sampled_from(["f", "s", "s", "bad", "g"]), st.sampled_from(["", *WHOLE]), st.integers(0, 3)
    )


SENT = {
    "bedrock-converse": turns(converse_pieces, st.just(converse_begin), CONVERSE_ENDS, CONVERSE_STRANGE)
    | whole("bedrock-converse"),
    "cohere-v2": turns(chat_pieces, chat_begins, CHAT_ENDS, CHAT_STRANGE) | whole("cohere-v2"),
}


@pytest.mark.parametrize("profile", SENT)
def test_the_kernel_agrees_with_a_naive_reading_on_two_more_families(profile: str) -> None:
    @settings(max_examples=examples(1_800), deadline=None)
    @given(SENT[profile], LIMITS, CONTEXTS)
    def agree(sent: list[Sent], bounds: Limits, context: dict[str, Any]) -> None:
        agreed(profile, sent, bounds, context)

    agree()


@nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("profile", SENT)
def test_20000_turns_agree_and_reach_every_code_of_their_family(profile: str) -> None:
    reached = Reached()

    @settings(max_examples=20_000, deadline=None, derandomize=True, database=None)
    @given(SENT[profile], LIMITS, CONTEXTS)
    def agree(sent: list[Sent], bounds: Limits, context: dict[str, Any]) -> None:
        reached.count(agreed(profile, sent, bounds, context))

    agree()
    never = {Code.INVALID_FIXTURE, Code.COPY_MISMATCH, Code.SEQUENCE_BREAK, Code.EMPTY_ARGUMENTS}
    print(f"{len(reached.pairs)} pairs of codes, {reached.passed} turns pass")
    assert reached.codes == set(Code) - never
    assert reached.passed > 20
