"""Files to the fixtures that are served. A file that is no fixture is named and left out; the others are served."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from replay.corpus import files
from replay.corpus.loading import load
from replay.errors import ToolreelError
from replay.families import FAMILIES
from replay.validator import InvalidFixture

from .matching import ServedFixture
from .naming import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replay.corpus.files import StrPath
    from replay.corpus.loading import Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedFixtures:
    """What the files hold. `left_out` has one line for each that is no fixture."""

    fixtures: tuple[ServedFixture, ...]
    paths: tuple[str, ...]  # of the fixtures, in their order
    left_out: tuple[str, ...]


def fill(paths: Iterable[StrPath]) -> ServedFixtures:
    """Read every file, texts or paths, each once; a `ToolreelError` where none of them is a fixture."""
    fixtures, kept, left_out = [], [], []
    found = {Path(path): os.fspath(path) for path in paths}
    for path, name in zip(found.values(), names(list(found)), strict=True):
        loaded = load(files.read(path))
        if isinstance(loaded.envelope, InvalidFixture):
            left_out.append(f"{path}: {loaded.envelope.message}; it is left out")
            continue
        profile = loaded.envelope.profile
        upstream = _provider(loaded) or FAMILIES[profile].provider
        fixtures.append(ServedFixture(name=name, profile=profile, upstream=upstream, loaded=loaded))
        kept.append(path)
    if not fixtures:
        raise ToolreelError(left_out[0] if left_out else "no fixture is there to be served; name a file or a folder")
    return ServedFixtures(fixtures=tuple(fixtures), paths=tuple(kept), left_out=tuple(left_out))


def _provider(loaded: Loaded) -> str | None:
    capture = loaded.value.get("capture")
    provider = capture.get("provider") if isinstance(capture, dict) else None
    return provider if isinstance(provider, str) and provider else None
