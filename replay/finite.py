"""The check of options that are a number of seconds or a factor. click lets `nan` and `inf` through in any range."""

from __future__ import annotations

import math

from .errors import ToolreelError


def finite(option: str, number: float) -> float:
    """The number; a `ToolreelError` that names its option where it is not finite."""
    if not math.isfinite(number):
        raise ToolreelError(f"{option} {number}: must be a finite number")
    return number
