"""The argument texts of a turn: which pieces belong together, and what they say once they are joined.

The machine of the validator tells it (`replay.validator.listener`): which slot takes a piece, where the piece stands,
and what comes when its slot is over. The masks ask for the texts of the capture, the proof for those of the finished
file.

Example: slot 0 takes `{"city":"Os` in event 1 and `lo"}` in event 2. The text is `{"city":"Oslo"}`. A third piece,
behind the terminal of the slot, is no part of that text for the validator: it is a text of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from redaction.captured.laid_pieces import has_leaf, lay, piece_of, said
from redaction.captured.payloads import as_clients_read
from redaction.families import FAMILIES
from redaction.families.tables.family import Spoken
from replay.validator import Limits, Turn
from replay.validator.listener import Fate, Form, Heard, Listener, Path
from replay.validator.strict_json import printed

# What is over a limit of the rules must be masked as well, so the machine that tells us of the texts has none.
_BOUNDLESS: Final = 1 << 62
_NO_LIMITS: Final = Limits(
    max_events=_BOUNDLESS, max_slots=_BOUNDLESS, max_slot_bytes=_BOUNDLESS, max_turn_bytes=_BOUNDLESS
)

# Choice, slot, whether it came when the slot was over, and a number of its own where the text belongs to no other.
_Key: TypeAlias = tuple[int, int, bool, int]


@dataclass(slots=True)
class Group:
    """The pieces of one text, in order, and the name of the tool it is for ("" where none arrived).

    `copies` repeat the text; `laid` are the values of an object that came piece by piece, each with its path.
    `beside` repeat it where the verdict does not look, or stand where a copy would. `free`: the text is one string, and
    no JSON. `ids` are those that came with it.
    """

    tool: str = field(default="", repr=False)
    pieces: list[Heard] = field(default_factory=list, repr=False)
    copies: list[Heard] = field(default_factory=list, repr=False)
    laid: list[Heard] = field(default_factory=list, repr=False)
    beside: list[Heard] = field(default_factory=list, repr=False)
    free: bool = False
    ids: frozenset[str] = field(default=frozenset(), repr=False)

    def text(self) -> str:
        """The assembled text."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def form(self) -> Form:
        """Whether the text came as an object, or as one or more strings."""
        return Form.OBJECT if any(piece.form is Form.OBJECT for piece in self.pieces) else Form.FRAGMENT


class Groups:
    """The listener of a turn: sorts what it hears by the text that it belongs to."""

    def __init__(self) -> None:
        self._by_key: dict[_Key, Group] = {}
        self._current: Group | None = None
        self._alone = 0
        # Slots at which an end came before any call. What grows there behind it is kept apart from what came before it.
        self._ended_early: set[tuple[int, int | None]] = set()

    def take(self, heard: Heard) -> None:
        """Sort one thing that the turn tells."""
        if heard.form is Form.STRAY_END:
            self._ended_early.add((heard.choice, heard.slot))
            return
        group = self._current = self._by_key.setdefault(self._key(heard), Group())
        group.tool = group.tool or heard.name or ""
        group.free = group.free or heard.is_free_text
        into = {Form.COPY: group.copies, Form.PIECE: group.laid, Form.NAME: []}.get(heard.form, group.pieces)
        into.append(heard)

    def _key(self, heard: Heard) -> _Key:
        if heard.fate is Fate.ALONE or heard.slot is None:
            self._alone += 1
            return (heard.choice, 0, False, self._alone)
        grows = heard.form is Form.FRAGMENT
        late = heard.fate is Fate.LATE or (grows and (heard.choice, heard.slot) in self._ended_early)
        return (heard.choice, heard.slot, late, 0)

    @property
    def current(self) -> Group | None:
        """The text to which the last thing belongs; None before the first one."""
        return self._current

    def with_texts(self) -> list[Group]:
        """The texts that have any piece, by first appearance."""
        return [group for group in self._by_key.values() if group.pieces or group.copies or group.laid]


def groups(profile: str, payloads: Sequence[object]) -> list[Group]:
    """The texts of a turn, by first appearance."""
    found = Groups()
    listen(profile, payloads, found.take)
    return found.with_texts()


def listen(profile: str, payloads: Sequence[object], listener: Listener) -> None:
    """Let the machine of the validator tell of every text of a turn, those over its limits too."""
    listening(profile, listener).feed_all(payloads)


def listening(profile: str, listener: Listener) -> Turn:
    """A turn that tells of every text, to be fed."""
    return Turn(profile=profile, tool_schemas={}, limits=_NO_LIMITS, listener=listener)


def argument_texts(profile: str, payloads: Sequence[object]) -> list[str]:
    """Every argument text of a turn: those of its slots assembled and copied, then each one that belongs to no slot."""
    return [text for _, text in texts_of_tools(profile, payloads)]


def texts_of_tools(
    profile: str, payloads: Sequence[object], joined: Sequence[Group] | None = None
) -> list[tuple[str, str]]:
    """Every argument text of a turn, behind the name of the tool it is for: "" where none arrived.

    `joined` are the texts where they are known already; else they are those of the verdict.
    """
    found = groups(profile, payloads) if joined is None else joined
    spoken = FAMILIES[profile].spoken
    pieces = [piece for group in found for piece in (*group.pieces, *group.copies, *group.beside)]
    placed = {(piece.event, piece.path): piece.text for piece in pieces}
    placed.update({(piece.event, piece.mirror): piece.text for piece in pieces if piece.mirror is not None})
    placed.update(_values(found))
    known: dict[int, list[tuple[Path, str]]] = {}
    stray = []
    for event, payload in enumerate(payloads):
        if id(payload) not in known:
            known[id(payload)] = list(_argument_strings(as_clients_read(payload), spoken))
        stray += [text for path, text in known[id(payload)] if placed.get((event, path)) != text]
    placed_texts = [(group.tool, text) for group in found for text in _distinct(group)]
    return placed_texts + [("", text) for text in stray]


def _values(found: Sequence[Group]) -> Iterator[tuple[tuple[int, Path], str]]:
    """The text of each value that came with a path, by event and place."""
    for one in (one for group in found for one in group.laid if has_leaf(piece_of(one))):
        piece = piece_of(one)
        yield (one.event, (*one.path, "stringValue" if isinstance(piece.value, str) else "numberValue")), said(piece)


def _distinct(group: Group) -> dict[str, None]:
    """The text of a group, and each copy that differs; of pieces with paths the object, and what is no part of it."""
    if group.laid:
        laid = lay(group.laid)
        outside = (piece_of(one) for one in laid.misfits)
        return dict.fromkeys([laid.text, *(said(piece) for piece in outside if has_leaf(piece))])
    return dict.fromkeys([group.text(), *(copy.text for copy in (*group.copies, *group.beside))])


def _argument_strings(payload: object, spoken: Spoken) -> Iterator[tuple[Path, str]]:
    """The strings under the keys of argument text, wherever they stand; objects and numbers as they are printed."""
    waiting: list[tuple[Path, object]] = [((), payload)]
    keys = spoken.arguments | spoken.whole_arguments
    while waiting:
        path, here = waiting.pop()
        if path and path[-1] in keys and isinstance(here, dict) and here:
            yield path, printed(here) or ""
        elif isinstance(here, Mapping):
            waiting += [((*path, key), inner) for key, inner in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, at), inner) for at, inner in enumerate(here)]
        elif isinstance(here, str) and path and path[-1] in keys:
            yield path, here
        elif path and path[-1] in spoken.argument_numbers:
            yield path, printed(here) or ""
