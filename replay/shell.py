"""Paths as words of a shell command, for the commands that messages name. Standard library only."""

from __future__ import annotations

import os
import shlex


def quoted(path: str) -> str:
    """The path as one word of a shell command, all of it printable; behind a `--` where it begins as an option does."""
    text = shlex.quote(path) if path.isprintable() else f"$'{''.join(map(_escaped, path))}'"
    return f"-- {text}" if text.startswith("-") else text


def _escaped(character: str) -> str:
    """A character within `$'...'`, as bash, zsh and ksh read it."""
    if character in "'\\":
        return f"\\{character}"
    return character if character.isprintable() else "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
