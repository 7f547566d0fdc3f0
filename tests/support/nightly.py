"""What the nightly run alone does, and how much of the rest every run does.

`TOOLREEL_NIGHTLY=1`, which `sh scripts/test --nightly` sets, asks for everything.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

import pytest

Value = TypeVar("Value")

NIGHTLY: Final = "TOOLREEL_NIGHTLY" in os.environ

# For what proves a figure and not a change. It must have a smaller one beside it that every run does.
nightly: Final = pytest.mark.nightly


def examples(count: int, *, part: int = 6) -> int:
    """How many examples a property tries: all of them at night, a sixth of them else, or a smaller part."""
    return count if NIGHTLY else count // part


def sampled(values: Iterable[Value]) -> Iterator[Value]:
    """These cases of one test: all of them at night, every sixth else."""
    return islice(values, 0, None, 1 if NIGHTLY else 6)


def at_night(values: Iterable[Any], *, but: Iterable[Any]) -> list[Any]:
    """These parameters of a test, of which every run has those in `but`, and the nightly run all."""
    always = tuple(but)
    return [value if value in always else pytest.param(value, marks=nightly) for value in values]


def thirds(values: Iterable[Any]) -> list[Any]:
    """These parameters of a test: all of them at night, every third else."""
    return [value if at % 3 == 0 else pytest.param(value, marks=nightly) for at, value in enumerate(values)]


def sixths(names: Iterable[str], others: Sequence[Any]) -> list[Any]:
    """Each name with each of the others, as parameters: all of them at night, a sixth of them else, each name in it.

    For example, the first name comes with the first of the others and the seventh, the second with the sixth.
    """
    return [
        pytest.param(name, other, marks=() if (at + beside) % 6 == 0 else nightly, id=f"{name}-{other}")
        for at, name in enumerate(names)
        for beside, other in enumerate(others)
    ]
