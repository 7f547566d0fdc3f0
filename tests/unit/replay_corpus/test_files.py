"""Reading within a bound, writing whole or not at all; every failure one line."""

import os
import stat
from pathlib import Path

import pytest
from support.processes import privileges

from replay.corpus import files
from replay.errors import ToolreelError


def message_of(path: Path, limit: int = 100) -> str:
    with pytest.raises(ToolreelError) as error:
        files.read(path, limit=limit)
    text = str(error.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text.removeprefix(str(path))
    return text.removeprefix(f"{path}: ")


def test_a_file_is_read_whole_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\r\n\x00\xff")
    assert files.read(path, limit=4) == b"\r\n\x00\xff"
    assert message_of(path, limit=3) == "larger than 3 bytes, so it is no fixture; leave it out"


def test_what_cannot_be_read_is_named_with_the_next_step(tmp_path: Path) -> None:
    assert message_of(tmp_path / "none.json") == "no such file or folder; check the path"
    assert message_of(tmp_path) == "is a folder; name a file in it"
    assert message_of(tmp_path / "a\0b") == "is no usable file name"
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "gone")
    assert message_of(link) == "no such file or folder; check the path"


def test_a_file_that_may_not_be_there_is_read_only_if_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    assert files.read_if_there(tmp_path / "a.json") == b"{}"
    assert files.read_if_there(tmp_path / "b.json") is None
    assert files.read_if_there(tmp_path / ("n" * 300)) is None  # no name of a file here
    (tmp_path / "c.json").symlink_to("gone")
    with pytest.raises(ToolreelError):
        files.read_if_there(tmp_path / "c.json")


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(2**40)  # a hole: it takes no space, and reading it would take all memory
    with pytest.raises(ToolreelError, match=r"larger than 268,435,456 bytes"):
        files.read(path)


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert message_of(pipe) == "is no regular file; copy what it gives into one"
    assert message_of(Path("/dev/zero")) == "is no regular file; copy what it gives into one"


def test_a_file_that_is_closed_to_the_user_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.touch(mode=0)
    with privileges.given_up():
        assert message_of(path) == "permission denied; check who may use it"


def test_where_the_user_may_not_write_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    tmp_path.chmod(0o555)
    with privileges.given_up(), pytest.raises(ToolreelError) as error:
        files.write(path, b"new")
    assert str(error.value) == f"{path}: permission denied; check who may use it; nothing was written"
    assert path.read_bytes() == b"old"
    tmp_path.chmod(0o755)
    assert [found.name for found in tmp_path.iterdir()] == ["a.json"]


def test_a_new_file_has_the_bytes_and_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    path = tmp_path / "a.json"
    files.write(path, b"x\r\n\xff")
    assert path.read_bytes() == b"x\r\n\xff"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a.json", "plain"]


def test_a_file_that_is_replaced_keeps_its_permissions_and_a_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(target)
    files.write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_where_nothing_can_be_written_nothing_changes(tmp_path: Path) -> None:
    folder = tmp_path / "folder.json"
    folder.mkdir()
    (folder / "inside").touch()
    for path in (folder, tmp_path / "none" / "a.json", tmp_path / ("n" * 300 + ".json")):
        with pytest.raises(ToolreelError) as error:
            files.write(path, b"x")
        assert str(error.value).endswith("; nothing was written")
    assert [found.name for found in tmp_path.iterdir()] == ["folder.json"]
    assert [found.name for found in folder.iterdir()] == ["inside"]
