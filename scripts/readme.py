"""Pastes into README.md what its commands print; `sessions.py` says how. Needs the extra `record`."""

import sys
from collections.abc import Mapping

from sessions import ROOT, Project, commands, paste

sys.path.insert(0, str(ROOT))

from proxy_addon.demo.application import ask
from proxy_addon.demo.bundled import bundled
from proxy_addon.demo.provider import Provider

# The turns that go through the recorder.
RECORDED = ("openai-one-call", "openai-colliding", "anthropic-interleaved")


def record(project: Project) -> str:
    """A recording of three turns, from the recorder's first line to its summary."""
    turns = {turn.case: turn for turn in bundled()}

    def use(urls: Mapping[str, str]) -> None:
        for case in RECORDED:
            ask(urls[turns[case].profile], turns[case])

    with Provider(turns.values()) as provider:
        upstreams = [f"{name}={provider.url}" for name in ("openai", "anthropic", "mistral")]
        shown = "".join(f" \\\n      --upstream {upstream}" for upstream in upstreams)
        before, after = project.record(*upstreams, use=use)
    return f"$ toolreel record{shown}\n{before}{after}"


def fixture(project: Project) -> str:
    """One of the recorded fixtures, as it is."""
    return (project.folder / "reels" / "openai-one-call.json").read_text("utf-8")


SESSIONS = {
    "demo": commands("toolreel demo"),
    "record": record,
    "fixture": fixture,
    "replay": commands(
        *("toolreel replay reels", "echo $?"),
        *("toolreel replay --update reels", "echo $?"),
        *("toolreel replay reels", "echo $?"),
    ),
}

if __name__ == "__main__":
    sys.exit(paste(ROOT / "README.md", SESSIONS, columns=80))
