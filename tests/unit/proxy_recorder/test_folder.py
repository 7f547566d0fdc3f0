"""Fixtures on disk: whole or not at all, never over another file, one file a shape."""

import errno
import math
import os
from pathlib import Path
from typing import Any

import pytest
from support.made.shapes import digest_of, shape

from proxy_addon.writing.cases import CASE_NAME, Turn, repeats
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut, Settled, unwritten
from proxy_addon.writing.storage.folder import FixtureFolder, Recorded
from proxy_addon.writing.storage.known_files import NO_FIXTURES
from proxy_addon.writing.storage.room import Limits
from replay.corpus import discovery
from replay.errors import ToolreelError


def written(name: str) -> Settled:
    return Settled(how=How.WRITTEN, file=name)


def same_shape(name: str) -> Settled:
    return Settled(how=How.SAME_SHAPE, file=name)


def opened(
    folder: Path, *, max_fixtures: int = 100, max_bytes: float = math.inf, recorded: Recorded = Recorded.STAYS
) -> FixtureFolder:
    limits = Limits(files=max_fixtures, day_bytes=max_bytes)
    return FixtureFolder(folder, digest_of=digest_of, limits=limits, recorded=recorded)


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_a_fixture_is_written_under_its_stem_or_its_case(tmp_path: Path) -> None:
    out = opened(tmp_path / "a" / "b")
    assert out.store(shape("1"), None) == written("openai-gpt-4o-1.json")
    assert out.store(shape("2"), Turn(case="weather")) == written("weather.json")
    assert content(tmp_path / "a" / "b") == {"openai-gpt-4o-1.json": "shape 1\n", "weather.json": "shape 2\n"}


def test_each_turn_of_a_case_is_a_file_though_they_are_of_one_shape(tmp_path: Path) -> None:
    out = opened(tmp_path)
    for number, text in enumerate(["1", "1", "2", "1"], start=1):
        name = "a.json" if number == 1 else f"a+{number}.json"
        assert out.store(shape(text), Turn(case="a", number=number)) == written(name)
    assert out.store(shape("1"), Turn(case="b")) == written("b.json")
    assert not list(out.end())


def recorded(folder: Path, case: str, *texts: str) -> None:
    out = opened(folder)
    for number, text in enumerate(texts, start=1):
        out.store(shape(text), Turn(case=case, number=number))


def test_a_later_run_that_differs_writes_nothing_and_says_where(tmp_path: Path) -> None:
    recorded(tmp_path, "a", "1", "2")
    before = content(tmp_path)
    out = opened(tmp_path)
    assert out.store(shape("1"), Turn(case="a")) == same_shape("a.json")
    stays = Settled(how=How.LEFT_OUT, why=LeftOut.OTHER_TURN, file="a+2.json")
    assert out.store(shape("3"), Turn(case="a", number=2)) == stays
    assert out.store(shape("2"), Turn(case="a", number=3)) == unwritten(LeftOut.MORE_TURNS)
    assert content(tmp_path) == before
    assert not list(out.end())


def test_a_later_run_with_fewer_turns_is_told_at_its_end(tmp_path: Path) -> None:
    recorded(tmp_path, "a", "1", "2")
    out = opened(tmp_path)
    out.store(shape("1"), Turn(case="a"))
    assert [case for case, _ in out.end()] == ["a"]
    assert sorted(content(tmp_path)) == ["a+2.json", "a.json"]


def test_a_case_that_is_recorded_anew_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    recorded(tmp_path, "a", "1", "2", "3", "4")
    recorded(tmp_path, "a-2", "1")
    recorded(tmp_path, "ab", "1", "2")
    (tmp_path / "a+7.json").write_text("no fixture")
    out = opened(tmp_path, recorded=Recorded.ANEW)
    assert out.store(shape("1"), Turn(case="a")) == same_shape("a.json")
    assert out.store(shape("5"), Turn(case="a", number=2)) == written("a+2.json")
    assert sorted(content(tmp_path)) == ["a+2.json", "a+7.json", "a-2.json", "a.json", "ab+2.json", "ab.json"]
    assert out.store(shape("6"), Turn(case="a", number=3)) == written("a+3.json")
    assert [case for case, _ in out.end()] == ["a"]
    assert content(tmp_path)["a+2.json"] == "shape 5\n"
    assert out.store(shape("2"), None) == same_shape("ab+2.json")  # the shape of the old turn is forgotten
    assert out.store(shape("4"), None) == written("openai-gpt-4o-1.json")


def test_a_case_that_ends_sooner_when_recorded_anew_loses_its_old_turns(tmp_path: Path) -> None:
    recorded(tmp_path, "a", "1", "2", "3")
    out = opened(tmp_path, recorded=Recorded.ANEW)
    out.store(shape("1"), Turn(case="a"))
    assert list(out.end()) == [("a", "turns of the earlier recording that are gone: 2")]
    assert sorted(content(tmp_path)) == ["a.json"]


def test_a_turn_that_cannot_be_written_anew_leaves_the_old_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(tmp_path, "a", "1", "2")
    out = opened(tmp_path, recorded=Recorded.ANEW)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "CANARY")

    monkeypatch.setattr(os, "fsync", full)
    assert out.store(shape("3"), Turn(case="a")) == unwritten(Dropped.WRITE, note="ENOSPC")
    assert content(tmp_path) == {"a.json": "shape 1\n", "a+2.json": "shape 2\n"}


def test_what_has_no_case_is_the_same_shape_as_any_file(tmp_path: Path) -> None:
    out = opened(tmp_path)
    out.store(shape("1"), Turn(case="a"))
    assert out.store(shape("1"), None) == same_shape("a.json")


def test_the_shapes_of_an_earlier_run_are_known(tmp_path: Path) -> None:
    opened(tmp_path).store(shape("1"), Turn(case="a"))
    (tmp_path / "a.expected.json").write_text("shape pin\n")
    (tmp_path / "a.adapters.json").write_text("shape outcomes\n")
    again = opened(tmp_path)
    assert again.store(shape("1"), None) == same_shape("a.json")
    assert again.store(shape("1"), Turn(case="a")) == same_shape("a.json")
    assert again.store(shape("pin"), None) == written("openai-gpt-4o-1.json")  # a pin is no fixture
    assert again.store(shape("outcomes"), None) == written("openai-gpt-4o-1-2.json")


def test_no_case_is_called_as_a_file_that_replay_takes_for_no_fixture() -> None:
    assert {discovery.PIN_SUFFIX, discovery.OUTCOMES_SUFFIX} == set(NO_FIXTURES)
    assert not [suffix for suffix in NO_FIXTURES if CASE_NAME.fullmatch(f"a{suffix.removesuffix('.json')}")]


@pytest.mark.parametrize("how", Recorded)
def test_no_file_that_is_no_fixture_is_ever_written_over(tmp_path: Path, how: Recorded) -> None:
    out = opened(tmp_path, recorded=how)
    (tmp_path / "a.json").write_text("something else")
    (tmp_path / "b.json").mkdir()
    (tmp_path / "c.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "openai-gpt-4o-1.json").write_text("something else")
    for case in "abc":
        stays = Settled(how=How.LEFT_OUT, why=LeftOut.NO_FIXTURE, file=f"{case}.json")
        assert out.store(shape("1"), Turn(case=case)) == stays
    assert out.store(shape("1"), None) == written("openai-gpt-4o-1-2.json")
    assert (tmp_path / "a.json").read_text() == "something else"
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_another_process_has_put_there_meanwhile_is_compared(tmp_path: Path) -> None:
    out = opened(tmp_path)
    (tmp_path / "a.json").write_text("shape 1\n")
    assert out.store(shape("1"), Turn(case="a")) == same_shape("a.json")


def test_a_name_taken_between_the_look_and_the_link_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = opened(tmp_path)
    link = os.link

    def taken_first(source: Path, target: Path, **options: Any) -> None:
        if target.name == "a.json":
            target.write_text("theirs")
        link(source, target, **options)

    monkeypatch.setattr(os, "link", taken_first)
    assert out.store(shape("1"), Turn(case="a")).how is How.LEFT_OUT
    assert content(tmp_path) == {"a.json": "theirs"}


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = opened(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert out.store(shape("1"), Turn(case="a")) == written("a.json")
    assert content(tmp_path) == {"a.json": "shape 1\n"}


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_failed_write_is_told_by_its_errno_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    out = opened(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "CANARY")

    with monkeypatch.context() as broken:
        broken.setattr(os, call, full)
        assert out.store(shape("1"), Turn(case="a")) == unwritten(Dropped.WRITE, note="ENOSPC")
    assert content(tmp_path) == {}
    assert out.store(shape("1"), Turn(case="a")) == written("a.json")  # the next one is written


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    out = opened(tmp_path / "out")
    (tmp_path / "out").rmdir()
    assert out.store(shape("1"), Turn(case="a")) == unwritten(Dropped.WRITE, note="ENOENT")


def test_over_the_most_bytes_of_a_run_nothing_more_is_written(tmp_path: Path) -> None:
    out = opened(tmp_path, max_bytes=len(b"shape 1\n") + 3)
    out.store(shape("1"), Turn(case="a"))
    assert out.store(shape("2"), Turn(case="b")) == unwritten(Dropped.BYTES_LIMIT)
    assert out.store(shape("1"), Turn(case="a")) == same_shape("a.json")  # nothing has to be written for that
    assert content(tmp_path) == {"a.json": "shape 1\n"}


def test_a_file_has_no_name_before_it_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    fsync = os.fsync

    def look(descriptor: int) -> None:
        seen.append(list(content(tmp_path)))
        fsync(descriptor)

    out = opened(tmp_path)
    monkeypatch.setattr(os, "fsync", look)
    assert out.store(shape("1"), Turn(case="a")) == written("a.json")
    before, after = seen  # when the file is synced, and when the folder is
    assert [name for name in before if not name.startswith(".toolreel-")] == []
    assert after[-1:] == ["a.json"]


def test_over_the_most_fixtures_of_a_run_nothing_more_is_written(tmp_path: Path) -> None:
    out = opened(tmp_path, max_fixtures=1)
    out.store(shape("1"), Turn(case="a"))
    assert out.store(shape("1"), None) == same_shape("a.json")
    assert out.store(shape("2"), Turn(case="b")) == unwritten(Dropped.FOLDER_LIMIT)
    assert content(tmp_path) == {"a.json": "shape 1\n"}


def test_what_a_killed_run_left_half_written_is_removed_and_what_a_live_one_writes_is_not(tmp_path: Path) -> None:
    dead = tmp_path / ".toolreel-4194305-x"  # above the largest process id
    mine = tmp_path / f".toolreel-{os.getpid()}-x"
    dead.write_text("half")
    mine.write_text("half")
    opened(tmp_path)
    assert (dead.exists(), mine.exists()) == (False, True)


def test_a_folder_that_cannot_be_used_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ToolreelError) as refused:
            opened(folder)
        assert str(folder) in str(refused.value)


def test_what_stands_where_the_folder_would_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for link, to in (("dangling", "nothing"), ("circle", "circle"), ("link", "file")):
        (tmp_path / link).symlink_to(tmp_path / to)
    os.mkfifo(tmp_path / "pipe")
    for name, why in (
        ("file", "it is a file"),
        ("link", "it is a link to a file"),
        ("pipe", "it is something that is no folder"),
        ("dangling", "it is a link to what is not there"),
        ("circle", "it is a link that leads in a circle"),
        ("dangling/below", f"{tmp_path / 'dangling'} is a link to what is not there"),
    ):
        with pytest.raises(ToolreelError) as refused:
            opened(tmp_path / name)
        assert f"{tmp_path / name}: cannot write fixtures here ({why});" in str(refused.value)


def test_a_fixture_may_be_read_by_whom_the_mask_allows(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        opened(tmp_path).store(shape("1"), Turn(case="a"))
    finally:
        os.umask(mask)
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["-rf", "con", "nul.x", "com1", "lpt9.json", ".a", "a.expected", "A", ""])
def test_a_name_that_is_no_good_file_name_everywhere_is_no_case(name: str) -> None:
    assert not CASE_NAME.fullmatch(name)


@pytest.mark.parametrize("name", ["con-1", "nulls", "com10", "a-b", "_x", "0"])
def test_a_name_that_only_looks_like_one_is_a_case(name: str) -> None:
    assert CASE_NAME.fullmatch(name)


@pytest.mark.parametrize(
    ("case", "repeated"),
    [
        ("mara-lindqvist-bug", True),
        ("x.lindqvis", True),
        ("lindqvi", False),
        ("send_email-no-subject", False),
        ("weather", False),
    ],
)
def test_a_case_repeats_eight_characters_of_its_request_that_the_fixture_has_not(case: str, repeated: bool) -> None:
    said = ['{"messages":[{"content":"Write to Mara Lindqvist"}],"tools":[{"name":"send_email"}]}']
    assert repeats(case, said, '{"tool_schemas":{"send_email":{}}}') is repeated
