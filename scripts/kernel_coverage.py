"""Compares what the unit tests of the kernels reach, a file, with the least that was agreed on.

    python scripts/kernel_coverage.py             exit 1 where a file has less than its line in kernel_coverage.json
    python scripts/kernel_coverage.py --update    raise the lines of the files that have more, and take gone files out

The figure is the share of statements and branches that ran. No line is ever lowered but by hand, in a commit that says
why. A file without a line must have 95 %. The lines are those of Python 3.11, on which the nightly run measures.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
TABLE: Final = ROOT / "scripts" / "kernel_coverage.json"
KERNELS: Final = ("replay/validator", "replay/wire")
TESTS: Final = ("tests/unit/replay_validator", "tests/unit/replay_wire")

# They compare times, which mean nothing while every branch is counted.
TIMED: Final = (
    "take_time_linear or takes_any_text_in_time_linear or stays_bounded or take_seconds_at_most or time_is_linear"
)

# What a file that is not in the table must have, in per cent.
LEAST: Final = 95.0


def measured() -> dict[str, float]:
    """Runs the unit tests; for each file of the kernels its per cent, to one decimal, rounded down."""
    with tempfile.TemporaryDirectory() as folder:
        data, report = Path(folder, "data"), Path(folder, "report.json")
        environment = {**os.environ, "COVERAGE_FILE": str(data)}
        words = ["run", "--branch", f"--source={','.join(KERNELS)}", "-m", "pytest", "-q", f"-k=not ({TIMED})"]
        for arguments in ([*words, *TESTS], ["json", "-q", "-o", str(report)]):
            subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT, env=environment, check=True)
        files = json.loads(report.read_text("utf-8"))["files"]
    return {
        Path(name).as_posix(): math.floor(10 * file["summary"]["percent_covered"]) / 10
        for name, file in sorted(files.items())
    }


def shortfalls(found: Mapping[str, float], least: Mapping[str, float]) -> list[str]:
    """A line for each file that has less than it must, and for each line of the table without a file."""
    short = [
        f"{name}: {has} %, and must have {must} %"
        for name, has in found.items()
        if has < (must := least.get(name, LEAST))
    ]
    return short + [f"{name}: is gone; take its line out with --update" for name in least if name not in found]


def raised(found: Mapping[str, float], least: Mapping[str, float]) -> dict[str, float]:
    """The table for these files, in which no line is lower than before."""
    return {name: max(has, least.get(name, LEAST)) for name, has in sorted(found.items())}


def main(words: list[str]) -> int:
    """Measures, and compares or updates; the exit code."""
    if words not in ([], ["--update"]):
        print(__doc__, file=sys.stderr)
        return 2
    least: dict[str, float] = json.loads(TABLE.read_text("utf-8"))
    found = measured()
    if words:
        least = raised(found, least)
        TABLE.write_text(json.dumps(least, indent=2) + "\n", "utf-8")
    short = shortfalls(found, least)
    for line in short:
        print(line, file=sys.stderr)
    print(f"{len(found)} files, the least covered: {min(found.values())} %")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
