"""A scan in several processes says what one in a single process says, in the same order."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from support.shared import ROOT

from redaction.cli import scan
from replay.derive.suite import bundled
from replay.errors import ToolreelError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Fixtures of which some leak, one that is none, and one that cannot be read."""
    (tmp_path / "clean.json").write_bytes(bundled("openai"))
    for path in sorted((ROOT / "tests" / "data" / "cases").glob("gemini-*.json"))[:20]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "gone.json").symlink_to("nowhere.json")
    return tmp_path


@pytest.mark.parametrize("report", ["text", "json", "words"])
def test_several_processes_say_the_same_in_the_same_order(report: str, folder: Path) -> None:
    one = CliRunner().invoke(scan, [str(folder), "--report", report])
    two = CliRunner().invoke(scan, [str(folder), "--report", report, "--jobs", "2"])
    assert one.exit_code == two.exit_code == 2
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr
    assert one.stderr.count("gone.json") == 1


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1025", "1.5"])
def test_a_number_that_is_none_is_refused_in_words(jobs: str, folder: Path) -> None:
    done = CliRunner().invoke(scan, [str(folder), "--jobs", jobs])
    assert isinstance(done.exception, ToolreelError)
    assert f"--jobs {jobs}: must be an integer from 1 to 1024, or auto" in str(done.exception)
