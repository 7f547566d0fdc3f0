"""What a CI job does not do unless it is told twice: change pins."""

from __future__ import annotations

import os

from .errors import ToolreelError
from .terminal import is_ci


def refuse_to_write(option: str, *, meant: str) -> None:
    """A `ToolreelError` in a CI job; `option` would change pins, and `meant` is the option that lets it."""
    if is_ci(os.environ):
        raise ToolreelError(
            f"{option} changes pins, and this is a CI job (CI is set): run it on your machine and commit what it "
            f"writes, or say that it is meant: {meant}"
        )
