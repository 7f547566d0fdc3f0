"""The environment of an adapter's process: what an interpreter needs, and folders that may be written.

Nothing else of this process's environment reaches it: no key, no proxy, no setting of a client. Its home is an empty
folder, so no file of settings does either.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

KEPT: Final = frozenset("LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH PATH PYTHONHOME PYTHONPATH TZ VIRTUAL_ENV".split())
# What clients would otherwise do beside their work.
SET: Final[Mapping[str, str]] = {
    "ANONYMIZED_TELEMETRY": "false",
    "DO_NOT_TRACK": "1",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "NO_PROXY": "*",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "OTEL_SDK_DISABLED": "true",
    "PYTHONWARNINGS": "ignore",
}
# Where tools look for what was installed, read-only: a variable, and the folder of the home that stands for it.
_INSTALLED: Final[Mapping[str, str]] = {
    "CARGO_HOME": ".cargo",
    "GOMODCACHE": "go/pkg/mod",
    "PYTHONUSERBASE": ".local",
    "RUSTUP_HOME": ".rustup",
}
# What tools have built before: read where it is, and what is written to it is thrown away with the scratch folder.
_BUILT: Final[Mapping[str, str]] = {"GOCACHE": ".cache/go-build"}
# Where tools write, below the scratch folder; and that they need not ask for a network that is not there.
_WRITTEN: Final[Mapping[str, str]] = {
    "CARGO_TARGET_DIR": "target",
    "GOPATH": "go",
    "HOME": "home",
    "TEMP": "tmp",
    "TMP": "tmp",
    "TMPDIR": "tmp",
}
_OFFLINE: Final[Mapping[str, str]] = {"CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "GOTOOLCHAIN": "local"}


def environment(scratch: Path) -> dict[str, str]:
    """The variables of a process that may write below `scratch`; makes the folders that they name."""
    found = {name: value for name, value in os.environ.items() if name in KEPT} | dict(SET) | dict(_OFFLINE)
    found |= _folders(_INSTALLED)
    for name, folder in _WRITTEN.items():
        (scratch / folder).mkdir(exist_ok=True)
        found[name] = str(scratch / folder)
    return found


def caches() -> dict[str, str]:
    """The folders of what tools have built before, by the variable that names each; those that are here."""
    return _folders(_BUILT)


def _folders(defaults: Mapping[str, str]) -> dict[str, str]:
    home = os.environ.get("HOME")
    found = {
        name: os.environ.get(name) or (str(Path(home, folder)) if home else "") for name, folder in defaults.items()
    }
    return {name: str(Path(where).resolve()) for name, where in found.items() if where and Path(where).is_dir()}
