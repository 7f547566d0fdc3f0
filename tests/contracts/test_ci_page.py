"""docs/ci.md and .pre-commit-hooks.yaml: what they show is good YAML, and its commands do what the page says."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from support.builders import verdicts
from support.recorded import exchanges
from support.shared import ROOT

from redaction.redactor import Proved, redact
from replay.judging.run_options import Shard

PAGE: Final = (ROOT / "docs" / "ci.md").read_text("utf-8")
JOBS: Final[dict[str, Any]] = {
    name: yaml.safe_load(text)
    for name, text in re.findall(r"<!-- job: ([\w-]+) -->\n```yaml\n(.*?)```\n<!-- end -->", PAGE, re.DOTALL)
}
HOOKS: Final[list[dict[str, Any]]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
# The keys that pre-commit knows in a manifest and that are needed here; another one would be a slip.
HOOK_KEYS: Final = {
    "id", "name", "description", "entry", "args", "language", "pass_filenames", "require_serial",
}  # fmt: skip
# When it runs: one of the two.
HOOK_TIMES: Final = {"files", "always_run"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with pinned, data-only fixtures, and a PATH on which pip does nothing and toolreel is this one."""
    reels = tmp_path / "project" / "reels"
    reels.mkdir(parents=True)
    proved = redact(exchanges.exchange_of(json.loads(verdicts.PASS)))
    assert isinstance(proved, Proved)
    (reels / "turn.json").write_bytes(proved.fixture.data)
    shims = tmp_path / "bin"
    shims.mkdir()
    for name, line in (
        ("toolreel", f"exec {sys.executable} -B -c 'from replay.cli import main; main()' \"$@\""),
        ("pip", '[ "$1" = install ] && [ "$2" = toolreel ]'),
    ):
        (shims / name).write_text(f"#!/bin/sh\n{line}\n")
        (shims / name).chmod(0o755)
    done = run(tmp_path / "project", "toolreel replay --update --in-ci reels")
    assert done.returncode == 0, done.stdout
    return tmp_path / "project"


def run(project: Path, command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """As a CI service runs a step."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=project,
        env={
            "PATH": f"{project.parent / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "CI": "true",
            **variables,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def github_steps() -> list[str]:
    return [step["run"] for step in JOBS["github"]["jobs"]["replay"]["steps"] if "run" in step]


def test_the_page_has_the_three_jobs() -> None:
    assert JOBS.keys() == {"github", "gitlab", "pre-commit"}


def test_the_steps_for_github_pass_and_write_the_file_that_is_uploaded(project: Path) -> None:
    for step in github_steps():
        done = run(project, step)
        assert done.returncode == 0, f"{step}\n{done.stdout}"
    [upload] = [step for step in JOBS["github"]["jobs"]["replay"]["steps"] if "upload-sarif" in step.get("uses", "")]
    assert (project / upload["with"]["sarif_file"]).stat().st_size
    assert JOBS["github"]["jobs"]["replay"]["permissions"]["security-events"] == "write"


def test_a_changed_verdict_fails_the_step_for_github_with_an_annotation(project: Path) -> None:
    (project / "reels" / "turn.json").write_bytes(verdicts.COLLISION)
    [replayed] = [step for step in github_steps() if step.startswith("toolreel replay")]
    done = run(project, replayed)
    assert done.returncode == 1
    assert "\n::error file=reels/turn.json,line=" in done.stdout
    assert (project / "toolreel.sarif").exists()


def _with_one_more(tools: dict[str, Any], number: int) -> dict[str, Any]:
    (name, schema), *_ = tools.items()
    return {name: {**schema, "properties": {**schema["properties"], f"other_{number}": {"type": "string"}}}}


def fill(project: Path, parts: int) -> None:
    """Add turns whose tool declares one more property, until each part has one; a part without any fails."""
    turn = json.loads(verdicts.PASS)
    for number in range(1, parts + 1):
        shard = Shard(number=number, of=parts)
        for count in range(99):
            proved = redact(
                exchanges.exchange_of({**turn, "tool_schemas": _with_one_more(turn["tool_schemas"], count)})
            )
            assert isinstance(proved, Proved)
            if shard.has(proved.fixture.data):
                (project / "reels" / f"part-{number}.json").write_bytes(proved.fixture.data)
                break
    assert run(project, "toolreel replay --update --in-ci reels").returncode == 0


def test_the_jobs_for_gitlab_pass_and_write_their_reports(project: Path) -> None:
    job = JOBS["gitlab"]["replay"]
    fill(project, job["parallel"])
    for part in range(1, job["parallel"] + 1):
        for line in job["script"]:
            done = run(project, line, CI_NODE_INDEX=str(part), CI_NODE_TOTAL=str(job["parallel"]))
            assert done.returncode == 0, f"{line}\n{done.stdout}"
        report = project / job["artifacts"]["reports"]["junit"]
        assert "<testsuites" in report.read_text("utf-8")
        report.unlink()
    (project / "reels" / "turn.json").write_bytes(verdicts.COLLISION)
    [replayed] = [line for line in job["script"] if line.startswith("toolreel replay")]
    codes = [
        run(project, replayed, CI_NODE_INDEX=str(part), CI_NODE_TOTAL=str(job["parallel"])).returncode
        for part in range(1, job["parallel"] + 1)
    ]
    assert sorted(codes) == [0] * (job["parallel"] - 1) + [1]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_passes_on_good_fixtures_and_fails_on_others(project: Path, hook: dict[str, Any]) -> None:
    assert hook.keys() - HOOK_TIMES == HOOK_KEYS
    assert len(hook.keys() & HOOK_TIMES) == 1
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    command = " ".join([hook["entry"], *hook["args"]])
    done = run(project, command)
    assert done.returncode == 0, done.stdout
    (project / "reels" / "other.json").write_bytes(verdicts.TEXT.replace(b'"hi"', b'"Meet me at the usual place"'))
    assert run(project, command).returncode == 1


def test_the_page_uses_hooks_that_are_there(project: Path) -> None:
    [repository] = JOBS["pre-commit"]["repos"]
    hooks = {hook["id"]: hook for hook in HOOKS}
    for used in repository["hooks"]:
        hook = {**hooks[used["id"]], **used}
        done = run(project, " ".join([hook["entry"], *hook["args"]]))
        assert done.returncode == 0, done.stdout
