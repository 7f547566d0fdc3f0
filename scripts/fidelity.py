"""Asks every installed client whether it does with masked turns what it does with raw ones, and writes the table.

    python scripts/fidelity.py --environments .venv-adapters            all clients, all turns; the table on the screen
    python scripts/fidelity.py --environments PATH --adapter node-ai    one of them
    python scripts/fidelity.py --environments PATH --write              put the table into docs/redaction.md

The environments are those that `scripts/adapter_matrix.py --all` makes. The turns are the recorded streams of
`../shared/streams`, the cases of `tests/data/cases`, and turns that are not as they should be (`--count` of each kind).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "scripts")]

from adapter_environments import FAMILIES, NODE_FAMILIES  # noqa: E402
from support import shared  # noqa: E402
from support.made import adversarial  # noqa: E402
from support.processes import fidelity  # noqa: E402
from support.readings import streams  # noqa: E402
from support.recorded.exchanges import exchange_of  # noqa: E402

from redaction.captured.exchange import Exchange  # noqa: E402
from replay.diff.processes import adapter_command  # noqa: E402
from replay.errors import ToolreelError  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.processes.fidelity import Compared, Pair

PAGE: Final = ROOT / "docs" / "redaction.md"
START, END = "<!-- fidelity -->\n", "<!-- end of fidelity -->"
# Larger cases are about limits; a client takes minutes for them.
LARGEST: Final = 60_000
SETS: Final = ("recorded streams", "cases", "made turns")


def turns(count: int, folder: Path) -> Iterator[tuple[str, str, Exchange]]:
    """The set, the name and the exchange of each turn."""
    for stream in streams.read(folder):
        request = stream.request.encode() if stream.request else None
        yield (
            SETS[0],
            stream.name,
            Exchange(profile=stream.profile, provider=stream.upstream, request_body=request, body=stream.body),
        )
    for path in sorted((ROOT / "tests" / "data" / "cases").glob("*.json")):
        if path.stat().st_size <= LARGEST:
            try:
                yield SETS[1], f"case-{path.stem}", exchange_of(json.loads(path.read_bytes()))
            except (AssertionError, KeyError, TypeError, ValueError):
                continue  # a pin, or a file that is no envelope on purpose
    for kind in adversarial.KINDS:
        for number in range(count):
            name = f"{kind.replace(' ', '-')}-{number}"
            yield SETS[2], name, adversarial.exchange(kind, random.Random(f"{kind} {number}"))


def adapters(environments: Path, wanted: list[str]) -> Iterator[adapter_command.Adapter]:
    """The adapters whose environment is there."""
    python = {name: environments / folder for folder, (_, names) in FAMILIES.items() for name in names}
    node = {name: environments / folder for folder, (_, names) in NODE_FAMILIES.items() for name in names}
    for name in (*python, *node):
        if wanted and name not in wanted:
            continue
        if name in python and (interpreter := python[name] / "bin" / "python").exists():
            yield adapter_command.find(
                name, adapter_command.Interpreters(python={"": str(interpreter)}, node_folder=Path())
            )
        elif name in node and node[name].exists():
            yield adapter_command.find(name, adapter_command.Interpreters(python={}, node_folder=node[name]))


def table(rows: dict[str, list[Compared]], sets: dict[str, str]) -> str:
    """For each client and set of turns how many changed, and how many of these the recorder had named."""
    lines = ["| client | " + " | ".join(SETS) + " |", "|---" * (len(SETS) + 1) + "|"]
    for name, compared in rows.items():
        cells = []
        for kind in SETS:
            mine = [one for one in compared if sets[one.pair.name] == kind]
            changed = [one for one in mine if one.changed]
            named = sum(bool(one.pair.unfaithful) for one in changed)
            cells.append(f"{len(changed)} of {len(mine)}" + (f" ({named} named)" if named else "") if mine else "")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """The exit code: 1 where a turn changed that the recorder had not named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-adapters")
    parser.add_argument("--adapter", action="append", default=[])
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--set", action="append", choices=SETS, default=[])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    sets: dict[str, str] = {}
    pairs: list[Pair] = []
    for kind, name, exchange in turns(given.count, shared.folder("streams")):
        made = fidelity.pair(name, exchange) if not given.set or kind in given.set else None
        if made is not None:
            sets[name] = kind
            pairs.append(made)
    rows: dict[str, list[Compared]] = {}
    for adapter in adapters(given.environments, given.adapter):
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows[adapter.name] = fidelity.driven(pairs, adapter, Path(folder))
            except ToolreelError as error:
                print(f"{adapter.name}: left out, {error}", file=sys.stderr)
                continue
        for line in fidelity.told(rows[adapter.name]):
            print(line, file=sys.stderr)
    text = table(rows, sets)
    print(text, end="")
    if given.write:
        before, rest = PAGE.read_text("utf-8").split(START)
        PAGE.write_text(f"{before}{START}\n{text}\n{END}{rest.split(END)[1]}", "utf-8")
    return int(any(one.changed and not one.pair.unfaithful for compared in rows.values() for one in compared))


if __name__ == "__main__":
    sys.exit(main())
