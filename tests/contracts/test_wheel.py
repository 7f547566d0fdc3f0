"""The wheel that users install: what is in it, and that it replays without the recorder's packages.

Built and installed as a user's machine would, in an environment of its own; skipped where no package index answers.
"""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.shared import ROOT

pytestmark = pytest.mark.nightly

CONSTRAINTS = ROOT / "scripts" / "constraints.txt"

# An index that does not answer says one of these; anything else that fails is a fault of ours.
NO_INDEX = ("No matching distribution found", "Could not find a version", "Connection", "Temporary failure", "Network")


def pip(python: Path | str, *arguments: str | Path) -> None:
    done = subprocess.run(
        [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        cwd=ROOT,
    )
    if done.returncode and any(sign in done.stderr for sign in NO_INDEX):
        pytest.skip("no package index answers here")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("toolreel-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment that holds the wheel and what it requires, without any extra."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
    pip(folder / "bin" / "python", "install", "-c", CONSTRAINTS, wheel)
    return folder / "bin"


def run(installed: Path, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [installed / "toolreel", *arguments], capture_output=True, text=True, timeout=60, check=False, cwd=cwd
    )


def tracked(*folders: str) -> set[str]:
    """The files of the packages, as the checkout has them."""
    return {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def test_the_wheel_holds_each_file_of_the_four_packages_and_the_licence_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    code = {name for name in names if ".dist-info/" not in name}
    assert code == tracked("proxy_addon", "redaction", "replay", "toolreel")
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_marks_its_packages_as_typed_and_brings_their_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"{package}/py.typed" for package in ("proxy_addon", "redaction", "replay", "toolreel")} <= names
    assert any(name.startswith("proxy_addon/demo/turns/") for name in names)


def test_an_installation_without_extras_has_no_mitmproxy_and_says_how_to_get_it(
    installed: Path, tmp_path: Path
) -> None:
    done = run(installed, "record", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "toolreel[record]" in done.stderr
    assert run(installed, "demo", cwd=tmp_path).returncode == 2


def test_an_installation_without_extras_tells_its_version_and_judges_a_fixture(installed: Path, tmp_path: Path) -> None:
    assert run(installed, "--version", cwd=tmp_path).stdout.split()[-1].count(".") == 2
    fixture = tmp_path / "turn.json"
    fixture.write_text('{"profile": "openai", "tool_schemas": {}, "chunks": [{"choices": []}]}', "utf-8")
    done = run(installed, "validate", fixture, "--report", "json", cwd=tmp_path)
    assert done.returncode == 2
    assert '"not_applicable"' in done.stdout
