"""Does what docs/guide.md tells and pastes what is printed, as `sessions.py` says. Needs the extra `record`, pytest."""

import sys
from collections.abc import Mapping

from sessions import ROOT, Project, commands, paste

sys.path.insert(0, str(ROOT))

from proxy_addon.demo.application import ask
from proxy_addon.demo.bundled import bundled
from proxy_addon.demo.provider import Provider

CASE = "openai-colliding"


def record(project: Project) -> str:
    """The recorder, one turn through it, its summary."""
    [turn] = [turn for turn in bundled() if turn.case == CASE]

    def use(urls: Mapping[str, str]) -> None:
        ask(urls["openai"], turn)

    with Provider([turn]) as provider:
        upstream = f"openai={provider.url}"
        before, after = project.record(upstream, use=use)
    without_ready = "".join(before.splitlines(keepends=True)[:-1])
    return f"$ toolreel record --upstream {upstream}\n{without_ready}{after}"


SESSIONS = {
    "record": record,
    "look": commands(f"toolreel validate reels/{CASE}.json", f"grep -n call_ reels/{CASE}.json"),
    "pin": commands(
        "toolreel scan reels", "toolreel replay reels", "toolreel replay --update reels", "toolreel replay reels"
    ),
    "red": commands("pytest -q --toolreel reels --tb=line"),
    "green": commands("pytest -q --toolreel reels"),
    "coverage": commands("toolreel coverage reels | grep '^openai lacks' | fold -s -w 120"),
}

if __name__ == "__main__":
    sys.exit(paste(ROOT / "docs" / "guide.md", SESSIONS))
