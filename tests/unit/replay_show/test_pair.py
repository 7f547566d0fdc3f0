"""Two turns side by side: what is the same, what moved, what changed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.builders import verdicts
from support.processes.here import toolreel

from replay.cli import root
from replay.show.picture import pair
from replay.show.picture.pair import How, Line, Section
from replay.show.picture.reading import read
from replay.show.screen import pair_views
from replay.show.screen.glyphs import columns
from replay.show.screen.turn_lines import Screen

pytestmark = pytest.mark.usefixtures("folder")

END = verdicts.chunk({}, "tool_calls")


def compared(one: bytes, other: bytes) -> dict[str, Section]:
    Path("one.json").write_bytes(one)
    Path("other.json").write_bytes(other)
    return {section.title: section for section in pair.turns(read("one.json"), read("other.json"))}


def show(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(root, ["show", *arguments], env={"COLUMNS": "100"})
    assert done.exit_code == code, done.output
    return done.output


def differing(section: Section) -> list[tuple[How, str, str, str]]:
    return [(line.how, line.what, line.left, line.right) for line in section.lines if line.how is not How.SAME]


def test_a_turn_is_the_same_as_itself() -> None:
    assert not any(section.differs for section in compared(verdicts.PASS, verdicts.PASS).values())


def test_another_verdict_its_finding_and_the_event_that_made_it() -> None:
    found = compared(verdicts.PASS, verdicts.COLLISION)
    assert differing(found["verdict"]) == [(How.CHANGED, "status", "pass", "blocked")]
    assert differing(found["calls"]) == [(How.CHANGED, "choice 0, slot 0, state", "validated", "blocked")]
    assert differing(found["findings"]) == [(How.RIGHT, "identity_collision, choice 0, slot 0", "", "event 1")]
    first = differing(found["events"])[0]
    assert first == (
        How.CHANGED,
        "1 : 1",
        'slot 0 arguments ‹xt":"hi"}›',
        'slot 0 arguments ‹xt":"hi"}›; finding identity_collision',
    )


def test_the_same_text_in_other_fragments_moved() -> None:
    other = verdicts.fixture(
        verdicts.chunk(verdicts.call('{"text')),
        verdicts.chunk(verdicts.more('":"hi"}')),
        verdicts.chunk({}, "tool_calls"),
    )
    found = compared(verdicts.PASS, other)
    assert differing(found["calls"]) == [(How.MOVED, "choice 0, slot 0, fragments", "2: 4 9", "2: 6 7")]
    assert not found["verdict"].differs


def test_one_more_event_leaves_the_others_the_same_and_an_event_can_move() -> None:
    text, call, end = verdicts.chunk({"content": "hi"}), verdicts.chunk(verdicts.call('{"text":"hi"}')), END
    found = compared(verdicts.fixture(call, end), verdicts.fixture(text, call, end))
    assert differing(found["events"]) == [(How.RIGHT, "0", "", "text text ‹hi›")]
    found = compared(verdicts.fixture(text, call, end), verdicts.fixture(call, text, end))
    assert [how for how, *_ in differing(found["events"])] == [How.MOVED]


def test_a_finding_at_another_event_moved() -> None:
    def repeated(*more: object) -> bytes:
        end = verdicts.chunk({}, "tool_calls")
        return verdicts.fixture(verdicts.chunk(verdicts.call('{"text":"hi"}')), *more, end, end)

    found = compared(repeated(), repeated(verdicts.chunk({"content": "a"})))
    assert differing(found["findings"]) == [(How.MOVED, "duplicate_terminal, choice 0", "event 2", "event 3")]


def test_a_turn_and_its_pin() -> None:
    Path("a.json").write_bytes(verdicts.PASS)
    Path("a.expected.json").write_text("{}")
    assert "pin unreadable; to write it: toolreel replay --update a.json" in show("a.json", "a.expected.json", code=2)
    Path("a.expected.json").unlink()
    toolreel("replay", "--update", "a.json")
    assert show("a.json", "a.expected.json").startswith("the same\n")
    Path("a.json").write_bytes(verdicts.COLLISION)
    shown = show("a.json", "a.expected.json")
    assert shown.startswith("differ: verdict, calls, findings\n")
    assert "  status                          pass" in shown


def test_two_turns_in_the_terminal_as_json_and_as_a_page() -> None:
    compared(verdicts.PASS, verdicts.COLLISION)
    shown = show("one.json", "other.json")
    assert shown.startswith("differ: verdict, calls, findings, events\n")
    assert max(map(columns, shown.splitlines())) <= 100
    value = json.loads(show("one.json", "other.json", "--report", "json"))
    assert (value["left"], value["right"], value["same"]) == ("one.json", "other.json", False)
    assert value["verdict"][0] == {"how": "changed", "what": "status", "left": "pass", "right": "blocked"}
    assert show("one.json", "other.json", "--html", "pair.html") == "Written: pair.html\n"
    page = Path("pair.html").read_text("utf-8")
    assert page.count('class="lanes"') == 2
    assert "What differs: verdict, calls, findings, events." in page


def test_long_texts_are_shown_where_they_part() -> None:
    line = Line(how=How.CHANGED, what="x", left="a" * 200 + "b", right="a" * 200 + "c")
    shown = list(pair_views.lines([Section(title="t", lines=(line,))], ("l", "r"), Screen(width=80)))
    (row,) = [one for one in shown if one.startswith("  x")]
    assert "ab !" in " ".join(row.split())
    assert columns(row) <= 80
