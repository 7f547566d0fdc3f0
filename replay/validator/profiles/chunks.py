"""Chunks with choices: how OpenAI's chat completions stream, and all that follow them (section 3).

The machine of one turn. It takes what `_chunks_reader` makes of a payload, and knows no payload itself, but for the
short cut of `take`.

Theory of operation
-------------------
A chunk has a list of choices, and each choice brings tool deltas, a finish reason, or both. The finish reason is the
terminal of all slots of its choice at once, and `tool_calls` is the one that completes them. With any other one, such
as `length`, the calls may be cut short: that is `wrong_terminal`, and blocks every slot of the choice.

    payload                                             choice 0
    delta {"role": "assistant"}                         open
    tool_calls [{"index": 0, id, name}]                 slot 0 accumulates
    tool_calls [{"index": 0, fragment "{}"}]            slot 0 accumulates
    delta {}, finish_reason "tool_calls"                ended: slot 0 is terminal, and must have its id and name
    choices [], usage                                   (nothing)

In one chunk things count in this order: whose completion it is, by its `id`; tool calls outside of their place; then
for each choice its deltas, and its finish reason last. Only `index` says to which slot a delta belongs: an id or a
name never does. Without an index a delta belongs to no slot, unless an allowance lets whole calls be counted.
"""

from typing import ClassVar, Final

from replay.validator._machine.ledger import Ledger
from replay.validator._machine.signals import ChoicePart, Chunk, PayloadFinding, Stray, ToolDelta
from replay.validator._machine.slots import BREACH, Sign, Slot, Slots
from replay.validator._messages import Reason
from replay.validator.codes import Allowance
from replay.validator.findings import Place
from replay.validator.limits import MAX_INDEX
from replay.validator.listener import Fate, Form, Heard, Listener
from replay.validator.profiles._readers.chunks import is_plain, read_chunk, says_nothing

TOOL_USE: Final = "tool_calls"
LEGACY_TOOL_USE: Final = "function_call"
PLAIN_STOP: Final = "stop"
FORCED_TOOL: Final = "named"


def _is_whole(delta: ToolDelta) -> bool:
    """Whether one entry is a whole call (section 7)."""
    return bool(delta.id and delta.name and delta.fragment is not None)


def _heard(
    part: ChoicePart, at: int, delta: ToolDelta, entry: int, *, slot: int | None, fate: Fate, event: int
) -> Heard:
    """What a listener hears of the entry at `entry` in the delta of the choice at `at` in its chunk."""
    path = ("tool_calls", entry, "function", "arguments")
    return Heard(
        event=event,
        choice=part.choice,
        slot=slot,
        fate=fate,
        form=Form.NAME if delta.fragment is None else Form.FRAGMENT,
        name=delta.name,
        id=delta.id,
        text=delta.fragment or "",
        path=("choices", at, "delta", *path),
        mirror=("choices", at, "message", *path) if part.stray is Stray.MIRROR else None,
    )


class Choice:
    """One choice: why it ended, whether it has a tool slot, listed or not, and how its calls came."""

    __slots__ = ("finish", "has_slot", "in_pieces", "index", "unindexed")

    def __init__(self, index: int) -> None:
        self.index = index
        self.finish: str | None = None
        self.has_slot = False
        self.in_pieces = False  # a call came in more than one delta, or not whole, or was one too many to look at
        self.unindexed = 0  # calls without index: their slots are counted


class ChunkProtocol:
    """The state of one turn of chunks."""

    absent_ids: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self, slots: Slots, ledger: Ledger, *, tool_choice: str | None, listener: Listener | None = None
    ) -> None:
        self._listener = listener
        self._slots = slots
        self._ledger = ledger
        self._forced = tool_choice == FORCED_TOOL
        self._choices: dict[int, Choice] = {}
        # Whether it matters that a slot which came whole so far receives more.
        self._every_delta_counts = ledger.allows(Allowance.WHOLE_CALL_STOP)
        # Open slots that take fragments at once. Not those without index: whatever has one behind them is not theirs.
        self._growing: dict[tuple[int, int], Slot] = {}
        self._id: str | None = None

    def take(self, payload: object, event: int) -> None:
        """Take one payload: at once if it is text, or one more fragment of one open slot, and nothing else; else whole.

        A turn is mostly made of these two, so they are not read twice. What is looked up by name is an object, or the
        lookup fails: a container that is none would give text.
        """
        slot = None
        try:
            (choice,) = payload["choices"]  # type: ignore[index]
            delta, index, identity = choice["delta"], choice.get("index", 0), payload.get("id")  # type: ignore[attr-defined]
            calls = delta.get("tool_calls")
            if type(index) is not int or not is_plain(payload, choice, delta):  # type: ignore[arg-type]
                pass
            elif calls is None or calls == []:
                if 0 <= index <= MAX_INDEX and (identity in (None, self._id) or self._take_text(identity, delta)):
                    return
            elif identity in (None, self._id):
                (entry,) = calls
                function = entry["function"]
                fragment, slot_index = function["arguments"], entry["index"]
                if (
                    type(slot_index) is int
                    and type(fragment) is str
                    and ("type" not in entry or entry["type"] in (None, "function"))
                ):
                    slot = self._growing.get((index, slot_index))
                    if slot is not None and not (
                        entry.get("id") in (None, slot.id) and function.get("name") in (None, slot.name)
                    ):
                        slot = None
        except Exception:  # of whatever kind the payload raises: then it is no object of JSON
            slot = None
        if slot is not None:
            self._slots.append(slot, fragment, event)
        else:
            self.take_whole(payload, event)

    def _take_text(self, identity: object, delta: dict[str, object]) -> bool:
        """Take the id of a chunk without a call; False where it has to be read whole, since it may be a finding."""
        if type(identity) is not str or self._slots.open:
            return False
        if identity and not says_nothing(delta):
            self._id = identity
        return True

    def take_whole(self, payload: object, event: int) -> None:
        """Take one payload of any kind: its shape first, then what it says."""
        chunk = read_chunk(payload, self.absent_ids)
        if isinstance(chunk, PayloadFinding):
            self._ledger.keep(chunk.code, chunk.message, chunk.place(event))
        else:
            self._chunk(chunk, event)

    def end(self) -> None:
        """Report every slot that still accumulates: it lacks its terminal."""
        for slot in self._slots.ascending():
            if (slot.position, Sign.END) in BREACH:
                self._ledger.report(Reason.NO_FINISH, slot.place())

    def lacks_terminal(self) -> bool:
        """Never: the family has no terminal of the whole message; a call is complete with its choice."""
        return False

    def _chunk(self, chunk: Chunk, event: int) -> None:
        parts = chunk.parts or ()
        if chunk.id and chunk.id != self._id and not chunk.carries_nothing():
            self._identify(chunk.id, chunk, event)
        if chunk.parts is None:
            self._ledger.report(Reason.NO_CHOICES, Place(event=event))
        if chunk.stray is not Stray.NONE:
            self._ledger.report(Reason.CALLS_IN_CHUNK, Place(event=event))
        for at, part in enumerate(parts):
            self._part(part, at, chunk, event)

    def _identify(self, completion: str, chunk: Chunk, event: int) -> None:
        """Take another id than the last; what carries nothing is nobody's chunk and does not come here."""
        changed = self._id is not None
        self._id = completion
        if not (changed and (self._slots.open or chunk.carries_delta())):
            return
        if not self._ledger.use(Allowance.ROTATING_IDS, Place(event=event)):
            self._ledger.report(Reason.OTHER_COMPLETION, Place(event=event))

    def _part(self, part: ChoicePart, at: int, chunk: Chunk, event: int) -> None:
        """Take what a chunk says about one choice; `at`: where in the chunk's `choices` it stands."""
        choice = self._choices.get(part.choice)
        if choice is None:
            choice = self._choices[part.choice] = Choice(part.choice)
        if part.stray is not Stray.NONE:
            self._take_stray(part, event)
        index_of = self._counted_index if self._may_be_counted(part, choice) else self._given_index
        for entry, delta in enumerate(part.deltas):
            index = index_of(choice, delta, event)
            if index is not None:
                fate = self._delta(choice, index, delta, event)
            else:
                fate = Fate.ALONE if delta.slot is None else Fate.NOT_TAKEN
                reason = Reason.NO_INDEX if delta.slot is None else Reason.INDEX_BEHIND_COUNTED
                self._ledger.report(reason, Place(part.choice, event=event))
            if self._listener is not None:
                slot = delta.slot if index is None else index
                self._listener(_heard(part, at, delta, entry, slot=slot, fate=fate, event=event))
        if part.finish is not None:
            self._finish(choice, part.finish, chunk, event)

    def _take_stray(self, part: ChoicePart, event: int) -> None:
        if part.stray is Stray.MIRROR and self._ledger.use(Allowance.MESSAGE_MIRROR, Place(part.choice, event=event)):
            return
        self._ledger.report(Reason.CALLS_IN_CHOICE, Place(part.choice, event=event))

    def _may_be_counted(self, part: ChoicePart, choice: Choice) -> bool:
        """Section 7: the entries may be told apart by their order alone, since each is a whole call."""
        return (
            self._ledger.allows(Allowance.UNINDEXED_WHOLE_CALL)
            and choice.finish is None
            and (choice.unindexed > 0 or not choice.has_slot)
            and all(delta.slot is None and _is_whole(delta) for delta in part.deltas)
        )

    def _given_index(self, choice: Choice, delta: ToolDelta, _: int) -> int | None:
        """The index that an entry names; None where it names none, or could mean one of the counted calls before it."""
        return delta.slot if choice.finish is not None or not choice.unindexed else None

    def _counted_index(self, choice: Choice, _: ToolDelta, event: int) -> int | None:
        """The index of an entry that names none, by how many came before it in its choice."""
        if not self._ledger.use(Allowance.UNINDEXED_WHOLE_CALL, Place(choice.index, event=event)):
            return None
        choice.unindexed += 1
        return choice.unindexed - 1

    def _delta(self, choice: Choice, index: int, delta: ToolDelta, event: int) -> Fate:
        """Take an entry that has a slot; what became of its fragment."""
        choice.has_slot = True
        if choice.finish is not None:
            self._ledger.report(Reason.DELTA_AFTER_FINISH, Place(choice.index, index, event))
            self._slots.list_late(choice.index, index, event=event)
            return Fate.LATE
        known = self._slots.get(choice.index, index)
        slot = known or self._slots.start(choice.index, index, event=event)
        in_pieces = slot is None or known is not None or not _is_whole(delta)
        choice.in_pieces |= in_pieces
        if slot is None:
            return Fate.NOT_TAKEN
        if (in_pieces or not self._every_delta_counts) and not choice.unindexed:
            self._growing[choice.index, index] = slot
        if not delta.is_function:
            self._ledger.report(Reason.NO_FUNCTION, Place(choice.index, index, event))
        if delta.id or delta.name:
            self._slots.identify(slot, id=delta.id, name=delta.name, event=event)
        if delta.fragment is not None:
            self._slots.append(slot, delta.fragment, event)
        return Fate.NOT_TAKEN if slot.lost else Fate.TAKEN

    def _finish(self, choice: Choice, reason: str, chunk: Chunk, event: int) -> None:
        first = choice.finish
        if first is None:
            choice.finish = reason
            self._end_choice(choice, reason, event)
        elif choice.has_slot or TOOL_USE in (first, reason):
            repeats = reason == first and not chunk.carries_delta()
            if not (repeats and self._ledger.use(Allowance.REPEATED_TERMINAL, Place(choice.index, event=event))):
                self._ledger.report(Reason.SECOND_FINISH, Place(choice.index, event=event))
        if reason == LEGACY_TOOL_USE and not choice.has_slot:
            self._ledger.report(Reason.LEGACY_FINISH, Place(choice.index, event=event))

    def _end_choice(self, choice: Choice, reason: str, event: int) -> None:
        slots = self._slots.of_choice(choice.index) if choice.has_slot else []
        for slot in slots:
            self._growing.pop((slot.choice, slot.index), None)
        if reason == TOOL_USE and not choice.has_slot:
            if not self._ledger.names(choice.index):
                self._ledger.report(Reason.FINISH_WITHOUT_CALL, Place(choice.index, event=event))
        elif reason == TOOL_USE or (choice.has_slot and self._stop_completes(choice, reason, event)):
            for slot in slots:
                self._slots.close(slot, event=event)
        elif choice.has_slot:
            self._ledger.report(Reason.OTHER_FINISH, Place(choice.index, event=event))
            for slot in slots:
                self._slots.end(slot)

    def _stop_completes(self, choice: Choice, reason: str, event: int) -> bool:
        """Section 7: whether `stop` closes the slots as the reason for tool use does; the first allowance is used."""
        if reason != PLAIN_STOP:
            return False
        reasons = {Allowance.NAMED_CHOICE_STOP: self._forced, Allowance.WHOLE_CALL_STOP: not choice.in_pieces}
        return any(
            holds and self._ledger.use(name, Place(choice.index, event=event)) for name, holds in reasons.items()
        )


class OpenAIProtocol(ChunkProtocol):
    """OpenAI, and the gateways that speak its dialect."""


class MistralProtocol(ChunkProtocol):
    """Mistral: the four letters `null` stand for an id that is not given."""

    absent_ids: ClassVar[frozenset[str]] = frozenset({"null"})
