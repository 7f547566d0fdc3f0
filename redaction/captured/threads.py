"""The argument texts of a turn as clients join them, where that is otherwise than the verdict does.

The verdict puts a fragment into its slot, and what comes behind the end of a slot nowhere. Clients do more with a
stream that is not as it should be, and each does another thing: one goes on where the slot was over, one begins anew
where the index comes with another id, one takes a fragment without an index for the last call. A *thread* is all that
some client may join, in the order in which it came:

    index 0, id a    {"city":"Os        index 0, id b    {"city":"Rome"}

For the verdict this is one text of slot 0, and broken. A client that goes by the id has a second call, which is whole.
So the thread has two *units*, and each is masked by itself: whoever joins the pieces, by index or by id, finds JSON
where it was JSON. Where nothing of the kind happens, a unit is the text of a slot. Knows fragments, ids and names;
masks nothing.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Final

from redaction.captured.argument_texts import Group, Groups, listening
from redaction.captured.json_tokens import Stop, read
from redaction.captured.payloads import as_clients_read
from redaction.captured.untold_texts import Untold, says_as, stands_alone
from replay.validator.listener import Fate, Form, Heard, Path


@dataclass(slots=True)
class _Thread:
    """What may be one call to some client: all that was heard of it, and the texts that the verdict makes of it."""

    heard: list[Heard] = field(default_factory=list, repr=False)
    groups: list[Group] = field(default_factory=list, repr=False)
    may_be_cut: bool | None = None  # once it is known

    @property
    def names(self) -> list[str]:
        """The names that came, in order; pieces of a name count as names."""
        return [one.name for one in self.heard if one.name]


class _Sorter(Groups):
    """The listener of a turn: sorts what it hears into threads, beside the texts of the verdict."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[_Thread] = []
        self._by_slot: dict[tuple[int, int], _Thread] = {}
        self._by_id: dict[tuple[int, str], _Thread] = {}
        self._last: dict[int, _Thread] = {}
        self.told: set[Path] = set()  # places in the payload that is read
        self.beside: list[Heard] = []  # whole texts of which the verdict tells nothing

    def take(self, heard: Heard) -> None:
        super().take(heard)
        if heard.form is Form.STRAY_END:
            return
        self.told.add(heard.path)
        if heard.mirror is not None:
            self.told.add(heard.mirror)
        thread = self._thread(heard)
        thread.heard.append(heard)
        group = self.current
        if group is not None and not any(group is known for known in thread.groups):
            thread.groups.append(group)
        self._last[heard.choice] = thread
        if heard.id:
            self._by_id.setdefault((heard.choice, heard.id), thread)

    def take_untold(self, heard: Heard) -> None:
        """Sort a text of which the verdict tells nothing."""
        if stands_alone(heard):
            self.beside.append(heard)
        else:
            self.take(heard)

    def _thread(self, heard: Heard) -> _Thread:
        """By slot; without one by id; without either it goes on with what came last."""
        if heard.slot is not None:
            key = (heard.choice, heard.slot)
            if key not in self._by_slot:
                self._by_slot[key] = self._new()
            return self._by_slot[key]
        known = self._by_id.get((heard.choice, heard.id)) if heard.id else self._last.get(heard.choice)
        return known or self._new()

    def _new(self) -> _Thread:
        self.threads.append(_Thread())
        return self.threads[-1]


class Threads:
    """The threads of a turn."""

    def __init__(self, profile: str, payloads: Sequence[object]) -> None:
        sorter = _Sorter()
        turn, untold = listening(profile, sorter.take), Untold(profile)
        for event, payload in enumerate(payloads):
            sorter.told.clear()
            turn.feed(payload)
            for heard in untold.texts(event, as_clients_read(payload), sorter.told):
                sorter.take_untold(heard)
        self._found = sorter.threads
        self._beside = sorter.beside
        self._judged = sorter.with_texts()

    @property
    def judged(self) -> list[Group]:
        """The texts of the verdict, by first appearance, and those beside them."""
        return _with_beside(self._judged, self._beside)

    @property
    def named(self) -> list[Group]:
        """The texts of the verdict that are for a tool: by itself one that is for none is no call to anyone."""
        return [text for text in self._judged if text.tool]

    def units(self, tools: Collection[str] = ()) -> list[Group]:
        """The units, by first appearance. `tools` are the declared ones, which pieces of a name may make."""
        return _with_beside(self._units(tools), self._beside)

    def apart(self, tools: Collection[str] = ()) -> list[Group]:
        """The same, each text beside them as one of its own, whether it repeats another one or not."""
        return [*self._units(tools), *map(_alone, self._beside)]

    def _units(self, tools: Collection[str]) -> list[Group]:
        return [unit for thread in self._found for unit in _units(thread, tools)]

    def pieces_of_names(self, tools: Collection[str]) -> frozenset[str]:
        """The pieces of names that are the name of a declared tool once they are joined."""
        return frozenset(piece for run in self.runs_of_names(tools) for piece in run)

    def joined_names(self, tools: Collection[str]) -> frozenset[str]:
        """The declared tools whose names came in pieces."""
        return frozenset("".join(run) for run in self.runs_of_names(tools))

    def runs_of_names(self, tools: Collection[str]) -> Iterator[Sequence[str]]:
        """Each run of pieces that is the name of a declared tool once it is joined."""
        return (run for thread in self._found for run in _joined(thread.names, tools))

    @property
    def all_names(self) -> frozenset[str]:
        """Every name that came, and every piece of one."""
        return frozenset(name for thread in self._found for name in thread.names)

    @property
    def whole(self) -> list[Group]:
        """The texts that come about if all fragments of a thread are joined."""
        return [
            Group(pieces=[one for one in thread.heard if one.form is Form.FRAGMENT])
            for thread in self._found
            if _may_be_cut(thread, _texts(thread))
        ]

    @property
    def names(self) -> list[list[str]]:
        """The names that came for one call, of those calls that were named more than once."""
        return [thread.names for thread in self._found if len(thread.names) > 1]

    @property
    def read_alike(self) -> bool:
        """Whether all clients put the calls of the turn together alike: joined, named and identified in one way."""
        return self.simple and not (self._beside or self.names or compared(self.units()))

    @property
    def simple(self) -> bool:
        """Whether clients join the fragments as the verdict does, each slot by itself."""
        return not any(_may_be_cut(thread, _texts(thread)) for thread in self._found)


def _with_beside(texts: Sequence[Group], beside: Sequence[Heard]) -> list[Group]:
    """The texts and those beside them: repeated by the text that says the same for the same tool, or each its own."""
    found = list(texts)
    for heard in beside:
        at = next((at for at, text in enumerate(found) if _repeats(text, heard)), None)
        if at is None:
            found.append(_alone(heard))
        else:
            found[at] = replace(found[at], beside=[*found[at].beside, heard])
    return found


def _alone(heard: Heard) -> Group:
    ids = frozenset({heard.id} if heard.id else ())
    return Group(tool=heard.name or "", pieces=[heard], free=heard.is_free_text, ids=ids)


def _repeats(text: Group, heard: Heard) -> bool:
    """Whether a text beside the others repeats one of them, or stands in its payload as a copy of it would."""
    if text.free is not heard.is_free_text or text.laid or not text.pieces:
        return False
    alike = heard.name in (None, text.tool) and says_as(heard, text.form, text.text())
    return alike or any(
        (one.event, one.choice, one.slot) == (heard.event, heard.choice, heard.slot) and one.slot is not None
        for one in text.pieces
        if one.path[:1] == heard.path[:1]
    )


def compared(texts: Sequence[Group]) -> list[list[int]]:
    """The numbers of the texts that share an id with another one, those of one id together.

    A client may hold two calls with one id for the same call if they ask for the same, and for two if they do not.
    """
    by_id: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        if len(text.ids) == 1 and text.pieces and not (text.copies or text.free):
            by_id.setdefault(next(iter(text.ids)), []).append(at)
    return [numbers for numbers in by_id.values() if len(numbers) > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class SameText:
    """One text that may have come more than once, cut wherever one of its copies was cut.

    `runs` has, by the number of the copy, which of the `fragments` make each of its own: `(0, 2)` are the first two.
    """

    tool: str
    fragments: list[str] = field(repr=False)
    runs: Mapping[int, list[tuple[int, int]]]


def same_texts(texts: Sequence[Group], numbers: Sequence[int]) -> list[SameText]:
    """The texts with these numbers, those together that are the same text for the same tool.

    An object is never the same text as a string: how the string is spelled, no object says.
    """
    copies: dict[tuple[str, str, Form], list[int]] = {}
    for at in numbers:
        copies.setdefault((texts[at].tool, texts[at].text(), texts[at].form), []).append(at)
    return [_same_text(tool, text, {at: _ends(texts[at]) for at in found}) for (tool, text, _), found in copies.items()]


def _ends(group: Group) -> list[int]:
    return list(accumulate(len(piece.text) for piece in group.pieces))


def _same_text(tool: str, text: str, ends: Mapping[int, list[int]]) -> SameText:
    cuts = sorted({0, len(text), *(end for found in ends.values() for end in found)})
    place = {cut: at for at, cut in enumerate(cuts)}
    return SameText(
        tool=tool,
        fragments=[text[low:high] for low, high in pairwise(cuts)],
        runs={at: [(place[low], place[high]) for low, high in pairwise([0, *found])] for at, found in ends.items()},
    )


# A name in more pieces than this is none that a provider would send.
_MOST_PIECES: Final = 16


def _joined(names: Sequence[str], tools: Collection[str]) -> Iterator[Sequence[str]]:
    """Each run of two names or more that together are a declared one."""
    if len(names) < len(("first", "second")):
        return
    longest = max(map(len, tools), default=0)
    for start in range(len(names)):
        text = names[start]
        for end in range(start + 1, min(len(names), start + _MOST_PIECES)):
            text += names[end]
            if len(text) > longest:
                break
            if text in tools:
                yield names[start : end + 1]


def _units(thread: _Thread, tools: Collection[str]) -> Iterator[Group]:
    texts = _texts(thread)
    whole_name = next(("".join(run) for run in _joined(thread.names, tools)), "")
    if not _may_be_cut(thread, texts):
        ids = frozenset(one.id for one in thread.heard if one.id)
        first = next(iter(thread.names), "")  # what comes behind the end of a call is text of its tool
        yield from (replace(group, tool=whole_name or group.tool or first, ids=ids) for group in texts)
        return
    pieces = [one for one in thread.heard if one.form is Form.FRAGMENT]
    starts = list(_starts(thread, pieces))
    for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True):
        inside = pieces[start:end]
        yield Group(
            tool=whole_name or _name(thread, inside),
            pieces=inside,
            ids=frozenset(one.id for one in inside if one.id),
        )


def _texts(thread: _Thread) -> list[Group]:
    return [group for group in thread.groups if group.pieces or group.copies or group.laid]


def _may_be_cut(thread: _Thread, texts: Sequence[Group]) -> bool:
    """Whether clients may join the fragments of a thread in several ways; looked at once."""
    if thread.may_be_cut is None:
        thread.may_be_cut = _is_ambiguous(thread, texts)
    return thread.may_be_cut


def _is_ambiguous(thread: _Thread, texts: Sequence[Group]) -> bool:
    """The same, looked at; not where copies say how the fragments belong."""
    if any(group.copies or group.free for group in texts):
        return False
    if any(one.form in (Form.OBJECT, Form.PIECE) for one in thread.heard):
        return False
    return len(texts) > 1 or any(_begins(thread.heard))


def _begins(heard: Sequence[Heard]) -> Iterator[bool]:
    """For each thing heard whether a client may begin anew there, since some text came before."""
    before, known = False, ""
    for one in heard:
        other = one.id and one.id != known
        yield bool(before and (other or (one.form is Form.NAME and one.fate is Fate.ALONE)))
        known = one.id or known
        before = before or bool(one.text)


def _starts(thread: _Thread, pieces: Sequence[Heard]) -> Iterator[int]:
    """Where units begin: at the first piece, and wherever what follows a new beginning is JSON by itself."""
    yield 0
    if read("".join(piece.text for piece in pieces)).stop is Stop.NONE:
        return
    for at, end in pairwise([*_candidates(thread, pieces), len(pieces)]):
        text = "".join(piece.text for piece in pieces[at:end])
        if text.lstrip()[:1] in ("{", "[") and read(text).stop in (Stop.NONE, Stop.TRUNCATED):
            yield at


def _candidates(thread: _Thread, pieces: Sequence[Heard]) -> list[int]:
    """The pieces at which a client may begin anew: there is another id, a name, another fate, or no slot any more."""
    places: Mapping[int, int] = {id(piece): at for at, piece in enumerate(pieces)}
    found: list[int] = []
    waiting = False
    before: Heard | None = None
    for one, begins in zip(thread.heard, _begins(thread.heard), strict=True):
        waiting = waiting or begins
        at = places.get(id(one))
        if at is None:
            continue
        moved = before is not None and (before.fate is not one.fate or (before.slot is None) is not (one.slot is None))
        if at and (waiting or moved):
            found.append(at)
        waiting, before = False, one
    return found


def _name(thread: _Thread, inside: Sequence[Heard]) -> str:
    """The tool of a unit: the last name before or beside its first piece, else the first one that comes later."""
    name = ""
    first = id(inside[0])
    for one in thread.heard:
        name = one.name or name
        if id(one) == first and name:
            return name
    return name
