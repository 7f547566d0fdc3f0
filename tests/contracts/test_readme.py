"""The README tells the truth: its output is what its commands print, its commands work, its links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.builders import verdicts
from support.nightly import nightly
from support.processes import command
from support.shared import ROOT

PLAIN = {"PATH": os.environ["PATH"], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.timeout(180)
def test_every_output_that_the_readme_shows_is_what_the_command_prints() -> None:
    pytest.importorskip("mitmproxy", reason="the README shows recordings, and mitmproxy is not installed")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "readme.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (
        f"run `python scripts/readme.py` and look at the difference:\n{done.stdout}{done.stderr}"
    )


def test_the_first_screen_has_the_two_commands_and_the_two_limits() -> None:
    screen = "\n".join(README.splitlines()[:28])
    assert re.search(r"^git clone ", screen, re.MULTILINE)
    assert re.search(r"^python3 -m venv \.venv && .*scripts/constraints\.txt.*/toolreel demo$", screen, re.MULTILINE)
    assert re.search(r"^sh scripts/test$", screen, re.MULTILINE)
    assert "blocks no call by itself" in screen
    assert "neither mitmproxy nor network" in screen


def test_the_adapters_test_of_the_readme_fails_on_the_first_adapter_of_the_guide_and_passes_on_the_last(
    tmp_path: Path,
) -> None:
    (tmp_path / "reels").mkdir()
    for name, data in (("good", verdicts.PASS), ("two", verdicts.COLLISION)):
        (tmp_path / "reels" / f"{name}.json").write_bytes(data)
    command.run("replay", "--update", "--in-ci", "reels", folder=tmp_path)
    shown = re.compile(r"<!-- file: (\w+\.py) -->\n```python\n(.*?)```", re.DOTALL)
    [(name, test)] = shown.findall(README)
    (tmp_path / name).write_text(test)
    assert len([line for line in test.splitlines() if line]) <= 8
    adapters = [text for name, text in shown.findall((ROOT / "docs/guide.md").read_text()) if name == "adapter.py"]
    for adapter, counted in zip((adapters[0], adapters[-1]), ("1 failed, 1 passed", "2 passed"), strict=True):
        (tmp_path / "adapter.py").write_text(adapter)
        words = ("-q", "-p", "no:cacheprovider", "-p", "replay.pytest_plugin")
        _, output = command.pytest(*words, folder=tmp_path, variables={"PYTHONPATH": str(ROOT), **PLAIN})
        assert counted in output


def test_every_local_link_leads_to_a_file() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / target).exists(), f"{page}: {target}"


def test_every_file_that_a_page_names_is_there() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text("utf-8")
        for target in re.findall(r"`((?:scripts|tests|replay|redaction|proxy_addon)/[\w./-]*)`", text):
            assert (ROOT / target).exists(), f"{page}: {target}"


def _packages(name: str) -> set[str]:
    lines = (ROOT / "scripts" / name).read_text("utf-8").splitlines()
    found = (re.match(r"([a-z0-9-]+)==([\w.]+)", line) for line in lines)
    return {match[0] for match in found if match is not None}


def test_the_lock_file_has_versions_of_the_constraints_and_hashes_for_each() -> None:
    locked = _packages("constraints.lock.txt")
    constrained = _packages("constraints.txt")
    known = {one.partition("==")[0] for one in constrained}
    assert locked
    assert not {one for one in locked - constrained if one.partition("==")[0] in known}
    text = (ROOT / "scripts" / "constraints.lock.txt").read_text("utf-8")
    for entry in re.split(r"\n(?=[a-z0-9-]+==)", text.partition("\n\n")[2]):
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n?", entry), entry[
            :80
        ]


@nightly
@pytest.mark.timeout(900)
def test_all_of_the_lock_file_can_be_installed_with_its_hashes() -> None:
    lock = str(ROOT / "scripts" / "constraints.lock.txt")
    words = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--require-hashes"]
    done = subprocess.run([*words, "-q", "-r", lock], capture_output=True, text=True, check=False, timeout=800)
    if "No matching distribution" in done.stderr or "Max retries" in done.stderr:
        pytest.skip("no package index that has all of them can be reached")
    assert done.returncode == 0, done.stderr


def test_the_constraints_hold_names_and_versions_and_nothing_else() -> None:
    for name in ("constraints.txt", "constraints-clients.txt", "constraints-lowest.txt"):
        for line in (ROOT / "scripts" / name).read_text("utf-8").splitlines():
            assert re.fullmatch(r'(#.*|[a-z0-9.-]+==[\w.]+(; python_version (<|>=) "3\.12")?)?', line), line
