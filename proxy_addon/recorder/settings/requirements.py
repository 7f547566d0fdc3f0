"""What a run must have recorded, as `--require-recorded` names it. Pure functions.

Examples: `any`, `openai` (an upstream of that name, or a wire family), `litellm/anthropic` (turns of one family of one
upstream).
"""

from collections.abc import Iterable, Mapping

from proxy_addon.recorder.routes import Routes
from replay.errors import ToolreelError, nearest_word
from replay.families import FAMILIES

ANY = "any"


def required(kinds: Iterable[str], routes: Routes) -> tuple[str, ...]:
    """The kinds of `--require-recorded`, each seen to be one that this run could record."""
    names = {upstream.name for upstream in routes.upstreams}
    single = {ANY, *names, *FAMILIES}
    found = tuple(dict.fromkeys(kinds))
    for kind in found:
        name, slash, profile = kind.partition("/")
        if not (kind in single or (slash and name in names and profile in FAMILIES)):
            meant = nearest_word(kind, single)
            raise ToolreelError(
                f"--require-recorded: expected any, the name of an upstream ({', '.join(sorted(names))}), "
                f"a profile ({', '.join(FAMILIES)}) or UPSTREAM/PROFILE{meant}"
            )
    return found


def missing(kinds: Iterable[str], recorded: Mapping[tuple[str, str], int]) -> list[str]:
    """Those of the kinds of which no turn was recorded; `recorded` counts turns by upstream and profile."""
    names = {name for upstream, profile in recorded for name in (ANY, upstream, profile, f"{upstream}/{profile}")}
    return [kind for kind in kinds if kind not in names]
