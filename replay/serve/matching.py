"""Which fixture a request gets: that of its case, or else the next one that fits. Opens no file and no socket.

A case is the name of a fixture. The recorder names further turns of one case NAME+2, NAME+3: they are turns of NAME,
each answers the request of its number, and they are cases of their own as well. A turn that is missing (it was refused,
or left out) is told, and no other one takes its place: the application would go on as it never did.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from replay.families import CARRIERS, FAMILIES, asks_by_query, asks_for, form_at

from .naming import is_recorded, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replay.corpus.loading import Loaded

# How many fixtures an answer names where none fits.
NEAREST: Final = 3
# A file whose number is larger is a turn of no case.
MOST_TURNS: Final = 1_000_000

# First segments of a path that say something else, to this server or to any client.
_RESERVED: Final = ("case", "v1", ".", "..")


class Order(Enum):
    """What follows the last turn; the value is how the option says it."""

    CYCLE = "cycle"  # the first one again
    ONCE = "once"  # nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedFixture:
    """A fixture that can be served."""

    name: str
    profile: str
    upstream: str  # the provider that it was recorded from; where it names none, the one whose API it is
    loaded: Loaded = field(repr=False)

    @property
    def form(self) -> object:
        """The form of the framing that was recorded."""
        transport = self.loaded.value.get("transport")
        return transport.get("framing") if isinstance(transport, dict) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request says about the fixture that it wants."""

    case: str | None  # by header or prefix
    upstream: str | None  # the first segment of the path, where there is one: `segment` of an upstream, perhaps
    path: str  # without query
    method: str = "POST"
    query: str = field(default="", repr=False)

    def fits(self, fixture: ServedFixture) -> bool:
        """Whether this asks for such a turn: the method, the path, and of a GET the query.

        At a path of a carrier are the turns that came so, and of the others the one whose case is asked for.
        """
        profile = fixture.profile
        form = form_at(profile, self.path, fixture.form)
        if form in CARRIERS and self.method == "POST":
            return self.case is not None or fixture.form in CARRIERS
        return asks_for(profile, self.method, f"{self.path}?{self.query}")

    @property
    def retrieves(self) -> bool:
        """Whether this is a GET of a turn that its provider keeps, as a stream or not."""
        return self.method == "GET" and any(
            asks_for(profile, "GET", f"{self.path}?stream=true") for profile in FAMILIES
        )

    @property
    def by_query(self) -> bool:
        """Whether the query asks for a stream."""
        return asks_by_query(self.query)


_ASK: Final = "ask there, or serve a fixture of a turn like this one"
_AGAIN: Final = "--order cycle begins again; or start the server anew"
_AGAIN_WHOLE: Final = "bring the file back, or record the whole case"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoFixture:
    """The reason why a request gets no fixture, the nearest ones, and what to do.

    It names the case and the path, nothing else.
    """

    reason: str
    nearest: tuple[str, ...] = ()
    do: str = "name one of the nearest, or record the case"


class FixtureMatcher:
    """All fixtures that are served, and how far each case has come."""

    def __init__(self, fixtures: Iterable[ServedFixture], *, order: Order = Order.CYCLE) -> None:
        given = tuple(fixtures)
        self._by_name: Final = {fixture.name: fixture for fixture in _in_turn(given)}
        if len(self._by_name) < len(given):
            raise ValueError("two fixtures have one name; give the files of both to one call of served_fixtures.fill")
        self._turns: Final = _turns(self._by_name)
        self._upstreams: Final = {segment(fixture.upstream) for fixture in given} | FAMILIES.keys()
        self._order: Final = order
        self._taken: dict[object, int] = {}

    def __iter__(self) -> Iterator[ServedFixture]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, case: object) -> bool:
        return case in self._by_name

    def taken(self, case: str) -> int:
        """How many turns of a case were served."""
        return self._taken.get(case, 0)

    def choose(self, asked: Asked) -> ServedFixture | NoFixture:
        """The fixture for a request. Each one that is chosen moves its case on."""
        if asked.case is not None:
            return self._by_case(asked, asked.case)
        upstream = asked.upstream if asked.upstream in self._upstreams else None
        fitting = [
            fixture
            for fixture in self._by_name.values()
            if asked.fits(fixture) and upstream in (None, segment(fixture.upstream), fixture.profile)
        ]
        if not fitting:
            return NoFixture(reason=self._no_path(asked), nearest=self.nearest(""), do=_ASK)
        return self._next((upstream, tuple(fixture.name for fixture in fitting)), fitting, "all fixtures that fit")

    def _by_case(self, asked: Asked, case: str) -> ServedFixture | NoFixture:
        turns = self._turns.get(case, [])
        there = [fixture for fixture in turns if fixture is not None]
        if not there:
            return NoFixture(reason=f"no fixture is named {case!r}", nearest=self.nearest(case))
        fitting = [fixture for fixture in there if asked.fits(fixture)]
        if not fitting:
            profile = there[0].profile
            return NoFixture(
                reason=f"the case {case!r} is of the profile {profile}, which is asked for at {_asked_at(profile)}",
                nearest=(there[0].name,),
                do=_ASK,
            )
        return self._next(case, turns if fitting == there else fitting, f"the case {case!r}")

    def _next(self, key: object, turns: Sequence[ServedFixture | None], what: str) -> ServedFixture | NoFixture:
        """The next of these turns, of which None is one that is missing."""
        taken = self._taken.get(key, 0)
        there = [fixture for fixture in turns if fixture is not None]
        if taken >= len(turns) and self._order is Order.ONCE:
            number = "its one turn was" if len(turns) == 1 else f"all {len(turns)} turns were"
            return NoFixture(
                reason=f"{what}: {number} served, and the order is once", nearest=(there[-1].name,), do=_AGAIN
            )
        found = turns[taken % len(turns)]
        if found is None:
            missing = taken % len(turns) + 1
            reason = f"{what}: turn {missing} was not recorded, or its file is gone; record the case again"
            return NoFixture(reason=reason, nearest=tuple(fixture.name for fixture in there[:NEAREST]), do=_AGAIN_WHOLE)
        self._taken[key] = taken + 1
        return found

    def nearest(self, case: str) -> tuple[str, ...]:
        """The fixtures whose names are most like that of a case; the first ones where none is."""
        near = difflib.get_close_matches(case, self._by_name, n=NEAREST, cutoff=0.3) if case else []
        return tuple(near or list(self._by_name)[:NEAREST])

    def _no_path(self, asked: Asked) -> str:
        profiles = sorted({fixture.profile for fixture in self._by_name.values()})
        paths = "; ".join(f"{profile}: {_asked_at(profile)}" for profile in profiles)
        return f"no fixture is for a request to {asked.path!r}; there are fixtures for {paths}"


def _asked_at(profile: str) -> str:
    """The requests that ask for a turn of this profile, for a message."""
    family = FAMILIES[profile]
    gets = [f"GET ...{before}/ID?stream=true" for before in family.retrieved]
    return " or ".join([*(f"...{suffix}" for suffix in family.paths), *gets])


def segment(upstream: str) -> str:
    """An upstream as the first segment of its base URL: a name that is reserved there has a tilde behind it."""
    return f"{upstream}~" if upstream.rstrip("~") in _RESERVED else upstream


def _in_turn(fixtures: Sequence[ServedFixture]) -> list[ServedFixture]:
    """The fixtures in their order, the turns of a case one behind the other: files sort `x+2.json` before `x.json`."""
    names = {fixture.name for fixture in fixtures}
    places: dict[str, int] = {}

    def place(at: int, name: str) -> tuple[int, int]:
        turn = turn_of(name) if is_recorded(name) else None
        case, number = turn if turn is not None and turn[0] in names else (name, 1)
        return places.setdefault(case, at), number

    placed = [place(at, fixture.name) for at, fixture in enumerate(fixtures)]
    return [fixtures[at] for at in sorted(range(len(fixtures)), key=placed.__getitem__)]


def _turns(fixtures: Mapping[str, ServedFixture]) -> dict[str, list[ServedFixture | None]]:
    """For each name the fixture of that name, then those numbered behind it; None for one that is missing."""
    recorded: defaultdict[str, dict[int, ServedFixture]] = defaultdict(dict)
    older: defaultdict[str, dict[int, ServedFixture]] = defaultdict(dict)
    for name, fixture in fixtures.items():
        recorded[name][1] = fixture
        turn = turn_of(name)
        if turn is not None and turn[1] <= MOST_TURNS:
            (recorded if is_recorded(name) else older)[turn[0]][turn[1]] = fixture
    found: dict[str, list[ServedFixture | None]] = {
        name: [turns.get(number) for number in range(1, max(turns) + 1)] for name, turns in recorded.items()
    }
    for name, turns in older.items():  # the numbers of older versions are an order and no more
        if len(found.get(name, ())) == 1:
            found[name] += [turns[number] for number in sorted(turns)]
    return found
