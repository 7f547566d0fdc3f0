"""Events of one message made of blocks: how Anthropic's messages stream, and two other families (section 3).

The machine of one turn. It takes what the reader of a family makes of a payload, and knows no payload itself. What the
families call their blocks, and which block a delta fits, is data: a `Dialect`.

Theory of operation
-------------------
A message is a row of content blocks, and each starts, grows and stops by events that name its index. A block of the
type `tool_use` is a tool call and has a slot; its stop is the terminal of the slot. The message has a terminal of its
own, in two parts: the stop reason in `message_delta`, after which no call may begin or grow, and `message_stop`,
after which no block event may come at all.

    payload                                             block 1
    message_start                                       unseen
    content_block_start 1, tool_use, id, name           accumulating, its slot is open
    content_block_delta 1, fragment "{}"                accumulating
    content_block_stop 1                                terminal: the slot must have its id and name
    message_delta, stop_reason "tool_use"               terminal
    message_stop                                        terminal: the message is whole

A stop reason other than `tool_use` is `wrong_terminal` where there is a call. A call whose block stopped is still
found to lack its terminal (`missing_terminal`) if the message around it began and never came to its end. Blocks of
other types move like those of calls, but have no slot. A call may also come whole, with its arguments as an object in
its start; then no fragment may follow.

The same turn in the other two families. Both end a message by one event that also has its reason. In `cohere-v2` only
calls are blocks; in `bedrock-converse` a text begins by its first delta.

    bedrock-converse            cohere-v2
    messageStart                message-start           unseen
    contentBlockStart 1         tool-call-start 1       accumulating, its slot is open
    contentBlockDelta 1         tool-call-delta 1       accumulating
    contentBlockStop 1          tool-call-end 1         terminal: the slot must have its id and name
    messageStop "tool_use"      message-end "TOOL_CALL" terminal: the message is whole
"""

from typing import ClassVar, Final

from replay.validator._machine.ledger import Ledger
from replay.validator._machine.signals import (
    BlockDelta,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageEnd,
    MessageStart,
    MessageStop,
    PayloadFinding,
    Unknown,
)
from replay.validator._machine.slots import BREACH, STEP, Position, Sign, Slot, Slots
from replay.validator._messages import Reason
from replay.validator.findings import Place
from replay.validator.listener import Fate, Form, Heard, Listener, Path
from replay.validator.profiles._dialect import Dialect

# A message has one choice.
CHOICE: Final = 0


class Block:
    """One content block that started: what its first start said, where it stands, and its slot if it has one."""

    __slots__ = ("late", "position", "slot", "start")

    def __init__(self, start: BlockStart) -> None:
        self.start = start
        self.late = False  # a tool call that starts after the stop reason takes part in no check
        self.position = STEP[Position.UNSEEN, Sign.DELTA]
        self.slot: Slot | None = None


def _path_in_message(index: int) -> Path:
    """Where the input of a call stands that is whole when the message starts."""
    return ("message", "content", index, "input")


def _fate(slot: Slot) -> Fate:
    """What became of a text that was appended to a slot."""
    return Fate.NOT_TAKEN if slot.lost else Fate.TAKEN


class BlockProtocol:
    """The state of one turn of block events. A family is a subclass with its dialect."""

    dialect: ClassVar[Dialect]

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
        self._blocks: dict[int, Block] = {}
        self._open: dict[int, Slot] = {}  # those that take fragments now
        self._others: dict[int, str] = {}  # the kinds of the blocks that are no calls and have not stopped
        self._any_block_event = False
        self._started = False
        self._message_deltas = False
        self._reason: str | None = None
        self._stopped = False

    def take(self, payload: object, event: int) -> None:
        """Take one payload. A family has a short cut for one more piece of an open block, as most payloads are."""
        self.take_whole(payload, event)

    def take_whole(self, payload: object, event: int) -> None:
        """Take one payload of any kind: its shape first, then what it says."""
        signal = self.dialect.read(payload)
        if isinstance(signal, BlockDelta):
            self._block_delta(signal, event)
        elif isinstance(signal, BlockStart):
            self._block_start(signal, event)
        elif isinstance(signal, BlockStop):
            self._block_stop(signal, event)
        elif isinstance(signal, MessageStart):
            self._message_start(signal, event)
        elif isinstance(signal, MessageDelta):
            self._message_delta(signal, event)
        elif isinstance(signal, MessageStop):
            self._message_stop(event)
        elif isinstance(signal, MessageEnd):
            self._message_end(signal, event)
        elif isinstance(signal, PayloadFinding):
            self._ledger.keep(signal.code, signal.message, signal.place(event))
        elif isinstance(signal, Unknown):
            self._ledger.report(Reason.UNKNOWN_EVENT, Place(event=event))

    def end(self) -> None:
        """Report each tool slot whose block never stopped, or whose message is not whole: it lacks its terminal."""
        around = self._started or self._message_deltas or self._stopped
        whole = not around or (self._started and self._reason is not None and self._stopped)
        for slot in self._slots.ascending():
            if (slot.position, Sign.END) in BREACH:
                self._ledger.report(Reason.NO_BLOCK_STOP, slot.place(), block_stop=self.dialect.block_stop)
            elif slot.position is Position.TERMINAL and not whole:
                self._ledger.report(
                    Reason.NO_WHOLE_MESSAGE,
                    slot.place(),
                    message_start=self.dialect.message_start,
                    message_stop=self.dialect.message_stop,
                )

    def lacks_terminal(self) -> bool:
        """Whether the message never stopped: then more could have followed."""
        return not self._stopped

    def _message_start(self, signal: MessageStart, event: int) -> None:
        if self._started or self._any_block_event or self._message_deltas or self._stopped:
            self._started = True
            self._ledger.report(Reason.SECOND_MESSAGE, Place(event=event))
            for index, start in enumerate(signal.blocks):
                self._tell_start(start, index, event, Fate.ALONE, _path_in_message(index))
            return
        self._started = True
        if signal.lists_calls:
            self._ledger.report(Reason.CALLS_IN_MESSAGE_START, Place(event=event))
        for index, start in enumerate(signal.blocks):
            fate = self._start(start, index, event)
            self._tell_start(start, index, event, fate, _path_in_message(index))
            self._stop(index, event)
        self._stop_for(signal.reason, event)

    def _message_delta(self, signal: MessageDelta, event: int) -> None:
        self._message_deltas = True
        self._stop_for(signal.reason, event)

    def _stop_for(self, reason: str | None, event: int) -> None:
        """A stop reason, where there is one: the first is the message's own terminal."""
        if reason is None:
            return
        if self._reason is not None or self._stopped:
            self._ledger.report(Reason.SECOND_STOP_REASON, Place(CHOICE, event=event))
            self._reason = self._reason or reason
            return
        self._reason = reason
        self._open.clear()
        if reason != self.dialect.complete and self._slots.any_tool_slot:
            self._ledger.report(Reason.OTHER_STOP_REASON, Place(CHOICE, event=event), complete=self.dialect.complete)
        elif reason in self.dialect.claims and not self._slots.any_tool_slot and not self._ledger.names(CHOICE):
            self._ledger.report(Reason.STOP_REASON_WITHOUT_CALL, Place(CHOICE, event=event), claim=reason)

    def _message_stop(self, event: int) -> None:
        if self._stopped:
            self._ledger.report(Reason.SECOND_MESSAGE_STOP, Place(CHOICE, event=event))
        self._stopped = True
        self._open.clear()
        self._others.clear()

    def _message_end(self, signal: MessageEnd, event: int) -> None:
        """The reason and the stop of a message at once: a second one is one finding."""
        if self._stopped:
            self._ledger.report(Reason.SECOND_MESSAGE_STOP, Place(CHOICE, event=event))
            self._reason = self._reason or signal.reason
            return
        self._stop_for(signal.reason, event)
        self._message_stop(event)

    def _place(self, index: int | None, event: int) -> int | None:
        """The block's index; a finding where there is none."""
        self._any_block_event = True
        if index is None:
            self._ledger.report(Reason.NO_BLOCK_INDEX, Place(CHOICE, event=event), index=self.dialect.index)
        return index

    def _report(self, reason: Reason, index: int, event: int) -> None:
        self._ledger.report(reason, Place(CHOICE, index, event))

    def _after_stop(self, index: int, event: int) -> None:
        self._report(Reason.EVENT_AFTER_MESSAGE, index, event)

    def _inside(self, signal: BlockDelta | BlockStop, event: int) -> int | None:
        """The block's index; a finding, and None, where there is none or the message has stopped."""
        index = self._place(signal.slot, event)
        if index is not None and self._stopped:
            self._after_stop(index, event)
            return None
        return index

    def _block_start(self, signal: BlockStart, event: int) -> None:
        index = self._place(signal.slot, event)
        if index is not None:
            fate = self._start(signal, index, event)
            self._tell_start(signal, index, event, fate, self.dialect.start_path)
        elif signal.fragment is not None:
            self._tell_start(signal, None, event, Fate.ALONE, self.dialect.start_path)

    def _start(self, signal: BlockStart, index: int, event: int) -> Fate:
        """Begin a block; what became of the text that it begins with."""
        known = self._blocks.get(index)
        if self._stopped:
            self._after_stop(index, event)
            if known is None and signal.kind == self.dialect.call:
                self._start_late(signal, index, event)
        elif known is not None:
            self._restart(known, signal, index, event)
        elif signal.kind == self.dialect.call:
            return self._start_tool(signal, index, event)
        else:
            self._start_other(signal, index, event)
        return Fate.ALONE

    def _start_late(self, signal: BlockStart, index: int, event: int) -> None:
        block = self._blocks[index] = Block(signal)
        block.late = True
        self._slots.list_late(CHOICE, index, event=event)

    def _restart(self, known: Block, signal: BlockStart, index: int, event: int) -> None:
        if known.late:
            return
        if signal.says_the_same(known.start):
            self._report(Reason.SAME_BLOCK_AGAIN, index, event)
        else:
            self._report(Reason.OTHER_BLOCK_AGAIN, index, event)

    def _start_tool(self, signal: BlockStart, index: int, event: int) -> Fate:
        if self._reason is not None:
            self._report(Reason.CALL_AFTER_STOP_REASON, index, event)
            self._start_late(signal, index, event)
            return Fate.ALONE
        block = self._blocks[index] = Block(signal)
        block.slot = self._slots.start(CHOICE, index, event=event)
        if block.slot is None:
            return Fate.NOT_TAKEN
        if signal.unsupported is not None:
            self._report(signal.unsupported, index, event)
        self._slots.identify(block.slot, id=signal.id, name=signal.name, event=event)
        if signal.text is None:
            self._open[index] = block.slot
        text = signal.fragment if signal.text is None else signal.text
        if text is not None:
            self._slots.append(block.slot, text, event)
        return _fate(block.slot)

    def _start_other(self, signal: BlockStart, index: int, event: int) -> None:
        self._begin_other(signal, index)
        if signal.unsupported is not None:
            self._report(signal.unsupported, index, event)
        elif signal.kind in self.dialect.takeovers and self._slots.any_opened:
            self._report(Reason.BLOCK_TAKEOVER, index, event)

    def _begin_other(self, signal: BlockStart, index: int) -> None:
        self._blocks[index] = Block(signal)
        self._others[index] = signal.kind

    def _block_delta(self, signal: BlockDelta, event: int) -> None:
        index = self._inside(signal, event)
        slot = self._grow(signal, index, event) if index is not None else None
        if self._listener is not None and signal.fragment is not None:
            self._listener(
                Heard(
                    event=event,
                    choice=CHOICE,
                    slot=signal.slot,
                    fate=self._fate_without_slot(signal.slot) if slot is None else _fate(slot),
                    form=Form.FRAGMENT,
                    text=signal.fragment,
                    name=signal.name,
                    path=self.dialect.fragment_path,
                )
            )

    def _grow(self, signal: BlockDelta, index: int, event: int) -> Slot | None:
        """The slot that took the fragment of a delta; None where none did, mostly with a finding."""
        block = self._blocks.get(index)
        if block is not None and block.late:
            if signal.fragment is not None:
                self._input_after_reason(index, event)
            return None
        if signal.kind not in self.dialect.fits:
            self._report(Reason.UNKNOWN_DELTA, index, event)
        elif block is None and signal.kind in self.dialect.begins:
            self._begin_other(BlockStart(index, self.dialect.begins[signal.kind]), index)
        elif block is None:
            self._report(Reason.DELTA_OF_NO_BLOCK, index, event)
        elif block.start.kind not in self.dialect.fits[signal.kind]:
            self._report(Reason.DELTA_OF_OTHER_BLOCK, index, event)
        elif block.position is Position.TERMINAL:
            self._report(Reason.DELTA_AFTER_BLOCK, index, event)
        elif block.start.kind == self.dialect.call and self._reason is not None:
            self._input_after_reason(index, event)
        elif block.slot is not None and block.start.text is not None:
            self._report(Reason.FRAGMENT_AFTER_INPUT, index, event)
        elif block.slot is not None:
            self._continue(block.slot, signal, event)
            return block.slot
        return None

    def _continue(self, slot: Slot, signal: BlockDelta, event: int) -> None:
        if signal.id is not None or signal.name is not None:
            self._slots.identify(slot, id=signal.id, name=signal.name, event=event)
        if signal.fragment is not None:
            self._slots.append(slot, signal.fragment, event)

    def _fate_without_slot(self, index: int | None) -> Fate:
        """What became of a fragment that no slot took."""
        if index is None:
            return Fate.ALONE
        block = self._blocks.get(index)
        over = block is not None and (block.position is Position.TERMINAL or block.start.text is not None)
        return Fate.LATE if over or self._stopped or self._reason is not None else Fate.NOT_TAKEN

    def _tell_start(self, signal: BlockStart, index: int | None, event: int, fate: Fate, path: Path) -> None:
        if self._listener is not None and signal.kind == self.dialect.call:
            begun = Form.NAME if signal.fragment is None else Form.FRAGMENT
            self._listener(
                Heard(
                    event=event,
                    choice=CHOICE,
                    slot=index,
                    fate=fate,
                    form=begun if signal.text is None else Form.OBJECT,
                    name=signal.name,
                    id=signal.id,
                    text=signal.text or signal.fragment or "",
                    path=path,
                )
            )

    def _input_after_reason(self, index: int, event: int) -> None:
        self._report(Reason.INPUT_AFTER_STOP_REASON, index, event)

    def _block_stop(self, signal: BlockStop, event: int) -> None:
        index = self._inside(signal, event)
        if index is not None:
            self._stop(index, event)

    def _stop(self, index: int, event: int) -> None:
        block = self._blocks.get(index)
        if block is not None and block.late:
            return
        position = block.position if block is not None else Position.UNSEEN
        if (position, Sign.TERMINAL) in BREACH:
            unseen = position is Position.UNSEEN
            self._report(Reason.STOP_OF_NO_BLOCK if unseen else Reason.SECOND_BLOCK_STOP, index, event)
            if self._listener is not None and block is None:
                self._listener(Heard(event=event, choice=CHOICE, slot=index, fate=Fate.NOT_TAKEN, form=Form.STRAY_END))
            return
        assert block is not None, "an unseen block breaks the rule above"
        block.position = STEP[position, Sign.TERMINAL]
        self._others.pop(index, None)
        if block.slot is not None:
            self._open.pop(index, None)  # not there after a stop reason, nor if it came whole
            self._slots.close(block.slot, event=event)
