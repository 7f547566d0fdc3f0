"""How a pack is named, and a file in one: `corpus.pack.zip/weather.json`. Opens nothing; `archives` does.

A pack is one file with the fixtures and pins of a corpus. It is read as a folder is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from replay.store import names

SUFFIX: Final = ".pack.zip"
_INSIDE: Final = SUFFIX + "/"


def is_pack(path: str | os.PathLike[str]) -> bool:
    """Whether a path names a pack. A folder of this name is a folder."""
    text = os.fspath(path)
    return text.endswith(SUFFIX) and (names.is_stored(text) or not Path(text).is_dir())


def holder(path: str | os.PathLike[str]) -> tuple[str, str] | None:
    """The pack that a path leads into, and the name in it; None for every other path."""
    text = os.fspath(path)
    if _INSIDE not in text:
        return None
    before, mark, inner = text.partition(_INSIDE)
    pack = before + mark[:-1]
    return (pack, inner) if inner and is_pack(pack) else None
