"""Pastes into docs/diff.md what its commands print; `sessions.py` says how. Needs what replaying needs."""

import re
import sys

from sessions import ROOT, Project, commands, paste

sys.path.insert(0, str(ROOT / "tests"))

from support.builders import verdicts

ADAPTER = "--adapter gateway_adapter:drive"


def first(project: Project) -> str:
    """Two fixtures through the adapter that docs/adapters.md shows."""
    reels = project.folder / "reels"
    reels.mkdir()
    (reels / "say-hello.json").write_bytes(verdicts.PASS)
    (reels / "two-ids-in-one-slot.json").write_bytes(verdicts.COLLISION)
    page = (ROOT / "docs" / "adapters.md").read_text("utf-8")
    [adapter] = re.findall(r"```python\n(# gateway_adapter\.py\n.*?)```", page, re.DOTALL)
    (project.folder / "gateway_adapter.py").write_text(adapter, "utf-8")
    return commands(f"toolreel diff reels {ADAPTER}", "echo $?")(project)


SESSIONS = {
    "first": first,
    "pinned": commands(
        f"toolreel diff reels {ADAPTER} --update | tail -1", f"toolreel diff reels {ADAPTER}", "echo $?"
    ),
    "pin": commands("cat reels/two-ids-in-one-slot.adapters.json"),
    "demand": commands(f"toolreel diff reels {ADAPTER} --demand no-unsafe", "echo $?"),
}

if __name__ == "__main__":
    sys.exit(paste(ROOT / "docs" / "diff.md", SESSIONS))
