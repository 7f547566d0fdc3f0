"""One page for each code: its sections, its example, its messages, and what the command prints."""

import json
import re
from pathlib import Path

import pytest
from support.processes.here import toolreel
from support.shared import ROOT

from replay import cli
from replay.validator import RETRY, Code, Report, Status, validate
from replay.validator.rules import page, summary

FOLDER = ROOT / "replay" / "validator" / "rules"
GOLDEN = json.loads((ROOT / "tests" / "data" / "messages.json").read_text("utf-8"))
SECTIONS = ["What it reports", "Why it matters", "Example", "What to do"]


def examples(code: Code) -> list[Report]:
    """The verdicts on the example and on its legal twin."""
    return [
        validate(text.encode()) for text in re.findall(r"^```json\n(.*?)^```$", page(code), re.MULTILINE | re.DOTALL)
    ]


def section(code: Code, name: str) -> str:
    return page(code).partition(f"## {name}\n")[2].partition("\n## ")[0].strip()


def test_codes_and_pages_match_one_to_one() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == {code.value for code in Code}


@pytest.mark.parametrize("code", Code)
def test_a_page_has_its_sections_in_order_and_text_in_each(code: Code) -> None:
    assert page(code).startswith(f"# {code.value}\n")
    found = re.findall(r"^## (.+)$", page(code), re.MULTILINE)
    assert [name for name in found if name in SECTIONS] == SECTIONS
    assert all(len(section(code, name)) > 40 for name in SECTIONS)


@pytest.mark.parametrize("code", Code)
def test_the_example_gives_exactly_its_code_and_the_twin_none(code: Code) -> None:
    wrong, legal = examples(code)
    assert [finding.code for finding in wrong.findings] == [code]
    assert wrong.status is (Status.INVALID if code is Code.INVALID_FIXTURE else Status.BLOCKED)
    assert legal.findings == ()
    assert legal.status is Status.PASS or code is Code.INVALID_FIXTURE


@pytest.mark.parametrize("code", Code)
def test_a_page_says_whether_a_retry_makes_sense_as_the_code_does(code: Code) -> None:
    words = {"with_feedback": "with feedback", "not_automatic": "not automatically"}
    assert f"**Retry:** {words[RETRY[code].value]}." in section(code, "What to do")


@pytest.mark.parametrize("code", Code)
def test_the_first_sentence_of_a_page_stands_in_the_list_of_codes(code: Code) -> None:
    assert summary(code).endswith((".", ":"))
    assert "\n" not in summary(code)
    assert 20 < len(summary(code)) < 300
    assert " ".join(page(code).split()).startswith(f"# {code.value} ## What it reports {summary(code)}")


def test_the_golden_file_has_the_message_of_each_code() -> None:
    found = {code.value: examples(code)[0].findings[0].message for code in Code}
    assert found == GOLDEN["codes"], "a message moved: see what the file says about itself"


def test_the_page_on_schema_violations_shows_the_message_of_each_keyword() -> None:
    shown = dict(re.findall(r"^- \*\*(\w+)\*\*: (.+)$", section(Code.SCHEMA_VIOLATION, "Messages"), re.MULTILINE))
    assert shown == {keyword: entry["message"] for keyword, entry in GOLDEN["keywords"].items()}


def test_pages_name_only_codes_allowances_and_commands_that_exist() -> None:
    for code in Code:
        for name in re.findall(r"`toolreel (\w+)", page(code)):
            assert name in cli.root.list_commands(None), code  # type: ignore[arg-type]


def run(*arguments: str) -> tuple[int, str, str]:
    found = toolreel("rules", *arguments)
    return found.exit_code, found.stdout, found.stderr


def test_the_command_prints_the_page_of_a_code_and_of_several() -> None:
    assert run("missing_id") == (0, page(Code.MISSING_ID), "")
    assert run("missing_id", "duplicate_id", "missing_id") == (
        0,
        page(Code.MISSING_ID) + "\n" + page(Code.DUPLICATE_ID),
        "",
    )


def test_the_command_alone_lists_every_code_in_lines_that_fit() -> None:
    code, text, _ = run()
    assert code == 0
    assert re.findall(r"^(\w+) ", text, re.MULTILINE) == [code.value for code in Code]
    assert max(map(len, text.splitlines())) <= 100


def test_an_unknown_code_is_an_error_that_says_where_the_codes_are() -> None:
    assert run("missing") == (2, "", "Error: rules missing: no such code; `toolreel rules` lists them\n")


def test_a_text_report_ends_with_the_command_that_explains_its_codes(tmp_path: Path) -> None:
    path = tmp_path / "turn.json"
    path.write_text(json.dumps({"profile": "anthropic", "tool_schemas": {}, "events": ["", {"type": "new"}, ""]}))
    lines = toolreel("validate", str(path)).stdout.splitlines()
    assert lines[-1] == "  explained by: toolreel rules malformed_event unsupported_event"
    path.write_text(json.dumps({"profile": "anthropic", "tool_schemas": {}, "events": []}))
    assert "explained" not in toolreel("validate", str(path)).stdout
