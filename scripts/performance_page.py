"""Makes docs/performance.md of what the benchmarks measure: `performance_page.py [COMPILED]`.

COMPILED is the folder of an unpacked wheel with the compiled kernel; with it the table has its figures, too. Run it on
a machine that does nothing else. The figures are ratios, each beside its baseline, measured side by side.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "performance.md"
BENCHMARKS: Final = ("tests/benchmarks/test_recorded_streams.py",)

HEAD: Final = """# Speed

What toolreel costs, as ratios: each figure is a time divided by that of its baseline, and both are measured in turns on
one machine, in seven rounds of processor time. The number is the quotient in the middle, with the smallest and the
largest behind it. For example, 0.60 says that judging takes 0.60 times as long as decoding the same payloads with
`json.loads`, which every client does anyway.

Workload C is what counts: all recorded streams of a wire family, those in the suite and those beside the checkout. They
are mostly text, reasoning, first and last chunks. Schemas are those of the requests; a schema that was seen before is
not compiled again.

`python scripts/performance_page.py` makes this page; `pytest tests/benchmarks -s` prints these figures and more.
"""


def measured(kernel: Path | None) -> list[dict[str, Any]]:
    """The rows that the benchmarks write, with the kernel of an unpacked wheel or with the sources here."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures"
        path = os.pathsep.join(str(part) for part in (kernel or ROOT, ROOT / "tests"))
        environment = {**os.environ, "TOOLREEL_FIGURES": str(figures), "PYTHONPATH": path}
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:randomly", *BENCHMARKS]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=sys.stderr)
        return [json.loads(line) for line in figures.read_text("utf-8").splitlines()]


def shown(row: dict[str, Any] | None) -> str:
    """A figure as the table has it; nothing where there is none."""
    return "" if row is None else f"{row['middle']:.2f} ({row['least']:.2f} to {row['most']:.2f})"


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def table(plain: list[dict[str, Any]], compiled: list[dict[str, Any]]) -> str:
    """Each figure in a row, those of one kind together."""
    others = {(row["workload"], row["figure"]): row for row in compiled}
    lines = [
        "| workload | figure | times as long as | plain Python | compiled | what it was |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['workload']} | {row['figure']} | {row['baseline']} | {shown(row)} "
        f"| {shown(others.get((row['workload'], row['figure'])))} | {row['note']} |"
        for row in plain
    ]
    return "\n".join(lines)


def page(compiled: Path | None) -> str:
    """The whole page."""
    plain = measured(None)
    others = measured(compiled) if compiled is not None else []
    # On a machine that does other things, too, the quotients scatter.
    load = f"{os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else "not known"
    machine = f"{processor()}, {os.cpu_count()} processors (load {load}), {platform.system()}"
    where = f"Measured on {machine}, Python {platform.python_version()}."
    return f"{HEAD}\n{where}\n\n{table(plain, others)}\n"


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None), "utf-8")
