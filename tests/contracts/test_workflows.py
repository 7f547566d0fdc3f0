"""The workflows of CI: pinned, with few rights, behind one check; and what their steps run does what it should."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.shared import ROOT

FOLDER: Final = ROOT / ".github" / "workflows"
TEXTS: Final = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.iterdir())}
WORKFLOWS: Final[dict[str, dict[str, Any]]] = {name: yaml.safe_load(text) for name, text in TEXTS.items()}
JOBS: Final[dict[str, dict[str, Any]]] = {
    f"{workflow}, {name}": job for workflow, parts in WORKFLOWS.items() for name, job in parts["jobs"].items()
}
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ZIZMOR: Final = Path(sysconfig.get_path("scripts"), "zizmor")


def commands(workflow: str, job: str) -> list[str]:
    return [step["run"] for step in WORKFLOWS[workflow]["jobs"][job]["steps"] if "run" in step]


def test_the_workflows_are_those_of_a_push_and_of_the_night() -> None:
    assert list(WORKFLOWS) == ["ci", "nightly"]
    # YAML 1.1 reads the key `on` as a truth.
    assert WORKFLOWS["ci"][True] == ["push", "pull_request"]
    assert WORKFLOWS["nightly"][True].keys() == {"schedule", "workflow_dispatch"}
    assert commands("ci", "all") == ["bash .ci/run"]
    assert commands("nightly", "all") == ["bash .ci/run --nightly"]


@pytest.mark.parametrize("text", [*TEXTS.values(), (ROOT / "docs" / "ci.md").read_text("utf-8")], ids=[*TEXTS, "page"])
def test_every_action_is_pinned_by_a_commit_beside_its_version(text: str) -> None:
    used = re.findall(r"^ *(?:- )?uses: (.*)$", text, re.MULTILINE)
    assert used
    for action in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_an_action_has_one_version_everywhere() -> None:
    texts = [*TEXTS.values(), (ROOT / "docs" / "ci.md").read_text("utf-8")]
    used = {pin for text in texts for pin in re.findall(r"uses: (.*)$", text, re.MULTILINE)}
    assert len({pin.partition("@")[0] for pin in used}) == len(used)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_no_rights_and_a_job_may_read_at_most(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {}
    for job in WORKFLOWS[name]["jobs"].values():
        assert job["permissions"] in ({}, {"contents": "read"})
        assert job["timeout-minutes"] <= 120


def test_no_checkout_leaves_its_credentials_behind() -> None:
    checkouts = [
        step for job in JOBS.values() for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")
    ]
    assert len(checkouts) >= len(JOBS) - 1
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@pytest.mark.parametrize("job", JOBS)
def test_no_command_has_an_expression_in_it(job: str) -> None:
    """What an expression gives, a title or a branch, would be read by the shell; it comes in a variable."""
    assert [step["run"] for step in JOBS[job]["steps"] if "${{" in step.get("run", "")] == []


def test_the_one_check_waits_for_all_other_jobs() -> None:
    jobs = WORKFLOWS["ci"]["jobs"]
    assert list(jobs)[-1] == jobs["required"]["name"] == "required"
    assert jobs["required"]["needs"] == list(jobs)[:-1]
    assert jobs["required"]["if"] == "always()"


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (["success", "success"], 0),
        (["success", "failure"], 1),
        (["cancelled", "success"], 1),
        (["success", "skipped"], 1),
    ],
)
def test_the_one_check_passes_if_each_of_them_succeeded(results: list[str], code: int) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    [command] = commands("ci", "required")
    jobs = {f"job{number}": {"result": result, "outputs": {}} for number, result in enumerate(results)}
    variables = {"PATH": os.environ["PATH"], "JOBS": json.dumps(jobs)}
    assert subprocess.run(["bash", "-ec", command], env=variables, capture_output=True, check=False).returncode == code


def test_zizmor_has_nothing_to_say_of_the_workflows_and_of_the_job_of_the_page(tmp_path: Path) -> None:
    if not ZIZMOR.exists():
        pytest.skip("zizmor is not installed")
    assert "zizmor --persona pedantic .github" in commands("ci", "workflows")
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    [job] = re.findall(r"<!-- job: github -->\n```yaml\n(.*?)```", page, re.DOTALL)
    workflow = tmp_path / ".github" / "workflows" / "reels.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(job)
    for paths, persona in ((".github", "pedantic"), (str(tmp_path), "regular")):
        done = subprocess.run(
            [ZIZMOR, "--offline", "--quiet", "--persona", persona, paths],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_lowest_versions_are_the_lower_bounds_of_all_dependencies() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(line for extra in extras.values() for line in extra)]
    bounds = {tuple(line.partition(",")[0].lower().split(">=")) for line in wanted}
    lines = (ROOT / "scripts" / "constraints-lowest.txt").read_text("utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    assert sorted(name for name, _ in bounds) == sorted(pins)
    for name, bound in bounds:
        assert re.fullmatch(rf"{re.escape(bound)}(\.\d+)*", pins[name]), name
    assert f"'.[{','.join(extras)}]'" in commands("ci", "lowest")[1]


SUBJECTS: Final = ROOT / "scripts" / "commit_subjects.py"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "The first subject, which nobody looks at here because it lies before the place to start from")
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder)} | {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
    }
    subprocess.run(["git", *arguments], cwd=folder, env=variables, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "-m", message)


def subjects(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """The exit code of the check, and what it says, without the names of commits."""
    done = subprocess.run(
        [sys.executable, SUBJECTS, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, [line.partition(": ")[2] for line in done.stderr.splitlines()]


@pytest.mark.parametrize("message", ["S" * 71, "Say it", "Say it\n\nAnd more of it, in a body. " + "b" * 80])
def test_a_good_commit_passes(message: str, repository: Path) -> None:
    commit(repository, message)
    assert subjects(repository, "HEAD~1") == (0, [])


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("S" * 72, "the subject has 72 characters; 71 are the most"),
        ("say it", "the subject does not begin with a capital letter"),
        ("Say it.", "the subject ends with a full stop"),
        ("Say it\nand more", "no empty line follows the subject"),
    ],
)
def test_a_commit_that_is_not_as_the_page_wants_it_is_named(message: str, sentence: str, repository: Path) -> None:
    commit(repository, message)
    commit(repository, "Say it")
    assert subjects(repository, "HEAD~2") == (1, [f"{sentence}: {message.splitlines()[0]}"])


@pytest.mark.parametrize("since", [[], [""], ["0" * 40], ["gone"]])
def test_without_a_known_place_to_start_from_it_is_the_last_commit(since: list[str], repository: Path) -> None:
    assert subjects(repository, *since)[0] == 1
    commit(repository, "Say it")
    assert subjects(repository, *since) == (0, [])


def test_the_page_for_contributors_says_how_the_subjects_are_checked() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert "shorter than 72" in page
    assert "`python3 scripts/commit_subjects.py main`" in page
    assert commands("ci", "subjects") == ['python3 scripts/commit_subjects.py "$SINCE"']
