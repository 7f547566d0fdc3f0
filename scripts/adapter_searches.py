"""What each adapter makes of the derived suite, and what a search finds in it: run, kept, and written as tables.

For example, `searched("openai", ["--python=.venv-openai/bin/python"])` is the version, of how many kinds of faults it
hands over nothing, by family, and the shortest stream of each find.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replay.adapters.table import ADAPTERS
from replay.derive.kinds import KINDS
from replay.validator.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "tests" / "data" / "adapters" / "searches.json"
# How long each adapter is searched. What takes longer to find is no part of the table.
SECONDS: Final = 60
_DAMAGES: Final = {"lost": "an event lost", "doubled": "an event twice", "swapped": "two events swapped"}


def derived(folder: Path) -> Path:
    """The derived suite of the turns that come with toolreel, made in this folder unless it is there."""
    made = folder / "derived"
    if not made.exists():
        toolreel(["derive", "--out", str(made)], folder)
    return made


def searched(name: str, arguments: Sequence[str], suite: Path) -> dict[str, Any]:
    """What is kept of one adapter: it is run over the derived suite, then searched."""
    with tempfile.TemporaryDirectory() as folder:
        adapter = [f"--adapter={name}", *arguments]
        scored = toolreel(["diff", str(suite), *adapter, "--demand=score=1", "--report=json"], folder)
        scores = json.loads(scored)["summary"]["scores"]
        said = toolreel(["search", *adapter, f"--time={SECONDS}", "--timeout=10", "--report=jsonl"], folder)
        *finds, whole = [json.loads(line) for line in said.splitlines()]
    assert {one["version"] for one in [*scores, *finds]} <= {whole["version"]}, "one client is one version"
    return {
        "version": whole["version"],
        "scores": {one["profile"]: [one["caught"], one["kinds"]] for one in scores},
        "streams": whole["streams"],
        "finds": [{key: one[key] for key in _OF_A_FIND} for one in finds],
    }


_OF_A_FIND: Final = ("profile", "outcome", "codes", "events", "kind", "twins", "damages")


def toolreel(arguments: Sequence[str], folder: Path | str) -> str:
    """What a command of this checkout says, run in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "replay.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)
    return done.stdout


def kept() -> dict[str, Any]:
    """What was kept of all adapters, by name."""
    found: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return found


def keep(name: str, found: Mapping[str, Any]) -> None:
    """Put what was found in the place of what was kept of this adapter."""
    there = {**kept(), name: found}
    lines = [f" {json.dumps(one)}: {json.dumps(there[one])}" for one in ADAPTERS if one in there]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def scores(versions: Mapping[str, str]) -> str:
    """A row for each client: its version, what it checks, its score in each family, how many streams a search had."""
    there = kept()
    rows = [["client", "version", "checks", *(f"`{profile}`" for profile in PROFILES), "searched"]]
    rows.append(["---"] * len(rows[0]))
    for name, version in versions.items():
        found = there.get(name, {"scores": {}, "streams": ""})
        cells = (_score(found["scores"].get(one)) for one in PROFILES)
        rows.append([f"`{name}`", version, ADAPTERS[name].checks, *cells, str(found["streams"] or "")])
    return _table(rows)


def _score(found: Sequence[int] | None) -> str:
    return f"{100 * found[0] // found[1]} % ({found[0]} of {found[1]})" if found else ""


def finds() -> str:
    """A table for each family: a row for each outcome and verdict, with the events of the shortest stream of each."""
    return "\n\n".join(_finds_of(profile) for profile in PROFILES if any(_of(profile)))


def _of(profile: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, found in kept().items():
        yield from ((name, one) for one in found["finds"] if one["profile"] == profile)


def _finds_of(profile: str) -> str:
    groups: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = {}
    for name, one in _of(profile):
        verdict = ", ".join(f"`{code}`" for code in one["codes"]) or "legal"
        groups.setdefault((one["outcome"], verdict), []).append((name, one))
    rows = [["outcome", "verdict", "the shortest stream", "clients, with the events of theirs"], ["---"] * 4]
    for (outcome, verdict), found in sorted(groups.items(), key=lambda group: (_ORDER.index(group[0][0]), group[0][1])):
        shortest = min(found, key=lambda pair: int(pair[1]["events"]))[1]
        fewest: dict[str, int] = {}
        for name, one in found:
            fewest[name] = min(int(one["events"]), fewest.get(name, int(one["events"])))
        clients = ", ".join(f"`{name}` {events}" for name, events in fewest.items())
        rows.append([outcome, verdict, _told(shortest), clients])
    return f"### {profile}, by search\n\n{_table(rows)}"


_ORDER: Final = ("unsafe", "wrong", "lost", "crash", "hang")


def _told(one: Mapping[str, Any]) -> str:
    """The stream in words: what its kind does, told as which twins, with which damages."""
    told = [KINDS[one["kind"]].does, *(f"as `{twin}`" for twin in one["twins"])]
    return "; ".join([*told, *(_DAMAGES[what] for what, _ in one["damages"])])


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
