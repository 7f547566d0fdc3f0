"""Measures redaction and prints the tables: `python tests/evaluation/run.py --seed 1 --size full`.

Needs toolreel with the extra `record`, for `toolreel import`. The same seed gives the same turns. With
`--paste` the tables are written into docs/redaction-measured.md. Exit code 1 where a target is missed.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.evaluation import anonymity, leaks, tables, verdicts  # noqa: E402

# Rounds of canaries (9,000 each or so), turns of each fault and profile, texts.
SIZES = {"small": (1, 2, 300), "full": (3, 70, 8_000)}
PAGE = ROOT / "docs" / "redaction-measured.md"
START, END = "<!-- measured -->\n", "<!-- end of what was measured -->"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure redaction.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--paste", action="store_true", help="write the tables into docs/redaction-measured.md")
    given = parser.parse_args()
    rounds, each, texts = SIZES[given.size]

    def say(line: str) -> None:
        print(line, file=sys.stderr)

    found = leaks.measure(given.seed, rounds, say=say)
    judged = verdicts.measure(given.seed, each, say=say)
    crowds = anonymity.measure(given.seed, texts, say=say)
    minimum = tables.MINIMUM if given.size == "full" else 0
    page = f"Measured with `python tests/evaluation/run.py --seed {given.seed} --size {given.size}`.\n\n"
    page += tables.rendered(found, judged, crowds, minimum=minimum)
    print(page)
    if given.paste:
        text = PAGE.read_text("utf-8")
        before, rest = text.split(START)
        PAGE.write_text(before + START + "\n" + page + "\n" + END + rest.split(END)[1], "utf-8")
    return 0 if all(target.met for target in tables.targets(found, judged, crowds, minimum=minimum)) else 1


if __name__ == "__main__":
    sys.exit(main())
