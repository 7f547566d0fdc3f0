"""The mutation score: of how many blocked kinds an adapter hands over nothing."""

import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.shared import ROOT

from replay.derive.cli import derive
from replay.diff.cli import diff

# Two blocked kinds that a client that ends at the finish reason catches, one that it does not, and a legal twin.
CAUGHT = ("cut-in-arguments", "ended-by-length")
MISSED = ("reused-index",)
LEGAL = ("late-id",)


def run(*arguments: str) -> Result:
    given = ["derived", "--adapter", "kinds:faithful", "--python", sys.executable, *arguments]
    return CliRunner().invoke(diff, given)


@pytest.fixture(autouse=True)
def _suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "tests" / "support" / "kinds.py", tmp_path)
    kinds = [word for kind in (*CAUGHT, *MISSED, *LEGAL) for word in ("--kind", kind)]
    done = CliRunner().invoke(derive, ["--profile", "openai", *kinds, "--pairs", "2", "--out", "derived"])
    assert done.exit_code == 0, done.output


def test_a_kind_counts_once_and_legal_twins_do_not() -> None:
    done = run("--demand", "score=66")
    assert done.exit_code == 0, done.output
    assert "kinds:faithful unversioned, openai: hands over nothing on 2 of 3 blocked kinds (66 %)." in done.stdout


def test_below_what_is_demanded_it_fails_and_says_so() -> None:
    done = run("--demand", "score=67")
    assert done.exit_code == 1
    assert "not as demanded: kinds:faithful unversioned, openai: 66 %, and 67 % is demanded" in done.stderr


def test_where_nothing_was_derived_nothing_is_met() -> None:
    for path in Path("derived").glob("*.json"):
        if "late-id.json" not in path.name:
            path.unlink()
    done = run("--demand", "score=1")
    assert done.exit_code != 0
    assert "no derived fixture of a blocked kind is among them" in str(done.exception)


@pytest.mark.parametrize("demand", ["score", "score=", "score=0", "score=101", "score=x", "grade=9"])
def test_what_is_no_demand_is_told(demand: str) -> None:
    done = run("--demand", demand)
    assert done.exit_code != 0
    assert "must be no-unsafe" in str(done.exception)
