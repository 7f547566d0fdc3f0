"""Makes docs/adapter-matrix.md: runs real clients over every case of the suite, keeps the outcomes, writes the table.

    python scripts/adapter_matrix.py --all             make all environments, run every adapter, write both files
    python scripts/adapter_matrix.py --run NAME ...    run these (`--python`, `--node-folder` as `toolreel diff`)
    python scripts/adapter_matrix.py                   write the table from the outcomes kept
    python scripts/adapter_matrix.py --check           exit 1 where the table is not what the outcomes give

Needs toolreel installed, or the checkout as the working folder. `--all` installs the clients into .venv-adapters.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
CASES: Final = ROOT / "tests" / "data" / "cases"
KEPT: Final = ROOT / "tests" / "data" / "adapters" / "outcomes.json"
PAGE: Final = ROOT / "docs" / "adapter-matrix.md"
ENVIRONMENTS: Final = ROOT / ".venv-adapters"

# An environment, what is installed into it, and the adapters that run in it: clients exclude one another's versions.
FAMILIES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "official": (
        ("openai", "anthropic", "mistralai"),
        ("openai", "openai-stream", "openai-responses", "openai-responses-stream", "anthropic", "mistralai"),
    ),
    "litellm": (("litellm",), ("litellm", "litellm-responses")),
    "langchain": (
        ("langchain-openai", "langchain-anthropic"),
        ("langchain-openai", "langchain-openai-responses", "langchain-anthropic"),
    ),
    "pydantic-ai": (("pydantic-ai-slim[openai]",), ("pydantic-ai", "pydantic-ai-responses")),
    "openai-agents": (("openai-agents",), ("openai-agents", "openai-agents-responses")),
    # Its adapter for Anthropic does not start with the client's version 1 and later.
    "llama-index": (
        ("llama-index-llms-openai", "llama-index-llms-anthropic", "anthropic<1"),
        ("llama-index-openai", "llama-index-anthropic"),
    ),
    "bedrock and cohere": (
        ("boto3", "cohere", "langchain-aws", "litellm", "pydantic-ai-slim[bedrock]", "strands-agents"),
        (
            *("boto3", "langchain-aws", "pydantic-ai-bedrock", "strands", "litellm-bedrock"),
            *("cohere", "litellm-cohere"),
        ),
    ),
}
NODE_PACKAGES: Final = (
    "openai",
    "@anthropic-ai/sdk",
    "ai",
    "@ai-sdk/openai",
    "@ai-sdk/anthropic",
    "zod",
    "@ai-sdk/amazon-bedrock",
    "@ai-sdk/cohere",
)
NODE_ADAPTERS: Final = (
    "node-openai",
    "node-openai-responses",
    "node-openai-responses-stream",
    "node-anthropic",
    "node-ai",
    "node-ai-responses",
    "node-ai-bedrock",
    "node-ai-cohere",
)
ORDER: Final = (*(name for _, names in FAMILIES.values() for name in names), *NODE_ADAPTERS)

LETTERS: Final = {"agree": "·", "unsafe": "U", "wrong": "W", "lost": "L", "crash": "C", "hang": "H"}
PASSES: Final = "(passes)"
NO_CALL: Final = "(no call)"


def diff(arguments: list[str], cases: Path) -> list[dict[str, Any]]:
    """The results of one `toolreel diff`."""
    done = subprocess.run(
        [sys.executable, "-m", "replay.cli", "diff", ".", "--report", "jsonl", "--demand", "agree", *arguments],
        cwd=cases,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def keep(rows: list[dict[str, Any]]) -> None:
    """Put results in the place of those kept of the same adapters."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {"versions": {}, "cases": {}}
    ran = {row["adapter"] for row in rows}
    for case in kept["cases"].values():
        case["outcomes"] = {name: one for name, one in case["outcomes"].items() if name not in ran}
    for row in rows:
        kept["versions"][row["adapter"]] = row["version"]
        case = kept["cases"].setdefault(row["fixture"], {"outcomes": {}})
        case |= {"status": row["status"], "codes": row["codes"]}
        case["outcomes"][row["adapter"]] = row["outcome"]
    versions = {name: kept["versions"][name] for name in ORDER if name in kept["versions"]}
    lines = [
        f"  {json.dumps(name)}: "
        + json.dumps(
            {
                "status": case["status"],
                "codes": case["codes"],
                "outcomes": {one: case["outcomes"][one] for one in ORDER if one in case["outcomes"]},
            }
        )
        for name, case in sorted(kept["cases"].items())
        if case["outcomes"]
    ]
    text = f'{{\n "versions": {json.dumps(versions)},\n "cases": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(text, "utf-8")


HEAD: Final = """\
# What clients make of the suite

This page shows what real clients do with streams that are not as they should be. For example, in the row
`identity_collision` two calls share a slot, and a client that hands one of them over to be executed is unsafe (`U`).

`python scripts/adapter_matrix.py --all` makes the page: it makes the environments, and runs every adapter over
every case of `tests/data/cases` that is a fixture ({cases}). [adapters.md](adapters.md) says what each adapter
drives, and what handing over means for it; [diff.md](diff.md#outcomes) says what each outcome means. The tables
show what was observed with these versions:

{versions}

## By finding

A cell says with how many of the row's cases the adapter agrees, and how many have another outcome: {legend}.
For example, `2/9 3U 4C` are nine cases: the adapter agrees with two, three are unsafe, four crash.

The cases of a row are those whose verdict has the finding; there an adapter agrees if it hands nothing over. A case
with several findings counts in several rows. `{passes}` are the turns whose calls may be executed; there an adapter
agrees if it hands over exactly these. `{no_call}` are turns without a call.

`node-openai` rejects every stream in which no delta names the role, as in most of these small cases, so its
agreement says little. What `node-openai-responses-stream` lost, it lost to events that it does not know, and to
final lists that are empty or absent, which Codex' provider sends.

{by_finding}

## By case

`·` agrees; {legend}; empty: the adapter does not speak the case's API.

{by_case}
"""


def page(kept: dict[str, Any]) -> str:
    """The whole page: what was run, then the outcomes by finding code and by case."""
    names = list(kept["versions"])
    legend = ", ".join(f"`{letter}` {outcome}" for outcome, letter in LETTERS.items() if outcome != "agree")
    return HEAD.format(
        cases=len(kept["cases"]),
        versions="\n".join(f"- `{name}`: {version}" for name, version in kept["versions"].items()),
        legend=legend,
        passes=PASSES,
        no_call=NO_CALL,
        by_finding="\n".join(_by_finding(names, kept["cases"])),
        by_case="\n".join(_by_case(names, kept["cases"])),
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
    """A row for each case: what each adapter made of it."""
    yield _row(["case", "verdict", *(f"`{name}`" for name in names)])
    yield _row(["---"] * (len(names) + 2))
    for name, case in cases.items():
        verdict = ", ".join(f"`{code}`" for code in case["codes"]) or case["status"].replace("_", " ")
        link = f"[{name.removesuffix('.json')}](../tests/data/cases/{name})"
        letters = [LETTERS.get(case["outcomes"].get(one, ""), "") for one in names]
        yield _row([link, verdict, *letters])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _counted(outcomes: list[str | None]) -> str:
    found = [one for one in outcomes if one is not None]
    if not found:
        return ""
    others = [f"{found.count(outcome)}{letter}" for outcome, letter in LETTERS.items() if outcome != "agree"]
    return " ".join([f"{found.count('agree')}/{len(found)}", *(one for one in others if not one.startswith("0"))])


def install(name: str, packages: tuple[str, ...]) -> Path:
    """The interpreter of an environment with these packages."""
    folder = ENVIRONMENTS / name
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
    return python


def everything() -> None:
    """Run every adapter, each in the environment that is made for it."""
    for name, (packages, adapters) in FAMILIES.items():
        constrained = packages
        if name == "official":
            constrained = ("-c", str(ROOT / "scripts" / "constraints-clients.txt"), *packages)
        python = install(name, constrained)
        keep(diff([f"--python={python}", *(f"--adapter={adapter}" for adapter in adapters)], CASES))
    node = ENVIRONMENTS / "node"
    node.mkdir(parents=True, exist_ok=True)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *NODE_PACKAGES], cwd=node, check=True)
    keep(diff([f"--node-folder={node}", *(f"--adapter={adapter}" for adapter in NODE_ADAPTERS)], CASES))


def main() -> None:
    """Run what the command line asks for, then write the page or compare it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--all", action="store_true", help="make all environments and run every adapter")
    parser.add_argument("--run", nargs="+", default=[], metavar="NAME", help="run these adapters")
    parser.add_argument("--python", action="append", default=[], metavar="[NAME=]PATH", help="as for toolreel diff")
    parser.add_argument("--node-folder", metavar="FOLDER", help="as for toolreel diff")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    if options.all:
        everything()
    if options.run:
        arguments = [f"--python={one}" for one in options.python]
        arguments += [f"--node-folder={Path(options.node_folder).resolve()}"] if options.node_folder else []
        keep(diff([*arguments, *(f"--adapter={name}" for name in options.run)], CASES))
    made = page(json.loads(KEPT.read_text("utf-8")))
    if not options.check:
        PAGE.write_text(made, "utf-8")
    elif PAGE.read_text("utf-8") != made:
        sys.exit(f"{PAGE.name} is not what the outcomes give: run python scripts/adapter_matrix.py")


if __name__ == "__main__":
    main()
