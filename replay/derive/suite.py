"""A whole suite: of each recording, each kind that its family has, in order, with what could not be made and why."""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TypeAlias

from .kinds import KINDS
from .kinds.kind import NotInThisError
from .making import Derived, KindError, derived
from .seconds import SECONDS
from .twins import TWINS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .recording import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """A kind that a recording cannot have, and why."""

    kind: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A kind of which toolreel made something else than the rules say: a bug, in words."""

    kind: str
    why: str


Outcome: TypeAlias = Derived | Lacking | Wrong


def suite(one: Recording, names: Collection[str], pairs: int, seed: int) -> Iterator[Outcome]:
    """Each of the named kinds that the family of the recording has; then so many pairs.

    A pair is a kind that is told as a twin, or a fault with another one beside it, in turns.
    """
    kinds = [kind for name, kind in KINDS.items() if name in names and one.profile in kind.of]
    for kind in kinds:
        yield _made(one, kind.name, "")
    found = 0
    for name, beside in _pairs([kind.name for kind in kinds], f"{seed}:{one.digest}"):
        if found == pairs:
            return
        made = _made(one, name, beside)
        if not isinstance(made, Lacking):
            found += 1
            yield made


def _pairs(names: Sequence[str], seed: str) -> Iterator[tuple[str, str]]:
    """All pairs in the order of this seed: one with a twin, one with a second fault, and so on."""
    choice = random.Random(seed)  # noqa: S311 - a choice of tests, no secret
    sorts = [[(name, beside) for name in names for beside in table if beside != name] for table in (TWINS, SECONDS)]
    for sort in sorts:
        choice.shuffle(sort)
    for told, doubled in zip_longest(*sorts):
        yield from (pair for pair in (told, doubled) if pair)


def _made(one: Recording, name: str, beside: str) -> Outcome:
    try:
        return derived(one, KINDS[name], beside)
    except NotInThisError as error:
        return Lacking(kind=name, why=str(error))
    except KindError as error:
        return Wrong(kind=name, why=str(error))


_TURNS: Final = "turns"


def bundled(profile: str) -> bytes:
    """The synthetic healthy turn of a family that comes with toolreel: calls of two tools with demanding schemas."""
    return resources.files(__package__).joinpath(_TURNS, f"{profile}.json").read_bytes()
