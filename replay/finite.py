"""Options that are a number of seconds or a factor: `nan` is within every range, and `inf` is no time to wait."""

from __future__ import annotations

import math

from .errors import ToolreelError


def finite(option: str, number: float) -> float:
    """The number; a `ToolreelError` that names its option where it is none to count with."""
    if not math.isfinite(number):
        raise ToolreelError(f"{option} {number}: must be a finite number")
    return number
