"""A package of another distribution that has the name of one of ours: told in one line, wherever toolreel begins."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.shared import ROOT

STEP = "give toolreel an environment of its own (pipx install toolreel, or uv tool install toolreel)"


def run(folder: Path, path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of Python that finds packages in `path` first, then those of the checkout."""
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{path}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def package(folder: Path, name: str, text: str = "") -> Path:
    """A folder with a package of this name."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("replay", "", ("--version",)),
        ("replay", "raise AttributeError('theirs')", ("replay", "reels")),
        ("replay", "", ("schema", "fixture")),
        ("redaction", "", ("scan", "reels")),
        ("redaction", "", ("import", "a.har")),
        ("proxy_addon", "", ("record",)),
        ("proxy_addon", "", ("import", "a.har")),
    ],
)
def test_the_command_says_who_has_the_name_and_what_to_do(
    tmp_path: Path, name: str, text: str, words: tuple[str, ...]
) -> None:
    theirs = package(tmp_path / "theirs", name, text)
    done = run(tmp_path, theirs, "-P", "-m", "toolreel", *words)
    assert (done.returncode, done.stdout) == (2, "")
    where = f"{theirs.resolve() / name} is what Python finds"
    assert done.stderr == f"Error: the package {name} is not the one of toolreel: {where}; {STEP}\n"


def test_a_command_that_needs_none_of_the_shadowed_packages_runs(tmp_path: Path) -> None:
    theirs = package(tmp_path / "theirs", "redaction")
    done = run(tmp_path, theirs, "-P", "-m", "toolreel", "schema", "fixture")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_distribution_that_was_installed_over_ours_is_named(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("toolreel", "replay", "redaction", "proxy_addon"):
        shutil.copytree(ROOT / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    (site / "replay" / "cli.py").write_text("def other(): pass\n")
    (site / "replay_tools-1.0.dist-info").mkdir()
    (site / "replay_tools-1.0.dist-info" / "METADATA").write_text("Name: replay-tools\nVersion: 1.0\n")
    (site / "replay_tools-1.0.dist-info" / "top_level.txt").write_text("replay\n")
    done = run(tmp_path, site, "-P", "-m", "toolreel", "--version")
    assert (done.returncode, done.stdout) == (2, "")
    assert "it was also installed by replay-tools, into the same folder" in done.stderr
    assert done.stderr.endswith(f"; {STEP}\n")
    assert done.stderr.count("\n") == 1


def test_an_error_of_our_own_stays_a_traceback(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("toolreel", "replay", "redaction", "proxy_addon"):
        shutil.copytree(ROOT / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    (site / "replay" / "cli.py").write_text("import click.nothing\n")
    done = run(tmp_path, site, "-P", "-m", "toolreel", "--version")
    assert done.returncode == 1
    assert "No module named 'click.nothing'" in done.stderr


def test_the_public_names_say_it_in_an_import_error(tmp_path: Path) -> None:
    theirs = package(tmp_path / "theirs", "replay")
    done = run(tmp_path, theirs, "-P", "-c", "import toolreel; toolreel.validate")
    assert done.stderr.splitlines()[-1].startswith("ImportError: the package replay is not the one of toolreel: ")


@pytest.mark.parametrize("text", ["", "raise ImportError('theirs')"])
def test_the_pytest_plugin_says_it_in_one_line_and_can_be_left_out(tmp_path: Path, text: str) -> None:
    theirs = package(tmp_path / "theirs", "replay", text)
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    words = ("-P", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = run(tmp_path, theirs, *words, "-p", "toolreel.pytest_plugin")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: toolreel: the package replay is not the one of toolreel: " in done.stderr
    assert "to run without the plugin: pytest -p no:toolreel" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_plugin_is_loaded_once_by_either_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(toolreel_reel): pass\n")
    words = ("-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "toolreel.pytest_plugin")
    for also in ((), ("-p", "replay.pytest_plugin")):
        done = run(tmp_path, tmp_path, *words, *also)
        assert "toolreel_reel: name a fixture" in done.stdout, done.stderr
