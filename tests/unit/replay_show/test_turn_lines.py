"""Turns and folders in a terminal of 80, 120 and 200 columns."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.builders import verdicts
from support.processes.here import toolreel
from support.shared import ROOT

from replay.cli import root
from replay.show.picture import reading, rows
from replay.show.screen import turn_lines
from replay.show.screen.glyphs import ASCII, UNICODE, clean, columns, fitted, glyphs, padded
from replay.show.screen.ink import Brush
from replay.show.screen.turn_lines import Screen

CASES = ROOT / "tests/data/cases"
SOME = sorted(path for path in CASES.glob("*.json") if ".expected." not in path.name)[::6]
WIDTHS = (80, 120, 200)

PASS_AT_80 = """\
pass  a.json
Every call of the turn may be considered for execution

  profile  openai
  stream   3 events, 443 bytes, complete
  pin      no pin

              0
  turn          ◆┤
  slot 0 say  ○█●

  ○ opened   █ arguments   ● closed   ◆ finish   ┤ end

  event  lane    what                         bytes  fragment
      0  slot 0  opened, id, name, arguments      4  ‹{"te›
      1  slot 0  arguments                        9  ‹xt":"hi"}›
      2  slot 0  closed
      2  turn    finish                          10  tool_calls
    end  turn    stream complete, end marker     14
"""
COLLISION_ROWS = """\
>     1  slot 0  identity_collision
                 the slot has an id or name and receives another: two calls
                 share one index, or one is in pieces
                 A slot that has an id or a name receives a different one, or an
                 Anthropic block is started again as another one.
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, data in (("a", verdicts.PASS), ("b", verdicts.COLLISION), ("c", verdicts.TEXT), ("d", verdicts.INVALID)):
        Path(f"{name}.json").write_bytes(data)


def show(*arguments: str, width: int = 80, code: int = 0, charset: str = "utf-8") -> str:
    done: Result = CliRunner(charset=charset).invoke(root, ["show", *arguments], env={"COLUMNS": str(width)})
    assert done.exit_code == code, done.output
    return done.output


def test_a_turn_is_head_lanes_and_rows() -> None:
    assert show("a.json") == PASS_AT_80


def test_a_finding_stands_where_it_arose_with_the_sentence_of_its_rule() -> None:
    shown = show("b.json")
    assert shown.startswith("blocked  b.json\nNo call of the turn may be executed (1 finding)\n")
    assert COLLISION_ROWS in shown
    assert shown.endswith("Explained by: toolreel rules identity_collision\n")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_no_line_is_wider_than_the_screen(path: Path, width: int) -> None:
    shown = reading.read(str(path))
    for signs in (UNICODE, ASCII):
        screen = Screen(width=width, signs=signs)
        for line in turn_lines.whole(shown, screen):
            assert columns(line) <= width or line.startswith("Explained by"), line
            assert line.isprintable()


def test_lanes_fold_below_each_other_and_runs_of_words_into_one_column() -> None:
    chunks = [verdicts.chunk({"content": "w "})] * 300
    Path("long.json").write_bytes(
        verdicts.fixture(*chunks, verdicts.chunk(verdicts.call("{}")), verdicts.chunk({}, "tool_calls"))
    )
    shown = show("long.json")
    assert "  text        ≈\n" in shown
    assert re.search(r"0–299  text +text, 300 events +600", shown)
    assert len(show("long.json", "--all").splitlines()) > 300


def test_many_events_of_calls_share_columns() -> None:
    chunks = [verdicts.chunk(verdicts.call("[")), *[verdicts.chunk(verdicts.more("1,"))] * 2000]
    Path("long.json").write_bytes(verdicts.fixture(*chunks))
    shown = reading.read("long.json")
    lanes = list(turn_lines.lanes(shown.picture, Screen(width=80)))
    assert len(lanes) <= 4 * 3 + 3
    assert max(map(columns, lanes)) <= 80


def test_the_state_after_an_event_is_a_preview() -> None:
    shown = show("a.json", "--at", "1")
    assert "After event 1 (the last is 2): a preview, not to be executed." in shown
    assert '  slot 0  say  call_1  named, 13 bytes\n    {"text":"hi"}\n' in shown
    assert "no such event; its last one is 2" in show("a.json", "--at", "3", code=2)


def test_raw_shows_each_line_end() -> None:
    lines = show("a.json", "--raw").splitlines()
    assert lines[0].startswith('0  data: {"id": "c1"')
    assert lines[0].endswith("⏎")
    assert lines[1] == "   ⏎"
    assert lines[-2:] == ["end  data: [DONE]⏎", "     ⏎"] or lines[-2].endswith("data: [DONE]⏎")


def test_only_the_rows_around_a_finding() -> None:
    shown = show("b.json", "--finding", "identity_collision")
    assert ">     1  slot 0  identity_collision" in shown
    assert "not in this turn; it has identity_collision" in show("b.json", "--finding", "missing_id", code=2)
    assert "no such code" in show("b.json", "--finding", "nothing", code=2)


def test_playing_shows_every_row_in_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("replay.show.cli.time.sleep", slept.append)
    timed = json.loads(verdicts.PASS) | {"transport": {"milliseconds": [0, 250, 4000]}}
    Path("t.json").write_text(json.dumps(timed))
    shown = show("t.json", "--play", "--speed", "2")
    assert "slot 0  closed" in shown
    assert max(slept) == pytest.approx(2, abs=0.2)


def test_a_folder_is_a_table_with_a_line_a_turn() -> None:
    lines = show(".").splitlines()
    assert lines[0].split() == ["name", "profile", "verdict", "events", "calls", "findings", "pin"]
    assert [line.split()[:3] for line in lines[1:5]] == [
        ["a", "openai", "pass"],
        ["b", "openai", "blocked"],
        ["c", "openai", "not"],
        ["d", "openai", "invalid"],
    ]
    assert lines[-1] == "4 fixtures: 1 pass, 1 blocked, 1 not applicable, 1 invalid."


def test_a_table_is_filtered_and_sorted() -> None:
    assert "1 fixture: 1 blocked." in show(".", "--only", "blocked")
    assert "1 fixture: 1 blocked." in show(".", "--finding", "identity_collision")
    assert "0 fixtures." in show(".", "--profile", "anthropic")
    by_verdict = show(".", "--sort", "verdict").splitlines()
    assert [line.split()[0] for line in by_verdict[1:5]] == ["d", "b", "a", "c"]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_fits(width: int) -> None:
    lines = show(str(CASES), width=width).splitlines()
    assert max(map(columns, lines)) <= width


def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_shown() -> None:
    Path("e.json").symlink_to("nowhere")
    shown = show(".", code=2)
    assert "Error: e.json: " in shown
    assert "4 fixtures" in shown


def test_json_says_what_each_event_did() -> None:
    value = json.loads(show("b.json", "--report", "json"))
    assert value["status"] == "blocked"
    assert value["codes"] == ["identity_collision"]
    assert value["timeline"][1]["did"] == [
        {"lane": 1, "did": ["arguments", "blocked"], "text": 'xt":"hi"}', "bytes": 9}
    ]
    assert [one["fixture"] for one in json.loads(show(".", "--report", "json"))["turns"]] == [
        "a.json",
        "b.json",
        "c.json",
        "d.json",
    ]


def test_a_pin_that_is_named_stands_for_its_fixture() -> None:
    toolreel("replay", "--update", "a.json")
    assert "pin      as pinned" in show("a.expected.json")
    Path("a.json").write_bytes(verdicts.TEXT)
    assert "pin      changed; see: toolreel show a.expected.json a.json\n" in show("a.json")
    Path("a.expected.json").write_text("{}")
    assert "pin      pin unreadable" in show("a.json")


def test_clients_that_disagree_are_named() -> None:
    outcomes = '{"format": 1, "adapters": {"litellm": {"1.0": "unsafe", "1.1": "unsafe"}, "openai": {"3": "agree"}}}'
    Path("b.adapters.json").write_text(outcomes)
    assert "  clients  litellm 1.1: unsafe; 1 agree\n" in show("b.json")
    assert "litellm unsafe" in show(".", width=120)


def test_colours_have_no_width_and_only_a_terminal_has_them() -> None:
    assert "\x1b" not in show("b.json")
    shown = reading.read("b.json")
    painted = list(turn_lines.whole(shown, Screen(brush=Brush())))
    bare = [re.sub(r"\x1b\[\d+m", "", line) for line in painted]
    assert bare == list(turn_lines.whole(shown, Screen()))
    assert any("\x1b[31m" in line for line in painted)


def test_a_terminal_without_these_signs_gets_others() -> None:
    assert glyphs("ascii") is ASCII
    assert glyphs("utf-8") is UNICODE
    assert glyphs(None) is ASCII
    assert glyphs("no such encoding") is ASCII
    assert all(line.isascii() for line in turn_lines.whole(reading.read("b.json"), Screen(signs=ASCII)))


def test_texts_are_cut_by_the_columns_that_they_take() -> None:
    assert columns("日本") == 4
    assert fitted("日本語", 5, UNICODE) == "日本…"
    assert fitted("e\u0301tude", 5, UNICODE) == "e\u0301tude"
    assert padded("日", 4) == "日  "
    assert clean("a\x1b[31m\u202e\nb\r", UNICODE) == r"a\x1b[31m\u202e⏎b␍"


def test_words_that_drive_a_terminal_do_not_reach_it() -> None:
    Path("evil\x1b[2J.json").write_bytes(
        verdicts.fixture(
            verdicts.chunk(verdicts.call("\x1b]0;x\x07")),
            verdicts.chunk({"content": "\u202e\x9b"}),
            verdicts.chunk({}, "tool_calls"),
        )
    )
    for arguments in (("evil\x1b[2J.json",), ("evil\x1b[2J.json", "--raw"), ("evil\x1b[2J.json", "--at", "1"), (".",)):
        assert all(line.isprintable() for line in show(*arguments).splitlines())


def test_rows_around_an_event_of_the_end() -> None:
    shown = reading.read("b.json")
    assert [row.first for row in rows.around(shown.picture, [None])][-1] is None
