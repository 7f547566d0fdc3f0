"""Pastes into docs/replay.md what its commands print; `sessions.py` says how. Needs what replaying needs."""

import sys

from sessions import ROOT, Project, Session, commands, paste

sys.path.insert(0, str(ROOT / "tests"))

from support.builders import verdicts


def over(fixtures: dict[str, bytes], *lines: str) -> Session:
    """Commands over fixtures that are put in place without being shown."""

    def session(project: Project) -> str:
        reels = project.folder / "reels"
        reels.mkdir(exist_ok=True)
        for name, data in fixtures.items():
            (reels / name).write_bytes(data)
        return commands(*lines)(project)

    return session


FIRST = {"say-hello.json": verdicts.PASS, "two-ids-in-one-slot.json": verdicts.COLLISION}
# The stream is recorded anew, and ends too early.
AGAIN = {"say-hello.json": verdicts.TRUNCATED}

SESSIONS = {
    "first": over(FIRST, "toolreel replay reels", "echo $?"),
    "update": commands("toolreel replay --update reels", "echo $?"),
    "green": commands("toolreel replay reels", "echo $?"),
    "changed": over(AGAIN, "toolreel replay reels", "echo $?"),
    "pin": commands("cat reels/two-ids-in-one-slot.expected.json"),
    "validate": commands("toolreel validate reels/two-ids-in-one-slot.json", "echo $?"),
}

if __name__ == "__main__":
    sys.exit(paste(ROOT / "docs" / "replay.md", SESSIONS))
