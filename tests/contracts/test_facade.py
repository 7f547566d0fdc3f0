"""The package `toolreel`: the public names, their types, and what importing it costs."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.shared import ROOT

import toolreel
from replay import validator
from replay.errors import ToolreelError


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_has_the_names_of_the_validator_and_each_is_the_same_thing() -> None:
    assert set(toolreel.__all__) == {*validator.__all__, "ToolreelError", "__version__"}
    assert {name for name in validator.__all__ if getattr(toolreel, name) is not getattr(validator, name)} == set()
    assert toolreel.ToolreelError is ToolreelError
    assert set(toolreel.__all__) <= set(dir(toolreel))


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'toolreel' has no attribute 'nothing'"):
        toolreel.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_importing_it_loads_nothing_and_a_name_loads_the_kernel_alone() -> None:
    code = """
import sys
import toolreel
print(sorted(name for name in sys.modules if name.startswith("replay")))
toolreel.Turn
print(sorted({name.partition(".")[0] for name in sys.modules} & {"click", "orjson", "mitmproxy"}))
print(sorted(name for name in sys.modules if name.startswith("replay.") and not name.startswith("replay.validator")))
"""
    assert run(code) == "[]\n[]\n[]\n"


def test_a_star_brings_all_of_them() -> None:
    assert run("from toolreel import *\nprint(Turn.__module__.startswith('replay.validator'), validate.__name__)") == (
        "True validate\n"
    )


def test_the_command_starts_as_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "toolreel", "schema", "fixture"], cwd=ROOT, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (ROOT / "replay" / "schemas" / "fixture.json").read_bytes()


def test_the_types_are_those_of_the_page(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "tests/typing/api.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
