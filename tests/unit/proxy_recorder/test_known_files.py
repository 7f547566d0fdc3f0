"""What is known of a folder: an index that is never believed blindly, and the room that is made in a full folder."""

import hashlib
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from support.made.shapes import digest_of, shape

from proxy_addon.writing.cases import Turn
from proxy_addon.writing.outcomes.settled import Dropped, How, Settled, unwritten
from proxy_addon.writing.storage import folder as folder_module
from proxy_addon.writing.storage import folder_index
from proxy_addon.writing.storage.folder import NO_LIMITS, FixtureFolder
from proxy_addon.writing.storage.folder_index import INDEX_FILE
from proxy_addon.writing.storage.room import Full, Limits
from redaction.captured.exchange import Fixture

COUNT = 1200


def named(text: str) -> Fixture:
    return shape(text, f"openai-x-{text}")


class Reading:
    """Gives the digests of files, and counts those that were read."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, data: bytes) -> str | None:
        self.count += 1
        return digest_of(data)


def opened(folder: Path, limits: Limits = NO_LIMITS) -> tuple[FixtureFolder, Reading]:
    reading = Reading()
    return FixtureFolder(folder, digest_of=reading, limits=limits), reading


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder of so many fixtures, and its index."""
    for number in range(COUNT):
        (tmp_path / f"case-{number}.json").write_bytes(named(str(number)).data)
    (tmp_path / "case-7.expected.json").write_text("{}")
    (tmp_path / "notes.json").write_text("no fixture")
    _, reading = opened(tmp_path)
    assert reading.count == COUNT + 1
    assert (tmp_path / INDEX_FILE).exists()
    return tmp_path


def test_a_second_start_reads_no_file_and_one_that_is_used_is_read_then(many: Path) -> None:
    out, reading = opened(many)
    assert reading.count == 0
    assert out.store(named("5"), None) == Settled(how=How.SAME_SHAPE, file="case-5.json")
    assert reading.count == 1
    assert out.store(named("5"), None) == Settled(how=How.SAME_SHAPE, file="case-5.json")
    assert reading.count == 1
    assert out.store(named("new"), None) == Settled(how=How.WRITTEN, file="openai-x-new.json")


def damaged(data: bytes) -> bytes:
    return data.replace(b"case-5.json", b"case-6.json", 1)


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def of_another_version(data: bytes) -> bytes:
    return data.replace(b"toolreel-index 1.", b"toolreel-index 9.", 1)


@pytest.mark.parametrize("change", [damaged, cut, of_another_version, lambda _: b"", lambda _: b"\xff\n\xff"])
def test_an_index_that_is_not_whole_is_as_none_and_made_anew(many: Path, change: Callable[[bytes], bytes]) -> None:
    path = many / INDEX_FILE
    before = path.read_bytes()
    path.write_bytes(change(before))
    _, reading = opened(many)
    assert reading.count == COUNT + 1
    assert sorted(path.read_bytes().splitlines()) == sorted(before.splitlines())


def test_a_missing_index_is_made_anew(many: Path) -> None:
    (many / INDEX_FILE).unlink()
    _, reading = opened(many)
    assert reading.count == COUNT + 1
    assert opened(many)[1].count == 0


def lying(path: Path, change: Callable[[str], str]) -> None:
    """Write another index of which the check sum is right."""
    head, _, body = path.read_text().partition("\n")
    changed = change(body)
    assert changed != body
    start = head.rpartition(" ")[0]
    path.write_text(f"{start} {hashlib.sha256(changed.encode()).hexdigest()}\n{changed}")


def test_what_an_index_says_of_a_shape_is_proved_before_a_turn_is_taken_for_one_that_is_there(many: Path) -> None:
    new = named("never written")
    lying(many / INDEX_FILE, lambda body: body.replace(named("5").digest, new.digest))
    out, reading = opened(many)
    assert reading.count == 0
    assert out.store(new, None) == Settled(how=How.WRITTEN, file="openai-x-never written.json")
    assert out.store(named("5"), None) == Settled(how=How.SAME_SHAPE, file="case-5.json")


def test_a_file_that_the_index_takes_for_no_fixture_is_looked_at_before_its_turn_is_compared(many: Path) -> None:
    lying(many / INDEX_FILE, lambda body: body.replace(named("5").digest, "-"))
    out, _ = opened(many)
    assert out.store(named("5"), Turn(case="case-5")) == Settled(how=How.SAME_SHAPE, file="case-5.json")


def test_a_file_that_changed_is_read_though_its_size_and_time_are_the_same(many: Path) -> None:
    path = many / "case-5.json"
    before = path.stat()
    path.write_bytes(named("z").data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    out, reading = opened(many)
    assert reading.count == 1
    assert out.store(named("z"), None) == Settled(how=How.SAME_SHAPE, file="case-5.json")


def test_the_index_is_written_while_the_recorder_runs_and_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "_INDEX_EVERY", 10)
    monkeypatch.setattr(folder_module, "FEWEST", 15)
    out, _ = opened(tmp_path)
    for number in range(25):
        out.store(named(str(number)), None)
    assert opened(tmp_path)[1].count == 5  # what came after the twentieth
    out.store(named("last"), None)
    out.save_index()
    assert opened(tmp_path)[1].count == 0


def test_a_small_folder_gets_no_index(tmp_path: Path) -> None:
    out, _ = opened(tmp_path)
    for number in range(folder_index.FEWEST // 100):
        out.store(named(str(number)), None)
    out.save_index()
    assert not (tmp_path / INDEX_FILE).exists()


def test_a_fixture_that_somebody_took_away_or_changed_is_recorded_anew(tmp_path: Path) -> None:
    out, _ = opened(tmp_path)
    for text in ("a", "b"):
        assert out.store(named(text), None).how is How.WRITTEN
    (tmp_path / "openai-x-a.json").unlink()
    (tmp_path / "openai-x-b.json").write_text("no fixture any more")
    assert out.store(named("a"), None) == Settled(how=How.WRITTEN, file="openai-x-a.json")
    assert out.store(named("b"), None) == Settled(how=How.WRITTEN, file="openai-x-b-2.json")


SIZE = len(named("0").data)


def test_a_full_folder_takes_no_more_and_takes_again_where_there_is_room(tmp_path: Path) -> None:
    (tmp_path / "of-somebody.txt").write_bytes(bytes(SIZE))
    out, _ = opened(tmp_path, Limits(folder=3 * SIZE))
    settled = [out.store(named(text), None) for text in "012"]
    assert settled[2] == unwritten(Dropped.FOLDER_FULL)
    assert [one.how for one in settled[:2]] == [How.WRITTEN] * 2
    later, _ = opened(tmp_path, Limits(folder=3 * SIZE))
    assert later.store(named("3"), None) == unwritten(Dropped.FOLDER_FULL)
    (tmp_path / "of-somebody.txt").unlink()
    again, _ = opened(tmp_path, Limits(folder=3 * SIZE))
    assert again.store(named("3"), None).how is How.WRITTEN


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_oldest_go_first_but_for_those_with_a_pin_and_all_turns_of_a_case_together(tmp_path: Path) -> None:
    for age, name in enumerate(["case.json", "pinned.json", "old.json", "case+2.json", "young.json"]):
        (tmp_path / name).write_bytes(named(str(age)).data)
        os.utime(tmp_path / name, (age, age))
    (tmp_path / "pinned.expected.json").write_bytes(b"")
    out, _ = opened(tmp_path, Limits(folder=5 * SIZE, full=Full.OLDEST))
    assert out.store(named("a"), None).how is How.WRITTEN
    kept = {"case.json", "case+2.json", "young.json", "pinned.json", "pinned.expected.json"}
    assert names(tmp_path) == {*kept, "openai-x-a.json"}
    assert out.store(named("b"), None).how is How.WRITTEN
    kept = {"young.json", "pinned.json", "pinned.expected.json", "openai-x-a.json"}
    assert names(tmp_path) == {*kept, "openai-x-b.json"}
    assert out.removed == 3
    for text in "cdefgh":
        assert out.store(named(text), None).how is How.WRITTEN
    assert names(tmp_path) == {"pinned.json", "pinned.expected.json", *(f"openai-x-{text}.json" for text in "efgh")}
    assert out.store(named("a"), None).how is How.WRITTEN  # a shape that went is no shape of the folder any more


def test_what_is_larger_than_the_folder_may_be_removes_nothing(tmp_path: Path) -> None:
    out, _ = opened(tmp_path, Limits(folder=2 * SIZE, full=Full.OLDEST))
    assert out.store(named("0"), None).how is How.WRITTEN
    assert out.store(named("long" * SIZE), None) == unwritten(Dropped.FOLDER_FULL)
    assert (names(tmp_path), out.removed) == ({"openai-x-0.json"}, 0)


def test_the_limits_of_a_day_begin_anew_with_the_next_one(tmp_path: Path) -> None:
    days = [date(2026, 3, 1)]
    limits = Limits(files=2, day_bytes=3 * SIZE)
    out = FixtureFolder(tmp_path, digest_of=Reading(), limits=limits, today=lambda: days[-1])
    found = [out.store(named(text), None) for text in "012"]
    assert (found[0].how, found[1].how, found[2]) == (How.WRITTEN, How.WRITTEN, unwritten(Dropped.FOLDER_LIMIT))
    days.append(date(2026, 3, 2))
    assert out.store(named("2"), None).how is How.WRITTEN
    assert out.store(named("x" * 2 * SIZE), None) == unwritten(Dropped.BYTES_LIMIT)
