"""The help of the command `toolreel`: its commands in groups, and an example of each. Texts alone; knows no click."""

from collections.abc import Mapping
from typing import Final

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "Record": ("record", "import", "pack", "demo"),
    "Look": ("show", "coverage", "rules", "schema"),
    "Judge": ("replay", "validate", "scan", "diff", "serve"),
    "Derive": ("derive", "reduce", "search"),
    "Setup": ("doctor", "env", "ca"),
}
# Of commands that nobody has put into a group.
OTHER: Final = "Other"

EXAMPLES: Final[Mapping[str, str]] = {
    "ca": "toolreel ca show",
    "coverage": "toolreel coverage tests/reels",
    "demo": "toolreel demo --out demo-reels",
    "derive": "toolreel derive reels/checkout.json --out tests/reels",
    "diff": "toolreel diff tests/reels --adapter openai --demand no-unsafe",
    "doctor": "toolreel doctor",
    "env": 'eval "$(toolreel env --port 8100)"',
    "import": "toolreel import session.har --out reels",
    "pack": "toolreel pack tests/reels --out reels.pack.zip",
    "record": "toolreel record --upstream openai=https://gateway.example.com --out reels",
    "reduce": "toolreel reduce tests/reels/checkout.json",
    "replay": "toolreel replay tests/reels --report github",
    "rules": "toolreel rules identity_collision",
    "scan": "toolreel scan tests/reels",
    "schema": "toolreel schema fixture",
    "search": "toolreel search --adapter gateway_adapter:drive --time 60",
    "serve": "toolreel serve tests/reels --port 8200",
    "show": "toolreel show tests/reels/checkout.json",
    "validate": "toolreel validate tests/reels/checkout.json --report json",
}


def groups(names: list[str]) -> dict[str, list[str]]:
    """The names by their group, each group in its own order; those of none come last."""
    grouped = {title: [name for name in those if name in names] for title, those in GROUPS.items()}
    known = {name for those in GROUPS.values() for name in those}
    grouped[OTHER] = [name for name in names if name not in known]
    return {title: those for title, those in grouped.items() if those}


def epilog(name: str) -> str | None:
    """What stands below the options of a command: an example that is not wrapped; None where there is none."""
    return f"\b\nExample:\n  {EXAMPLES[name]}" if name in EXAMPLES else None
