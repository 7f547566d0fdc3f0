"""The kinds: every way in which a turn can be told otherwise, by name. One module a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .arguments import ARGUMENTS
from .ending import ENDING
from .events import EVENTS
from .identity import IDENTITY
from .legal import LEGAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .kind import Kind

KINDS: Final[Mapping[str, Kind]] = {kind.name: kind for kind in (*LEGAL, *ENDING, *IDENTITY, *ARGUMENTS, *EVENTS)}
