"""Slots of one turn: where each stands, who it is, and what text it has. Knows no provider, no JSON, no schema.

Theory of operation
-------------------
A slot is the place where one tool call is put together: a choice, and an index in it. The machine of a wire family
(`profiles`) reads payloads, and says here what they mean for a slot. A slot has one of three positions, and one of
three signs can reach it. The tables STEP and BREACH say what follows: the next position, or the code of a finding,
and then the slot stays where it is.

                    a delta for it          its terminal            the end of the stream
    unseen          accumulating            orphan_event            unseen
    accumulating    accumulating            terminal                missing_terminal
    terminal        delta_after_terminal    duplicate_terminal      terminal

Each pair stands in exactly one of the tables, and a test counts them, so no payload can reach a case that nobody
thought of. A content block and an item move by the same tables, whether they are tool calls or not.

A stream of the family `openai`, whose second call goes on after the finish reason:

    payload                                           slot 0           slot 1
    tool call 0: id, name, fragment {"ci              accumulating     unseen
    tool call 1: id, name, fragment {"city            accumulating     accumulating
    tool call 0: fragment ty":"Oslo"}                 accumulating     accumulating
    finish reason tool_calls                          terminal         terminal
    tool call 1: fragment ":"Rome"}                   terminal         terminal, and delta_after_terminal
    (the stream ends)                                 terminal         terminal

The late fragment is not taken, so the text of slot 1 is `{"city`. That a slot is blocked is no position: the ledger
knows it by the findings that name the slot. A blocked slot moves on like any other, so that what comes later is found
too, but its arguments are never parsed. Slot 0 has no finding of its own and is validated. None of the two may be
executed all the same, since a turn is executed whole or not at all.

A limit is passed in the same manner: the fragment that would pass it is dropped, and every later one of the slot with
it. A text with a hole in it must never look like a whole one.
"""

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final

from replay.validator._machine.ledger import Ledger
from replay.validator._messages import Reason
from replay.validator.codes import Code
from replay.validator.findings import Place
from replay.validator.limits import Limits


@unique
class Position(str, Enum):
    """Where a slot, or a block of any kind, stands on the wire. Being blocked is a mark beside it, in the ledger."""

    UNSEEN = "unseen"
    ACCUMULATING = "accumulating"
    TERMINAL = "terminal"


@unique
class Sign(str, Enum):
    """What can reach a position."""

    DELTA = "delta"
    TERMINAL = "terminal"
    END = "end"  # of the stream


# Every position and sign is a step or a breach: there is no else.
STEP: Final[Mapping[tuple[Position, Sign], Position]] = {
    (Position.UNSEEN, Sign.DELTA): Position.ACCUMULATING,
    (Position.UNSEEN, Sign.END): Position.UNSEEN,
    (Position.ACCUMULATING, Sign.DELTA): Position.ACCUMULATING,
    (Position.ACCUMULATING, Sign.TERMINAL): Position.TERMINAL,
    (Position.TERMINAL, Sign.END): Position.TERMINAL,
}
BREACH: Final[Mapping[tuple[Position, Sign], Code]] = {
    (Position.UNSEEN, Sign.TERMINAL): Code.ORPHAN_EVENT,
    (Position.ACCUMULATING, Sign.END): Code.MISSING_TERMINAL,
    (Position.TERMINAL, Sign.DELTA): Code.DELTA_AFTER_TERMINAL,
    (Position.TERMINAL, Sign.TERMINAL): Code.DUPLICATE_TERMINAL,
}


class Slot:
    """One tool call under assembly."""

    __slots__ = (
        "choice",
        "fragments",
        "id",
        "index",
        "is_free_text",
        "is_misfit",
        "lost",
        "name",
        "position",
        "size",
        "value",
    )

    def __init__(self, choice: int, index: int, position: Position) -> None:
        self.choice = choice
        self.index = index
        self.position = position
        self.id: str | None = None
        self.name: str | None = None
        self.fragments: list[str] = []
        self.size = 0  # bytes of UTF-8 received
        self.is_free_text = False  # what it received is one string, and no JSON
        self.is_misfit = False  # what it received in pieces does not fit together
        self.lost = False  # a fragment was dropped, and so is every later one
        self.value: object = None  # what the text says, where that is known without parsing it

    def text(self) -> str:
        """The fragments in order."""
        return "".join(self.fragments)

    def place(self, event: int | None = None) -> Place:
        """The slot, in one event or at the end of the stream."""
        return Place(self.choice, self.index, event)


def utf8_size(text: str) -> int:
    """Bytes of UTF-8; a lone surrogate counts the three it would take."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Slots:
    """The slots that a turn opened or listed, under the limits in force."""

    __slots__ = (
        "_by_choice",
        "_first",
        "_holders",
        "_ledger",
        "_max_slot",
        "_max_slots",
        "_max_turn",
        "_several",
        "_turn_lost",
        "any_opened",
        "by_place",
        "open",
        "size",
    )

    def __init__(self, ledger: Ledger, limits: Limits) -> None:
        self._ledger = ledger
        self._max_slots = limits.max_slots
        self._max_slot = limits.max_slot_bytes
        self._max_turn = limits.max_turn_bytes
        # Every slot that was opened or listed.
        self.by_place: dict[tuple[int, int], Slot] = {}
        self._by_choice: dict[int, list[Slot]] = {}
        self._holders: dict[tuple[int, str], Slot] = {}  # who got an id of a choice first
        # Of every tool slot, those that were too many to list included: the first index of a choice, and who has more.
        self._first: dict[int, int] = {}
        self._several: set[int] = set()
        self._turn_lost = False
        self.open = 0  # how many accumulate
        self.size = 0  # bytes of all slots
        self.any_opened = False

    @property
    def any_tool_slot(self) -> bool:
        """Whether the turn has a tool slot, listed or not."""
        return bool(self._first)

    def with_several(self) -> list[int]:
        """The choices that have two tool slots or more, listed or not, ascending."""
        return sorted(self._several)

    def get(self, choice: int, index: int) -> Slot | None:
        """A slot that was opened or listed."""
        return self.by_place.get((choice, index))

    def ascending(self) -> list[Slot]:
        """All slots, by choice and index."""
        return [self.by_place[place] for place in sorted(self.by_place)]

    def of_choice(self, choice: int) -> list[Slot]:
        """The slots of one choice, ascending."""
        return sorted(self._by_choice.get(choice, ()), key=lambda slot: slot.index)

    def start(self, choice: int, index: int, *, event: int) -> Slot | None:
        """Open a slot; None over the limit."""
        slot = self._add(choice, index, STEP[Position.UNSEEN, Sign.DELTA], event)
        if slot is not None:
            self.open += 1
            self.any_opened = True
        return slot

    def list_late(self, choice: int, index: int, *, event: int) -> None:
        """List a slot first seen after the terminal: it stays as it is and takes part in no check."""
        if (choice, index) not in self.by_place:
            self._add(choice, index, Position.UNSEEN, event)

    def _add(self, choice: int, index: int, position: Position, event: int) -> Slot | None:
        if self._first.setdefault(choice, index) != index:
            self._several.add(choice)
        if len(self.by_place) >= self._max_slots:
            self._ledger.report(Reason.TOO_MANY_SLOTS, Place(event=event), limit=self._max_slots)
            return None
        slot = self.by_place[choice, index] = Slot(choice, index, position)
        self._by_choice.setdefault(choice, []).append(slot)
        return slot

    def identify(self, slot: Slot, *, id: str | None, name: str | None, event: int) -> None:  # noqa: A002
        """Take an id and a name, where they are provided and the slot has none; anything else is a collision."""
        collides = bool(id and slot.id and id != slot.id) or bool(name and slot.name and name != slot.name)
        if collides:
            self._ledger.report(Reason.OTHER_ID_OR_NAME, slot.place(event))
        if name and not slot.name:
            slot.name = name
        if id and not slot.id:
            slot.id = id
            if self._holders.setdefault((slot.choice, id), slot) is not slot:
                self._ledger.report(Reason.SAME_ID, slot.place(event))

    def append(self, slot: Slot, fragment: str, event: int) -> None:
        """Append a fragment, or drop it where it would pass a limit, and all later ones with it."""
        size = len(fragment) if fragment.isascii() else utf8_size(fragment)
        slot_size, turn_size = slot.size + size, self.size + size
        if slot_size <= self._max_slot and turn_size <= self._max_turn and not slot.lost:
            slot.fragments.append(fragment)
            slot.size = slot_size
            self.size = turn_size
        else:
            self._drop(slot, slot_size, event)

    def count(self, slot: Slot, size: int, event: int) -> bool:
        """Count bytes that a slot receives in another form than as text; False where they pass a limit."""
        slot_size, turn_size = slot.size + size, self.size + size
        if slot_size <= self._max_slot and turn_size <= self._max_turn and not slot.lost:
            slot.size = slot_size
            self.size = turn_size
            return True
        self._drop(slot, slot_size, event)
        return False

    def _drop(self, slot: Slot, slot_size: int, event: int) -> None:
        lost_before = slot.lost or self._turn_lost
        slot.lost = True
        if lost_before:
            return
        if slot_size > self._max_slot:
            self._ledger.report(Reason.SLOT_TOO_LONG, slot.place(event), limit=self._max_slot)
            return
        self._ledger.report(Reason.TURN_TOO_LONG, Place(event=event), limit=self._max_turn)
        self._turn_lost = True
        self._max_turn = -1  # nothing fits any more, not even an empty fragment

    def close(self, slot: Slot, *, event: int) -> None:
        """The slot's own terminal: from here on it needs an id and a name."""
        self.end(slot)
        if not slot.id:
            self._ledger.report(Reason.NO_ID, slot.place(event))
        if not slot.name:
            self._ledger.report(Reason.NO_NAME, slot.place(event))

    def end(self, slot: Slot) -> None:
        """Close a slot without a look at who it is."""
        if slot.position is Position.ACCUMULATING:
            self.open -= 1
            slot.position = STEP[slot.position, Sign.TERMINAL]

    def is_blocked(self, slot: Slot) -> bool:
        """Whether the slot's arguments may not be looked at: a finding, a lost fragment, or it was never open."""
        unseen = slot.position is Position.UNSEEN
        return slot.lost or unseen or self._ledger.blocks(slot.choice, slot.index)
