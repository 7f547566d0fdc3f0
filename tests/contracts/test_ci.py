"""What CI runs holds what it promises: above all that the tests that matter cannot be skipped in silence."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support.shared import ROOT

RAN: Final = ROOT / "scripts" / "ran.py"
JOB: Final = (ROOT / ".ci" / "run").read_text("utf-8")

OBJECTIVE: Final = "tests.test_objective.TheVerdict"
STREAMS: Final = "tests.e2e.clients.test_streams"
CANARIES: Final = "tests.e2e.clients.test_canaries"


def ran(folder: Path, *cases: tuple[str, str | None], options: tuple[str, ...]) -> tuple[int, list[str]]:
    """Exit code and complaints about a JUnit file with these cases: module, and why it was skipped."""
    inner = "".join(
        f'<testcase classname="{module}" name="{number}">'
        + (f'<skipped message="{reason}"/>' if reason is not None else "")
        + "</testcase>"
        for number, (module, reason) in enumerate(cases)
    )
    file = folder / "junit.xml"
    file.write_text(f"<testsuites><testsuite>{inner}</testsuite></testsuites>")
    done = subprocess.run([sys.executable, RAN, *options, file], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.splitlines()


WHEEL: Final = "tests.contracts.test_wheel"
STORES: Final = tuple(f"tests.e2e.store.test_{name}" for name in ("corpora", "writing", "cluster"))
TABLE: Final = "tests.unit.replay_reports.test_parquet_report"
PUSH_RAN: Final = tuple((module, None) for module in (STREAMS, CANARIES, *STORES, TABLE))
ALL_RAN: Final = (*PUSH_RAN, (OBJECTIVE, None), (WHEEL, None))
NIGHTLY: Final = ("--nightly",)
BOTH: Final = pytest.mark.parametrize(
    ("whole", "options"), [(PUSH_RAN, ()), (ALL_RAN, NIGHTLY)], ids=["push", "nightly"]
)


@BOTH
def test_a_run_with_every_test_that_matters_is_accepted(
    whole: tuple[tuple[str, None], ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    assert ran(tmp_path, *whole, options=options) == (0, [])


@BOTH
def test_missing_reference_data_beside_the_bundled_streams_is_accepted(
    whole: tuple[tuple[str, None], ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    absent = "reference data 'streams' is not beside this checkout"
    assert ran(tmp_path, *whole, (STREAMS, absent), (CANARIES, absent), options=options) == (0, [])


def test_what_the_nightly_run_alone_does_may_be_skipped_on_a_push_alone(tmp_path: Path) -> None:
    skipped = (OBJECTIVE, "in the nightly run alone")
    assert ran(tmp_path, *PUSH_RAN, skipped, options=()) == (0, [])
    code, complaints = ran(tmp_path, *ALL_RAN, skipped, options=NIGHTLY)
    assert (code, complaints) == (1, [f"{OBJECTIVE.rpartition('.')[0]}: skipped: in the nightly run alone"])


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        (STREAMS, "no clients' environment in .venv-clients: `sh scripts/test` makes it"),
        (CANARIES, "the clients' environment in .venv-clients lacks a client: remove it and run `sh scripts/test`"),
        (WHEEL, "no package index answers here"),
    ],
)
def test_what_could_not_be_installed_fails_the_run(module: str, reason: str, tmp_path: Path) -> None:
    code, complaints = ran(tmp_path, *ALL_RAN, (module, reason), options=NIGHTLY)
    assert code == 1
    assert complaints == [f"{module}: skipped: {reason}"]


@BOTH
def test_a_module_of_which_nothing_ran_fails_the_run(
    whole: tuple[tuple[str, None], ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    for gone in whole:
        code, [complaint] = ran(tmp_path, *(case for case in whole if case is not gone), options=options)
        assert code == 1
        assert complaint.endswith("0 tests collected, 0 skipped: none ran")


def test_the_names_that_must_run_are_those_of_files() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from ran import NIGHTLY as MUST_RUN
    finally:
        sys.path.pop(0)
    for module in MUST_RUN:
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists(), module


def test_the_job_runs_the_commands_of_the_readme_lint_types_and_at_night_the_import_contract() -> None:
    for line in (
        "demo=$(grep -m 1 '^python3 -m venv .*toolreel demo$' README.md)",
        'git clone --quiet "$checkout" "$work/alone/toolreel"',
        'sh scripts/test $nightly --durations=50 --junitxml="$work/junit.xml"',
        '"$bin/python" scripts/ran.py $nightly "$work/junit.xml"',
        '"$bin/ruff" check .',
        '"$bin/ruff" format --check .',
        '"$bin/mypy"',
        'wait "$kernels"',
        '"$bin/python" -m pytest -q tests/contracts/test_imports.py',
    ):
        assert line in map(str.strip, JOB.splitlines()), line
    assert "set -eu" in JOB.splitlines()


def test_every_job_that_runs_the_tests_asks_what_ran() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    lines = [line.strip().removeprefix("- run: ") for line in workflow.splitlines()]
    for at, line in enumerate(lines):
        if line.startswith("sh scripts/test"):
            assert line.endswith("--junitxml=junit.xml")
            assert lines[at + 1] == ".venv/bin/python scripts/ran.py junit.xml"
    assert "bash .ci/run" in lines
