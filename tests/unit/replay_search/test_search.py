"""Clients with planted bugs are caught, each by a stream that a person could have written; a right one is not."""

import json
import re
import shutil
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from support import planted_bugs
from support.nightly import at_night
from support.shared import ROOT

from redaction.cli import scan
from replay.derive.cli import derive
from replay.derive.suite import bundled
from replay.diff.cli import diff
from replay.judging.cli import replay
from replay.search.cli import reduce_command, search


def run(folder: Path, name: str, seconds: float, *arguments: str) -> Result:
    shutil.copy(ROOT / "tests" / "support" / "planted_bugs.py", folder)
    given = ["--adapter", f"planted_bugs:{name}", "--python", sys.executable, "--time", str(seconds)]
    return CliRunner().invoke(search, [*given, *arguments, "--out", "found"], catch_exceptions=False)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "name", at_night(planted_bugs.NAMES, but=("blind_to_identity_collision", "loses_the_second_call"))
)
def test_a_planted_bug_is_found_and_shown_by_a_short_stream(name: str, tmp_path: Path) -> None:
    done = run(tmp_path, name, 50, "--timeout", "1", "--most", "1")
    assert done.exit_code == 1, done.output
    short = json.loads((tmp_path / "found" / f"planted_bugs-{name}-1.json").read_bytes())
    assert len(short["chunks"]) <= 6 or name == "takes_the_last_of_two_calls_at_one_character"
    assert short["capture"]["derived"]
    for command in (replay, scan):
        assert CliRunner().invoke(command, ["found"]).exit_code == 0
    # What it found is what `diff` sees, so a pin of it holds.
    arguments = ["found", "--adapter", f"planted_bugs:{name}", "--python", sys.executable, "--timeout", "1"]
    compared = CliRunner().invoke(diff, arguments)
    assert compared.exit_code == 0, compared.output


def test_a_right_client_is_not_caught(tmp_path: Path) -> None:
    done = run(tmp_path, "right", 4)
    assert done.exit_code == 0, done.output
    tried = re.search(r"(\d+) streams in", done.stdout)
    assert tried is not None
    assert int(tried[1]) > 20
    assert not (tmp_path / "found").exists()


@pytest.mark.parametrize("clients", [[], ["--adapter", "openai", "--adapter", "a:b"]])
@pytest.mark.parametrize("command", [search, reduce_command])
def test_without_one_client_it_says_so(clients: list[str], command: click.Command, tmp_path: Path) -> None:
    if command is reduce_command and not clients:
        return  # it needs none
    (tmp_path / "turn.json").write_bytes(bundled("openai"))
    done = CliRunner().invoke(command, ["turn.json", *clients])
    assert "name one client" in str(done.exception)
    assert done.exit_code != 0


def test_a_find_can_be_told_to_a_program(tmp_path: Path) -> None:
    done = run(tmp_path, "loses_the_second_call", 20, "--most", "1", "--report", "jsonl")
    find, whole = [json.loads(line) for line in done.stdout.splitlines()]
    assert (find["adapter"], find["profile"]) == ("planted_bugs:loses_the_second_call", "openai")
    assert (find["outcome"], find["status"], find["codes"], find["events"]) == ("lost", "pass", [], 5)
    assert (find["kind"], find["twins"], find["damages"]) == ("parallel", [], [])
    assert len(json.loads(Path(find["fixture"]).read_bytes())["chunks"]) == 5
    assert (whole["found"], whole["adapter"]) == (1, find["adapter"])
    assert whole["streams"] > 20


def test_a_fixture_is_made_short_with_what_a_client_makes_of_it(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "support" / "planted_bugs.py", tmp_path)
    arguments = ["--profile", "openai", "--kind", "parallel", "--out", "derived"]
    assert CliRunner().invoke(derive, arguments).exit_code == 0
    client = ["--adapter", "planted_bugs:loses_the_second_call", "--python", sys.executable]
    done = CliRunner().invoke(reduce_command, ["derived/openai.parallel.json", *client])
    assert done.exit_code == 0, done.output
    assert "still pass, lost by planted_bugs:loses_the_second_call" in done.stdout
    short = json.loads(Path("derived/openai.parallel.reduced.json").read_bytes())
    # Two calls, each begun and filled, and the finish reason.
    assert len(short["chunks"]) == 5
    alone = CliRunner().invoke(reduce_command, ["derived/openai.parallel.json", "--out", "alone.json"])
    assert alone.exit_code == 0
    assert len(json.loads(Path("alone.json").read_bytes())["chunks"]) == 3
