"""Measures redaction and prints the tables: `python tests/evaluation/run.py --seed 1 --size full`.

Needs toolreel with the extra `record`, for `toolreel import`. The same seed gives the same turns. With
`--paste` the tables are written into docs/redaction-measured.md. Exit code 1 where a target is missed.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.evaluation import anonymity, contracts, demanding, leaks, network_times, tables, verdicts  # noqa: E402

# Rounds of canaries (9,000 each or so), turns of each fault and profile, texts, calls of each demanding schema, and
# ordinary answers of each kind.
SIZES = {"small": (1, 2, 300, 1, 100), "full": (3, 70, 8_000, 10, 1_000)}
PAGE = ROOT / "docs" / "redaction-measured.md"
START, END = "<!-- measured -->\n", "<!-- end of what was measured -->"
CONTRACTS_START, CONTRACTS_END = "<!-- measured of contracts -->\n", "<!-- end of what was measured of contracts -->"
# Tools in whose words canaries are planted.
MOST_TOOLS = {"small": 40, "full": 1_000_000}
SCHEMAS_START, SCHEMAS_END = "<!-- measured of schemas -->\n", "<!-- end of what was measured of schemas -->"

ANSWERS_START, ANSWERS_END = "<!-- measured of answers -->\n", "<!-- end of what was measured of answers -->"

NETWORK_START, NETWORK_END = "<!-- measured of the network -->\n", "<!-- end of what was measured of the network -->"
NETWORK_SIZES = {"small": 10, "full": 100}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure redaction.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--paste", action="store_true", help="write the tables into docs/redaction-measured.md")
    parser.add_argument("--only", choices=[*PARTS], help="measure this part, and no more")
    given = parser.parse_args()
    met = [part(given) for name, part in PARTS.items() if given.only in (None, name)]
    if given.only is None:
        met.append(_all_else(given))
    return 0 if all(met) else 1


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _schemas(given: argparse.Namespace) -> bool:
    demands = demanding.measure(given.seed, SIZES[given.size][3], say=_say)
    command = f"python tests/evaluation/run.py --only schemas --seed {given.seed} --size {given.size}"
    _publish(given, f"Measured with `{command}`.\n\n{tables.rendered_schemas(demands)}", SCHEMAS_START, SCHEMAS_END)
    return all(target.met for target in tables.targets_of_schemas(demands))


def _answers(given: argparse.Namespace) -> bool:
    crowds = anonymity.measure_ordinary(given.seed, SIZES[given.size][4], say=_say)
    command = f"python tests/evaluation/run.py --only answers --seed {given.seed} --size {given.size}"
    _publish(given, f"Measured with `{command}`.\n\n{tables.rendered_answers(crowds)}", ANSWERS_START, ANSWERS_END)
    return all(target.met for target in tables.targets_of_answers(crowds))


def _contracts(given: argparse.Namespace) -> bool:
    found = contracts.measure(given.seed, 1, most=MOST_TOOLS[given.size], say=_say)
    command = f"python tests/evaluation/run.py --only contracts --seed {given.seed} --size {given.size}"
    page = f"Measured with `{command}`.\n\n{tables.rendered_contracts(found)}"
    _publish(given, page, CONTRACTS_START, CONTRACTS_END)
    return all(target.met for target in tables.targets_of_contracts(found))


def _network(given: argparse.Namespace) -> bool:
    told = network_times.measure(given.seed, NETWORK_SIZES[given.size], say=_say)
    command = f"python tests/evaluation/run.py --only network --seed {given.seed} --size {given.size}"
    _publish(given, f"Measured with `{command}`.\n\n{tables.rendered_network(told)}", NETWORK_START, NETWORK_END)
    return True  # what is told on purpose has no target


PARTS = {"schemas": _schemas, "answers": _answers, "contracts": _contracts, "network": _network}


def _all_else(given: argparse.Namespace) -> bool:
    rounds, each, texts, *_ = SIZES[given.size]
    found = leaks.measure(given.seed, rounds, say=_say)
    judged = verdicts.measure(given.seed, each, say=_say)
    crowds = anonymity.measure(given.seed, texts, say=_say)
    minimum = tables.MINIMUM if given.size == "full" else 0
    page = f"Measured with `python tests/evaluation/run.py --seed {given.seed} --size {given.size}`.\n\n"
    _publish(given, page + tables.rendered(found, judged, crowds, minimum=minimum), START, END)
    return all(target.met for target in tables.targets(found, judged, crowds, minimum=minimum))


def _publish(given: argparse.Namespace, page: str, start: str, end: str) -> None:
    """Prints a part of the page, and pastes it between its two marks where that was asked for."""
    print(page)
    if given.paste:
        text = PAGE.read_text("utf-8")
        before, rest = text.split(start)
        PAGE.write_text(before + start + "\n" + page + "\n" + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    sys.exit(main())
