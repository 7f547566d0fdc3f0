"""JUnit, SARIF, GitHub annotations: valid by their published schemas, and pointing at the right line."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner
from click.testing import Result as Ran
from support.builders import verdicts
from support.shared import ROOT

from replay.cli import root
from replay.judging.results import EXIT_CODES, Outcome
from replay.reports import file_annotations, sarif
from replay.validator import Code
from replay.validator.rules import page, summary

SCHEMAS: Final = ROOT / "tests" / "data" / "schemas"
HOSTILE: Final = 'f/a b,c:%"<\x1b>é.json'


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a result of every outcome that a check can have, under a name that each format must escape."""
    monkeypatch.chdir(tmp_path)
    Path("f").mkdir()
    for name, data in (
        ("f/same.json", verdicts.PASS),
        (HOSTILE, verdicts.PASS),
        ("f/old.json", verdicts.PASS),
        ("f/less.json", verdicts.COLLISION),
    ):
        Path(name).write_bytes(data)
    assert toolreel("--update").exit_code == 0
    Path(HOSTILE).write_bytes(verdicts.COLLISION)
    Path("f/less.json").write_bytes(verdicts.PASS)
    Path("f/new.json").write_bytes(verdicts.TEXT)
    old = Path("f/old.expected.json")
    old.write_bytes(old.read_bytes().replace(b'"rules": 2', b'"rules": 1'))
    Path("f/gone.expected.json").write_bytes(Path("f/same.expected.json").read_bytes())
    Path("f/unreadable.json").symlink_to("nowhere")
    return tmp_path


def toolreel(*arguments: str) -> Ran:
    return CliRunner().invoke(root, ["replay", "f", *arguments])


def lines_of_events() -> list[int]:
    return [at for at, line in enumerate(verdicts.COLLISION.splitlines(), 1) if line == b"  {"]


def test_junit_is_valid_by_its_published_schema_and_counts_what_is_in_it() -> None:
    xmlschema = pytest.importorskip("xmlschema")
    found = toolreel("--report", "junit")
    assert found.exit_code == 2
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(io.StringIO(found.stdout))
    suites = ElementTree.fromstring(found.stdout.encode())
    [suite] = suites
    assert suites.attrib == suite.attrib
    cases = {case.get("name"): case for case in suite}
    assert len(cases) == len(suite) == int(suite.get("tests", "")) == 7
    assert {name for name, case in cases.items() if not len(case)} == {"same.json"}
    kinds = {name: case[0].get("type") for name, case in cases.items() if len(case)}
    assert kinds == {
        'a b,c:%"<\\x1b>é.json': "identity_collision",
        "less.json": "changed_verdict",
        "new.json": "unpinned_fixture",
        "old.json": "outdated_pin",
        "gone.expected.json": "orphan_pin",
        "unreadable.json": "unreadable_file",
    }
    assert [case[0].tag for case in cases.values() if len(case)].count("error") == int(suite.get("errors", "")) == 1
    assert [case[0].tag for case in cases.values() if len(case)].count("failure") == int(suite.get("failures", "")) == 5
    assert "event 1" in (cases['a b,c:%"<\\x1b>é.json'][0].text or "")


def test_sarif_is_valid_by_its_official_schema_and_points_at_the_line_of_the_event() -> None:
    found = toolreel("--report", "sarif")
    log = json.loads(found.stdout)
    schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(file_annotations.codes())
    places = {}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        [location] = result["locations"]
        physical = location["physicalLocation"]
        assert not Path(unquote(physical["artifactLocation"]["uri"])).is_absolute()
        places[unquote(physical["artifactLocation"]["uri"])] = (result["ruleId"], physical["region"]["startLine"])
    assert places == {
        HOSTILE: ("identity_collision", lines_of_events()[1]),
        "f/less.json": ("changed_verdict", lines_of_events()[1]),
        "f/new.json": ("unpinned_fixture", 1),
        "f/old.json": ("outdated_pin", 1),
        "f/gone.expected.json": ("orphan_pin", 1),
        "f/unreadable.json": ("unreadable_file", 1),
    }


def test_an_empty_sarif_log_is_valid_too(tmp_path: Path) -> None:
    found = CliRunner().invoke(root, ["replay", "f/same.json", "--report", "sarif"])
    log = json.loads(found.stdout)
    schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text("utf-8"))
    jsonschema.Draft4Validator(schema).validate(log)
    assert (found.exit_code, log["runs"][0]["results"]) == (0, [])


@pytest.mark.parametrize("code", Code)
def test_the_page_of_a_code_is_the_help_of_its_rule_and_its_first_sentence_the_description(code: Code) -> None:
    text = page(code)
    assert sarif.rule(code.value) == {
        "id": code.value,
        "shortDescription": {"text": summary(code)},
        "help": {"text": text, "markdown": text},
    }


def test_github_gets_one_annotation_a_problem_with_every_separator_escaped() -> None:
    found = toolreel("--report", "github").stdout.splitlines()
    assert all(line.startswith("::error file=f/") for line in found)
    second = lines_of_events()[1]
    [collision] = [line for line in found if "identity_collision::" in line]
    assert collision.startswith(
        f'::error file=f/a b%2Cc%3A%25"<\\x1b>é.json,line={second},title=The verdict is not the pinned one%3A '
        "identity_collision::"
    )
    assert len(found) == 6


def test_every_failing_outcome_has_a_rule_with_a_next_step() -> None:
    assert file_annotations.RULES.keys() == {outcome for outcome in Outcome if EXIT_CODES[outcome]}
    assert all(all(texts) for texts in file_annotations.RULES.values())
    assert len(set(file_annotations.codes())) == len(list(file_annotations.codes()))


# several at once


def test_several_reports_at_once_each_say_what_they_say_alone() -> None:
    files = {style: f"out.{style}" for style in ("json", "jsonl", "junit", "sarif", "github", "text")}
    arguments = [part for style, name in files.items() for part in ("--report", f"{style}={name}")]
    found = toolreel(*arguments)
    assert found.stdout == toolreel().stdout
    for style, name in files.items():
        assert Path(name).read_text("utf-8") == toolreel("--report", style).stdout, style
    assert not list(Path().glob(".*"))


def test_text_and_annotations_may_share_one_output() -> None:
    together = toolreel("--report", "text", "--report", "github").stdout.splitlines()
    apart = [*toolreel().stdout.splitlines(), *toolreel("--report", "github").stdout.splitlines()]
    assert sorted(together) == sorted(apart)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["json", "sarif"], "--report: json and sarif cannot share standard output; write one of them to a file"),
        (["text", "json"], "--report: json and text cannot share standard output"),
        (
            ["xml"],
            "--report xml: must be STYLE or STYLE=FILE; styles are text, json, jsonl, junit, sarif, github, markdown",
        ),
        (["xml=a"], "--report xml=a: must be STYLE or STYLE=FILE"),
        (["junit="], "--report junit=: must be STYLE or STYLE=FILE"),
        (["junit=a", "json=a"], "--report: two reports cannot be written to one file"),
        (["junit=a", "json=f/../a"], "--report: two reports cannot be written to one file"),
        (["junit=none/a"], "none/a: no such file or folder; check the path; no report was written there"),
        (["junit=f"], "f: is a folder; name a file in it; no report was written there"),
    ],
)
def test_a_report_that_cannot_be_given_is_one_line_and_exit_2(arguments: list[str], message: str) -> None:
    found = toolreel(*(part for argument in arguments for part in ("--report", argument)))
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"Error: {message}")
    assert found.stderr.count("\n") == 1
    assert not list(Path().glob(".*"))


def test_a_report_for_a_pipe_goes_through_it_and_leaves_it_where_it_is() -> None:
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        assert toolreel("--report", "json=pipe").exit_code == 2
        assert reader.communicate(timeout=60)[0] == toolreel("--report", "json").stdout
    assert Path("pipe").is_fifo()


def test_a_report_can_be_sent_to_a_standard_stream_by_its_name() -> None:
    source = "from replay.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-B", "-c", source, "replay", "f", "--report", "jsonl=/dev/stderr", "--report", "text=text"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    for line in toolreel("--report", "jsonl").stdout.splitlines():
        assert line in found.stderr.splitlines()


def test_a_run_that_fails_leaves_the_report_file_as_it_was() -> None:
    Path("out.xml").write_text("before")
    Path("f/same.json").chmod(0o644)
    found = CliRunner().invoke(root, ["replay", "nowhere", "--report", "junit=out.xml"])
    assert found.exit_code == 2
    assert Path("out.xml").read_text() == "before"


def test_no_report_names_the_folder_that_it_was_made_in(corpus: Path) -> None:
    for style in ("text", "json", "jsonl", "junit", "sarif", "github"):
        found = CliRunner().invoke(root, ["replay", str(corpus / "f"), "--report", style])
        assert str(corpus) not in found.output, style
        assert found.stdout == toolreel("--report", style).stdout


# what strangers may read


@pytest.mark.parametrize("style", ["junit", "sarif", "github", "markdown"])
def test_a_report_that_is_made_to_be_published_has_codes_and_places_alone(style: str) -> None:
    secret = verdicts.COLLISION.replace(b'"call_a"', b'"canary-id"').replace(b'"lookup"', b'"canary_name"')
    Path(HOSTILE).write_bytes(secret.replace(b'"arguments":', b'"arguments_": 0, "arguments":'))
    pin = Path("f/same.expected.json")
    pin.write_bytes(pin.read_bytes().replace(b'"name": "', b'"name": "canary_').replace(b'"id": "', b'"id": "canary-'))
    found = toolreel("--report", style).stdout
    assert "canary" in toolreel().stdout
    assert "identity_collision" in found
    assert "canary" not in found


@pytest.mark.parametrize("style", ["junit", "sarif", "github", "markdown"])
def test_what_a_broken_pin_says_is_in_no_report_that_is_published(style: str) -> None:
    pin = Path("f/same.expected.json")
    pin.write_bytes(re.sub(rb'"status": "[a-z]+"', b'"status": "Mara Lindqvist"', pin.read_bytes()))
    assert "Mara" in toolreel("--report", "text").output
    assert "Mara" not in toolreel("--report", style).stdout
