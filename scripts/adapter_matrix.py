"""Makes docs/adapter-matrix.md: runs real clients over every case of the suite, keeps the outcomes, writes the table.

    python scripts/adapter_matrix.py --all             make all environments, run every adapter, write both files;
                                                       goes on where an earlier one was stopped
    python scripts/adapter_matrix.py --run NAME ...    run these (`--python`, `--node-folder` as `toolreel diff`)
    python scripts/adapter_matrix.py --search NAME ... run these over the derived suite, and search them
    python scripts/adapter_matrix.py --keep FILE ...   take over what `toolreel diff --report jsonl` said elsewhere
    python scripts/adapter_matrix.py                   write the table from the outcomes kept
    python scripts/adapter_matrix.py --check           exit 1 where the table is not what the outcomes give

Needs toolreel installed, or the checkout as the working folder. `--all` installs the clients into .venv-adapters.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import adapter_searches
from adapter_environments import ENVIRONMENTS, FAMILIES, NODE_FAMILIES, node_with, python_with

from replay.diff import contested
from replay.validator import Allowance, Envelope, Limits, judge, read_envelope
from replay.validator.limits import DEFAULT_LIMITS
from replay.validator.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
CASES: Final = ROOT / "tests" / "data" / "cases"
KEPT: Final = ROOT / "tests" / "data" / "adapters" / "outcomes.json"
PAGE: Final = ROOT / "docs" / "adapter-matrix.md"

ORDER: Final = tuple(name for families in (FAMILIES, NODE_FAMILIES) for _, names in families.values() for name in names)

LETTERS: Final = {
    "agree": "·",
    "unsafe": "U",
    "wrong": "W",
    "lost": "L",
    "crash": "C",
    "hang": "H",
    "no_control": "–",
}
PASSES: Final = "(passes)"
NO_CALL: Final = "(no call)"


def diff(arguments: list[str], cases: Path) -> list[dict[str, Any]]:
    """The results of one `toolreel diff`."""
    said = adapter_searches.toolreel(["diff", ".", "--report", "jsonl", "--demand", "agree", *arguments], cases)
    return [json.loads(line) for line in said.splitlines()]


def keep(rows: list[dict[str, Any]]) -> None:
    """Put results in the place of those kept of the same adapters."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {"versions": {}, "cases": {}}
    ran = {row["adapter"] for row in rows}
    for case in kept["cases"].values():
        for table in ("outcomes", "unsteady"):
            case[table] = {name: one for name, one in case.get(table, {}).items() if name not in ran}
    for row in rows:
        kept["versions"][row["adapter"]] = row["version"]
        case = kept["cases"].setdefault(row["fixture"], {"outcomes": {}, "unsteady": {}})
        case |= {"status": row["status"], "codes": row["codes"]}
        case["outcomes"][row["adapter"]] = row["outcome"]
        if len(row["runs"]) > 1:
            case["unsteady"][row["adapter"]] = f"{row['runs'][row['observed']]} of {sum(row['runs'].values())}"
    versions = {name: kept["versions"][name] for name in ORDER if name in kept["versions"]}
    lines = [f"  {json.dumps(name)}: {json.dumps(_kept(case))}" for name, case in sorted(kept["cases"].items())]
    text = f'{{\n "versions": {json.dumps(versions)},\n "cases": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(text, "utf-8")


def _kept(case: dict[str, Any]) -> dict[str, Any]:
    """One case, its adapters in their order; how often an outcome came where it did not come in each run."""
    tables = {
        table: {one: case[table][one] for one in ORDER if one in case[table]} for table in ("outcomes", "unsteady")
    }
    return {"status": case["status"], "codes": case["codes"], **{key: one for key, one in tables.items() if one}}


HEAD: Final = """\
# What clients make of the suite

This page shows what real clients do with streams that are not as they should be. For example, in the row
`identity_collision` two calls share a slot, and a client that hands one of them over to be executed is unsafe (`U`).

`python scripts/adapter_matrix.py --all` makes the page: it makes the environments, and runs every adapter over
every case of `tests/data/cases` that is a fixture ({cases}). [adapters.md](adapters.md) says what each adapter
drives, what it checks, and what handing over means for it; [diff.md](diff.md#outcomes) says what each outcome means.
The tables show what was observed with these versions. *Checks* is what a client holds arguments against before it hands
them over. Under the name of a family stands the [mutation score](derive.md#the-mutation-score): on how many kinds of
faults, of those that `toolreel derive` makes, the client hands over nothing. *Searched* is how many streams
[`toolreel search`](derive.md#searching-an-adapter-for-bugs) asked it for; what it found stands
[at the end](#what-a-search-finds). A field is empty where the client does not speak the family, or was not run yet:

{versions}

There is a section for each API. In a table *by finding*, a cell says with how many of the row's cases the adapter
agrees, and how many have another outcome: {legend}. For example, `2/9 3U 4C` are nine cases: the adapter agrees with
two, three are unsafe, four crash. Where the adapter has no control for a case, the case is not counted but said: `5–`.

The cases of a row are those whose verdict has the finding; there an adapter agrees if it hands nothing over. A case
with several findings counts in several rows. `{passes}` are the turns whose calls may be executed; there an adapter
agrees if it hands over exactly these. `{no_call}` are turns without a call.

In a table *by case*, `·` agrees; {legend}; `–` no control; an empty field was not run yet.
*Otherwise* says how many of the clients that have a control read the turn otherwise than the verdict does. *Contested*
says what of the turn is read in more than one way, as a fact: the verdict is the one of the rules, with no allowance
but those that the case accepts.
{sections}
## What a search finds

`toolreel search` composes streams of the [kinds](derive.md#all-kinds), asks the client for one after another, and
shortens each on which it does not do what the verdict says. It began with the turns that come with toolreel. A row
is an outcome on streams of one verdict: what the shortest of them does, and beside each client how many events its own
shortest one has. They are facts about these versions, not judgements: a client may leave to its caller what the rules
leave to nobody, such as looking at the finish reason. What a longer search finds is not in the table.

{finds}
"""
SECTION: Final = """
## {profile}

### {profile}, by finding

{by_finding}

### {profile}, by case

{by_case}
"""


def page(kept: dict[str, Any]) -> str:
    """The whole page: what was run, then for each API the outcomes by finding code and by case."""
    spoken: dict[str, dict[str, Any]] = {}
    for name, case in kept["cases"].items():
        fixture = json.loads((CASES / name).read_text("utf-8"))
        spoken.setdefault(fixture["profile"], {})[name] = case
    others = [f"`{letter}` {outcome}" for outcome, letter in LETTERS.items() if outcome not in ("agree", "no_control")]
    return HEAD.format(
        cases=len(kept["cases"]),
        versions=adapter_searches.scores(kept["versions"]),
        finds=adapter_searches.finds(),
        legend=", ".join(others),
        passes=PASSES,
        no_call=NO_CALL,
        sections="".join(_section(profile, spoken[profile], kept) for profile in PROFILES if profile in spoken),
    )


def _section(profile: str, cases: dict[str, Any], kept: dict[str, Any]) -> str:
    names = [name for name in kept["versions"] if any(name in case["outcomes"] for case in cases.values())]
    return SECTION.format(
        profile=profile,
        by_finding="\n".join(_by_finding(names, cases)),
        by_case="\n".join(_by_case(names, cases)),
    )


def _by_finding(names: list[str], cases: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A row for each finding code: with how many of its cases each adapter agrees."""
    groups: dict[str, list[str]] = {PASSES: [], NO_CALL: []}
    for name, case in cases.items():
        for group in {"pass": [PASSES], "not_applicable": [NO_CALL]}.get(case["status"], case["codes"]):
            groups.setdefault(group, []).append(name)
    yield _row(["finding", *(f"`{name}`" for name in names)])
    yield _row(["---"] * (len(names) + 1))
    for group in [PASSES, NO_CALL, *sorted(groups.keys() - {PASSES, NO_CALL})]:
        label = group if group in (PASSES, NO_CALL) else f"`{group}`"
        yield _row(
            [label, *(_counted([cases[case]["outcomes"].get(name) for case in groups[group]]) for name in names)]
        )


def _by_case(names: list[str], cases: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A row for each case: its verdict, how it is read otherwise, and what each adapter made of it."""
    yield _row(["case", "verdict", "contested", "otherwise", *(f"`{name}`" for name in names)])
    yield _row(["---"] * (len(names) + 4))
    for name, case in cases.items():
        verdict = ", ".join(f"`{code}`" for code in case["codes"]) or case["status"].replace("_", " ")
        link = f"[{name.removesuffix('.json')}](../tests/data/cases/{name})"
        counted = [one for one in case["outcomes"].values() if one != "no_control"]
        otherwise = f"{len(counted) - counted.count('agree')} of {len(counted)}"
        yield _row([link, verdict, "; ".join(contested_in(name)), otherwise, *(_cell(case, one) for one in names)])


def contested_in(name: str) -> tuple[str, ...]:
    """What of a case is contested, judged as the case is."""
    envelope = read_envelope((CASES / name).read_bytes())
    assert isinstance(envelope, Envelope), "only fixtures are run"
    expected = json.loads((CASES / name).with_suffix(".expected.json").read_text("utf-8"))
    accept = frozenset(Allowance(one) for one in expected.get("accept", ()))
    limits = Limits(**expected["limits"]) if "limits" in expected else DEFAULT_LIMITS
    return contested.marks(envelope, judge(envelope, accept=accept, limits=limits))


def _cell(case: dict[str, Any], name: str) -> str:
    letter = LETTERS.get(case["outcomes"].get(name, ""), "")
    often = case.get("unsteady", {}).get(name)
    return f"{letter} ({often})" if often else letter


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _counted(outcomes: list[str | None]) -> str:
    found = [one for one in outcomes if one not in (None, "no_control")]
    absent = outcomes.count("no_control")
    others = [f"{found.count(outcome)}{letter}" for outcome, letter in LETTERS.items() if outcome != "agree"]
    agreeing = [f"{found.count('agree')}/{len(found)}"] if found else []
    said = [*agreeing, *(one for one in others if not one.startswith("0")), *([f"{absent}–"] if absent else [])]
    return " ".join(said)


def everything() -> None:
    """Run every adapter, each in the environment that is made for it.

    That takes hours. What an adapter's run gave is noted when it is over, so that a pass that was stopped goes on
    where it stood, as long as cases and adapters are what they were.
    """
    ENVIRONMENTS.mkdir(exist_ok=True)
    passing = ENVIRONMENTS / "rows" / _digest()
    passing.mkdir(parents=True, exist_ok=True)
    suite = adapter_searches.derived(passing)
    for name, (packages, adapters) in FAMILIES.items():
        python = python_with(name, packages)
        for adapter in adapters:
            _run_once(passing, adapter, f"--python={python}", suite)
    for name, (packages, adapters) in NODE_FAMILIES.items():
        node = node_with(name, packages)
        for adapter in adapters:
            _run_once(passing, adapter, f"--node-folder={node}", suite)
    shutil.rmtree(passing)


def _run_once(passing: Path, adapter: str, where: str, suite: Path) -> None:
    """Run and search one adapter and keep what it gave, unless this pass has it."""
    noted = passing / f"{adapter}.jsonl"
    if noted.exists():
        return
    print(f"{adapter} ...", file=sys.stderr, flush=True)
    rows = diff([where, f"--adapter={adapter}"], CASES)
    keep(rows)
    adapter_searches.keep(adapter, adapter_searches.searched(adapter, [where], suite))
    noted.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _digest() -> str:
    """Of all cases and adapters: what was noted of others is of no use."""
    found = hashlib.sha256()
    for folder in (CASES, ROOT / "replay" / "adapters"):
        for file in sorted(one for one in folder.rglob("*") if one.suffix in (".json", ".py", ".cjs")):
            found.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def main() -> None:
    """Run what the command line asks for, then write the page or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--all", action="store_true", help="make all environments and run every adapter")
    parser.add_argument("--run", nargs="+", default=[], metavar="NAME", help="run these adapters")
    parser.add_argument("--search", nargs="+", default=[], metavar="NAME", help="derive for these, and search them")
    parser.add_argument("--keep", nargs="+", default=[], metavar="FILE", help="results of toolreel diff, as jsonl")
    parser.add_argument("--python", action="append", default=[], metavar="[NAME=]PATH", help="as for toolreel diff")
    parser.add_argument("--node-folder", metavar="FOLDER", help="as for toolreel diff")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    if options.all:
        everything()
    arguments = [f"--python={one}" for one in options.python]
    arguments += [f"--node-folder={Path(options.node_folder).resolve()}"] if options.node_folder else []
    if options.search:
        with tempfile.TemporaryDirectory() as folder:
            suite = adapter_searches.derived(Path(folder))
            for name in options.search:
                adapter_searches.keep(name, adapter_searches.searched(name, arguments, suite))
    if options.run:
        keep(diff([*arguments, *(f"--adapter={name}" for name in options.run)], CASES))
    for file in options.keep:
        keep([json.loads(line) for line in Path(file).read_text("utf-8").splitlines()])
    made = page(json.loads(KEPT.read_text("utf-8")))
    if not options.check:
        PAGE.write_text(made, "utf-8")
    elif PAGE.read_text("utf-8") != made:
        sys.exit(f"{PAGE.name} is not what the outcomes give: run python scripts/adapter_matrix.py")


if __name__ == "__main__":
    main()
