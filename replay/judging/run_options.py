"""What a run of `toolreel replay` was asked for, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from replay.config import ReplaySettings
from replay.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.validator import Allowance

    from . import recut


class Mode(Enum):
    """What a verdict that is not the pinned one leads to."""

    CHECK = "report it"
    UPDATE = "report it, and write the pin"


class Detail(Enum):
    """How much a result says of a fixture whose verdict is as pinned."""

    DIFFERENCES = "its status"
    ROWS = "the whole verdict, and where the fixture came from"


class Orphans(Enum):
    """What becomes of pins without their fixtures."""

    KEEP = "report them"
    PRUNE = "remove them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One part of `of`, from 1. The content of a fixture decides which part it is in; its name and order do not."""

    number: int
    of: int

    def has(self, data: bytes) -> bool:
        """Whether a fixture of these bytes is in this part."""
        import hashlib  # loads a library of the system: only a run in parts pays for it

        return int.from_bytes(hashlib.sha256(data).digest()[:8], "big") % self.of == self.number - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every fixture is judged with, beside what its own pin says; of two limits, the one here counts.

    `settings` are those of the project, which `accept` and `limits` hold as well: no command that is advised need say
    them once more.
    """

    accept: frozenset[Allowance] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)
    settings: ReplaySettings = field(default_factory=ReplaySettings)
    mode: Mode = Mode.CHECK
    orphans: Orphans = Orphans.KEEP
    shard: Shard | None = None
    recut: recut.Cuts | None = None
    detail: Detail = Detail.DIFFERENCES

    @property
    def in_first_shard(self) -> bool:
        """Whether this run reports what belongs to no shard: a file that cannot be read, a pin without its fixture."""
        return self.shard is None or self.shard.number == 1

    def update_command(self, path: str) -> str:
        """The command that writes the pin of `path`, judged as now."""
        words = ["toolreel", "replay", "--update"]
        for name in sorted(self.accept - self.settings.accept):
            words += ["--accept", name.value]
        for limit, value in self.limits.items():
            if self.settings.limits.get(limit) != value:
                words += ["--limit", f"{limit}={value}"]
        return f"{' '.join(words)} {quoted(path)}"
