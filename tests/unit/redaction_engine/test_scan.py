"""`toolreel scan`: proves that files hold data only, without the raw data."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from support.processes import privileges
from support.processes.here import toolreel
from support.recorded.exchanges import exchange_of
from support.shared import ROOT

from redaction.captured.exchange import Proved
from redaction.proof import tripwire
from redaction.redactor import redact
from replay.diff import outcome_pins
from replay.diff.outcomes import Outcome

TURN = {
    "profile": "openai",
    "tool_schemas": {"find": {"type": "object", "properties": {"city": {"type": "string"}}}},
    "chunks": [
        {"id": "c1", "choices": [{"index": 0, "delta": {"content": "Certainly, Ms Miller"}}]},
        {
            "id": "c1",
            "choices": [
                {
                    "index": 0,
                    "delta": {
                        "tool_calls": [
                            {"index": 0, "id": "call_9", "function": {"name": "find", "arguments": '{"city":"Oslo"}'}}
                        ]
                    },
                    "finish_reason": "tool_calls",
                }
            ],
        },
    ],
}


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    proved = redact(exchange_of(TURN))
    assert isinstance(proved, Proved)
    path = tmp_path / "turn.json"
    path.write_bytes(proved.fixture.data)
    return path


def run(*args: object) -> tuple[int, str]:
    result = toolreel("scan", "--no-tripwire", *map(str, args))
    return result.exit_code, result.output


def test_a_written_fixture_is_clean(fixture: Path) -> None:
    assert run(fixture) == (0, "1 file scanned, 0 places found\n")


def pinned(fixture: Path) -> tuple[Path, dict[str, Any]]:
    assert toolreel("replay", "--update", str(fixture.parent)).exit_code == 0
    pin = fixture.with_name("turn.expected.json")
    return pin, json.loads(pin.read_bytes())


def in_call(**members: object) -> Callable[[dict[str, Any]], object]:
    return lambda value: value["calls"][0].update(members)


@pytest.mark.parametrize(
    "edit",
    [
        in_call(name="tool_before"),
        in_call(name="tool_before", arguments='{"town":"x"}', id="toolu_00000001"),
        in_call(choice=7),
        lambda value: value["calls"].append({**value["calls"][0], "slot": 1, "id": "call_before"}),
        lambda value: value.update(profile="anthropic", calls=[{**value["calls"][0], "id": "toolu_00000001"}]),
        lambda value: value["findings"].append(
            {"code": "missing_id", "choice": 0, "slot": 0, "event": 99}  # which the fixture does not have
        ),
    ],
)
def test_a_pin_of_another_fixture_is_called_so_and_no_leak(
    fixture: Path, edit: Callable[[dict[str, Any]], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    pin, value = pinned(fixture)
    edit(value)
    pin.write_text(json.dumps(value))
    first = f"{pin}: the pin is not of this fixture; run `toolreel replay` first"
    assert run(fixture.parent) == (1, f"{first}\n2 files scanned, 0 places found, 1 stale pin\n")
    code, said = run(pin, "--report", "json")
    assert code == 1
    assert json.loads(said)["files"] == [{"file": str(pin), "rung": None, "leaks": [], "stale_pins": 1}]
    assert toolreel("replay", "--update", str(fixture.parent)).exit_code == 0
    assert run(fixture.parent) == (0, "2 files scanned, 0 places found\n")


def test_what_no_pin_of_any_fixture_says_is_named_in_a_stale_one_too(
    fixture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    pin, value = pinned(fixture)
    value["calls"][0]["name"] = "tool_before"
    value["note"] = "Ms Miller"
    pin.write_text(json.dumps(value))
    code, said = run(pin)
    assert code == 1
    assert f"{pin}: top-level key: closed vocabulary" in said
    assert said.endswith("1 file scanned, 1 place found, 1 stale pin\n")


@pytest.mark.parametrize(
    ("members", "place"),
    [({"arguments": '{"city":"Oslo"}'}, "argument string"), ({"id": "Ms Miller"}, "id of a call")],
)
def test_what_is_put_into_a_pin_of_this_fixture_is_a_leak(
    fixture: Path, members: dict[str, object], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    pin, value = pinned(fixture)
    value["calls"][0].update(members)
    pin.write_text(json.dumps(value))
    code, said = run(pin)
    assert code == 1
    assert place in said
    assert "stale" not in said


def test_every_declared_word_is_listed_once_with_the_files_that_hold_it(fixture: Path) -> None:
    fixture.with_name("other.json").write_bytes(fixture.read_bytes())
    code, said = run(fixture.parent, "--words")
    assert code == 0
    *words, total = said.splitlines()
    assert total == "2 files scanned, 0 places found"
    assert 'property "city": other.json, turn.json' in words
    assert sum(word.startswith("tool ") for word in words) == len(TURN["tool_schemas"])
    assert len({*words}) == len(words)


def test_the_report_for_programs_says_the_rung_of_each_fixture(fixture: Path) -> None:
    bad = fixture.with_name("bad.json")
    bad.write_bytes(fixture.read_bytes().replace(b'"rung":"canonical"', b'"rung":"all of it"'))
    code, said = run(fixture, bad, "--report", "json")
    assert code == 1
    assert json.loads(said) == {
        "files": [
            {"file": str(fixture), "rung": "canonical", "leaks": [], "stale_pins": 0},
            {
                "file": str(bad),
                "rung": None,
                "leaks": [{"in": None, "place": "capture.rung", "event": None, "rule": "closed vocabulary"}],
                "stale_pins": 0,
            },
        ],
        "scanned": 2,
        "found": 1,
        "stale_pins": 0,
    }


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"content":"x"', '"content":"Certainly, Ms Miller"', "text of content in event 0"),
        ('\\"x\\"', '\\"Oslo\\"', "argument string"),
        ('\\"city\\"', '\\"ssn\\"', "argument string"),
        ('"call_00000001"', '"call_9f3Qk"', "text of id in event 1"),
        ('"model":"gpt-4o"', '"model":"acme-secret-model"', "capture.model"),
        ('"type":"string"', '"type":"string","description":"ask for Ms Miller"', "schema keyword"),
        ('"finish_reason":"tool_calls"', '"finish_reason":"tool_calls","note":"hi"', "key in choices in event 1"),
        ('"fixture_version": 1', '"comment": "hello", "fixture_version": 1', "top-level key"),
    ],
)
def test_a_hand_edit_is_caught_by_place_and_rule_and_never_shown(fixture: Path, old: str, new: str, place: str) -> None:
    text = fixture.read_text()
    assert old in text
    fixture.write_text(text.replace(old, new))
    code, output = run(fixture)
    assert code == 1
    assert place in output
    assert "closed vocabulary" in output
    assert "Miller" not in output
    assert "Oslo" not in output


def test_a_pin_may_say_what_its_fixture_says_and_nothing_else(fixture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert toolreel("replay", "--update", str(fixture.parent)).exit_code == 0
    pin = fixture.with_name("turn.expected.json")
    assert run(fixture.parent)[0] == 0
    value = json.loads(pin.read_bytes())
    value["calls"][0]["arguments"] = '{"city":"Oslo"}'
    pin.write_text(json.dumps(value))
    code, output = run(fixture.parent)
    assert code == 1
    assert "argument string" in output


def test_what_is_no_fixture_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.expected.json").write_text("{}")
    code, output = run(tmp_path)
    assert code == 1
    assert "a.json: file: structure" in output
    assert "b.expected.json: pin without a fixture: structure" in output


def test_a_path_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    code, output = run(tmp_path / "none.json")
    assert code == 2
    assert output.count("\n") == 1


def test_a_folder_with_nothing_to_scan_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "note.txt").write_text("{}")
    code, output = run(tmp_path)
    assert (code, output) == (2, f"Error: {tmp_path}: no fixture (*.json) in this folder; check the path\n")


def test_what_cannot_be_read_hides_nothing_of_the_rest(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("{}")
    code, output = run(tmp_path / "a.json", tmp_path)
    assert code == 2
    assert "a.json: no such file" in output
    assert "b.json: file: structure" in output
    assert output.endswith("1 file scanned, 1 place found\n")


def test_a_folder_that_cannot_be_listed_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("{}")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    with privileges.given_up():
        code, output = run(tmp_path)
    closed.chmod(0o700)
    assert (code, output) == (2, f"Error: {closed}: this folder cannot be listed (Permission denied)\n")


def test_a_folder_is_followed_through_its_links_each_folder_once(fixture: Path, tmp_path: Path) -> None:
    """As `replay` follows them: what it judges is not to be passed over here."""
    reels = tmp_path / "reels"
    elsewhere = tmp_path / "elsewhere"
    for folder in (reels, elsewhere, elsewhere / ".hidden"):
        folder.mkdir()
    (elsewhere / "a.json").write_bytes(fixture.read_bytes())
    (elsewhere / ".hidden" / ".b.json").write_bytes(fixture.read_bytes().replace(b'"content":"x"', b'"content":"Ann"'))
    (reels / "linked").symlink_to(elsewhere)
    (reels / "again").symlink_to(elsewhere)
    (elsewhere / "up").symlink_to(reels)
    (reels / "one.json").symlink_to(fixture)
    code, output = run(reels)
    assert code == 1
    assert ".b.json: text of content in event 0" in output
    assert output.endswith("3 files scanned, 1 place found\n")
    replayed = toolreel("replay", str(reels)).output
    assert replayed.count("unpinned: ") == 2  # it passes over what is hidden


@pytest.mark.parametrize("target", ["nowhere.json", "link.json", "/dev/null"])
def test_a_link_that_leads_to_no_file_is_an_error_beside_the_rest(fixture: Path, target: str) -> None:
    (fixture.parent / "link.json").symlink_to(target)
    code, output = run(fixture.parent)
    assert code == 2
    assert "link.json: " in output
    assert output.endswith("1 file scanned, 0 places found\n")


def test_a_pipe_among_the_fixtures_is_an_error_and_nothing_to_wait_for(fixture: Path) -> None:
    os.mkfifo(fixture.with_name("pipe.json"))
    code, output = run(fixture.parent)
    assert code == 2
    assert "pipe.json: " in output


def test_a_pin_whose_fixture_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.expected.json").write_text("{}")
    (tmp_path / "a.json").symlink_to("nowhere.json")
    code, output = run(tmp_path / "a.expected.json")
    assert code == 2
    assert "a.json: no such file" in output


def test_outcomes_of_clients_are_scanned_by_their_own_form(fixture: Path) -> None:
    outcomes = fixture.with_name("turn.adapters.json")
    outcomes.write_bytes(outcome_pins.write({"openai": {"3.57.0": Outcome.AGREE}, "x": {"1": Outcome.LOST}}))
    assert run(fixture.parent) == (0, "2 files scanned, 0 places found\n")
    outcomes.write_text(outcomes.read_text().replace("agree", "Miller"))
    code, output = run(fixture.parent)
    assert code == 1
    assert "turn.adapters.json: outcome: closed vocabulary" in output
    assert "Miller" not in output


@pytest.mark.parametrize("edit", [b"\n}\n \t \t", b"\n}\n\n"])
def test_white_space_that_no_writer_makes_is_named(fixture: Path, edit: bytes) -> None:
    fixture.write_bytes(fixture.read_bytes().replace(b"\n}\n", edit))
    code, output = run(fixture)
    assert (code, output) == (
        1,
        f"{fixture}: white space, escapes or numbers: layout\n1 file scanned, 1 place found\n",
    )


class Everything:
    """A scanner that fires on a word, to prove that it is asked."""

    def rules(self, views: list[str]) -> list[str]:
        return ["a-rule" for view in views if '"city"' in view]


def test_the_tripwire_is_asked_last_and_refuses() -> None:
    refused = redact(exchange_of(TURN), tripwire=Everything())
    assert not isinstance(refused, Proved)
    assert refused.note == "a-rule"


FINDS: Final = """
from redaction.proof import tripwire
wire = tripwire.load()
key = "sk-ant-api03-" + "k3Jv9Qx2Lm" * 9 + "Zp7" + "AA"
assert list(wire.rules(tripwire.views(b"{}", [key])))
assert not list(wire.rules(tripwire.views(b"{}", ['{"city":"x"}'])))
"""


@pytest.mark.parametrize("home", ["home", "file/home"], ids=["home", "home that cannot be made"])
def test_the_scanner_of_the_extra_finds_a_key_that_fragments_hide_and_writes_nothing(tmp_path: Path, home: str) -> None:
    if importlib.util.find_spec("kingfisher_sdk") is None:
        pytest.skip("the extra `scan` is not installed")
    (tmp_path / "home").mkdir()
    (tmp_path / "file").touch()
    kept = {name: value for name, value in os.environ.items() if name != tripwire.RULE_CACHE and "XDG" not in name}
    variables = {**kept, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path / home), "TMPDIR": str(tmp_path / "home")}
    command = [sys.executable, "-B", "-c", FINDS]
    done = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "home"]
