"""Writes docs/derive.md: what its commands print, and the table of kinds, from the code. `sessions.py` says how."""

import sys
from collections.abc import Iterator

from sessions import ROOT, Project, Session, commands, paste

sys.path.insert(0, str(ROOT))

from replay.derive.kinds import KINDS
from replay.validator.profiles import PROFILES


def table(_: Project) -> str:
    """A row for each kind: what it does, and the families that can have it."""
    return "\n".join(["| kind | what the stream does | families |", "|---|---|---|", *_rows(), ""])


def _rows() -> Iterator[str]:
    for name, kind in KINDS.items():
        without = [profile for profile in PROFILES if profile not in kind.of]
        families = [profile for profile in PROFILES if profile in kind.of]
        told = "all" if not without else ", ".join(families)
        if len(without) in range(1, 4):
            told = f"all but {', '.join(without)}"
        yield f"| `{name}` | {kind.does} | {told} |"


SESSIONS: dict[str, Session] = {
    "suite": commands("toolreel derive --profile anthropic --out derived", "toolreel replay derived | tail -1"),
    "one": commands(
        "toolreel derive --profile openai --kind json-fence --out one",
        "toolreel validate one/openai.json-fence.json",
        "echo $?",
    ),
    "coverage": commands("toolreel coverage derived | grep '^anthropic lacks'"),
    "reduce": commands("toolreel reduce derived/anthropic.start-twice.json"),
    "kinds": table,
}

if __name__ == "__main__":
    sys.exit(paste(ROOT / "docs" / "derive.md", SESSIONS))
