"""Chunks whose calls come as objects: the state of one turn of Gemini's or Ollama's.

A call comes whole in one part, or in pieces by path over several (Gemini). There is no word for tool use: a reason says
that the choice is whole, or that it is not. Takes what a reader read, and knows no payload.

    parts of candidate 0                                     slot (0, 0)            slot (0, 1)
    functionCall weather {"city": "Oslo"}                    accumulating, ended
    functionCall weather, willContinue                                              accumulating, open
    functionCall, pieces $.city = "Bergen"                                          accumulating, ended
    finishReason STOP                                        terminal               terminal
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, TypeAlias

from replay.validator._machine.ledger import Ledger
from replay.validator._machine.signals import Ending, ObjectCall, ObjectChoice, ObjectChunk, PayloadFinding
from replay.validator._machine.slots import BREACH, Sign, Slot, Slots
from replay.validator._messages import Reason
from replay.validator.codes import Allowance
from replay.validator.findings import Place
from replay.validator.listener import Fate, Form, Heard, Listener
from replay.validator.paths import Piece, Pieces
from replay.validator.profiles._readers.gemini import PIECES, further_pieces, plain_parts, says_nothing
from replay.validator.profiles._readers.gemini import read_chunk as read_gemini
from replay.validator.profiles._readers.ollama import read_chunk as read_ollama
from replay.validator.profiles._readers.ollama import says_nothing as says_nothing_of_calls

NO_ARGUMENTS = "{}"

# The slot that a call is for, what became of its whole object, and what of its pieces.
_Taken: TypeAlias = tuple[int | None, Fate, Fate]


class _Call:
    """The last call of a choice: its slot if it has one, and what of it came."""

    __slots__ = ("goes_on", "has_whole", "pieces", "slot")

    def __init__(self, slot: Slot | None) -> None:
        self.slot = slot
        self.goes_on = True
        self.has_whole = False
        self.pieces: Pieces | None = None


class _Choice:
    """One choice: how many calls began in it, the last of them, which slots have ended, and why the choice did."""

    __slots__ = ("count", "ended", "index", "last", "reason")

    def __init__(self, index: int) -> None:
        self.index = index
        self.count = 0
        self.last: _Call | None = None
        self.ended: set[int] = set()
        self.reason: str | None = None


class ObjectProtocol:
    """The state of one turn of chunks with whole calls."""

    # The dialects: whether a call that ended without an object stands for `{}`, and whether a reason may be
    # repeated where that was reviewed.
    empty_is_none: ClassVar[bool]
    repeatable: ClassVar[bool]
    reader: ClassVar[Callable[[object], ObjectChunk | PayloadFinding]]

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
        self._choices: dict[int, _Choice] = {}
        self._pieces: dict[tuple[int, int], Pieces] = {}  # of the slots that came so
        self._id: str | None = None

    def take(self, payload: object, event: int) -> None:
        """Take one payload; by a short cut where it says nothing of calls."""
        if not self._is_aside(payload):
            self.take_whole(payload, event)

    def _is_aside(self, payload: object) -> bool:  # noqa: ARG002 - a dialect may know some
        """Whether a payload is plainly of good shape, and neither it nor its place says anything of calls."""
        return False

    def take_whole(self, payload: object, event: int) -> None:
        """Take one payload: its shape first, then what it says."""
        chunk = type(self).reader(payload)
        if isinstance(chunk, PayloadFinding):
            self._ledger.keep(chunk.code, chunk.message, chunk.place(event))
            return
        if chunk.id and chunk.id != self._id:
            self._identify(chunk.id, chunk, event)
        if chunk.choices is None:
            self._ledger.report(Reason.NO_SUBJECT, Place(event=event))
        for part in chunk.choices or ():
            self._choice(part, chunk, event)

    def end(self) -> None:
        """Every slot that still accumulates lacks its terminal."""
        for place, pieces in self._pieces.items():
            slot = self._slots.by_place[place]
            text, slot.value = pieces.text_with_copy()
            slot.fragments = [text]
            slot.is_misfit = not pieces.fits
        for slot in self._slots.ascending():
            if (slot.position, Sign.END) in BREACH:
                self._ledger.report(Reason.NO_REASON, slot.place())

    def lacks_terminal(self) -> bool:
        """No: the family has none of the whole message. A call is complete with the reason of its choice."""
        return False

    def _identify(self, completion: str, chunk: ObjectChunk, event: int) -> None:
        changed = self._id is not None
        self._id = completion
        if changed and (self._slots.open or chunk.carries_call()):
            self._ledger.report(Reason.ANOTHER_RESPONSE, Place(event=event))

    def _choice(self, part: ObjectChoice, chunk: ObjectChunk, event: int) -> None:
        choice = self._choices.get(part.choice)
        if choice is None:
            choice = self._choices[part.choice] = _Choice(part.choice)
        for call in part.calls:
            if isinstance(call, ObjectCall):
                self._call(choice, call, event)
            else:
                self._ledger.report(Reason.OTHER_KIND_OF_CALL, Place(choice.index, event=event))
        if part.reason is not None:
            self._finish(choice, part, chunk, event)

    def _call(self, choice: _Choice, call: ObjectCall, event: int) -> None:
        take = self._start if call.starts else self._go_on
        slot, whole, pieces = take(choice, call, event)
        if self._listener is None:
            return
        form = Form.OBJECT if call.text is not None else Form.NAME
        text = call.text or ""
        heard = Heard(
            event=event,
            choice=choice.index,
            slot=slot,
            fate=whole,
            form=form,
            name=call.name,
            id=call.id,
            text=text,
            path=(*call.path, call.member),
        )
        self._listener(heard)
        for at, piece in enumerate(call.pieces):
            path = (*call.path, PIECES, at)
            self._listener(replace(heard, fate=pieces, form=Form.PIECE, text="", path=path, piece=piece))

    def _start(self, choice: _Choice, call: ObjectCall, event: int) -> _Taken:
        index = choice.count
        choice.count += 1
        if choice.reason is not None:
            self._ledger.report(Reason.CALL_AFTER_REASON, Place(choice.index, index, event))
            self._slots.list_late(choice.index, index, event=event)
            return index, Fate.LATE, Fate.LATE
        choice.last = _Call(self._slots.start(choice.index, index, event=event))
        return index, *self._take(choice, choice.last, call, event)

    def _go_on(self, choice: _Choice, call: ObjectCall, event: int) -> _Taken:
        """Take what goes on with the last call of its choice."""
        if choice.reason is not None:
            self._ledger.report(Reason.CALL_AFTER_REASON, Place(choice.index, event=event))
            return None, Fate.ALONE, Fate.ALONE
        if choice.last is None or not choice.last.goes_on:
            self._ledger.report(Reason.NOTHING_TO_GO_ON_WITH, Place(choice.index, event=event))
            return None, Fate.ALONE, Fate.ALONE
        return choice.count - 1, *self._take(choice, choice.last, call, event)

    def _take(self, choice: _Choice, last: _Call, call: ObjectCall, event: int) -> tuple[Fate, Fate]:
        """What became of the whole object, and what of the pieces."""
        last.goes_on = call.goes_on
        slot = last.slot
        if slot is None:
            return Fate.NOT_TAKEN, Fate.NOT_TAKEN
        if not call.is_function:
            self._ledger.report(Reason.NO_FUNCTION, slot.place(event))
        self._slots.identify(slot, id=call.id, name=call.name, event=event)
        whole = self._whole(last, slot, call.text, call.value, event) if call.text is not None else Fate.TAKEN
        pieces = self._lay(last, slot, call.pieces, event) if call.pieces else Fate.TAKEN
        if not call.goes_on:
            self._end_call(choice, last, slot)
        return whole, pieces

    def _whole(self, last: _Call, slot: Slot, text: str, value: object, event: int) -> Fate:
        if last.has_whole or last.pieces is not None:
            self._ledger.report(Reason.ARGUMENTS_TWICE, slot.place(event))
            return Fate.ALONE
        last.has_whole = True
        slot.value = value
        self._slots.append(slot, text, event)
        return Fate.NOT_TAKEN if slot.lost else Fate.TAKEN

    def _lay(self, last: _Call, slot: Slot, pieces: Sequence[Piece], event: int) -> Fate:
        if last.has_whole:
            self._ledger.report(Reason.ARGUMENTS_TWICE, slot.place(event))
            return Fate.ALONE
        if last.pieces is None:
            last.pieces = self._pieces[slot.choice, slot.index] = Pieces()
        for piece in pieces:
            if self._slots.count(slot, piece.size, event):
                last.pieces.take(piece)
        return Fate.NOT_TAKEN if slot.lost else Fate.TAKEN

    def _end_call(self, choice: _Choice, last: _Call, slot: Slot) -> None:
        choice.ended.add(slot.index)
        if last.pieces is not None:
            last.pieces.end()
        elif not last.has_whole and self.empty_is_none:
            slot.fragments = [NO_ARGUMENTS]

    def _finish(self, choice: _Choice, part: ObjectChoice, chunk: ObjectChunk, event: int) -> None:
        first = choice.reason
        if first is None:
            choice.reason = part.reason
            self._end_choice(choice, part.ending, event)
        elif choice.count:
            repeats = part.reason == first and not chunk.carries_call() and self.repeatable
            if not (repeats and self._ledger.use(Allowance.REPEATED_TERMINAL, Place(choice.index, event=event))):
                self._ledger.report(Reason.SECOND_REASON, Place(choice.index, event=event))

    def _end_choice(self, choice: _Choice, ending: Ending, event: int) -> None:
        slots = self._slots.of_choice(choice.index)
        if ending is Ending.COMPLETE:
            for slot in slots:
                if slot.index in choice.ended:
                    self._complete(slot, event)
        elif choice.count:
            self._ledger.report(Reason.OTHER_REASON, Place(choice.index, event=event))
            for slot in slots:
                self._slots.end(slot)
        elif ending is Ending.CLAIMS_CALL and not self._ledger.names(choice.index):
            self._ledger.report(Reason.REASON_WITHOUT_CALL, Place(choice.index, event=event))

    def _complete(self, slot: Slot, event: int) -> None:
        """The slot's own terminal. An id is optional in these families; a name is not."""
        self._slots.end(slot)
        if not slot.name:
            self._ledger.report(Reason.NO_NAME, slot.place(event))


class GeminiProtocol(ObjectProtocol):
    """Gemini: a call may come in pieces, and one without arguments stands for `{}`."""

    empty_is_none: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True
    reader: ClassVar[Callable[[object], ObjectChunk | PayloadFinding]] = staticmethod(read_gemini)

    def take(self, payload: object, event: int) -> None:
        """Take one payload: at once if it says nothing of calls, or goes on with the last one by paths; else whole."""
        if type(payload) is dict:
            identity = payload.get("responseId")
            begins = self._id is None and type(identity) is str
            parts = plain_parts(payload) if begins or identity in (None, "", self._id) else None
            if parts is not None and (says_nothing(parts) or self._take_pieces(parts, event)):
                self._id = identity or self._id
                return
        self.take_whole(payload, event)

    def _take_pieces(self, parts: list[object], event: int) -> bool:
        """Lay what goes on with the last call; False where the chunk may say anything else."""
        choice = self._choices.get(0)
        last = choice.last if choice is not None and choice.reason is None else None
        if last is None or last.slot is None or not last.goes_on:
            return False
        pieces = further_pieces(parts)
        if pieces:
            self._lay(last, last.slot, pieces, event)
        return pieces is not None


class OllamaProtocol(ObjectProtocol):
    """Ollama: each entry is a call of its own, and one without arguments has the empty text."""

    empty_is_none: ClassVar[bool] = False
    repeatable: ClassVar[bool] = False
    reader: ClassVar[Callable[[object], ObjectChunk | PayloadFinding]] = staticmethod(read_ollama)

    def _is_aside(self, payload: object) -> bool:
        return type(payload) is dict and says_nothing_of_calls(payload)
