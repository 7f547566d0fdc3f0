"""The page on the Python API: its code runs, has the types it shows, and names what there is."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.builders.chunks import chunk_of, entry
from support.shared import ROOT

from replay import validator
from replay.validator import Limits, Report, Retry, Turn

PAGE = (ROOT / "docs" / "embedding.md").read_text("utf-8")
CODE = "\n\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def names() -> dict[str, Any]:
    """What the code of the page defines."""
    found: dict[str, Any] = {}
    exec(compile(CODE, "docs/embedding.md", "exec"), found)
    return found


def stream(days: int) -> list[dict[str, object]]:
    return [
        chunk_of(entry(0, '{"city":"Os', id="call_1", name="weather")),
        chunk_of(entry(0, f'lo","days":{days}}}')),
        chunk_of(finish="tool_calls"),
    ]


def run(names: dict[str, Any], payloads: list[dict[str, object]]) -> Report:
    """The report of the page's generator, which hands on every payload."""
    reports: list[Report] = []

    def consumer() -> Iterator[object]:
        reports.append((yield from names["watched"](payloads, names["WEATHER"])))

    assert list(consumer()) == payloads
    (report,) = reports
    return report


def test_the_gateway_of_the_page_runs_whole_calls_and_answers_blocked_ones(names: dict[str, Any]) -> None:
    good, bad, cut = run(names, stream(3)), run(names, stream(40)), run(names, stream(3)[:2])
    assert [call.arguments for call in names["calls_to_run"](good)] == ['{"city":"Oslo","days":3}']
    assert (names["tool_messages"](good), names["may_ask_again"](good)) == ([], False)
    assert names["calls_to_run"](bad) == names["calls_to_run"](cut) == ()
    (message,) = names["tool_messages"](bad)
    assert message["tool_call_id"] == "call_1"
    quoted = re.search(r'what was sent: "(.*?)"\.', PAGE, re.DOTALL)
    assert quoted is not None
    assert " ".join(quoted[1].split()) in message["content"]
    assert (names["may_ask_again"](bad), names["may_ask_again"](cut)) == (True, False)


def test_the_status_line_of_the_page_tells_names_and_sizes(names: dict[str, Any]) -> None:
    turn = Turn(profile="openai", tool_schemas=names["WEATHER"])
    turn.feed(stream(3)[0])
    assert names["progress"](turn) == ["weather: 11 bytes"]
    turn.feed(chunk_of(entry(0, "", id="call_2")))
    assert names["progress"](turn) == ["weather: 11 bytes, blocked"]


def test_the_listener_of_the_page_tells_where_texts_stand(names: dict[str, Any]) -> None:
    path = ("choices", 0, "delta", "tool_calls", 0, "function", "arguments")
    late = chunk_of(entry(0, "late"))
    assert names["places_of_text"]([*stream(3), late]) == {(0, 0): [(0, *path), (1, *path)]}


def test_the_code_of_the_page_has_the_types_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "page.py").write_text(CODE, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", tmp_path / "page.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout


def test_the_page_gives_the_arguments_that_a_turn_takes() -> None:
    shown = re.search(r"`Turn\((.*?)\)`\s+begins", PAGE)
    assert shown is not None
    taken = list(inspect.signature(Turn).parameters)
    assert re.findall(r"(\w+)=", shown[1]) == taken
    for name in ("validate", "judge"):
        assert f"`{name}({', '.join(inspect.signature(getattr(validator, name)).parameters)}" in PAGE.replace(
            "=()", ""
        ).replace(f"={Limits.__name__}()", "")
    assert all(f"`{retry.value}`" in PAGE for retry in Retry)


def test_every_name_that_the_page_imports_is_public() -> None:
    imported = {
        name
        for line in re.findall(r"^from replay\.validator import (.+)$", CODE, re.MULTILINE)
        for name in line.split(", ")
    }
    assert imported <= set(validator.__all__)
    assert all(hasattr(validator, name) and getattr(validator, name).__doc__ for name in validator.__all__)
