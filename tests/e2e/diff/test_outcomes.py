"""`toolreel diff` as a user runs it: every outcome by an adapter that was written to produce it."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest
from support import shared
from support.builders import verdicts
from support.nightly import at_night, nightly
from support.processes import command, orphans

KINDS: Final = shared.ROOT / "tests" / "support" / "kinds.py"
# Adapters that hang are ended after so many seconds; the others take a small part of that.
LIMIT: Final = "3"


def fixture(*calls: tuple[str, str], finish: str | None = "tool_calls", tool: str = "say") -> bytes:
    chunks = []
    for slot, (identity, arguments) in enumerate(calls):
        half = len(arguments) // 2
        first = verdicts.call(arguments[:half], slot=slot, identity=identity, name=tool)
        chunks += [verdicts.chunk(first), verdicts.chunk(verdicts.more(arguments[half:], slot=slot))]
    if finish is not None:
        chunks.append(verdicts.chunk({}, finish))
    schema = {"type": "object", "properties": {"price": {"multipleOf": 0.01, "maximum": 12345678901234567890}}}
    return verdicts.fixture(*chunks, tool_schemas={tool: schema})


ONE: Final = ("call_1", '{"text": "hi"}')
TWO: Final = ("call_2", '{"text": "ho"}')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two fixtures that pass, one that is blocked, and the adapters."""
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "one.json").write_bytes(fixture(ONE))
    (tmp_path / "reels" / "two.json").write_bytes(fixture(ONE, TWO))
    (tmp_path / "reels" / "cut.json").write_bytes(fixture(ONE, finish=None))
    shutil.copy(KINDS, tmp_path / "kinds.py")
    return tmp_path


def diff(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return command.run("diff", "reels", "--timeout", LIMIT, *arguments, folder=folder, variables=environment)


def outcomes(folder: Path, adapter: str, *arguments: str, **environment: str) -> dict[str, dict[str, Any]]:
    done = diff(folder, "--adapter", f"kinds:{adapter}", "--report", "jsonl", *arguments, **environment)
    assert done.returncode in (0, 1), done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(row["fixture"]).stem: row for row in rows}


@pytest.mark.parametrize(
    ("adapter", "cut", "one", "two"),
    [
        ("faithful", "agree", "agree", "agree"),
        pytest.param("parsing", "agree", "agree", "agree", marks=nightly),
        ("noisy", "agree", "agree", "agree"),
        ("reading", "agree", "agree", "agree"),
        ("eager", "unsafe", "agree", "agree"),
        ("forgetful", "agree", "wrong", "wrong"),
        ("inventive", "agree", "wrong", "wrong"),
        ("unreadable", "unsafe", "wrong", "wrong"),
        ("lossy", "agree", "agree", "lost"),
        ("refusing", "agree", "lost", "lost"),
        ("broken", "crash", "crash", "crash"),
        pytest.param("exiting", "crash", "crash", "crash", marks=nightly),
        ("dying", "crash", "crash", "crash"),
        pytest.param("killed", "crash", "crash", "crash", marks=nightly),
        ("unasking", "crash", "crash", "crash"),
    ],
)
def test_every_outcome_has_an_adapter_that_produces_it(
    folder: Path, adapter: str, cut: str, one: str, two: str
) -> None:
    found = outcomes(folder, adapter)
    assert {name: row["observed"] for name, row in found.items()} == {"cut": cut, "one": one, "two": two}
    # What an adapter does with these turns counts only where it hands over a healthy one.
    healthy = adapter in ("faithful", "parsing", "noisy", "reading", "eager", "lossy")
    counted = [row["observed"] if healthy else "no_control" for row in found.values()]
    assert [row["outcome"] for row in found.values()] == counted


@pytest.mark.parametrize(
    ("adapter", "cut", "one", "two"),
    [
        ("late", "unsafe", "crash", "crash"),
        pytest.param("late_daemon", "unsafe", "crash", "crash", marks=nightly),
        ("late_from_a_fork", "unsafe", "crash", "crash"),
        ("late_once", "unsafe", "agree", "agree"),
        pytest.param("late_then_dying", "unsafe", "crash", "crash", marks=nightly),
    ],
)
def test_a_call_that_comes_late_counts_for_its_own_turn(
    folder: Path, adapter: str, cut: str, one: str, two: str
) -> None:
    found = outcomes(folder, adapter)
    assert {name: row["observed"] for name, row in found.items()} == {"cut": cut, "one": one, "two": two}
    assert found["cut"]["end"] == "late"
    assert [call["id"] for call in found["cut"]["handed_over"]] == ["call_1"]


def test_a_gate_fails_on_a_late_call_of_its_last_turn(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / "reels" / f"{name}.json").unlink()
    done = diff(folder, "--adapter", "kinds:late", "--demand", "no-unsafe")
    assert done.returncode == 1
    assert "the adapter handed over after it had come back" in done.stdout


def test_an_adapter_that_does_not_come_back_hangs_and_what_it_handed_over_before_counts(folder: Path) -> None:
    (folder / "reels" / "two.json").unlink()
    found = outcomes(folder, "hanging", "--timeout", "0.3")
    assert {name: row["observed"] for name, row in found.items()} == {"cut": "hang", "one": "hang"}
    found = outcomes(folder, "eager_then_hanging", "--timeout", "1")
    assert {name: row["outcome"] for name, row in found.items()} == {"cut": "unsafe", "one": "hang"}


@pytest.mark.parametrize("adapter", ["hanging_with_a_fork", "hanging_in_sessions_of_their_own"])
def test_an_adapter_that_hangs_and_what_it_forked_end_with_the_command(folder: Path, adapter: str) -> None:
    scratch = folder / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "replay.cli", "diff", "reels", "--adapter", f"kinds:{adapter}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(shared.ROOT), "TMPDIR": str(scratch)},
    )
    assert orphans.outlive(process, folder, count=2) == []
    until = time.monotonic() + orphans.SECONDS
    while any(scratch.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(scratch.iterdir()) == []


def test_a_crash_and_a_hang_lose_one_fixture_each(folder: Path) -> None:
    for old in (folder / "reels").iterdir():
        old.unlink()
    for name, tool in (("a", "say"), ("b", "dies"), ("c", "say"), ("d", "hangs"), ("e", "say")):
        (folder / "reels" / f"{name}.json").write_bytes(fixture(ONE, tool=tool))
    found = outcomes(folder, "second_dies_third_hangs", "--timeout", "1")
    assert [(name, row["observed"]) for name, row in found.items()] == [
        ("a", "agree"),
        ("b", "crash"),
        ("c", "agree"),
        ("d", "hang"),
        ("e", "agree"),
    ]


@pytest.mark.parametrize("adapter", at_night(["unasking", "refusing", "forgetful", "silent"], but=["forgetful"]))
def test_an_adapter_that_hands_over_no_healthy_call_is_never_green(folder: Path, adapter: str) -> None:
    """Not even where nothing was to be handed over, whatever is demanded, and nothing of it is pinned."""
    for name in ("one", "two"):
        (folder / "reels" / f"{name}.json").unlink()
    for arguments in ((), ("--update",), ("--demand", "no-unsafe"), ("--demand", "agree")):
        done = diff(folder, "--adapter", f"kinds:{adapter}", *arguments)
        assert done.returncode == 1
        assert f"no control: reels/cut.json: kinds:{adapter} unversioned: no control (observed: " in done.stdout
        assert "of a healthy turn with one call of 'say'" in done.stdout
    assert not list((folder / "reels").glob("*.adapters.json"))


def test_a_turn_without_a_call_counts_also_where_no_value_answers_the_shape_of_its_tools(folder: Path) -> None:
    """Of a tool that no turn calls the fixture has the shape alone: `maxLength` is 1 there, and an address has more."""
    for old in (folder / "reels").iterdir():
        old.unlink()
    address = {"type": "string", "format": "email", "maxLength": 1}
    shape = {"type": "object", "properties": {"field_1": address}, "required": ["field_1"]}
    text = verdicts.chunk({"content": "hi"}, "stop")
    (folder / "reels" / "talk.json").write_bytes(verdicts.fixture(text, tool_schemas={"tool_1": shape}))
    assert outcomes(folder, "faithful")["talk"]["observed"] == "agree"
    done = diff(folder, "--adapter", "kinds:refusing", "--demand", "agree")
    assert (done.returncode, "no control: reels/talk.json" in done.stdout) == (1, True)


def test_each_outcome_but_agree_is_of_three_runs(folder: Path) -> None:
    found = outcomes(folder, "every_other")
    assert {name: row["runs"] for name, row in found.items()} == {
        "cut": {"unsafe": 2, "agree": 1},
        "one": {"agree": 1},
        "two": {"agree": 1},
    }
    assert (
        "reels/cut.json: kinds:every_other unversioned: unsafe (2 of 3)\n"
        in diff(folder, "--adapter", "kinds:every_other").stdout
    )
    assert outcomes(folder, "eager")["cut"]["runs"] == {"unsafe": 3}


def test_a_recorded_turn_is_a_control_where_it_calls_the_same_tool(folder: Path) -> None:
    """No sample is found that the schema takes, so nothing but a recording shows that it is handed over."""
    schema = {"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 7, "minimum": 30, "maximum": 40}}}
    text = '{"n": 35}'
    for name, finish in (("cut", None), ("one", "tool_calls")):
        value = json.loads(fixture(("call_1", text), finish=finish))
        value["tool_schemas"] = {"say": {**schema, "required": ["n"], "additionalProperties": False}}
        (folder / "reels" / f"{name}.json").write_text(json.dumps(value))
    (folder / "reels" / "two.json").unlink()
    found = outcomes(folder, "faithful")
    assert {name: row["outcome"] for name, row in found.items()} == {"cut": "agree", "one": "agree"}
    (folder / "reels" / "one.json").unlink()
    assert outcomes(folder, "faithful")["cut"]["outcome"] == "no_control"


def test_no_adapter_reaches_anything_but_loopback_or_sees_a_key(folder: Path) -> None:
    row = outcomes(folder, "curious", OPENAI_API_KEY="CANARY", HTTPS_PROXY="http://192.0.2.1:1")["cut"]
    tried = {call["name"]: call["arguments"] for call in row["handed_over"]}
    environment = json.loads(tried.pop("environment"))
    assert tried.pop("loopback") == "allowed"
    # The interpreter says of itself that it made no second one.
    assert tried.pop("no hook") == "NOT DENIED RuntimeError"
    assert len(tried) == 22
    # A socket with a path is refused by the system already, where it can be.
    assert tried.pop("unix") in ("DeniedError", "PermissionError")
    assert {name: how for name, how in tried.items() if how != "DeniedError"} == {}
    assert not {name for name in environment if "KEY" in name or "HTTPS_PROXY" in name}


def test_an_error_shows_its_type_and_never_its_message(folder: Path) -> None:
    for adapter, error in (("refusing", "ValueError"), ("broken", "KeyError")):
        done = diff(folder, "--adapter", f"kinds:{adapter}")
        assert f"({error})" in done.stdout
        assert "CANARY" not in done.stdout + done.stderr


def test_outcomes_are_pinned_and_compared_strictly(folder: Path) -> None:
    adapter = ("--adapter", "kinds:eager")
    unpinned = diff(folder, *adapter)
    assert unpinned.returncode == 1
    assert "unpinned: reels/cut.json: kinds:eager unversioned: unsafe" in unpinned.stdout
    assert "to pin it: toolreel diff --update --adapter kinds:eager --timeout 3 reels/cut.json" in unpinned.stdout
    written = diff(folder, *adapter, "--update")
    assert written.returncode == 0
    pin = folder / "reels" / "cut.adapters.json"
    assert json.loads(pin.read_text()) == {"format": 1, "adapters": {"kinds:eager": {"unversioned": "unsafe"}}}
    again = diff(folder, *adapter)
    assert again.returncode == 0
    assert again.stdout == ("kinds:eager unversioned: 2 agree, 1 unsafe.\n3 results: 3 as pinned.\n")
    pin.write_text(pin.read_text().replace("unversioned", "1.0").replace("unsafe", "agree"))
    changed = diff(folder, *adapter)
    assert changed.returncode == 1
    assert "changed: reels/cut.json: kinds:eager unversioned: unsafe (3 of 3) (pinned: agree by 1.0)" in changed.stdout
    moved = diff(folder, *adapter, "--update")
    assert moved.returncode == 0
    assert json.loads(pin.read_text())["adapters"] == {"kinds:eager": {"unversioned": "unsafe"}}


def test_another_adapters_outcomes_stay_in_the_file(folder: Path) -> None:
    diff(folder, "--adapter", "kinds:eager", "--update")
    diff(folder, "--adapter", "kinds:faithful", "--update")
    found = json.loads((folder / "reels" / "cut.adapters.json").read_text())["adapters"]
    assert found == {"kinds:eager": {"unversioned": "unsafe"}, "kinds:faithful": {"unversioned": "agree"}}


def test_an_upgrade_that_changes_no_outcome_passes_as_it_is(folder: Path) -> None:
    diff(folder, "--adapter", "kinds:faithful", "--update")
    for pin in (folder / "reels").glob("*.adapters.json"):
        pin.write_text(pin.read_text().replace("unversioned", "0.9"))
    assert diff(folder, "--adapter", "kinds:faithful").returncode == 0


def test_replay_takes_no_outcomes_for_fixtures(folder: Path) -> None:
    diff(folder, "--adapter", "kinds:faithful", "--update")
    for arguments in (["--update"], []):
        done = subprocess.run(
            [sys.executable, "-m", "replay.cli", "replay", "reels", "--in-ci", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(shared.ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0
    assert done.stdout.startswith("3 fixtures: 3 as pinned.")


def test_outcomes_without_their_fixture_are_an_error(folder: Path) -> None:
    diff(folder, "--adapter", "kinds:faithful", "--update")
    (folder / "reels" / "one.json").unlink()
    done = diff(folder, "--adapter", "kinds:faithful")
    assert done.returncode == 1
    assert "reels/one.adapters.json: its fixture is not beside it" in done.stderr


@pytest.mark.parametrize(
    ("adapter", "demand", "code"),
    [
        ("faithful", "no-unsafe", 0),
        ("faithful", "agree", 0),
        ("eager", "no-unsafe", 1),
        ("eager", "no-lost", 0),
        ("lossy", "no-unsafe", 0),
        ("lossy", "no-lost", 1),
        ("forgetful", "no-wrong", 1),
        ("forgetful", "agree", 1),
    ],
)
def test_a_gate_judges_outcomes_whatever_is_pinned(folder: Path, adapter: str, demand: str, code: int) -> None:
    for name in ("one", "two", "cut"):
        (folder / "reels" / f"{name}.adapters.json").write_text("not even JSON")
    done = diff(folder, "--adapter", f"kinds:{adapter}", "--demand", demand)
    assert (done.returncode, done.stderr) == (code, "")
    assert ("not as demanded: " in done.stdout or "no control: " in done.stdout) is bool(code)


def test_a_broken_pin_is_an_error_that_says_what_to_do(folder: Path) -> None:
    (folder / "reels" / "one.adapters.json").write_text("[]")
    done = diff(folder, "--adapter", "kinds:faithful")
    assert done.returncode == 2
    assert "reels/one.adapters.json: the file must be an object" in done.stderr
    assert "2 unpinned" in done.stdout


@pytest.mark.parametrize("pin", ["[]", "not even JSON"])
def test_a_broken_pin_of_the_verdict_says_what_mends_it(folder: Path, pin: str) -> None:
    (folder / "reels" / "two it's.json").write_bytes(fixture(ONE))
    (folder / "reels" / "two it's.expected.json").write_text(pin)
    done = diff(folder, "--adapter", "kinds:faithful")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: reels/two it's.expected.json: ")
    _, _, command = done.stderr.strip().partition("; mend it, or delete it and run: toolreel ")
    (folder / "reels" / "two it's.expected.json").unlink()
    environment = {**{k: v for k, v in os.environ.items() if k != "CI"}, "PYTHONPATH": str(shared.ROOT)}
    words = [sys.executable, "-m", "replay.cli", *shlex.split(command)]
    assert subprocess.run(words, cwd=folder, env=environment, check=False, capture_output=True).returncode == 0
    assert outcomes(folder, "faithful")["two it's"]["outcome"] == "agree"


def test_what_the_pin_of_the_verdict_accepts_is_accepted(folder: Path) -> None:
    value = json.loads(fixture(("call_1", "")))
    value |= {"allow": ["empty_arguments"], "tool_schemas": {"say": {"type": "object"}}}
    (folder / "reels" / "empty.json").write_text(json.dumps(value))
    assert outcomes(folder, "faithful")["empty"]["outcome"] == "unsafe"
    assert outcomes(folder, "faithful", "--accept", "empty_arguments")["empty"]["outcome"] == "wrong"
    subprocess.run(
        [sys.executable, "-m", "replay.cli", "replay", "--update", "--in-ci", "--accept", "empty_arguments", "reels"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(shared.ROOT)},
        check=True,
        capture_output=True,
    )
    # The application gets "", and the verdict says that {} is meant.
    assert outcomes(folder, "faithful")["empty"]["outcome"] == "wrong"


@pytest.mark.parametrize("style", ["text", "json", "jsonl", "junit", "sarif", "github"])
def test_every_report_names_what_is_wrong_and_where(folder: Path, style: str) -> None:
    diff(folder, "--adapter", "kinds:faithful", "--update")
    for pin in (folder / "reels").glob("*.adapters.json"):
        pin.write_text(pin.read_text().replace("kinds:faithful", "kinds:eager"))
    done = diff(folder, "--adapter", "kinds:eager", "--report", style)
    assert done.returncode == 1
    assert "unsafe" in done.stdout
    assert "reels/cut.json" in done.stdout
    assert str(folder) not in done.stdout
    if style in ("json", "sarif"):
        value = json.loads(done.stdout)
        assert len(value["results"] if style == "json" else value["runs"][0]["results"]) == (
            3 if style == "json" else 1
        )
    if style == "junit":
        from xml.etree import ElementTree

        suite = ElementTree.fromstring(done.stdout)
        assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    if style == "github":
        assert done.stdout.count("::error ") == 1


def test_a_report_goes_to_a_file_and_text_to_standard_output(folder: Path) -> None:
    text = diff(folder, "--adapter", "kinds:eager")
    done = diff(folder, "--adapter", "kinds:eager", "--report", "html=out.html")
    assert (done.returncode, done.stdout) == (text.returncode, text.stdout)
    page = (folder / "out.html").read_text("utf-8")
    assert '<abbr title="kinds:eager: unsafe">U</abbr>' in page
    assert str(folder) not in page


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--adapter", "openia"], "no such adapter"),
        (["--adapter", "kinds:faithful", "--report", "page"], "must be STYLE or STYLE=FILE; styles are text, json"),
        (["--adapter", "kinds:faithful", "--report", "html="], "must be STYLE or STYLE=FILE"),
        (["--adapter", "kinds:nothing"], "kinds:nothing is not to be found"),
        (["--adapter", "nowhere:drive"], "nowhere is not to be found"),
        (["--adapter", "kinds:faithful", "--update", "--demand", "agree"], "a gate writes nothing"),
        (["--adapter", "kinds:text_for_profiles"], "its `profiles` must be a list of the APIs that it speaks: openai"),
        (["--adapter", "kinds:number_for_profiles"], "its `profiles` must be a list of the APIs that it speaks"),
        (["--adapter", "kinds:no_profiles"], "its `profiles` must be a list of the APIs that it speaks"),
        (
            ["--adapter", "kinds:faithful", "--python", "faithful=sh"],
            "no --adapter is named faithful; given are kinds:",
        ),
        (["--adapter", "kinds:faithful", "--python", "/nowhere/python"], "is no program that can be run"),
        (["--adapter", "kinds:faithful", "--python", "false"], "ended while it was starting"),
        (["--adapter", "kinds:faithful", "--timeout", "nan"], "--timeout nan: must be a finite number"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_2(folder: Path, arguments: list[str], says: str) -> None:
    done = diff(folder, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("seconds", ["inf", "-inf", "1e300", "0"])
def test_a_time_limit_out_of_range_is_a_wrong_option(folder: Path, seconds: str) -> None:
    done = diff(folder, "--adapter", "kinds:faithful", f"--timeout={seconds}")
    assert done.returncode == 2
    assert "Invalid value for '--timeout'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_client_that_is_not_installed_is_said_with_what_installs_it(folder: Path) -> None:
    # An interpreter that sees no installed package at all.
    bare = folder / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    done = diff(folder, "--adapter", "openai", "--python", str(bare))
    assert done.returncode == 2
    assert "--adapter openai: openai is not to be found by" in done.stderr
    assert "pip install openai" in done.stderr


def test_update_in_a_ci_job_must_be_meant(folder: Path) -> None:
    refused = diff(folder, "--adapter", "kinds:faithful", "--update", CI="true")
    assert refused.returncode == 2
    assert not list((folder / "reels").glob("*.adapters.json"))
    assert diff(folder, "--adapter", "kinds:faithful", "--update", "--in-ci", CI="true").returncode == 0


def test_the_adapter_of_the_page_runs_as_it_stands_there(folder: Path) -> None:
    page = (shared.ROOT / "docs" / "adapters.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(# gateway_adapter\.py\n.*?)```", page, re.DOTALL)
    assert len(blocks) == 1
    assert len(blocks[0].splitlines()) <= 24
    (folder / "gateway_adapter.py").write_text(blocks[0])
    done = diff(folder, "--adapter", "gateway_adapter:drive", "--demand", "agree")
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_adapter_of_a_package_is_found_by_its_entry_point_with_its_version(folder: Path) -> None:
    package = folder / "site"
    facts = package / "our_gateway-1.5.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: our-gateway\nVersion: 1.5\n")
    (facts / "entry_points.txt").write_text("[toolreel.adapters]\nour-gateway = our_gateway:drive\n")
    text = KINDS.read_text("utf-8") + "\ndrive = faithful\ndrive.distributions = ['our-gateway', 'not-there']\n"
    (package / "our_gateway.py").write_text(text)
    path = os.pathsep.join([str(shared.ROOT), str(package)])
    done = diff(folder, "--adapter", "our-gateway", "--demand", "agree", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert "our-gateway 1.5: 3 agree." in done.stdout
    # One that only the adapter's own interpreter knows.
    other = folder / "python"
    other.write_text(f'#!/bin/sh\nPYTHONPATH="{path}" exec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    assert diff(folder, "--adapter", "our-gateway", "--demand", "agree").returncode == 2
    done = diff(folder, "--adapter", "our-gateway", "--demand", "agree", "--python", f"our-gateway={other}")
    assert done.returncode == 0, done.stderr


def test_a_pinned_outcome_that_no_run_is_compared_with_is_told_and_removed_by_its_command(folder: Path) -> None:
    other = json.loads(fixture(ONE))
    (folder / "reels" / "other.json").write_text(
        json.dumps({"profile": "anthropic", "tool_schemas": other["tool_schemas"], "events": [{"type": "ping"}]})
    )
    pinned = folder / "reels" / "other.adapters.json"
    pinned.write_text('{"format": 1, "adapters": {"kinds:faithful": {"1.0": "agree"}, "other": {"1.0": "agree"}}}')
    done = diff(folder, "--adapter", "kinds:faithful")
    assert "unneeded: reels/other.json: kinds:faithful" in done.stdout
    said = re.search(r"does not speak anthropic; to remove it: (toolreel .+)", done.stdout)
    assert said is not None
    removed = command.run(*shlex.split(said[1])[1:], "--in-ci", folder=folder)
    assert (removed.returncode, "outcome removed: reels/other.json" in removed.stdout) == (0, True)
    assert json.loads(pinned.read_text())["adapters"] == {"other": {"1.0": "agree"}}
    assert "unneeded" not in diff(folder, "--adapter", "kinds:faithful").stdout


def test_a_pinned_outcome_that_says_what_a_later_version_says_is_told_and_removed(folder: Path) -> None:
    pinned = folder / "reels" / "one.adapters.json"
    pinned.write_text('{"format": 1, "adapters": {"kinds:faithful": {"1": "lost", "2": "agree", "3": "agree"}}}')
    words = ("diff", "reels/one.json", "--timeout", LIMIT, "--adapter", "kinds:faithful")
    done = command.run(*words, folder=folder)
    assert done.returncode == 0
    assert "the pinned outcome of 2 is that of the version pinned last; to remove it: toolreel diff" in done.stdout
    assert command.run(*words, "--update", "--in-ci", folder=folder).returncode == 0
    assert json.loads(pinned.read_text())["adapters"] == {"kinds:faithful": {"1": "lost", "unversioned": "agree"}}


def test_what_was_accepted_and_changes_nothing_is_told(folder: Path) -> None:
    command.run("replay", "--update", "--in-ci", "reels", folder=folder)
    pin = folder / "reels" / "one.expected.json"
    pin.write_text(pin.read_text().replace('"rules": 2', '"rules": 2,\n "accept": ["message_mirror"]'))
    done = diff(folder, "--adapter", "kinds:faithful", "--accept", "repeated_terminal")
    assert "--accept repeated_terminal changes nothing: no fixture here is judged otherwise without it" in done.stderr
    line = "reels/one.json: accept in its pin names message_mirror, which changes nothing; to remove it: "
    assert f"{line}toolreel replay --update reels/one.json\n" in done.stderr
