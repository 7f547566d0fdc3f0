"""A folder for each day: which one a fixture goes to, and what becomes of the days before."""

from datetime import date
from pathlib import Path

import pytest

from proxy_addon.writing.cases import Turn
from proxy_addon.writing.outcomes.settled import Dropped, How
from proxy_addon.writing.storage import sinks
from proxy_addon.writing.storage.by_day import ByDay
from proxy_addon.writing.storage.folder import FixtureFolder, Recorded
from proxy_addon.writing.storage.room import Full, Limits
from redaction.captured.exchange import Fixture
from replay.errors import ToolreelError

ONE = Fixture(data=b"one", stem="shape", digest="one")


def test_a_fixture_goes_to_the_folder_of_the_day_on_which_it_is_written(tmp_path: Path) -> None:
    day = date(2026, 11, 30)

    def open_day(name: str) -> FixtureFolder:
        return FixtureFolder(tmp_path / name, digest_of=bytes.decode)

    sink = ByDay(open_day, today=lambda: day)
    assert sink.store(ONE, None).file == "day=2026-11-30/shape.json"
    assert sink.store(ONE, None).how is How.SAME_SHAPE
    day = date(2026, 12, 1)
    settled = sink.store(ONE, None)
    assert (settled.how, settled.file) == (How.WRITTEN, "day=2026-12-01/shape.json")
    assert sink.store(ONE, Turn(case="weather")).file == "day=2026-12-01/weather.json"
    assert list(sink.end()) == []
    # A day whose folder cannot be made is tried again with the next fixture.
    (tmp_path / "day=2026-12-02").write_text("in the way")
    day = date(2026, 12, 2)
    assert sink.store(ONE, None).why is Dropped.WRITE
    (tmp_path / "day=2026-12-02").unlink()
    assert sink.store(ONE, None).file == "day=2026-12-02/shape.json"


def test_bounds_of_one_folder_are_not_for_many(tmp_path: Path) -> None:
    for limits in (Limits(folder=1), Limits(full=Full.OLDEST)):
        with pytest.raises(ToolreelError, match="leave them out"):
            sinks.opened(
                tmp_path,
                digest_of=bytes.decode,
                limits=limits,
                recorded=Recorded.STAYS,
                tell=lambda *_: None,
                layout=sinks.Layout.BY_DAY,
            )
