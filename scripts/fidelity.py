"""Asks every installed client whether it does with masked turns what it does with raw ones, and writes the table.

    python scripts/fidelity.py --environments .venv-adapters            all clients, all turns; the table on the screen
    python scripts/fidelity.py --environments PATH --adapter node-ai    one of them
    python scripts/fidelity.py --environments PATH --seconds 600        each client for ten minutes at most
    python scripts/fidelity.py --environments PATH --write              put the table into docs/redaction.md
    python scripts/fidelity.py --asked                                  ask nobody: the table of the answers kept

What a client did is kept in `--kept`, one file for each client, after every few turns: a run that was ended goes on
where it was, and a turn whose masked form is another one now is asked again. Several runs may stand side by side, each
with clients of its own.

The environments are those that `scripts/adapter_matrix.py --all` makes. The turns are the recorded streams of
`../shared/streams`, the cases of `../shared/cases`, and turns that are not as they should be (`--count` of each kind).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
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
    from collections.abc import Iterator, Mapping, Sequence

    from support.processes.fidelity import Compared, Pair

    from replay.diff.processes.adapter_command import Adapter

PAGE: Final = ROOT / "docs" / "redaction.md"
START, END = "<!-- fidelity -->\n", "<!-- end of fidelity -->"
# Larger cases are about limits; a client takes minutes for them.
LARGEST: Final = 60_000
SETS: Final = ("recorded streams", "cases", "made turns")
# Pairs that a client is asked for before its answers are kept.
AT_ONCE: Final = 60


def turns(count: int) -> Iterator[tuple[str, str, Exchange]]:
    """The set, the name and the exchange of each turn."""
    for stream in streams.read(shared.folder("streams")):
        request = stream.request.encode() if stream.request else None
        yield (
            SETS[0],
            stream.name,
            Exchange(profile=stream.profile, provider=stream.upstream, request_body=request, body=stream.body),
        )
    for path in sorted(shared.folder("cases").glob("*.json")):
        if path.stat().st_size <= LARGEST:
            try:
                yield SETS[1], f"case-{path.stem}", exchange_of(json.loads(path.read_bytes()))
            except (AssertionError, AttributeError, KeyError, TypeError, ValueError):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What one client did with one pair: `form` is the digest of both turns, `told` says what changed."""

    kind: str
    form: str
    unfaithful: tuple[str, ...]
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a run: where answers are kept, seconds for each client and for each turn."""

    kept: Path
    seconds: float
    patience: float


@dataclass(slots=True, kw_only=True)
class Answers:
    """What one client did with each pair. `whole` counts the pairs that there are for it, by set."""

    client: str
    version: str = ""
    whole: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, Kept] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, client: str) -> Answers:
        """The answers that are kept, or none yet."""
        path = folder / f"{client}.json"
        if not path.exists():
            return cls(client=client)
        value = json.loads(path.read_text("utf-8"))
        pairs = {name: Kept(**{**one, "unfaithful": tuple(one["unfaithful"])}) for name, one in value["pairs"].items()}
        return cls(client=client, version=value["version"], whole=value["whole"], pairs=pairs)

    def write(self, folder: Path) -> None:
        """Keep them; a file is whole or the one before."""
        path = folder / f"{self.client}.json"
        path.with_suffix(".new").write_text(json.dumps(asdict(self), indent=0), "utf-8")
        path.with_suffix(".new").replace(path)

    def take(self, compared: Sequence[Compared], kinds: Mapping[str, str]) -> None:
        """Take over what the client did."""
        for one in compared:
            self.pairs[one.pair.name] = Kept(
                kind=kinds[one.pair.name],
                form=_form(one.pair),
                unfaithful=one.pair.unfaithful,
                told="".join(fidelity.told([one])),
            )

    def cell(self, kind: str) -> str:
        """How many pairs of a set changed, of how many, and how many of these the recorder had named."""
        if not self.whole.get(kind):
            return "none of its API"
        mine = [one for one in self.pairs.values() if one.kind == kind]
        changed = [one for one in mine if one.told]
        named = sum(bool(one.unfaithful) for one in changed)
        left = self.whole[kind] - len(mine)
        return (
            f"{len(changed)} of {len(mine)}"
            + (f" ({named} named)" if named else "")
            + (f", {left} not asked" if left else "")
        )


def _form(pair: Pair) -> str:
    """The digest of what a client is served; what the recorder said of the turn is no part of it."""
    lines = [line for line in (pair.raw + pair.masked).split(b"\n") if not line.startswith(b'"capture": ')]
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]


def ask(adapter: Adapter, pairs: Sequence[Pair], kinds: Mapping[str, str], options: Options) -> None:
    """Ask a client for every pair that it was not asked for yet, as long as its time lasts.

    Of the sets that are not in `kinds` its answers stay as they are.
    """
    answers = Answers.read(options.kept, adapter.name)
    ready = fidelity.ready(adapter)
    mine = {pair.name: pair for pair in pairs if pair.profile in ready.profiles}
    known = answers.pairs if ready.version == answers.version else {}
    answers.version = ready.version
    asked_for = set(kinds.values())
    others = {kind: number for kind, number in answers.whole.items() if kind not in asked_for}
    answers.whole = {**others, **Counter(kinds[name] for name in mine)}
    answers.pairs = {name: one for name, one in known.items() if one.kind not in asked_for}
    answers.pairs |= {
        name: replace(one, unfaithful=mine[name].unfaithful)
        for name, one in known.items()
        if name in mine and one.form == _form(mine[name])
    }
    waiting = [pair for name, pair in mine.items() if name not in answers.pairs]
    end = time.monotonic() + options.seconds
    while waiting and time.monotonic() < end:
        batch, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        with tempfile.TemporaryDirectory() as folder:
            answers.take(fidelity.driven(batch, adapter, Path(folder), seconds=options.patience), kinds)
        answers.write(options.kept)
    answers.write(options.kept)


def table(kept: Sequence[Answers]) -> str:
    """For each client and set of turns how many changed, and how many of these the recorder had named."""
    lines = ["| client | version | " + " | ".join(SETS) + " |", "|---" * (len(SETS) + 2) + "|"]
    lines += [
        f"| `{one.client}` | {one.version} | " + " | ".join(one.cell(kind) for kind in SETS) + " |" for one in kept
    ]
    return "\n".join(lines) + "\n"


def asked(given: argparse.Namespace, options: Options) -> None:
    """Ask every client of the environments that is wanted."""
    kinds: dict[str, str] = {}
    pairs: list[Pair] = []
    for kind, name, exchange in turns(given.count):
        made = fidelity.pair(name, exchange) if not given.set or kind in given.set else None
        if made is not None:
            kinds[name] = kind
            pairs.append(made)
    for adapter in adapters(given.environments, given.adapter):
        try:
            ask(adapter, pairs, kinds, options)
        except ToolreelError as error:
            print(f"{adapter.name}: left out, {error}", file=sys.stderr)


def main() -> int:
    """The exit code: 1 where a turn changed that the recorder had not named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-adapters")
    parser.add_argument("--adapter", action="append", default=[])
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--set", action="append", choices=SETS, default=[])
    parser.add_argument("--kept", type=Path, default=ROOT / ".fidelity")
    parser.add_argument("--seconds", type=float, default=3600, help="for each client")
    parser.add_argument("--patience", type=float, default=8, help="for each turn")
    parser.add_argument("--asked", action="store_true", help="ask nobody")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    given.kept.mkdir(parents=True, exist_ok=True)
    if not given.asked:
        asked(given, Options(kept=given.kept, seconds=given.seconds, patience=given.patience))
    order = [name for _, names in (*FAMILIES.values(), *NODE_FAMILIES.values()) for name in names]
    kept = [Answers.read(given.kept, name) for name in order if (given.kept / f"{name}.json").exists()]
    for answers in kept:
        for one in answers.pairs.values():
            if one.told:
                print(one.told, file=sys.stderr)
    text = table(kept)
    print(text, end="")
    if given.write:
        before, rest = PAGE.read_text("utf-8").split(START)
        PAGE.write_text(f"{before}{START}\n{text}\n{END}{rest.split(END)[1]}", "utf-8")
    return int(any(one.told and not one.unfaithful for answers in kept for one in answers.pairs.values()))


if __name__ == "__main__":
    sys.exit(main())
