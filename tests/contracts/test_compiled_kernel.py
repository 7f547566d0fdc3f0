"""The wheel with the compiled kernel: it judges as the sources do, and leaves nothing behind for the next wheel.

Needs a C compiler and, as `tests/contracts/test_wheel.py`, a package index.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.shared import ROOT

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]

# An index that does not answer says one of these.
NO_INDEX = ("No matching distribution found", "Could not find a version", "Connection", "Temporary failure", "Network")
FUZZED = 100_000


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=1500, check=False)
    if done.returncode and any(sign in done.stderr for sign in NO_INDEX):
        pytest.skip("no package index answers here")
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tracked files alone, as they stand here."""
    if not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("checkout") / "toolreel"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in listed.split("\0")[:-1]:
        if name.startswith("tests/") or not (ROOT / name).is_file():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheels(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Both wheels of one checkout, the compiled one made first."""
    found = {}
    for kind, variables in {"compiled": {"TOOLREEL_COMPILED": "1"}, "plain": {}}.items():
        folder = tmp_path_factory.mktemp(kind)
        run(
            *(sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--wheel-dir", folder, "."),
            cwd=checkout,
            **variables,
        )
        (found[kind],) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def unpacked(wheels: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    found = {}
    for kind, wheel in wheels.items():
        found[kind] = tmp_path_factory.mktemp(f"unpacked-{kind}")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(found[kind])
    return found


def test_a_plain_wheel_made_after_a_compiled_one_holds_no_extension_module(wheels: Mapping[str, Path]) -> None:
    names = {kind: zipfile.ZipFile(wheel).namelist() for kind, wheel in wheels.items()}
    assert [name for name in names["compiled"] if name.endswith(".so")]
    assert not [name for name in names["plain"] if name.endswith(".so")]
    assert wheels["plain"].name.endswith("-py3-none-any.whl")
    assert "none-any" not in wheels["compiled"].name
    sources = {kind: {name for name in names[kind] if name.endswith(".py")} for kind in names}
    assert sources["compiled"] == sources["plain"]


def paths(unpacked: Path) -> str:
    return os.pathsep.join([str(unpacked), str(ROOT / "tests")])


def test_both_kernels_say_the_same_of_damaged_turns(unpacked: Mapping[str, Path], tmp_path: Path) -> None:
    said = {
        kind: json.loads(
            run(
                *(sys.executable, "-P", "-m", "support.made.judged_mutants", "7", str(FUZZED)),
                cwd=tmp_path,
                PYTHONPATH=paths(folder),
            )
        )
        for kind, folder in unpacked.items()
    }
    assert said["compiled"]["kernel"].endswith(".so")
    assert said["plain"]["kernel"].endswith(".py")
    assert said["compiled"]["digest"] == said["plain"]["digest"]


# It reads what stands at the top of a module, and a compiled one has no docstring.
OF_THE_SOURCE = "tests/unit/replay_validator/test_slots.py::test_the_table_at_the_top_of_the_module_is_that_of_the_code"


def test_the_tests_of_the_kernel_pass_with_the_compiled_one(unpacked: Mapping[str, Path]) -> None:
    chosen = ("tests/unit/replay_validator", "tests/conformance/test_cases.py", "tests/properties/test_model.py")
    command = (
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--deselect",
        OF_THE_SOURCE,
        *chosen,
    )
    told = run(*command, cwd=ROOT, PYTHONPATH=paths(unpacked["compiled"]))
    assert " passed" in told
