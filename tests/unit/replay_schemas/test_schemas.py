"""The shipped JSON Schemas: equal to the code's own words, and true of every file in the suite."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import shared
from support.builders import verdicts
from support.processes.here import toolreel
from support.shared import ROOT

from replay import schemas
from replay.corpus import pins
from replay.judging.results import Outcome
from replay.validator import RULES, Allowance, Code, Envelope, InvalidFixture, Limits, State, Status, validate
from replay.validator.envelope import FIXTURE_VERSION, envelope_from, read_envelope
from replay.validator.profiles import PROFILES

SCHEMAS: Final = {name: json.loads(schemas.text(name)) for name in schemas.NAMES}


def check(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(SCHEMAS[name])


def corpora() -> Iterator[Path]:
    """Every folder that holds fixtures with pins."""
    yield ROOT / "tests" / "data" / "cases"
    beside = shared.beside("cases")
    if beside is not None:
        yield beside


FIXTURES: Final = [
    path for folder in corpora() for path in sorted(folder.glob("*.json")) if not path.name.endswith(".expected.json")
]
PINS: Final = [path for folder in corpora() for path in sorted(folder.glob("*.expected.json"))]


@pytest.mark.parametrize("name", schemas.NAMES)
def test_a_schema_is_one_and_the_command_prints_the_file(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert toolreel("schema", name).stdout == schemas.text(name)
    assert schemas.text(name).isascii()


def test_the_command_knows_no_other_schema() -> None:
    found = toolreel("schema", "turn")
    assert found.exit_code == 2
    assert all(name in found.stderr for name in schemas.NAMES)


def test_the_words_of_the_schemas_are_those_of_the_code() -> None:
    fixture, pin, report, replayed = (SCHEMAS[name] for name in schemas.NAMES)
    assert fixture["properties"]["profile"]["enum"] == list(PROFILES)
    assert fixture["properties"]["fixture_version"]["const"] == FIXTURE_VERSION
    allowances = [allowance.value for allowance in Allowance]
    assert fixture["properties"]["allow"]["items"]["enum"] == allowances
    assert pin["properties"]["accept"]["items"]["enum"] == allowances
    assert list(pin["properties"]["limits"]["properties"]) == [limit.name for limit in fields(Limits)]
    results = replayed["$defs"]["result"]["properties"]
    assert results["outcome"]["enum"] == [outcome.value for outcome in Outcome]
    assert results["status"]["enum"] == [*(status.value for status in Status), None]
    verdict = {**replayed["$defs"]["verdict"], "$defs": replayed["$defs"]}
    for schema in (pin, report, verdict):
        assert schema["properties"]["rules"]["const"] == RULES
        assert schema["properties"]["status"]["enum"] == [status.value for status in Status]
        assert schema["$defs"]["call"]["properties"]["state"]["enum"] == [state.value for state in State]
        assert schema["$defs"]["finding"]["properties"]["code"]["enum"] == [code.value for code in Code]
        assert schema["$defs"]["use"]["properties"]["name"]["enum"] == allowances


def test_every_fixture_of_the_suite_is_valid_exactly_where_it_is_an_envelope() -> None:
    """A file that is no strict JSON is out of a schema's reach; all others agree with the validator."""
    valid = invalid = 0
    for path in FIXTURES:
        data = path.read_bytes()
        found = read_envelope(data)
        if isinstance(found, Envelope):
            check("fixture").validate(json.loads(data))
            valid += 1
        elif not found.message.startswith(("the file", "something", "a number", "an object")):
            value = json.loads(data)
            numeral = isinstance(value, dict) and value.get("fixture_version") == FIXTURE_VERSION
            assert numeral or not check("fixture").is_valid(value), path.name
            invalid += 1
    assert valid > 100
    assert invalid > 2


def test_every_pin_of_the_suite_is_valid_and_so_is_every_report() -> None:
    for path in PINS:
        check("expected").validate(json.loads(path.read_bytes()))
    for path in FIXTURES:
        report: Any = json.loads(json.dumps(validate(path.read_bytes()).as_dict()))
        check("report").validate(report)
        check("report").validate({"fixture": path.name, **report})
        assert not check("expected").is_valid(report) or not report["findings"]
    assert len(PINS) == len(FIXTURES) > 100


def test_the_report_of_a_replay_is_valid_whatever_became_of_a_fixture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def put(name: str, data: bytes) -> None:
        Path(name).write_bytes(data)

    def replay(*options: str) -> list[dict[str, object]]:
        document = json.loads(toolreel("replay", ".", "--report", "json", *options).stdout)
        rows = toolreel("replay", ".", "--report", "jsonl").stdout.splitlines()
        for value in (document, *document["results"], *map(json.loads, rows)):
            check("replay").validate(value)
        assert not check("replay").is_valid({**document, "more": 1})
        return document["results"]  # type: ignore[no-any-return]

    capture = {"adapter": {"name": "openai-python", "version": "1"}}
    for name in ("same", "changed", "outdated", "client", "gone", "unreadable"):
        put(f"{name}.json", verdicts.PASS)
    seen = replay("--update")
    put("changed.json", verdicts.COLLISION)
    put("client.json", json.dumps({**json.loads(verdicts.PASS), "capture": capture}).encode())
    put("new.json", verdicts.INVALID)
    put("empty.json", verdicts.fixture())
    put("outdated.expected.json", Path("same.expected.json").read_bytes().replace(b'"rules": 2', b'"rules": 1'))
    put("unreadable.expected.json", b"")
    Path("gone.json").unlink()
    for options in ([], ["--update"], ["--prune"]):
        seen += replay(*options)
    assert {row["outcome"] for row in seen} == {outcome.value for outcome in Outcome} - {"not_invariant"}
    assert [row["clients"] for row in seen if "clients" in row] == [{"pinned": None, "found": capture["adapter"]}]


MEMBERS: Final = {
    "profile": [*PROFILES, "other", 1, None],
    "tool_schemas": [{}, {"say": 1}, [], None],
    "chunks": [[], [1, "x", None], {}, None],
    "events": [[], [{}], "", None],
    "allow": [[], ["empty_arguments"], ["other"], [1], "empty_arguments", None],
    "capture": [{}, {"stream_end": "x"}, {"stream_end": 1}, {"tool_choice": None}, {"mode": 1}, [], None]
    + [{"parallel_tool_calls": value} for value in (True, False, 0, None)],
    "transport": [{}, {"done": "x"}, [], None],
    "fixture_version": [1, 2, "1", True, None],
    "further": [1],
}


@given(st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in MEMBERS.items()}))
def test_the_fixture_schema_and_the_validator_agree_on_every_envelope(value: dict[str, object]) -> None:
    assert check("fixture").is_valid(value) is not isinstance(envelope_from(value), InvalidFixture)


PIN: Final = json.loads(pins.write(pins.read((PINS[0]).read_bytes())))
EDITS: Final = {
    "status": ["pass", "blocked", "fine", None],
    "applicable": [True, False, 1],
    "executable": [True, False],
    "profile": ["openai", None, 1],
    "calls": [[], {}, [{"choice": 0, "slot": 0, "id": None, "name": None, "arguments": "", "state": "blocked"}], [1]],
    "findings": [
        [],
        [{"code": "stream_error", "choice": None, "slot": None, "event": 3}],
        [{"code": "stream_error", "choice": None, "slot": None, "event": -1}],
        [{"code": "stream_error", "choice": None, "slot": None, "event": 3, "message": ""}],
        [{"code": "stream_error", "choice": None, "slot": None, "event": 3, "path": ""}],
        [{"code": "schema_violation", "choice": 0, "slot": 0, "event": None}],
        [{"code": "schema_violation", "choice": 0, "slot": 0, "event": None, "path": ""}],
        [{"code": "future", "choice": 0, "slot": 0, "event": None}],
    ],
    "allowances": [[], [{"name": "empty_arguments", "choice": 0, "slot": 0, "event": None}], [{"name": "x"}]],
    "rules": [2, 1, 3, "2", True],
    "adapter": [{"name": "a", "version": "1"}, {"name": "a"}, {"name": "a", "version": None}, "a"],
    "accept": [[], ["empty_arguments"], ["x"], None],
    "limits": [{}, {"max_slots": 1}, {"max_slots": -1}, {"max_time": 1}, []],
    "further": [1],
}


@given(st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in EDITS.items()}))
def test_the_pin_schema_and_the_reader_agree_on_every_pin(edits: dict[str, object]) -> None:
    value = {**PIN, **edits}
    readable = True
    try:
        pins.read(json.dumps(value).encode())
    except pins.PinError:
        readable = False
    assert check("expected").is_valid(value) is readable
