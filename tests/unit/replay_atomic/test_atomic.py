"""Files that appear whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from replay.atomic import PREFIX, Pending


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_until_it_is_put_in_place_a_file_has_a_hidden_name_that_says_whose_it_is(tmp_path: Path) -> None:
    with Pending(tmp_path) as pending:
        pending.write(b"a")
        assert [name.startswith(f"{PREFIX}{os.getpid()}-") for name in names(tmp_path)] == [True]
        pending.replace(tmp_path / "a.json")
        assert names(tmp_path) == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"a"


def test_a_file_without_a_name_is_gone_behind_the_block(tmp_path: Path) -> None:
    with Pending(tmp_path) as pending:
        pending.write(b"a")
    with pytest.raises(KeyboardInterrupt), Pending(tmp_path):
        raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_a_file_that_is_replaced_hands_its_permissions_on(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    target.write_bytes(b"old")
    target.chmod(0o604)
    with Pending(tmp_path) as pending:
        pending.write(b"new")
        pending.replace(target)
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o604)


@pytest.mark.parametrize("code", [None, errno.ENOTSUP, errno.EPERM])
def test_a_name_that_is_taken_is_never_written_over(
    code: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the system where it has hard links; by a look at the name where it has none."""

    def link(_source: Path, _target: Path) -> None:
        raise OSError(code, "no links here")

    if code is not None:
        monkeypatch.setattr(os, "link", link)
    (tmp_path / "taken.json").write_bytes(b"old")
    with Pending(tmp_path) as pending:
        pending.write(b"new")
        assert pending.publish(tmp_path / "taken.json") is False
        assert pending.publish(tmp_path / "free.json") is True
    assert names(tmp_path) == ["free.json", "taken.json"]
    assert (tmp_path / "taken.json").read_bytes() == b"old"
    assert (tmp_path / "free.json").read_bytes() == b"new"


def test_what_the_system_says_comes_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), Pending(tmp_path / "none"):
        pass
    with Pending(tmp_path) as pending, pytest.raises(FileNotFoundError):
        pending.publish(tmp_path / "none" / "a.json")
    assert names(tmp_path) == []
