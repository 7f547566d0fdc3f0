"""The table of a replay, and the five questions of docs/scale.md asked of it, by DuckDB."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from support.shared import ROOT

from replay.cli import root
from replay.corpus import discovery
from replay.judging import runner
from replay.judging.run_options import Detail, Options
from replay.reports.styles import Reports, Style, Wanted
from replay.reports.text import Paint
from replay.reports.totals import Totals

duckdb: Final = pytest.importorskip("duckdb", reason="duckdb is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

CASES: Final = ROOT / "tests" / "data" / "cases"
PAGE: Final = (ROOT / "docs" / "scale.md").read_text("utf-8")
QUESTIONS: Final = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
LEGAL: Final = "anthropic-allowances-change-nothing"
BROKEN: Final = "anthropic-bare-blocks-and-a-lost-connection"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A broken turn on two days, with two versions of a client, and another provider's on the second day alone."""
    monkeypatch.chdir(tmp_path)
    put("2026-11-30", BROKEN, "one", "1.0")
    put("2026-12-01", BROKEN, "one", "1.1")
    put("2026-12-01", LEGAL, "two", "1.1")
    return tmp_path


def put(day: str, case: str, provider: str, version: str) -> None:
    target = Path(f"reels/day={day}/{case}.json")
    target.parent.mkdir(parents=True, exist_ok=True)
    fixture = json.loads((CASES / f"{case}.json").read_text("utf-8"))
    client = {"name": "openai", "version": version}
    capture = {"provider": provider, "model": "m", "adapter": client}
    target.write_text(json.dumps({**fixture, "capture": {**fixture.get("capture", {}), **capture}}))


def table(*options: str) -> None:
    """The table of these fixtures, by the command."""
    words = ["replay", "reels", "--report", "parquet=replay.parquet", *options]
    with pytest.raises(SystemExit) as ended:
        root.main(words, prog_name="toolreel")
    assert ended.value.code == 1, "no fixture has a pin"


def asked(question: str) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = duckdb.sql(question).fetchall()
    return rows


@pytest.mark.usefixtures("folder")
def test_a_fixture_is_a_row_whatever_the_number_of_processes() -> None:
    table()
    rows = asked("SELECT * FROM 'replay.parquet' ORDER BY fixture")
    table("--jobs", "2")
    assert asked("SELECT * FROM 'replay.parquet' ORDER BY fixture") == rows
    wanted = "fixture, day, profile, provider, model, adapter, adapter_version, outcome, status, executable"
    first, *_ = asked(f"SELECT {wanted} FROM 'replay.parquet' ORDER BY fixture")
    assert first == (
        f"reels/day=2026-11-30/{BROKEN}.json",
        date(2026, 11, 30),
        *("anthropic", "one", "m", "openai", "1.0", "unpinned", "blocked", False),
    )
    assert len(rows) == 3
    found = asked("SELECT unnest(findings).code FROM 'replay.parquet' WHERE provider = 'one' AND day = '2026-11-30'")
    assert found == [("missing_terminal",)]


@pytest.mark.usefixtures("folder")
def test_the_five_questions_of_the_page_have_their_answers() -> None:
    table()
    since, share, new, tools, versions = map(asked, QUESTIONS)
    assert ("one", "m", "missing_terminal", date(2026, 11, 30), 2) in since
    assert all(row[3] == date(2026, 12, 1) for row in since if row[0] == "two")
    assert ("one", "m", 2, 0.0) in share
    assert {row[1:] for row in new} == {("two", date(2026, 12, 1))}
    assert sum(row[1] for row in tools) == sum(1 for _ in asked("SELECT unnest(calls) FROM 'replay.parquet'"))
    assert ("openai", "1.0", "missing_terminal", 1) in versions


@pytest.mark.usefixtures("folder")
def test_a_run_that_ends_early_leaves_the_old_table() -> None:
    Path("replay.parquet").write_text("old")
    plan = discovery.find(["reels"])
    asked_for = [Wanted(style=Style.PARQUET, file=Path("replay.parquet"))]
    with Reports(asked_for, show=print, paint=Paint.NONE) as reports:
        for result in runner.replay(plan, Options(detail=Detail.ROWS)):
            reports.add(result)  # and the run ends before its report does
    assert Path("replay.parquet").read_text() == "old"
    assert [path.name for path in Path().iterdir() if path.name.startswith(".")] == []


def test_a_corpus_without_a_fixture_is_a_table_without_a_row(tmp_path: Path) -> None:
    with Reports([Wanted(style=Style.PARQUET, file=tmp_path / "t.parquet")], show=print, paint=Paint.NONE) as reports:
        reports.finish(Totals())
    assert asked(f"SELECT count(*) FROM '{tmp_path}/t.parquet'") == [(0,)]


def test_a_table_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        root.main(["replay", "x", "--report", "parquet"], prog_name="toolreel")
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        "Error: --report parquet: a table is no text; write it to a file: parquet=FILE\n"
    )
