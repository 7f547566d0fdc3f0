"""Events of one response, whose calls are items that come again as full copies: how OpenAI's Responses API streams.

The machine of one turn (section 8). It takes what `_responses_reader` makes of a payload, and knows no payload itself,
but for the short cut of `take`.

Theory of operation
-------------------
A response is a row of items, each with its `output_index`. A call is an item, and what is said of it comes up to four
times: in deltas, whole in the `done` of its text, in the item that ends, and in the list of items of the whole
response. The first that brings any text gives the slot its text; every later copy must repeat it, or it is
`copy_mismatch`. Two things end one after the other, and both move by the tables of `_slots`: the text of the item, and
the item itself, whose end is the terminal of the slot.

    payload                                                     text of item 0      item 0
    response.created                                            unseen              unseen
    response.output_item.added, index 0, call_id, name          accumulating        accumulating
    response.function_call_arguments.delta, fragment "{}"       accumulating        accumulating
    response.function_call_arguments.done, copy "{}"            terminal            accumulating
    response.output_item.done, copy "{}"                        terminal            terminal
    response.completed, its list with the copy "{}"             terminal            terminal, and the response is whole

Every event has the `sequence_number` of the one before it plus 1, or events were lost, doubled or moved
(`sequence_break`). The response is the terminal around its calls: if it ends as anything but completed, that is
`wrong_terminal`; if it never ends, its calls lack their terminal. In the final list a call is known by its `call_id`.
"""

from collections import deque
from collections.abc import Iterable

from replay.validator._machine.ledger import Ledger
from replay.validator._machine.signals import (
    Aside,
    Item,
    ItemEnd,
    ItemStart,
    Lifecycle,
    PayloadFinding,
    Role,
    Stage,
    TextDelta,
    TextEnd,
    Unknown,
)
from replay.validator._machine.slots import BREACH, STEP, Position, Sign, Slot, Slots
from replay.validator._messages import Reason
from replay.validator.codes import Allowance
from replay.validator.findings import Place
from replay.validator.limits import MAX_INDEX
from replay.validator.listener import Fate, Form, Heard, Listener, Path
from replay.validator.profiles._readers.responses import (
    ASIDE_EVENTS,
    CALLS,
    CHOICE,
    CUSTOM_DELTA,
    FREE_TEXT,
    FUNCTION_DELTA,
    TEXT_DELTAS,
    number_of,
    read_event,
)
from replay.validator.profiles._response_items import Held, Identities


class ResponseProtocol:
    """The state of one turn of response events."""

    def __init__(
        self,
        slots: Slots,
        ledger: Ledger,
        *,
        tool_choice: str | None,  # noqa: ARG002 - no dialect here reads it
        listener: Listener | None = None,
    ) -> None:
        self._listener = listener
        self._slots = slots
        self._ledger = ledger
        self._held: dict[int, Held] = {}
        # Those that take fragments now, by the event that brings them.
        self._growing: dict[str, dict[int, Held]] = {FUNCTION_DELTA: {}, CUSTOM_DELTA: {}}
        self._identities = Identities(slots, ledger)
        self._next: int | None = None  # the sequence number that comes next
        self._id: str | None = None
        self._any_item_event = False
        self._too_many = False  # the slot limit was passed
        self._created = False
        self._ended = False

    def take(self, payload: object, event: int) -> None:
        """Take one payload: at once if it is a piece of an item, as most are, else whole.

        A piece of a call goes to its slot, if it is the next one; of any other item only the number counts.
        """
        slot = None
        try:
            kind, index, number = payload["type"], payload.get("output_index"), payload["sequence_number"]  # type: ignore[index,attr-defined]
            plain = (
                type(index) is int
                and type(number) is int
                and number == self._next
                and number <= MAX_INDEX
                and "error" not in payload  # type: ignore[operator]
                and "response" not in payload  # type: ignore[operator]
            )
            if plain and kind in ASIDE_EVENTS:
                held = self._held.get(index)
                if 0 <= index <= MAX_INDEX and (held is None or held.first.role is not Role.CALL):
                    self._next = number + 1
                    return
            elif plain:
                held, fragment = self._growing[kind][index], payload["delta"]  # type: ignore[index]
                if type(fragment) is str and payload["item_id"] == held.item_id:  # type: ignore[index]
                    slot = held.slot
        except Exception:  # of whatever kind the payload raises: it is no object of JSON, or says something else
            slot = None
        if slot is not None:
            self._next = number + 1
            self._slots.append(slot, fragment, event)
        else:
            self.take_whole(payload, event)

    def take_whole(self, payload: object, event: int) -> None:
        """Take one payload of any kind: its number and its shape first, then what it says."""
        number, signal = number_of(payload), read_event(payload)
        if number is not None:
            self._take_number(number, event)
        if isinstance(signal, PayloadFinding):
            self._ledger.keep(signal.code, signal.message, signal.place(event))
        elif isinstance(signal, TextDelta):
            self._text_delta(signal, event)
        elif isinstance(signal, TextEnd):
            self._text_end(signal, event)
        elif isinstance(signal, ItemStart):
            self._item_start(signal, event)
        elif isinstance(signal, ItemEnd):
            self._item_end(signal, event)
        elif isinstance(signal, Aside):
            self._aside(signal, event)
        elif isinstance(signal, Lifecycle):
            self._lifecycle(signal, event)
        elif isinstance(signal, Unknown):
            self._ledger.report(Reason.UNKNOWN_EVENT, Place(event=event))

    def end(self) -> None:
        """Report each call whose item never ended, or whose response is not whole: it lacks its terminal."""
        for slot in self._slots.ascending():
            if (slot.position, Sign.END) in BREACH:
                self._report(Reason.NO_ITEM_END, slot.index)
            elif slot.position is Position.TERMINAL and not (self._created and self._ended):
                self._report(Reason.NO_WHOLE_RESPONSE, slot.index)

    def lacks_terminal(self) -> bool:
        """Whether the response never ended."""
        return not self._ended

    def _report(self, reason: Reason, index: int | None, event: int | None = None) -> None:
        self._ledger.report(reason, Place(CHOICE, index, event))

    def _take_number(self, number: int, event: int) -> None:
        follows = self._next is None or number == self._next
        self._next = number + 1
        if not (follows or self._ledger.use(Allowance.SEQUENCE_GAPS, Place(event=event))):
            self._ledger.report(Reason.SEQUENCE_BREAK, Place(event=event))

    # The response.

    def _lifecycle(self, signal: Lifecycle, event: int) -> None:
        if signal.stage is Stage.CREATED:
            if self._created or self._any_item_event or self._ended:
                self._ledger.report(Reason.SECOND_RESPONSE, Place(event=event))
            self._created = True
        self._take_id(signal.id, event)
        if signal.stage in (Stage.COMPLETED, Stage.INCOMPLETE):
            self._end(signal, event)
        elif any(item.role is Role.CALL for item in signal.items):
            self._ledger.report(Reason.CALL_LISTED_EARLY, Place(event=event))

    def _take_id(self, identity: str | None, event: int) -> None:
        if identity is None or identity == self._id:
            return
        if self._id is None:
            self._id = identity
        elif self._slots.any_tool_slot and not self._ledger.use(Allowance.ROTATING_IDS, Place(event=event)):
            self._ledger.report(Reason.OTHER_RESPONSE, Place(event=event))

    def _end(self, signal: Lifecycle, event: int) -> None:
        if self._ended:
            if self._slots.any_tool_slot:
                self._report(Reason.SECOND_RESPONSE_END, None, event)
            return
        self._ended = True
        for growing in self._growing.values():
            growing.clear()
        if signal.stage is Stage.COMPLETED:
            if signal.items and not self._too_many:
                self._compare_list(signal.items, event)
        elif self._slots.any_tool_slot:
            self._report(Reason.OTHER_RESPONSE_END, None, event)

    def _compare_list(self, items: Iterable[Item], event: int) -> None:
        """Each call of the list is the copy of one slot, and each slot has one."""
        without = {index: held for index, held in sorted(self._held.items()) if held.slot is not None}
        waiting: dict[tuple[str, str | None], deque[int]] = {}
        for index, held in without.items():
            assert held.slot is not None, "the others are left out"
            waiting.setdefault((held.first.type, held.slot.id), deque()).append(index)
        for at, item in enumerate(items):
            if item.role is not Role.CALL:
                continue
            own = waiting.get((item.type, item.call_id)) if item.call_id else None
            if own:
                self._compare(without.pop(own.popleft()), item, at, event)
            else:
                self._report(Reason.LISTED_CALL_NOT_STREAMED, None, event)
        for index in without:
            self._report(Reason.CALL_NOT_LISTED, index, event)

    def _compare(self, held: Held, item: Item, at: int, event: int) -> None:
        """Compare a call with its copy, which stands at `at` in the final list."""
        slot = held.slot
        assert slot is not None, "a call without one is in no list"
        if item.name and slot.name and item.name != slot.name:
            self._report(Reason.OTHER_TOOL_LISTED, slot.index, event)
        if item.id and held.item_id:
            self._identities.compare(held, slot, item.id, event)
        self._take_copy(held, slot, item.text, ("response", "output", at, CALLS[item.type]), event)

    # Its items.

    def _item_start(self, signal: ItemStart, event: int) -> None:
        self._any_item_event = True
        index, item = signal.slot, signal.item
        if index is None:
            self._without_index(item, event)
            return
        held = self._held.get(index)
        is_call = item.role is Role.CALL
        if self._ended and (is_call or (held is not None and held.is_call)):
            self._report(Reason.AFTER_RESPONSE, index, event)
            if held is None:
                self._held[index] = Held(item)
                self._slots.list_late(CHOICE, index, event=event)
        elif held is not None:
            self._restart(held, item, index, event)
        else:
            held = self._held[index] = Held(item)
            if is_call:
                self._start_call(held, index, event)
            else:
                self._look_at_kind(item, index, event)

    def _without_index(self, item: Item, event: int) -> None:
        if item.role is Role.CALL:
            self._missing_slot(event)
        else:
            self._look_at_kind(item, None, event)

    def _missing_slot(self, event: int) -> None:
        self._report(Reason.NO_OUTPUT_INDEX, None, event)

    def _restart(self, held: Held, item: Item, index: int, event: int) -> None:
        first = held.first
        if (item.type, item.call_id, item.name) == (first.type, first.call_id, first.name):
            self._report(Reason.SAME_ITEM_AGAIN, index, event)
        else:
            self._report(Reason.OTHER_ITEM_AGAIN, index, event)

    def _look_at_kind(self, item: Item, index: int | None, event: int) -> None:
        if item.role is Role.UNKNOWN:
            self._report(Reason.UNKNOWN_ITEM, index, event)
        elif item.role is Role.TAKEOVER and self._slots.any_opened:
            self._report(Reason.ITEM_TAKEOVER, index, event)
        elif item.role is Role.BUILT_IN and not self._ledger.use(Allowance.BUILTIN_CALLS, Place(CHOICE, index, event)):
            self._report(Reason.BUILT_IN_CALL, index, event)

    def _start_call(self, held: Held, index: int, event: int) -> None:
        item = held.first
        slot = held.slot = self._slots.start(CHOICE, index, event=event)
        if slot is None:
            self._too_many = True
            return
        slot.is_free_text = item.type in FREE_TEXT
        for growing, kind in zip(self._growing.values(), TEXT_DELTAS.values(), strict=True):
            if kind == item.type:
                growing[index] = held
        if item.text:
            self._report(Reason.TEXT_IN_START, index, event)
        self._identities.take(held, slot, item.id, call_id=item.call_id, name=item.name, event=event)
        self._tell(slot, Form.NAME, event, name=item.name)

    def _item_end(self, signal: ItemEnd, event: int) -> None:
        self._any_item_event = True
        index, item = signal.slot, signal.item
        if index is None:
            self._without_index(item, event)
            return
        held = self._held.get(index)
        is_call = item.role is Role.CALL
        if self._ended and (is_call or (held is not None and held.is_call)):
            self._report(Reason.AFTER_RESPONSE, index, event)
        elif held is None and is_call:
            self._report(Reason.END_OF_NO_ITEM, index, event)
        elif held is None:
            self._look_at_kind(item, index, event)
        elif (held.position, Sign.TERMINAL) in BREACH:
            self._report(Reason.SECOND_ITEM_END, index, event)
        elif item.type != held.first.type:
            self._report(Reason.OTHER_TYPE_AT_END, index, event)
        else:
            held.position = STEP[held.position, Sign.TERMINAL]
            if held.slot is not None:
                self._end_call(held, held.slot, item, event)

    def _end_call(self, held: Held, slot: Slot, item: Item, event: int) -> None:
        self._stop_growing(slot.index)
        self._identities.take(held, slot, item.id, call_id=item.call_id, name=item.name, event=event)
        self._tell(slot, Form.NAME, event, name=item.name)
        self._take_copy(held, slot, item.text, ("item", CALLS[item.type]), event)
        if not item.finished:
            self._report(Reason.UNFINISHED_CALL, slot.index, event)
        self._slots.close(slot, event=event)

    def _stop_growing(self, index: int) -> None:
        for growing in self._growing.values():
            growing.pop(index, None)

    def _aside(self, signal: Aside, event: int) -> None:
        held = self._held.get(signal.slot) if signal.slot is not None else None
        if held is not None and held.is_call:
            self._report(Reason.ASIDE_IN_CALL, signal.slot, event)

    # The text of a call.

    def _owner(self, signal: TextDelta | TextEnd, event: int) -> Held | None:
        """The item whose text the event brings; a finding, and None, where there is none that takes any."""
        index = signal.slot
        if index is None:
            self._missing_slot(event)
            return None
        held = self._held.get(index)
        if self._ended:
            self._report(Reason.AFTER_RESPONSE, index, event)
        elif held is None or held.first.type != signal.type:
            self._report(Reason.TEXT_OF_NO_CALL, index, event)
        elif held.position is Position.TERMINAL:
            self._report(Reason.TEXT_AFTER_CALL, index, event)
        else:
            return held
        return None

    def _text_delta(self, signal: TextDelta, event: int) -> None:
        held = self._owner(signal, event)
        if held is None:
            return
        if (held.text, Sign.DELTA) in BREACH:
            self._report(Reason.DELTA_AFTER_TEXT, signal.slot, event)
            if held.slot is not None:
                self._tell(held.slot, Form.FRAGMENT, event, text=signal.fragment, path=("delta",), fate=Fate.LATE)
        elif held.slot is not None:
            self._identities.take(held, held.slot, signal.item_id, event=event)
            self._slots.append(held.slot, signal.fragment, event)
            self._tell(held.slot, Form.FRAGMENT, event, text=signal.fragment, path=("delta",))

    def _text_end(self, signal: TextEnd, event: int) -> None:
        held = self._owner(signal, event)
        if held is None:
            return
        if (held.text, Sign.TERMINAL) in BREACH:
            self._report(Reason.SECOND_TEXT_END, signal.slot, event)
            return
        held.text = STEP[held.text, Sign.TERMINAL]
        if held.slot is not None:
            self._stop_growing(held.slot.index)
            self._identities.take(held, held.slot, signal.item_id, event=event)
            self._take_copy(held, held.slot, signal.text, (CALLS[signal.type],), event)

    def _take_copy(self, held: Held, slot: Slot, text: str | None, path: Path, event: int) -> None:
        """Take a full copy: it is the text itself where no byte came before the first one, else it must repeat it."""
        if text is None or slot.lost:
            return
        form = Form.COPY if held.copied or slot.size else Form.FRAGMENT
        if form is Form.FRAGMENT:
            self._slots.append(slot, text, event)
        elif text != slot.text():
            self._report(Reason.OTHER_COPY, slot.index, event)
        held.copied = True
        self._tell(slot, form, event, text=text, path=path)

    def _tell(
        self,
        slot: Slot,
        form: Form,
        event: int,
        *,
        name: str | None = None,
        text: str = "",
        path: Path = (),
        fate: Fate = Fate.TAKEN,
    ) -> None:
        if self._listener is not None:
            self._listener(
                Heard(
                    event=event,
                    choice=CHOICE,
                    slot=slot.index,
                    fate=Fate.NOT_TAKEN if slot.lost and fate is Fate.TAKEN else fate,
                    form=form,
                    name=name,
                    text=text,
                    path=path,
                    is_free_text=slot.is_free_text,
                )
            )
