"""A log file: lines are whole, also behind one that the disk took only a part of."""

import os
from pathlib import Path

import pytest

from proxy_addon.writing.outcomes.log_file import LogFile


def test_a_line_behind_a_torn_one_begins_on_a_line_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write, room = tmp_path / "a.log", os.write, 20

    def filling(descriptor: int, data: bytes) -> int:
        nonlocal room
        if room == 0:
            raise OSError(28, "No space left on device")
        room -= min(room, len(data))
        return write(descriptor, data[:12])

    monkeypatch.setattr(os, "write", lambda descriptor, data: filling(descriptor, data[:room] if room else data))
    file = LogFile(path)
    file(b"first line\n")
    with pytest.raises(OSError, match="No space"):
        file(b"second line\n")
    with pytest.raises(OSError, match="No space"):
        file(b"third line\n")
    room = 1000
    file(b"fourth line\n")
    file(b"fifth line\n")
    assert path.read_bytes() == b"first line\nsecond li\nfourth line\nfifth line\n"
