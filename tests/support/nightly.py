"""What the nightly run alone does, and how much of the rest every run does.

`TOOLREEL_NIGHTLY=1`, which `sh scripts/test --nightly` sets, asks for everything.
"""

import os
from typing import Final

import pytest

NIGHTLY: Final = "TOOLREEL_NIGHTLY" in os.environ

# For what proves a figure and not a change. It must have a smaller one beside it that every run does.
nightly: Final = pytest.mark.nightly


def examples(count: int) -> int:
    """How many examples a property tries: all of them at night, a sixth of them else."""
    return count if NIGHTLY else count // 6
