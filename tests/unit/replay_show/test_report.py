"""The page and the table of a run: `replay --report html=FILE`, `--report markdown`, and the pytest plugin."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.builders import verdicts
from support.processes.here import toolreel
from support.shared import ROOT

from replay.diff.outcomes import Outcome
from replay.diff.reporting import STYLES, PairTotals
from replay.diff.runs import Result, Standing
from replay.reports import markdown_report
from replay.show.pages import page
from replay.show.picture import reading


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reels").mkdir()
    for name, data in (("a", verdicts.PASS), ("b", verdicts.COLLISION), ("c", verdicts.REPEATED)):
        Path(f"reels/{name}.json").write_bytes(data)


def replay(*arguments: str, code: int = 0) -> str:
    done = toolreel("replay", *arguments)
    assert done.exit_code == code, done.output
    return done.stdout


def test_a_replay_writes_the_page_of_its_fixtures() -> None:
    before = replay("reels", code=1)
    assert replay("reels", "--report", "html=out.html", code=1) == before
    source = Path("out.html").read_text("utf-8")
    assert source.count('class="stored"') == 3
    assert "<title>toolreel replay</title>" in source
    assert "3 no pin" in source
    replay("--update", "reels", "--accept", "repeated_terminal")
    replay("reels", "--report", "html=out.html")
    assert "3 as pinned" in Path("out.html").read_text("utf-8")


def test_the_page_of_one_fixture_is_that_of_its_turn() -> None:
    replay("reels/b.json", "--report", "html=out.html", code=1)
    assert Path("out.html").read_text("utf-8") == page.turn(reading.read("reels/b.json"))


def test_what_a_run_accepted_counts_in_its_page() -> None:
    replay("reels/c.json", "--accept", "repeated_terminal", "--report", "html=out.html", code=1)
    assert 'class="stamp pass"' in Path("out.html").read_text("utf-8")


def test_the_table_has_a_row_for_what_is_not_as_pinned() -> None:
    assert replay("reels", "--report", "markdown", code=1).splitlines() == [
        "### toolreel replay",
        "",
        "| fixture | compared with its pin | verdict | findings |",
        "|---|---|---|---|",
        "| reels/a.json | unpinned | executable |  |",
        "| reels/b.json | unpinned | blocked | `identity_collision` |",
        "| reels/c.json | unpinned | blocked | `duplicate_terminal` |",
        "",
        "3 fixtures: 3 unpinned. Verdicts: 1 executable, 2 blocked, 0 not applicable, 0 invalid.",
    ]
    replay("--update", "reels")
    assert replay("reels", "--report", "markdown").splitlines()[2:] == [
        "3 fixtures: 3 as pinned. Verdicts: 1 executable, 2 blocked, 0 not applicable, 0 invalid."
    ]


def test_a_name_is_no_markup_in_the_table() -> None:
    Path("reels/a.json").rename("reels/a|b`<b>_c_.json")
    assert r"| reels/a\|b\`\<b\>\_c\_.json | unpinned |" in replay("reels", "--report", "markdown", code=1)


def test_a_long_table_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_report, "MAX_ROWS", 1)
    assert "| and 2 more | | | |" in replay("reels", "--report", "markdown", code=1)


def test_a_run_of_clients_has_a_page_with_what_each_made_of_each_turn() -> None:
    results = [
        Result(fixture="reels/b.json", adapter=name, version="1", standing=Standing.UNPINNED, outcome=outcome)
        for name, outcome in (("litellm", Outcome.UNSAFE), ("openai", Outcome.AGREE))
    ]
    tally = PairTotals()
    [source] = STYLES["html"](results, tally)
    assert tally.exit_code == 1
    assert '<abbr title="litellm: unsafe">U</abbr>' in source
    assert '<abbr title="openai: agree">·</abbr>' in source


def test_pytest_writes_the_page_of_what_it_collects() -> None:
    replay("--update", "reels")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *"-q -p replay.pytest_plugin --toolreel reels --toolreel-html out.html".split(),
        ],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "out.html shows each turn" in done.stdout
    assert Path("out.html").read_text("utf-8").count('class="stored"') == 3
