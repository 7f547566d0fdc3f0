"""What `--out` names, opened: a folder, or a prefix of an object store."""

from __future__ import annotations

from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from proxy_addon.writing.storage.by_day import ByDay
from proxy_addon.writing.storage.folder import FixtureFolder, Recorded
from proxy_addon.writing.storage.object_folder import ObjectFolder
from replay.errors import ToolreelError
from replay.store import names

if TYPE_CHECKING:
    from collections.abc import Callable

    from proxy_addon.writing.storage.room import Limits
    from proxy_addon.writing.storage.sink import Sink


class Layout(Enum):
    """How fixtures are laid out at the place that `--out` names."""

    TOGETHER = "all in one folder"
    BY_DAY = "a folder for each day"


def named(out: str) -> Path | str:
    """What `--out` says: a path, or the name of a prefix of a store, which is none."""
    return out if names.is_stored(out) else Path(out)


def opened(
    out: Path | str,
    *,
    digest_of: Callable[[bytes], str | None],
    limits: Limits,
    recorded: Recorded,
    tell: Callable[[str, str], object],
    layout: Layout = Layout.TOGETHER,
) -> Sink:
    """The place that `out` names, ready for fixtures; a `ToolreelError` where it cannot be."""
    if layout is Layout.BY_DAY:
        if limits.bound_folder:
            raise ToolreelError("--by-day: --max-folder and --when-full are for one folder; leave them out")
        one = partial(opened, digest_of=digest_of, limits=limits, recorded=recorded, tell=tell)
        return ByDay(lambda day: one(out / day if isinstance(out, Path) else names.joined(out, day)))
    if isinstance(out, Path):
        return FixtureFolder(out, digest_of=digest_of, limits=limits, recorded=recorded)
    if recorded is Recorded.ANEW:
        raise ToolreelError(f"--out {out}, --rewrite: what is in a store is not written over; name another prefix")
    if limits.bound_folder:
        raise ToolreelError(f"--out {out}: a store has no bound of the folder; its lifecycle rules have")
    return ObjectFolder(out, digest_of=digest_of, limits=limits, tell=tell)
