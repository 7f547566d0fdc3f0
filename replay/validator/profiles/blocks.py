"""Events of one message made of blocks: how Anthropic's messages stream (section 3).

The reader turns a payload into a `BlockEvent` or a `PayloadFinding` and knows no state; the machine takes it and knows
no payload.
"""

from collections.abc import Callable, Mapping
from typing import Final

from replay.validator._ledger import Ledger
from replay.validator._messages import Reason
from replay.validator._printed import printed
from replay.validator._signals import (
    BlockDelta,
    BlockEvent,
    BlockStart,
    BlockStop,
    MessageDelta,
    MessageStart,
    MessageStop,
    PayloadFinding,
    Ping,
    Unknown,
)
from replay.validator._slots import BREACH, STEP, Position, Sign, Slot, Slots
from replay.validator.findings import Place
from replay.validator.listener import Fate, Form, Heard, Listener, Path
from replay.validator.profiles._shape import INDEX_WORDS, NOT_AN_OBJECT, STREAM_ERROR, ShapeError, is_error, is_index

# A message has one choice.
CHOICE: Final = 0
TOOL_USE: Final = "tool_use"

BLOCKS: Final = frozenset(
    {
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        # provider-executed or inert: no tool slots
        "server_tool_use",
        "mcp_tool_use",
        "container_upload",
        "compaction",
        "fallback",
    }
)
# What the provider's own tools return: every kind that ends so.
RESULT_SUFFIX: Final = "_tool_result"
# Another context or another model took over: legal only before a tool slot has opened.
TAKEOVERS: Final = frozenset({"compaction", "fallback"})
# Deltas, and the blocks they fit.
DELTAS: Final[Mapping[str, frozenset[str]]] = {
    "text_delta": frozenset({"text"}),
    "citations_delta": frozenset({"text"}),
    "thinking_delta": frozenset({"thinking"}),
    "signature_delta": frozenset({"thinking"}),
    "input_json_delta": frozenset({"tool_use", "server_tool_use", "mcp_tool_use"}),
    "compaction_delta": frozenset({"compaction"}),
}
INPUT_DELTA: Final = "input_json_delta"


def read_event(payload: object) -> BlockEvent | PayloadFinding:
    """One payload, its shape checked whole."""
    if not isinstance(payload, dict):
        return NOT_AN_OBJECT
    if is_error(payload):
        return STREAM_ERROR
    try:
        return _event(payload)
    except ShapeError as error:
        return error.finding


def _event(payload: dict[str, object]) -> BlockEvent:
    kind = payload.get("type")
    if not isinstance(kind, str):
        raise ShapeError("an event must have a string `type`")
    reader = READERS.get(kind)
    return reader(payload) if reader is not None else Unknown()


def _index(payload: dict[str, object]) -> int | None:
    index = payload.get("index")
    if not (index is None or is_index(index)):
        raise ShapeError(f"`index` {INDEX_WORDS}", CHOICE)
    return index if isinstance(index, int) else None


def _message_start(payload: dict[str, object]) -> MessageStart:
    message = payload.get("message")
    if not (message is None or isinstance(message, dict)):
        raise ShapeError("`message` must be an object or null")
    if message is None:
        return MessageStart((), None)
    content = message.get("content")
    if not (content is None or isinstance(content, list)):
        raise ShapeError("`message.content` must be an array or null")
    blocks = tuple(_block(block, f"message.content[{place}]", place) for place, block in enumerate(content or ()))
    reason = message.get("stop_reason")
    if not (reason is None or isinstance(reason, str)):
        raise ShapeError("`message.stop_reason` must be a string or null")
    return MessageStart(blocks, reason or None)


def _block_start(payload: dict[str, object]) -> BlockStart:
    index = _index(payload)
    return _block(payload.get("content_block"), "content_block", index)


def _block(block: object, where: str, index: int | None) -> BlockStart:
    if not isinstance(block, dict):
        raise ShapeError(f"`{where}` must be an object", CHOICE, index)
    kind = block.get("type")
    if not isinstance(kind, str):
        raise ShapeError(f"`{where}` must have a string `type`", CHOICE, index)
    if kind != TOOL_USE:
        return BlockStart(index, kind, None, None, None)
    identity, name, given = block.get("id"), block.get("name"), block.get("input")
    if not (identity is None or isinstance(identity, str)):
        raise ShapeError(f"`{where}.id` must be a string or null", CHOICE, index)
    if not (name is None or isinstance(name, str)):
        raise ShapeError(f"`{where}.name` must be a string or null", CHOICE, index)
    if not (given is None or isinstance(given, dict)):
        raise ShapeError(f"`{where}.input` must be an object or null", CHOICE, index)
    return BlockStart(index, kind, identity or None, name or None, _text(given, where) if given else None)


def _text(given: dict[str, object], where: str) -> str:
    """The input of a call that came whole."""
    text = printed(given)
    if text is None:  # no file can hold it: such a payload stands there as a string, so it is wrong as a whole
        raise ShapeError(f"`{where}.input` holds a number or a string that JSON cannot: no double or no Unicode")
    return text


def _block_delta(payload: dict[str, object]) -> BlockDelta:
    index = _index(payload)
    delta = payload.get("delta")
    if not isinstance(delta, dict):
        raise ShapeError("`delta` must be an object", CHOICE, index)
    kind = delta.get("type")
    if not isinstance(kind, str):
        raise ShapeError("`delta` must have a string `type`", CHOICE, index)
    if kind != INPUT_DELTA:
        return BlockDelta(index, kind, None)
    fragment = delta.get("partial_json")
    if not isinstance(fragment, str):
        raise ShapeError("`delta.partial_json` must be a string", CHOICE, index)
    return BlockDelta(index, kind, fragment)


def _message_delta(payload: dict[str, object]) -> MessageDelta:
    delta = payload.get("delta")
    if not (delta is None or isinstance(delta, dict)):
        raise ShapeError("`delta` must be an object or null", CHOICE)
    reason = delta.get("stop_reason") if delta is not None else None
    if not (reason is None or isinstance(reason, str)):
        raise ShapeError("`delta.stop_reason` must be a string or null", CHOICE)
    return MessageDelta(reason or None)


READERS: Final[Mapping[str, Callable[[dict[str, object]], BlockEvent]]] = {
    "message_start": _message_start,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "content_block_stop": lambda payload: BlockStop(_index(payload)),
    "message_delta": _message_delta,
    "message_stop": lambda _: MessageStop(),
    "ping": lambda _: Ping(),
}
# An error is an event like the others, decided before its type is looked up.
EVENTS: Final = frozenset(READERS) | {"error"}


class Block:
    """One content block that started: what its first start said, where it stands, and its slot if it has one."""

    __slots__ = ("late", "position", "slot", "start")

    def __init__(self, start: BlockStart, *, late: bool) -> None:
        """A block that has just started."""
        self.start = start
        self.late = late  # a tool block after the stop reason takes part in no check
        self.position = STEP[Position.UNSEEN, Sign.DELTA]
        self.slot: Slot | None = None


def _path_in_message(index: int) -> Path:
    """Where the input of a call stands that is whole when the message starts."""
    return ("message", "content", index, "input")


def _fate(slot: Slot) -> Fate:
    """What became of a text that was appended to a slot."""
    return Fate.NOT_TAKEN if slot.lost else Fate.TAKEN


class BlockProtocol:
    """The state of one turn of block events."""

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
        self._any_block_event = False
        self._started = False
        self._message_deltas = False
        self._reason: str | None = None
        self._stopped = False

    def take(self, payload: object, event: int) -> None:
        """One payload: at once if it is one more fragment of one open tool call, as most are, else whole."""
        slot = None
        try:
            if payload["type"] == "content_block_delta":  # type: ignore[index]
                delta, index = payload["delta"], payload["index"]  # type: ignore[index]
                fragment = delta["partial_json"]
                if (
                    delta["type"] == INPUT_DELTA
                    and type(index) is int
                    and type(fragment) is str
                    and "error" not in payload  # type: ignore[operator]
                ):
                    slot = self._open.get(index)
        except Exception:  # of whatever kind the payload raises: then it is no object of JSON
            slot = None
        if slot is not None:
            self._slots.append(slot, fragment, event)
        else:
            self.take_whole(payload, event)

    def take_whole(self, payload: object, event: int) -> None:
        """One payload of any kind: its shape first, then what it says."""
        signal = read_event(payload)
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
        elif isinstance(signal, PayloadFinding):
            self._ledger.keep(signal.code, signal.message, signal.place(event))
        elif isinstance(signal, Unknown):
            self._ledger.report(Reason.UNKNOWN_EVENT, Place(event=event))

    def end(self) -> None:
        """A tool slot lacks its terminal if its block never stopped, or if the message around it is not whole."""
        around = self._started or self._message_deltas or self._stopped
        whole = not around or (self._started and self._reason is not None and self._stopped)
        for slot in self._slots.ascending():
            if (slot.position, Sign.END) in BREACH:
                self._ledger.report(Reason.NO_BLOCK_STOP, slot.place())
            elif slot.position is Position.TERMINAL and not whole:
                self._ledger.report(Reason.NO_WHOLE_MESSAGE, slot.place())

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
        if reason != TOOL_USE and self._slots.any_tool_slot:
            self._ledger.report(Reason.OTHER_STOP_REASON, Place(CHOICE, event=event))
        elif reason == TOOL_USE and not self._slots.any_tool_slot and not self._ledger.names(CHOICE):
            self._ledger.report(Reason.STOP_REASON_WITHOUT_CALL, Place(CHOICE, event=event))

    def _message_stop(self, event: int) -> None:
        if self._stopped:
            self._ledger.report(Reason.SECOND_MESSAGE_STOP, Place(CHOICE, event=event))
        self._stopped = True
        self._open.clear()

    def _place(self, index: int | None, event: int) -> int | None:
        """The block's index; a finding where there is none."""
        self._any_block_event = True
        if index is None:
            self._ledger.report(Reason.NO_BLOCK_INDEX, Place(CHOICE, event=event))
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
            self._tell_start(signal, index, event, fate, ("content_block", "input"))

    def _start(self, signal: BlockStart, index: int, event: int) -> Fate:
        """Begin a block; what became of the text that it begins with."""
        known = self._blocks.get(index)
        if self._stopped:
            self._after_stop(index, event)
            if known is None and signal.kind == TOOL_USE:
                self._start_late(signal, index, event)
        elif known is not None:
            self._restart(known, signal, index, event)
        elif signal.kind == TOOL_USE:
            return self._start_tool(signal, index, event)
        else:
            self._start_other(signal, index, event)
        return Fate.ALONE

    def _start_late(self, signal: BlockStart, index: int, event: int) -> None:
        self._blocks[index] = Block(signal, late=True)
        self._slots.list_late(CHOICE, index, event=event)

    def _restart(self, known: Block, signal: BlockStart, index: int, event: int) -> None:
        if known.late:
            return
        if signal[:4] == known.start[:4]:
            self._report(Reason.SAME_BLOCK_AGAIN, index, event)
        else:
            self._report(Reason.OTHER_BLOCK_AGAIN, index, event)

    def _start_tool(self, signal: BlockStart, index: int, event: int) -> Fate:
        if self._reason is not None:
            self._report(Reason.CALL_AFTER_STOP_REASON, index, event)
            self._start_late(signal, index, event)
            return Fate.ALONE
        block = self._blocks[index] = Block(signal, late=False)
        block.slot = self._slots.start(CHOICE, index, event=event)
        if block.slot is None:
            return Fate.NOT_TAKEN
        self._slots.identify(block.slot, id=signal.id, name=signal.name, event=event)
        if signal.text is None:
            self._open[index] = block.slot
        else:
            self._slots.append(block.slot, signal.text, event)
        return _fate(block.slot)

    def _start_other(self, signal: BlockStart, index: int, event: int) -> None:
        self._blocks[index] = Block(signal, late=False)
        if signal.kind not in BLOCKS and not signal.kind.endswith(RESULT_SUFFIX):
            self._report(Reason.UNKNOWN_BLOCK, index, event)
        elif signal.kind in TAKEOVERS and self._slots.any_opened:
            self._report(Reason.BLOCK_TAKEOVER, index, event)

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
                    path=("delta", "partial_json"),
                )
            )

    def _grow(self, signal: BlockDelta, index: int, event: int) -> Slot | None:
        """The slot that took the fragment of a delta; None where none did, mostly with a finding."""
        block = self._blocks.get(index)
        if block is not None and block.late:
            if signal.kind == INPUT_DELTA:
                self._input_after_reason(index, event)
            return None
        if signal.kind not in DELTAS:
            self._report(Reason.UNKNOWN_DELTA, index, event)
        elif block is None:
            self._report(Reason.DELTA_OF_NO_BLOCK, index, event)
        elif block.start.kind not in DELTAS[signal.kind]:
            self._report(Reason.DELTA_OF_OTHER_BLOCK, index, event)
        elif block.position is Position.TERMINAL:
            self._report(Reason.DELTA_AFTER_BLOCK, index, event)
        elif block.start.kind == TOOL_USE and self._reason is not None:
            self._input_after_reason(index, event)
        elif block.slot is not None and block.start.text is not None:
            self._report(Reason.FRAGMENT_AFTER_INPUT, index, event)
        elif block.slot is not None and signal.fragment is not None:
            self._slots.append(block.slot, signal.fragment, event)
            return block.slot
        return None

    def _fate_without_slot(self, index: int | None) -> Fate:
        """What became of a fragment that no slot took."""
        if index is None:
            return Fate.ALONE
        block = self._blocks.get(index)
        over = block is not None and (block.position is Position.TERMINAL or block.start.text is not None)
        return Fate.LATE if over or self._stopped or self._reason is not None else Fate.NOT_TAKEN

    def _tell_start(self, signal: BlockStart, index: int, event: int, fate: Fate, path: Path) -> None:
        if self._listener is not None and signal.kind == TOOL_USE:
            self._listener(
                Heard(
                    event=event,
                    choice=CHOICE,
                    slot=index,
                    fate=fate,
                    form=Form.NAME if signal.text is None else Form.OBJECT,
                    name=signal.name,
                    text=signal.text or "",
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
        if block.slot is not None:
            self._open.pop(index, None)  # not there after a stop reason, nor if it came whole
            self._slots.close(block.slot, event=event)
