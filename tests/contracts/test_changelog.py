"""The changelog is made of files, one for each change: each is well-formed, and together they make a section."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from support.shared import ROOT

FOLDER: Final = ROOT / "docs" / "changelog.d"
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
KINDS: Final = {kind["directory"]: kind["name"] for kind in PROJECT["tool"]["towncrier"]["type"]}
NO_CHANGES: Final = {"README.md", "section.md.jinja"}
CHANGES: Final = sorted(path for path in FOLDER.iterdir() if path.name not in NO_CHANGES)


def slips(name: str, text: str) -> list[str]:
    """One sentence for each way in which the file of a change is not as docs/changelog.d/README.md wants it."""
    found = []
    if not re.fullmatch(rf"[a-z0-9-]+\.({'|'.join(KINDS)})\.md", name):
        found.append("it is not named after its change and one of the kinds")
    if not re.match(r"[A-Z`]", text):
        found.append("it does not begin like a sentence")
    if not text.endswith(".\n"):
        found.append("it does not end like a sentence, with one line end")
    if "\n\n" in text:
        found.append("it has more than one paragraph")
    return found


def test_the_file_of_each_change_is_as_the_page_wants_it() -> None:
    found = {path.name: slips(path.name, path.read_text("utf-8")) for path in CHANGES}
    assert {name: sentences for name, sentences in found.items() if sentences} == {}


def test_the_example_of_the_page_is_as_the_page_wants_it() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    [(name, text)] = re.findall(r"`([\w.-]+\.md)`:\n\n```markdown\n(.*?)```", page, re.DOTALL)
    assert slips(name, text) == []
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(KINDS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("serve.md", "`toolreel serve` answers over TLS.\n"),
        ("serve.feature.md", "`toolreel serve` answers over TLS.\n"),
        ("Serve.added.md", "`toolreel serve` answers over TLS.\n"),
        ("serve.added.md", "- `toolreel serve` answers over TLS.\n"),
        ("serve.added.md", "`toolreel serve` answers over TLS\n"),
        ("serve.added.md", "`toolreel serve` answers over TLS."),
        ("serve.added.md", "`toolreel serve` answers over TLS.\n\nAnd more.\n"),
        ("serve.added.md", ""),
    ],
)
def test_the_file_of_a_change_is_not_taken_in_another_form(name: str, text: str) -> None:
    assert slips(name, text) != []


def test_the_first_section_is_that_of_the_version_and_below_the_mark() -> None:
    log = (ROOT / "CHANGELOG.md").read_text("utf-8")
    before, mark, sections = log.partition("<!-- towncrier release notes start -->\n\n")
    assert mark
    assert "\n## " not in before
    assert re.match(rf"## \[{re.escape(PROJECT['project']['version'])}\] - \d{{4}}-\d\d-\d\d\n\n", sections)


def test_the_files_become_a_section_above_the_last_one_and_are_removed(tmp_path: Path) -> None:
    pytest.importorskip("towncrier", reason="towncrier, which makes the section, is not installed")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    folder = tmp_path / "docs" / "changelog.d"
    folder.mkdir(parents=True)
    for name in NO_CHANGES:
        shutil.copy(FOLDER / name, folder)
    (folder / "two.fixed.md").write_text("A recorder\nends.\n")
    (folder / "one.breaking.md").write_text("Exit code 3 is 2.\n")
    done = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "9.8.7", "--date", "2030-01-02"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    section = "## [9.8.7] - 2030-01-02\n\n### Breaking\n\n- Exit code 3 is 2.\n\n### Fixed\n\n- A recorder\n  ends.\n\n"
    mark = "<!-- towncrier release notes start -->\n\n"
    old = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert (tmp_path / "CHANGELOG.md").read_text("utf-8") == old.replace(mark, mark + section)
    assert {path.name for path in folder.iterdir()} == NO_CHANGES
