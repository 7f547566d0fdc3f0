"""Measures redaction and prints the tables: `python tests/evaluation/run.py --seed 1 --size full`.

Needs toolreel with the extra `record`, for `toolreel import`. The same seed gives the same turns. With
`--paste` the tables are written into docs/redaction-measured.md, and `--only PART` measures one part of them, so that
several can run side by side. Exit code 1 where a target is missed.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.evaluation import anonymity, contracts, demanding, leaks, network_times, tables, verdicts  # noqa: E402

# Canaries of each wire family (20 exchanges at least), turns of each fault and family, texts, calls of each demanding
# schema, and ordinary answers of each kind.
SIZES = {"small": (1, 2, 300, 1, 100), "full": (tables.MINIMUM, 70, 8_000, 10, 1_000)}
PAGE = ROOT / "docs" / "redaction-measured.md"
# Tools in whose words canaries are planted.
MOST_TOOLS = {"small": 40, "full": 1_000_000}
NETWORK_SIZES = {"small": 10, "full": 100}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure redaction.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--paste", action="store_true", help="write the tables into docs/redaction-measured.md")
    parser.add_argument("--only", choices=[*PARTS], help="measure this part, and no more")
    given = parser.parse_args()
    met = [part(given) for name, part in PARTS.items() if given.only in (None, name)]
    return 0 if all(met) else 1


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _canaries(given: argparse.Namespace) -> bool:
    found = leaks.measure(given.seed, SIZES[given.size][0], say=_say)
    least = SIZES[given.size][0]
    _publish(given, "canaries", tables.rendered_canaries(found, minimum=least))
    return all(target.met for target in tables.targets_of_canaries(found, minimum=least))


def _verdicts(given: argparse.Namespace) -> bool:
    judged = verdicts.measure(given.seed, SIZES[given.size][1], say=_say)
    _publish(given, "verdicts", tables.rendered_verdicts(judged))
    return all(target.met for target in tables.targets_of_verdicts(judged))


def _texts(given: argparse.Namespace) -> bool:
    crowds = anonymity.measure(given.seed, SIZES[given.size][2], say=_say)
    _publish(given, "texts", tables.rendered_texts(crowds))
    return all(target.met for target in tables.targets_of_texts(crowds))


def _schemas(given: argparse.Namespace) -> bool:
    demands = demanding.measure(given.seed, SIZES[given.size][3], say=_say)
    _publish(given, "schemas", tables.rendered_schemas(demands))
    return all(target.met for target in tables.targets_of_schemas(demands))


def _answers(given: argparse.Namespace) -> bool:
    crowds = anonymity.measure_ordinary(given.seed, SIZES[given.size][4], say=_say)
    _publish(given, "answers", tables.rendered_answers(crowds))
    return all(target.met for target in tables.targets_of_answers(crowds))


def _contracts(given: argparse.Namespace) -> bool:
    found = contracts.measure(given.seed, 1, most=MOST_TOOLS[given.size], say=_say)
    _publish(given, "contracts", tables.rendered_contracts(found))
    return all(target.met for target in tables.targets_of_contracts(found))


def _network(given: argparse.Namespace) -> bool:
    told = network_times.measure(given.seed, NETWORK_SIZES[given.size], say=_say)
    _publish(given, "network", tables.rendered_network(told))
    return True  # what is told on purpose has no target


PARTS = {
    "canaries": _canaries,
    "verdicts": _verdicts,
    "texts": _texts,
    "answers": _answers,
    "network": _network,
    "schemas": _schemas,
    "contracts": _contracts,
}


def _publish(given: argparse.Namespace, part: str, measured: str) -> None:
    """Prints the tables of a part, and pastes them between its two marks where that was asked for."""
    command = f"python tests/evaluation/run.py --only {part} --seed {given.seed} --size {given.size}"
    page = f"Measured with `{command}`.\n\n{measured}"
    print(page)
    if given.paste:
        start, end = f"<!-- measured of {part} -->\n", f"<!-- end of what was measured of {part} -->"
        text = PAGE.read_text("utf-8")
        before, rest = text.split(start)
        PAGE.write_text(before + start + "\n" + page.rstrip() + "\n\n" + end + rest.split(end)[1], "utf-8")


if __name__ == "__main__":
    sys.exit(main())
