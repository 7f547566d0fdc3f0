"""Patterns, and paths that say where the working folder is."""

from pathlib import Path

import pytest

from replay.corpus import discovery
from replay.errors import ToolreelError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    for name in ("f/a.json", "f/a.expected.json", "f/g/b.json", "f/note.txt", "f/.c.json", "[1].json", "../up.json"):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def found(*paths: str) -> list[str]:
    return [str(path) for path in discovery.find(map(Path, paths)).fixtures]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("f/*.json", ["f/a.json"]),
        ("f/*", ["f/a.json", "f/g/b.json"]),
        ("**/*.json", ["[1].json", "f/a.json", "f/g/b.json"]),
        ("f/[ab].json", ["f/a.json"]),
        ("f/?", ["f/g/b.json"]),
        ("[1].json", ["[1].json"]),  # a name that is there is no pattern
    ],
)
def test_a_pattern_gives_the_fixtures_it_matches_and_passes_over_the_rest(pattern: str, names: list[str]) -> None:
    assert found(pattern) == names


@pytest.mark.parametrize("pattern", ["f/*.txt", "none/*", "f/[xy].json"])
def test_a_pattern_that_matches_no_fixture_is_an_error(pattern: str) -> None:
    with pytest.raises(ToolreelError) as error:
        found(pattern)
    assert str(error.value) == f"{pattern}: no fixture (*.json) matches this pattern; check the path"


def test_an_open_bracket_alone_is_no_pattern() -> None:
    with pytest.raises(ToolreelError) as error:
        found("f/[x.json")
    assert str(error.value) == "f/[x.json: no such file or folder; check the path"


def test_absolute_paths_come_out_relative_to_the_working_folder(folder: Path) -> None:
    assert found(str(folder / "work" / "f")) == ["f/a.json", "f/g/b.json"]
    assert found(str(folder / "work" / "f" / "*.json")) == ["f/a.json"]
    assert found(str(folder / "up.json")) == ["../up.json"]
