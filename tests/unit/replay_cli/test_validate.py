"""`toolreel validate` as it is run, beside the script that needs nothing installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from support.builders import verdicts
from support.processes.here import put, toolreel
from support.shared import ROOT

SCRIPT = ROOT / "scripts" / "validate_tool_stream.py"


@pytest.fixture(autouse=True)
def each_verdict(folder: Path) -> None:
    for name in ("PASS", "COLLISION", "TEXT", "INVALID", "REPEATED", "TWO_CALLS"):
        put(f"{name.lower()}.json", getattr(verdicts, name))


def validated(*arguments: str) -> Result:
    return toolreel("validate", *arguments)


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["pass"], 0),
        (["pass", "pass"], 0),
        (["collision"], 1),
        (["text"], 2),
        (["invalid"], 2),
        (["pass", "text"], 2),
        (["invalid", "text", "pass"], 2),
        (["invalid", "collision", "pass"], 1),
    ],
)
def test_the_exit_code_is_that_of_the_rules(names: list[str], code: int) -> None:
    assert validated(*[f"{name}.json" for name in names]).exit_code == code


def test_jsonl_is_one_report_a_line_in_the_order_given() -> None:
    found = validated("text.json", "pass.json", "collision.json", "--report", "jsonl")
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [(row["fixture"], row["status"]) for row in rows] == [
        ("text.json", "not_applicable"),
        ("pass.json", "pass"),
        ("collision.json", "blocked"),
    ]


def test_a_json_report_is_the_report() -> None:
    report = json.loads(validated("collision.json", "--report", "json").stdout)
    assert (report["status"], report["executable"], report["rules"]) == ("blocked", False, 2)
    assert [finding["code"] for finding in report["findings"]] == ["identity_collision"]


def test_allowances_and_limits_are_those_of_the_command() -> None:
    assert validated("repeated.json").exit_code == 1
    assert validated("repeated.json", "--accept", "repeated_terminal").exit_code == 0
    assert validated("two_calls.json").exit_code == 0
    assert validated("two_calls.json", "--limit", "max_slots=1").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.json"], "none.json"),
        (["."], "cannot read ."),
        (["pass.json", "none\x1b.json"], "none\\x1b.json"),
        (["pass.json", "--accept", "all"], "repeated_terminal"),
        (["pass.json", "--limit", "max_slots=x"], "max_slots"),
    ],
)
def test_a_wrong_argument_is_one_line_and_no_report(arguments: list[str], words: str) -> None:
    found = validated(*arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    [line] = found.stderr.splitlines()
    assert line.startswith("Error: ")
    assert words in line
    assert line.isprintable()


@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe" * 100, b"{" * 100_000, verdicts.PASS[:-3], b"\xef\xbb\xbf{}"])
def test_a_file_that_is_no_fixture_is_an_invalid_report(data: bytes) -> None:
    Path("bad.json").write_bytes(data)
    found = validated("bad.json", "--report", "json")
    assert found.exit_code == 2
    assert json.loads(found.stdout)["status"] == "invalid"


@pytest.mark.parametrize("report", ["text", "json", "jsonl"])
@pytest.mark.parametrize("options", [[], ["--accept", "repeated_terminal", "--limit", "max_slots=1"]])
def test_the_script_says_the_same(report: str, options: list[str]) -> None:
    arguments = [*sorted(map(str, Path().glob("*.json"))), "--report", report, *options]
    done = subprocess.run(
        [sys.executable, "-B", "-I", str(SCRIPT), *arguments], capture_output=True, text=True, check=False
    )
    found = validated(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (found.exit_code, found.stdout, found.stderr)


def test_a_blocked_turn_says_with_which_named_allowance_it_passes_and_only_then() -> None:
    assert "  with `--accept repeated_terminal` it passes\n" in validated("repeated.json").stdout
    assert "it passes" not in validated("repeated.json", "--accept", "repeated_terminal").stdout
    assert "it passes" not in validated("collision.json").stdout
    # Another finding stays, so the allowance is not enough.
    value = json.loads(verdicts.REPEATED)
    put("both.json", json.dumps({**value, "tool_schemas": {}}).encode())
    assert "it passes" not in validated("both.json").stdout
    found = toolreel("replay", "repeated.json")
    assert "  with `--accept repeated_terminal` it passes\n" in found.stdout
