"""The table of what the unit tests of the kernels must reach is only ever raised."""

import importlib.util
import json

import pytest
from support.shared import ROOT

SPEC = importlib.util.spec_from_file_location("kernel_coverage", ROOT / "scripts" / "kernel_coverage.py")
assert SPEC is not None
assert SPEC.loader is not None
script = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(script)


def test_a_file_with_less_than_its_line_a_new_one_with_little_and_a_gone_one_are_named() -> None:
    found = {"a.py": 90.0, "b.py": 97.0, "new.py": 94.9, "good.py": 95.0}
    assert script.shortfalls(found, {"a.py": 90.0, "b.py": 97.1, "gone.py": 99.0}) == [
        "b.py: 97.0 %, and must have 97.1 %",
        "new.py: 94.9 %, and must have 95.0 %",
        "gone.py: is gone; take its line out with --update",
    ]


def test_an_update_raises_lines_and_lowers_none() -> None:
    found = {"more.py": 98.0, "less.py": 90.0, "new.py": 99.0, "little.py": 10.0}
    table = script.raised(found, {"more.py": 97.0, "less.py": 96.0, "gone.py": 99.0})
    assert table == {"more.py": 98.0, "less.py": 96.0, "new.py": 99.0, "little.py": 95.0}


@pytest.mark.parametrize("words", [["--lower"], ["--update", "now"]])
def test_another_option_is_told_what_there_is(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(words) == 2
    assert "--update" in capsys.readouterr().err


@pytest.mark.parametrize(("found", "code"), [({"a.py": 96.0}, 0), ({"a.py": 94.0}, 1)])
def test_the_exit_code_says_whether_all_have_what_they_must(
    found: dict[str, float], code: int, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = tmp_path_factory.mktemp("table") / "kernel_coverage.json"
    table.write_text(json.dumps({"a.py": 95.5}))
    monkeypatch.setattr(script, "TABLE", table)
    monkeypatch.setattr(script, "measured", lambda: found)
    assert script.main([]) == code
    assert json.loads(table.read_text()) == {"a.py": 95.5}
