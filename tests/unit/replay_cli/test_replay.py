"""`toolreel replay` as it is run: arguments, output, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.builders import verdicts
from support.processes.here import put, toolreel
from support.shared import ROOT

pytestmark = pytest.mark.usefixtures("folder")


def test_a_missing_pin_fails_and_the_command_it_names_mends_it() -> None:
    put("f/a.json")
    before = toolreel("replay", "f")
    assert before.exit_code == 1
    assert before.stdout.splitlines() == [
        "unpinned: f/a.json",
        '  + pass, executable, profile "openai"',
        '  + call "say", id "call_1", choice 0, slot 0, validated, arguments {"text":"hi"}',
        "  no pin beside it; to pin this verdict: toolreel replay --update f/a.json",
        "1 fixture: 1 unpinned. Verdicts: 1 executable, 0 blocked, 0 not applicable, 0 invalid.",
    ]
    command = before.stdout.splitlines()[3].rpartition(": ")[2].split()
    assert toolreel(*command[1:]).exit_code == 0
    after = toolreel("replay", "f")
    assert after.exit_code == 0
    assert after.stdout.splitlines() == [
        "1 fixture: 1 as pinned. Verdicts: 1 executable, 0 blocked, 0 not applicable, 0 invalid."
    ]
    assert after.stderr == ""


def test_a_changed_verdict_is_shown_line_by_line_and_an_update_takes_it() -> None:
    put("a.json")
    assert toolreel("replay", "--update", ".").exit_code == 0
    put("a.json", verdicts.COLLISION)
    lines = [
        '  - pass, executable, profile "openai"',
        '  - call "say", id "call_1", choice 0, slot 0, validated, arguments {"text":"hi"}',
        '  + blocked, not executable, profile "openai"',
        "  + finding identity_collision, choice 0, slot 0, event 1",
        '  + call "say", id "call_1", choice 0, slot 0, blocked, arguments {"text":"hi"}',
    ]
    second = [at for at, line in enumerate(verdicts.COLLISION.splitlines(), 1) if line == b"  {"][1]
    changed = toolreel("replay", "a.json")
    assert changed.exit_code == 1
    assert changed.stdout.splitlines()[0] == "changed: a.json"
    assert changed.stdout.splitlines()[1:6] == lines
    assert changed.stdout.splitlines()[6:] == [
        f"  new: identity_collision, line {second} of the fixture:",
        '    event 0  opened, id arrives, name arrives, +4 bytes  "{\\"te"',
        '  > event 1  identity_collision, +9 bytes, blocked from here on  "xt\\":\\"hi\\"}"',
        "  to accept the new verdict: toolreel replay --update a.json",
        "Explained by: toolreel rules identity_collision",
        "1 fixture: 1 changed. Verdicts: 0 executable, 1 blocked, 0 not applicable, 0 invalid.",
    ]
    updated = toolreel("replay", "a.json", "--update")
    assert updated.exit_code == 0
    assert updated.stdout.splitlines()[0] == "pinned anew: a.json"
    assert updated.stdout.splitlines()[1:6] == lines
    assert toolreel("replay", "a.json").exit_code == 0


def test_the_report_is_the_same_on_every_run_and_in_the_order_of_the_names() -> None:
    for name in ("c.json", "a.json", "b/z.json", "b.json"):
        put(name)
    put("gone.expected.json")
    for report in ("text", "json", "jsonl"):
        assert toolreel("replay", ".", "--report", report).stdout == toolreel("replay", ".", "--report", report).stdout
    rows = [json.loads(line) for line in toolreel("replay", ".", "--report", "jsonl").stdout.splitlines()]
    assert [row["fixture"] for row in rows] == ["a.json", "b.json", "b/z.json", "c.json", "gone.json"]
    assert [row["outcome"] for row in rows] == [*["unpinned"] * 4, "orphan"]
    document = json.loads(toolreel("replay", ".", "--report", "json").stdout)
    assert document["results"] == rows
    assert document["summary"]["fixtures"] == 4


def test_allowances_and_limits_are_taken_from_the_command() -> None:
    put("a.json", verdicts.REPEATED)
    put("b.json", verdicts.TWO_CALLS)
    options = ["--accept", "repeated_terminal", "--limit", "max_slots=1"]
    found = toolreel("replay", ".", *options, "--report", "jsonl")
    assert [json.loads(line)["status"] for line in found.stdout.splitlines()] == ["pass", "blocked"]
    found = toolreel("replay", ".", "--report", "jsonl")
    assert [json.loads(line)["status"] for line in found.stdout.splitlines()] == ["blocked", "pass"]


def test_a_half_written_fixture_is_named_as_one_before_the_way_to_pin_it() -> None:
    put("half.json", verdicts.PASS[:-20])
    found = toolreel("replay", "half.json")
    assert found.exit_code == 1
    assert found.stdout.splitlines()[3] == (
        f"  the file is not JSON (at character {len(verdicts.PASS) - 20}): mend the file or leave it out; "
        "no pin beside it; to pin this verdict: toolreel replay --update half.json"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.json"], "none.json: no such file or folder; check the path"),
        (["none\x1b[31m"], "none\\x1b[31m: no such file or folder; check the path"),
        (["empty"], "empty: no fixture (*.json) in this folder; check the path"),
        (["note\n.txt"], "note\\x0a.txt: not a fixture; fixtures end in .json"),
    ],
)
def test_a_wrong_path_is_one_line_and_no_report(arguments: list[str], message: str) -> None:
    Path("empty").mkdir()
    put("note\n.txt")
    found = toolreel("replay", *arguments)
    assert (found.exit_code, found.stdout, found.stderr) == (2, "", f"Error: {message}\n")


def test_what_cannot_be_read_is_one_line_and_the_rest_is_reported() -> None:
    put("b.json")
    toolreel("replay", "--update", ".")
    Path("a\x1b.json").symlink_to("gone")
    put("b.expected.json", Path("b.expected.json").read_bytes().replace(b'"rules": 2', b'"rules": 7'))
    found = toolreel("replay", ".")
    assert found.exit_code == 2
    assert found.stderr.splitlines() == [
        "Error: a\\x1b.json: no such file or folder; check the path",
        (
            "Error: b.expected.json: made by version 7 of the rules, and this toolreel judges by version 2; "
            "upgrade toolreel (pip install --upgrade toolreel), or mend it, "
            "or delete it and run: toolreel replay --update b.json"
        ),
    ]
    assert found.stdout == "2 fixtures: 2 error. Verdicts: 0 executable, 0 blocked, 0 not applicable, 0 invalid.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument"),
        (["f", "--accept", "everything"], "repeated_terminal"),
        (["f", "--limit", "max_slots"], "a limit is NAME=N"),
        (["f", "--limit", "max_slots=-1"], "the limit max_slots must be an integer of 0 or more"),
        (["f", "--limit", "max_slots=" + "9" * 5000], "the limit max_slots must be an integer of 0 or more"),
        (["f", "--limit", "slots=1"], "names are max_events, max_slots,"),
        (["f", "--report", "xml"], "jsonl"),
    ],
)
def test_a_wrong_option_says_what_is_possible(arguments: list[str], words: str) -> None:
    found = toolreel("replay", *arguments)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert words in found.stderr
    assert "Traceback" not in found.stderr


def run(*arguments: str, code: str = "from replay.cli import main; main()") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "latin-1"},
    )


def test_a_terminal_that_cannot_show_a_name_gets_an_escape() -> None:
    put("日.json")
    found = run("replay", ".")
    assert found.returncode == 1
    assert found.stdout.splitlines()[0] == "unpinned: \\u65e5.json"
    assert found.stderr == ""


def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    for number in range(300):
        put(f"f/{number:03}.json", verdicts.TEXT)
    # The reader takes one line and closes; more than a pipe holds is still to come.
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", "from replay.cli import main; main()", "replay", "f", "--report", "jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b'{"fixture": "f/000.json"')
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141  # that of SIGPIPE: neither a difference nor none


def test_what_the_command_accepts_and_no_fixture_needs_is_told_and_fails_nothing() -> None:
    put("a.json", verdicts.REPEATED)
    put("b.json")
    accept = ["--accept", "repeated_terminal", "--accept", "message_mirror"]
    toolreel("replay", "--update", ".", *accept)
    for jobs in ("1", "2"):
        found = toolreel("replay", ".", *accept, "--jobs", jobs)
        assert (found.exit_code, found.stderr.splitlines()) == (
            0,
            ["--accept message_mirror changes nothing: no fixture here is judged otherwise without it; leave it out"],
        )


def test_pruning_the_last_pin_leaves_nothing_to_judge_and_says_so() -> None:
    put("a.json")
    toolreel("replay", "--update", "a.json")
    Path("a.json").unlink()
    found = toolreel("replay", "--prune", ".")
    assert found.exit_code == 2
    assert found.stdout.startswith("pin removed: a.expected.json\n0 fixtures: 1 pin removed.")
    assert found.stderr == "Error: no fixture was judged; there is none at the path\n"


@pytest.mark.parametrize("command", ["coverage", "show", "serve"])
def test_a_command_that_finds_pins_alone_says_so(command: str) -> None:
    put("f/gone.expected.json", b"{}")
    found = toolreel(command, "f")
    assert found.exit_code == 2
    assert found.stderr.startswith("Error: f/gone.expected.json: its fixture is not beside it, and no other is here")
