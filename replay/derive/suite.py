"""A whole suite: of each recording, each kind that its family has, in order, with what could not be made and why."""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Final, TypeAlias

from .kinds import KINDS
from .kinds.kind import NotInThisError
from .making import Derived, KindError, derived
from .twins import TWINS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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
    """Each of the named kinds that the family of the recording has; then so many pairs of a kind and a twin of it."""
    kinds = [kind for name, kind in KINDS.items() if name in names and one.profile in kind.of]
    for kind in kinds:
        yield _made(one, kind.name, "")
    chosen = [(kind.name, twin) for kind in kinds for twin in TWINS if twin != kind.name]
    random.Random(f"{seed}:{one.digest}").shuffle(chosen)  # noqa: S311 - a choice of tests, no secret
    found = 0
    for name, twin in chosen:
        if found == pairs:
            return
        made = _made(one, name, twin)
        if not isinstance(made, Lacking):
            found += 1
            yield made


def _made(one: Recording, name: str, twin: str) -> Outcome:
    try:
        return derived(one, KINDS[name], twin)
    except NotInThisError as error:
        return Lacking(kind=name, why=str(error))
    except KindError as error:
        return Wrong(kind=name, why=str(error))


_TURNS: Final = "turns"


def bundled(profile: str) -> bytes:
    """The synthetic healthy turn of a family that comes with toolreel: calls of two tools with demanding schemas."""
    return resources.files(__package__).joinpath(_TURNS, f"{profile}.json").read_bytes()
