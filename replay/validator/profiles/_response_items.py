"""Items of one response as its machine holds them, and the ids that tell whose call an item is.

`output_index` alone says to which call an event belongs. Ids are compared beside it, since clients go by them: an
item that comes with another id than before is a call of its own to such a client. Example: the item at index 0 was
added with the id `fc_1`, and a delta for index 0 has `"item_id": "fc_2"`. The text is that of index 0, with the
finding `identity_collision`.
"""

from replay.validator._machine.ledger import Ledger
from replay.validator._machine.signals import Item, Role
from replay.validator._machine.slots import STEP, Position, Sign, Slot, Slots
from replay.validator._messages import Reason
from replay.validator.codes import Allowance


class Held:
    """One item that was added: what its first `added` said, where it and its text stand, and its slot if it has one."""

    __slots__ = ("copied", "first", "item_id", "position", "slot", "text")

    def __init__(self, first: Item) -> None:
        self.first = first
        self.position = STEP[Position.UNSEEN, Sign.DELTA]
        self.text = STEP[Position.UNSEEN, Sign.DELTA]
        self.slot: Slot | None = None
        self.item_id: str | None = None  # the first that the slot received
        self.copied = False  # a full copy of the text came

    @property
    def is_call(self) -> bool:
        """Whether the item is a call, with a slot of its own or over the limit."""
        return self.first.role is Role.CALL


class Identities:
    """Who the calls of one response are: the ids that they have received so far."""

    __slots__ = ("_item_ids", "_ledger", "_slots")

    def __init__(self, slots: Slots, ledger: Ledger) -> None:
        self._slots = slots
        self._ledger = ledger
        self._item_ids: dict[str, Held] = {}  # who got an item id first

    def take(
        self,
        held: Held,
        slot: Slot,
        item_id: str | None,
        *,
        call_id: str | None = None,
        name: str | None = None,
        event: int,
    ) -> None:
        """Give the call what it has not yet; an id or name other than its own is a collision."""
        if item_id and held.item_id:
            self.compare(held, slot, item_id, event)
        if call_id or name:
            self._slots.identify(slot, id=call_id, name=name, event=event)
        if item_id and not held.item_id:
            held.item_id = item_id
            if self._item_ids.setdefault(item_id, held) is not held and not self._rotates(slot, event):
                self._ledger.report(Reason.SAME_ITEM_ID, slot.place(event))

    def compare(self, held: Held, slot: Slot, item_id: str, event: int) -> None:
        """Report an item id that is not the first one of the call."""
        if item_id != held.item_id and not self._rotates(slot, event):
            self._ledger.report(Reason.OTHER_ITEM_ID, slot.place(event))

    def _rotates(self, slot: Slot, event: int) -> bool:
        return self._ledger.use(Allowance.ROTATING_IDS, slot.place(event))
