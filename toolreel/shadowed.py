"""Whether a package that is not toolreel's has the name of one that is: `replay` and `redaction` are common words.

Two distributions in one environment, or a folder beside the program that is run, can take such a name. Python then
finds what toolreel does not expect, and this says who it is. Standard library alone.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Final

OURS: Final = ("proxy_addon", "redaction", "replay")
# Where our packages are: beside this one.
_HOME: Final = Path(__file__).resolve().parents[1]
_STEP: Final = "give toolreel an environment of its own (pipx install toolreel, or uv tool install toolreel)"


def reason() -> str:
    """One line on the first name that somebody else has; "" where all of them are ours."""
    for name in OURS:
        found = _found(name)
        if found != _HOME / name:
            return _said(name, f"{found or 'nothing'} is what Python finds{_of(_others(name))}")
        others = _others(name)
        if others:
            return _said(name, f"it was also installed by {', '.join(others)}, into the same folder {found}")
    return ""


def is_replay_ours() -> bool:
    """Whether the package that the command begins with is ours. As cheap as may be, for every start asks it."""
    found = _found("replay")
    return found == _HOME / "replay"


def _said(name: str, why: str) -> str:
    return f"the package {name} is not the one of toolreel: {why}; {_STEP}"


def _found(name: str) -> Path | None:
    """The folder of the package that Python imports under this name, or has imported."""
    module = sys.modules.get(name)
    try:
        spec = module.__spec__ if module is not None else importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    if spec is None:
        return None
    places = list(spec.submodule_search_locations or ())
    if places:
        return Path(places[0]).resolve()
    return Path(spec.origin).resolve() if spec.origin else None


def _others(name: str) -> list[str]:
    """The distributions that have installed a package of this name, without toolreel."""
    import importlib.metadata  # slow to load, and only needed here

    return sorted({*importlib.metadata.packages_distributions().get(name, ())} - {"toolreel"})


def _of(others: list[str]) -> str:
    return f", of the distribution {' or '.join(others)}" if others else ""
