"""How many cores may be used, by the quota of a container too; and how many redactions that allows."""

import os
from pathlib import Path

import pytest

from proxy_addon.recorder.settings.cores import MOST_REDACTORS, cores, redactors


@pytest.mark.parametrize(("said", "most"), [("100000 100000", 1), ("50000 100000", 1), ("190000 100000", 1)])
def test_the_quota_of_a_container_bounds_the_cores(tmp_path: Path, said: str, most: int) -> None:
    (tmp_path / "cpu.max").write_text(said)
    assert cores(tmp_path / "cpu.max") == most


@pytest.mark.parametrize("said", [None, "max 100000", "", "100000", "1 0"])
def test_without_a_quota_they_are_those_of_the_process(tmp_path: Path, said: str | None) -> None:
    if said is not None:
        (tmp_path / "cpu.max").write_text(said)
    assert 1 <= cores(tmp_path / "cpu.max") <= (os.cpu_count() or 1)


def test_one_core_is_left_to_the_traffic() -> None:
    assert [redactors(found) for found in (1, 2, 3, 5, 64)] == [1, 1, 2, MOST_REDACTORS, MOST_REDACTORS]
