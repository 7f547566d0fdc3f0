"""The lanes of a picture as SVG: one path for each kind of sign in each lane, so that thousands of events stay light.

Colours and strokes are the style sheet's, by class; there is no `style` attribute. The script finds an event by where
the pointer is, so no sign needs an element of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.show.picture.cells import Cell, grid
from replay.show.picture.model import Did

from .markup import Markup, join, opening, tag, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from replay.show.picture.model import Picture

LANE: Final = 30  # height of a lane
RULER: Final = 18  # height of the numbers above
# The width of an event, by how many there are at most.
_WIDTHS: Final = ((16, 40), (30, 26), (60, 18), (120, 12), (400, 8))
_NARROWEST: Final = 5
# From one number of the ruler to the next, at least so many pixels.
_BETWEEN_NUMBERS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How wide an event is drawn, and how many there are; the end of the stream has a column too."""

    width: int
    events: int

    @property
    def whole(self) -> int:
        """The width of all."""
        return self.width * (self.events + 1)

    def step(self) -> int:
        """From one number of the ruler to the next."""
        for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
            if step * self.width >= _BETWEEN_NUMBERS:
                return step
        return 1000


def scale(picture: Picture) -> Scale:
    """The scale for so many events."""
    count = len(picture.events)
    return Scale(width=next((width for most, width in _WIDTHS if count <= most), _NARROWEST), events=count)


def lanes(picture: Picture) -> Markup:
    """The whole drawing."""
    size, brought = scale(picture), _brought(picture)
    height = RULER + LANE * len(picture.lanes)
    return tag(
        "svg",
        tag("title", text("Lanes: a row for each call and for what was said, a column for each event")),
        join(_ruler(size)),
        opening("rect", class_="cursor", x=0, y=0, width=size.width, height=height),
        Markup("</rect>"),
        opening("rect", class_="lit", x=-99, y=0, width=size.width, height=LANE),
        Markup("</rect>"),
        *(join(_lane(number, row, size, brought[number])) for number, row in enumerate(grid(picture))),
        class_="lanes",
        role="img",
        width=size.whole,
        height=height,
        viewBox=f"0 0 {size.whole} {height}",
        data_step=size.width,
        data_lane=LANE,
        data_ruler=RULER,
    )


def _ruler(size: Scale) -> Iterator[Markup]:
    for at in range(0, size.events, size.step()):
        yield tag("text", text(str(at)), x=at * size.width + size.width // 2, y=RULER - 6)


def _brought(picture: Picture) -> list[list[int]]:
    """By lane, the events that brought arguments: also those that opened or closed the call with them."""
    found: list[list[int]] = [[] for _ in picture.lanes]
    for event in picture.events:
        for act in event.acts:
            if Did.ARGUMENTS in act.did:
                found[act.lane].append(event.number)
    return found


def _lane(number: int, row: Sequence[Cell], size: Scale, brought: Sequence[int]) -> Iterator[Markup]:
    """The paths of one lane: below all others the line where the call waits."""
    middle = RULER + LANE * number + LANE // 2
    yield tag("path", class_="base", d=f"M0 {middle + LANE // 2 - 0.5}h{size.whole}")
    places: dict[Cell, list[int]] = {}
    for at, cell in enumerate(row):
        places.setdefault(cell, []).append(at)
    if brought:
        places[Cell.ARGUMENTS] = list(brought)
    life = sorted(at for cell in (Cell.WAITING, *_OF_A_CALL) for at in places.get(cell, ()))
    if Cell.WAITING in places or (number and any(cell in places for cell in _OF_A_CALL)):
        start, end = (at * size.width + size.width / 2 for at in (life[0], life[-1]))
        yield tag("path", class_="life", d=f"M{start:g} {middle}h{end - start:g}")
    for cell, shape in _SHAPES.items():
        if cell in places:
            drawn = "".join(shape(at * size.width + size.width / 2, middle, size.width) for at in places[cell])
            yield tag("path", class_=cell.name.lower(), d=drawn)


_OF_A_CALL: Final = (Cell.NAMED, Cell.OPENED, Cell.ARGUMENTS, Cell.CLOSED, Cell.WHOLE)


def _block(half: int) -> Callable[[float, float, int], str]:
    def drawn(x: float, y: float, width: int) -> str:
        wide = max(2, width - 2)
        return f"M{x - wide / 2:g} {y - half:g}h{wide}v{2 * half}h-{wide}z"

    return drawn


def _circle(x: float, y: float, width: int) -> str:
    radius = 3.5 if width < 8 else 5
    return f"M{x - radius:g} {y:g}a{radius} {radius} 0 1 0 {2 * radius:g} 0a{radius} {radius} 0 1 0 -{2 * radius:g} 0z"


def _tick(x: float, y: float, width: int) -> str:  # noqa: ARG001 - as its neighbours
    return f"M{x - 1:g} {y - 8:g}h2v16h-2z"


def _dot(x: float, y: float, width: int) -> str:  # noqa: ARG001
    return f"M{x - 1.5:g} {y - 1.5:g}h3v3h-3z"


def _diamond(x: float, y: float, width: int) -> str:  # noqa: ARG001
    return f"M{x:g} {y - 6:g}l6 6l-6 6l-6 -6z"


def _cross(x: float, y: float, width: int) -> str:  # noqa: ARG001
    return f"M{x - 6:g} {y - 5:g}l1 -1l5 5l5 -5l1 1l-5 5l5 5l-1 1l-5 -5l-5 5l-1 -1l5 -5z"


def _bar(x: float, y: float, width: int) -> str:  # noqa: ARG001
    return f"M{x - 1.5:g} {y - 10:g}h3v20h-3z"


def _triangle(x: float, y: float, width: int) -> str:  # noqa: ARG001
    return f"M{x:g} {y - 8:g}l8 15h-16z"


# Later ones are drawn over earlier ones: a finding is always seen.
_SHAPES: Final[Mapping[Cell, Callable[[float, float, int], str]]] = {
    Cell.NOTHING: _dot,
    Cell.REASONING: _block(3),
    Cell.TEXT: _block(5),
    Cell.ARGUMENTS: _block(8),
    Cell.UNTAKEN: _cross,
    Cell.NAMED: _tick,
    Cell.OPENED: _circle,
    Cell.CLOSED: _circle,
    Cell.WHOLE: _circle,
    Cell.FINISH: _diamond,
    Cell.END: _bar,
    Cell.FINDING: _triangle,
}


def signs(picture: Picture) -> frozenset[str]:
    """The signs that the drawing has, by the names of their classes."""
    return frozenset(cell.name.lower() for row in grid(picture) for cell in row)


def sample(name: str) -> Markup:
    """One sign, as a legend shows it."""
    shape = _SHAPES[Cell[name.upper()]]
    drawn = tag("path", class_=name, d=shape(9, 9, 14))
    return tag("svg", drawn, class_="lanes sample", width=18, height=18, viewBox="0 0 18 18", aria_hidden="true")
