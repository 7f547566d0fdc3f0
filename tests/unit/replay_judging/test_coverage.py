"""What a corpus holds and lacks."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from click.testing import Result as Ran
from support.builders import verdicts

from replay.cli import root
from replay.judging import coverage
from replay.judging.coverage import Kind
from replay.validator import Code
from replay.validator.profiles import OF_COPIES, PROFILES

pytestmark = pytest.mark.usefixtures("folder")


def kinds(data: bytes) -> set[Kind]:
    path = Path("a.json")
    path.write_bytes(data)
    found = coverage.survey([path])
    return {kind for _, kind in found.kinds}


def slot(arguments: str, index: int) -> dict[str, object]:
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def nameless(**members: object) -> dict[str, object]:
    return {"tool_calls": [{"index": 0, **members}]}


CALL = verdicts.call
CHUNK = verdicts.chunk
END = verdicts.chunk({}, "tool_calls")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (verdicts.PASS, {Kind.FRAGMENTED, Kind.LEGAL}),
        (verdicts.TEXT, {Kind.NO_CALL}),
        (verdicts.TRUNCATED, {Kind.FRAGMENTED, Kind.TRUNCATED}),
        (verdicts.COLLISION, {Kind.FRAGMENTED, Kind.REUSED_INDEX}),
        (verdicts.REPEATED, {Kind.DUPLICATE_TERMINAL}),
        (verdicts.TWO_CALLS, {Kind.PARALLEL, Kind.LEGAL}),
        (verdicts.INVALID, set()),
        (
            verdicts.fixture(
                CHUNK(CALL('{"text":', slot=0)),
                CHUNK(CALL('{"text":', slot=1, identity="call_2")),
                CHUNK(slot('"a"}', 0)),
                CHUNK(slot('"b"}', 1)),
                END,
            ),
            {Kind.FRAGMENTED, Kind.PARALLEL, Kind.INTERLEAVED, Kind.LEGAL},
        ),
        (
            verdicts.fixture(
                CHUNK(nameless(function={"arguments": '{"text":'})),
                CHUNK(nameless(id="call_1", function={"name": "say", "arguments": '"a"}'})),
                END,
            ),
            {Kind.FRAGMENTED, Kind.LATE_ID, Kind.LATE_NAME, Kind.LEGAL},
        ),
        (
            verdicts.fixture(CHUNK(CALL('{"text":"a"}')), CHUNK(verdicts.more("")), END),
            {Kind.EMPTY_DELTA, Kind.LEGAL},
        ),
        (verdicts.fixture(CHUNK(CALL('{"text":"é"}')), END), {Kind.UNICODE, Kind.LEGAL}),
        (verdicts.fixture(CHUNK(CALL('{"text":"\\u00e9"}')), END), {Kind.UNICODE, Kind.LEGAL}),
        (verdicts.fixture(CHUNK(CALL('{"text":')), END), {Kind.MALFORMED}),
        (verdicts.fixture(CHUNK(CALL('{"text":1}')), END), {Kind.INVALID_FINAL}),
    ],
)
def test_each_kind_is_seen_where_it_is_and_nowhere_else(data: bytes, expected: set[Kind]) -> None:
    assert kinds(data) == expected


def test_the_first_delta_of_a_call_may_be_empty_without_being_an_empty_delta() -> None:
    assert Kind.EMPTY_DELTA not in kinds(verdicts.fixture(CHUNK(CALL("")), CHUNK(verdicts.more('{"text":"a"}')), END))


def test_blocks_are_read_as_well() -> None:
    start = {"type": "tool_use", "id": "toolu_1", "name": "say", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": ""}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_delta", "index": 0, "delta": {**delta, "partial_json": '{"text":'}},
        {"type": "content_block_delta", "index": 0, "delta": {**delta, "partial_json": '"a"}'}},
        {"type": "content_block_stop", "index": 0},
    ]
    data = json.dumps({"profile": "anthropic", "tool_schemas": verdicts.SCHEMAS, "events": events}).encode()
    assert kinds(data) == {Kind.EMPTY_DELTA, Kind.FRAGMENTED, Kind.LEGAL}


def toolreel(*arguments: str) -> Ran:
    return CliRunner().invoke(root, ["coverage", *arguments])


def test_the_table_and_the_document_say_the_same() -> None:
    Path("f").mkdir()
    for name, data in (("a", verdicts.PASS), ("b", verdicts.COLLISION), ("c", b"\xff")):
        Path(f"f/{name}.json").write_bytes(data)
    table = toolreel("f")
    assert table.exit_code == 0
    *lines, last = table.stdout.splitlines()
    assert last == "to fill what is missing: toolreel derive f --out derived"
    rows = {line[:22].strip(): line[22:].split() for line in lines if line and ": " not in line}
    assert rows[""] == [
        "openai",
        "mistral",
        "anthropic",
        "openai-responses",
        "bedrock-converse",
        "cohere-v2",
        "gemini",
        "ollama",
        "none",
    ]
    assert rows["fixtures"] == ["2", "0", "0", "0", "0", "0", "0", "0", "1"]
    assert rows["fragmented JSON"] == ["2", "0", "0", "0", "0", "0", "0", "-", "-"]
    assert rows["invalid_fixture"] == [*["-"] * 8, "1"]
    assert rows["orphan_event"] == ["-", "-", "0", "0", "0", "0", "0", "-", "-"]
    assert rows["empty_arguments"] == ["0", "0", "-", "0", "-", "-", "-", "0", "-"]
    document = json.loads(toolreel("f", "--report", "json").stdout)["profiles"]
    for place, profile in enumerate(rows[""]):
        counted = {**document[profile]["kinds"], **document[profile]["codes"]}
        assert {name: str(count) for name, count in counted.items()} == {
            name: cells[place] for name, cells in rows.items() if name not in ("", "fixtures") and cells[place] != "-"
        }
        lacking = document[profile]["lacking"]
        assert sorted(lacking["kinds"] + lacking["codes"]) == sorted(n for n, count in counted.items() if not count)
    [line] = [line for line in table.stdout.splitlines() if " lacks: " in line]
    assert line.startswith("openai lacks: ")
    assert f"no fixture of: {', '.join(profile for profile in PROFILES if profile != 'openai')}" in lines
    assert "identity_collision" not in line
    assert "missing_terminal" in line


def test_every_code_is_possible_somewhere() -> None:
    for code in Code:
        assert any(coverage.possible(profile, code) for profile in [*PROFILES, coverage.NO_PROFILE]), code


def test_a_code_of_full_copies_and_numbers_is_possible_in_no_other_family() -> None:
    for code in OF_COPIES:
        assert [profile for profile in PROFILES if coverage.possible(profile, code)] == ["openai-responses"]


def test_a_fixture_that_cannot_be_read_is_an_error() -> None:
    Path("a.json").symlink_to("nowhere")
    found = toolreel("a.json")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == "Error: a.json: no such file or folder; check the path\n"
