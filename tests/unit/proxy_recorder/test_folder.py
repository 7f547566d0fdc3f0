"""Fixtures on disk: whole or not at all, never over another file, one file a shape."""

import errno
import hashlib
import math
import os
from pathlib import Path
from typing import Any

import pytest

from proxy_addon.writing.cases import CASE_NAME, repeats
from proxy_addon.writing.folder import NO_FIXTURES, FixtureFolder
from proxy_addon.writing.settled import Dropped, How, Settled, unwritten
from redaction.captured.exchange import Fixture
from replay.corpus import discovery
from replay.errors import ToolreelError


def fixture(text: str, stem: str = "openai-gpt-4o-1") -> Fixture:
    data = f"shape {text}\n".encode()
    return Fixture(data=data, stem=stem, digest=hashlib.sha256(data).hexdigest())


def written(name: str) -> Settled:
    return Settled(how=How.WRITTEN, file=name)


def same_shape(name: str) -> Settled:
    return Settled(how=How.SAME_SHAPE, file=name)


def digest_of(data: bytes) -> str | None:
    return hashlib.sha256(data).hexdigest() if data.startswith(b"shape ") else None


def opened(folder: Path, *, max_fixtures: int = 100, max_bytes: float = math.inf) -> FixtureFolder:
    return FixtureFolder(folder, digest_of=digest_of, max_fixtures=max_fixtures, max_bytes=max_bytes)


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_a_fixture_is_written_under_its_stem_or_its_case(tmp_path: Path) -> None:
    out = opened(tmp_path / "a" / "b")
    assert out.store(fixture("1"), None) == written("openai-gpt-4o-1.json")
    assert out.store(fixture("2"), "weather") == written("weather.json")
    assert content(tmp_path / "a" / "b") == {"openai-gpt-4o-1.json": "shape 1\n", "weather.json": "shape 2\n"}


def test_a_case_is_the_same_shape_only_as_a_file_of_its_own_name(tmp_path: Path) -> None:
    out = opened(tmp_path)
    assert out.store(fixture("1"), "a") == written("a.json")
    assert out.store(fixture("1"), "a") == same_shape("a.json")
    assert out.store(fixture("2"), "a") == written("a-2.json")
    assert out.store(fixture("3"), "a") == written("a-3.json")
    assert out.store(fixture("2"), "a") == same_shape("a-2.json")
    assert out.store(fixture("1"), "b") == written("b.json")


def test_what_has_no_case_is_the_same_shape_as_any_file(tmp_path: Path) -> None:
    out = opened(tmp_path)
    out.store(fixture("1"), "a")
    assert out.store(fixture("1"), None) == same_shape("a.json")


def test_the_shapes_of_an_earlier_run_are_known(tmp_path: Path) -> None:
    opened(tmp_path).store(fixture("1"), "a")
    (tmp_path / "a.expected.json").write_text("shape pin\n")
    (tmp_path / "a.adapters.json").write_text("shape outcomes\n")
    again = opened(tmp_path)
    assert again.store(fixture("1"), None) == same_shape("a.json")
    assert again.store(fixture("1"), "a") == same_shape("a.json")
    assert again.store(fixture("pin"), None) == written("openai-gpt-4o-1.json")  # a pin is no fixture
    assert again.store(fixture("outcomes"), None) == written("openai-gpt-4o-1-2.json")


def test_no_case_is_called_as_a_file_that_replay_takes_for_no_fixture() -> None:
    assert {discovery.PIN_SUFFIX, discovery.OUTCOMES_SUFFIX} == set(NO_FIXTURES)
    assert not [suffix for suffix in NO_FIXTURES if CASE_NAME.fullmatch(f"a{suffix.removesuffix('.json')}")]


def test_no_file_that_is_there_is_ever_written_over(tmp_path: Path) -> None:
    out = opened(tmp_path)
    (tmp_path / "a.json").write_text("something else")
    (tmp_path / "a-2.json").mkdir()
    (tmp_path / "a-3.json").symlink_to(tmp_path / "nowhere")
    assert out.store(fixture("1"), "a") == written("a-4.json")
    assert (tmp_path / "a.json").read_text() == "something else"
    assert not (tmp_path / "nowhere").exists()


def test_a_file_that_another_process_has_put_there_meanwhile_is_compared(tmp_path: Path) -> None:
    out = opened(tmp_path)
    (tmp_path / "a.json").write_text("shape 1\n")
    assert out.store(fixture("1"), "a") == same_shape("a.json")


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
    assert out.store(fixture("1"), "a") == written("a-2.json")
    assert content(tmp_path) == {"a.json": "theirs", "a-2.json": "shape 1\n"}


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = opened(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert out.store(fixture("1"), "a") == written("a.json")
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
        assert out.store(fixture("1"), "a") == unwritten(Dropped.WRITE, note="ENOSPC")
    assert content(tmp_path) == {}
    assert out.store(fixture("1"), "a") == written("a.json")  # the next one is written


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    out = opened(tmp_path / "out")
    (tmp_path / "out").rmdir()
    assert out.store(fixture("1"), "a") == unwritten(Dropped.WRITE, note="ENOENT")


def test_over_the_most_bytes_of_a_run_nothing_more_is_written(tmp_path: Path) -> None:
    out = opened(tmp_path, max_bytes=len(b"shape 1\n") + 3)
    out.store(fixture("1"), "a")
    assert out.store(fixture("2"), "b") == unwritten(Dropped.BYTES_LIMIT)
    assert out.store(fixture("1"), "a") == same_shape("a.json")  # nothing has to be written for that
    assert content(tmp_path) == {"a.json": "shape 1\n"}


def test_a_file_has_no_name_before_it_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    fsync = os.fsync

    def look(descriptor: int) -> None:
        seen.append(list(content(tmp_path)))
        fsync(descriptor)

    out = opened(tmp_path)
    monkeypatch.setattr(os, "fsync", look)
    assert out.store(fixture("1"), "a") == written("a.json")
    before, after = seen  # when the file is synced, and when the folder is
    assert [name for name in before if not name.startswith(".toolreel-")] == []
    assert after[-1:] == ["a.json"]


def test_over_the_most_fixtures_of_a_run_nothing_more_is_written(tmp_path: Path) -> None:
    out = opened(tmp_path, max_fixtures=1)
    out.store(fixture("1"), "a")
    assert out.store(fixture("1"), None) == same_shape("a.json")
    assert out.store(fixture("2"), "b") == unwritten(Dropped.FOLDER_LIMIT)
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
        opened(tmp_path).store(fixture("1"), "a")
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
