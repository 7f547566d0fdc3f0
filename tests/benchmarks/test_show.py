"""What the page of a folder costs: 1,000 fixtures of the families that the suite carries, with all their findings.

Prints figures and asserts the size alone: `pytest tests/benchmarks/test_show.py -s`.
"""

import time
from pathlib import Path

import pytest
from support.shared import ROOT

from replay.show.pages import page
from replay.show.picture import reading

FIXTURES = 1_000
SAMPLE = 100  # in a run of all tests
MEBIBYTE = 1 << 20

pytestmark = [pytest.mark.benchmark, pytest.mark.nightly, pytest.mark.timeout(600)]


def test_the_page_of_a_thousand_fixtures(thorough: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases = [path for path in sorted((ROOT / "tests/data/cases").glob("*.json")) if ".expected." not in path.name]
    count = FIXTURES if thorough else SAMPLE
    for number in range(count):
        case = cases[number % len(cases)]
        Path(f"{number:04}-{case.name}").write_bytes(case.read_bytes())
    paths = sorted(path.name for path in Path().glob("*.json"))
    started, used = time.perf_counter(), time.process_time()
    made = page.folder([reading.read(path) for path in paths])
    took, used = time.perf_counter() - started, time.process_time() - used
    size = len(made.encode())
    print(f"{count:,} fixtures: a page of {size / MEBIBYTE:.1f} MiB in {took:.1f} s ({used:.1f} s of the processor)")
    assert size < 20 * MEBIBYTE
