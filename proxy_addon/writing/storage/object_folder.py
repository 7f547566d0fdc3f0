"""A prefix of an object store as the place where fixtures go. Many recorders may write to one, without a lock.

An object is created only if none of its name is there, in one step of the store, and the name of a fixture without a
case says its shape. So of all recorders one writes a shape, and the others hear that it is there. An answer that was
lost makes no second object: asked again, the store says that the name is taken, and the object has the very bytes.

What the store does not answer is asked again for `patience` seconds; meanwhile captures wait in the bounded queue of
the writer. After that a fixture is dropped and counted, and so is each one that the store does not take at once, until
it answers again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeVar

from proxy_addon.writing.cases import SUFFIX, Turn
from proxy_addon.writing.outcomes.settled import Dropped, How, LeftOut, Settled, unwritten
from proxy_addon.writing.storage.known_files import MAX_FIXTURE_BYTES
from proxy_addon.writing.storage.room import Day, Limits
from replay.errors import ToolreelError
from replay.store import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from redaction.captured.exchange import Fixture

# How long one fixture waits for a store: a restart takes seconds. The queue behind it is bounded.
PATIENCE: Final = 60.0
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 4.0
# One request that is not answered is no news.
_TOLD_PAUSE: Final = 2 * _FIRST_PAUSE
# Names of shapes that are known to be there, so that a turn that is repeated asks the store nothing.
_KNOWN: Final = 100_000

_Answer = TypeVar("_Answer")


class _Put(Enum):
    """What became of an attempt to create an object."""

    CREATED = "it was not there"
    THERE = "another one, or this one, is there"
    MINE = "it is there, since an answer to an earlier attempt was lost"


class ObjectFolder:
    """One prefix of a store. `digest_of` gives the digest of a fixture, or None of anything else.

    `tell` says what about the store is to be known at once. Used by one thread; others may write to the prefix.
    """

    def __init__(
        self,
        prefix: str,
        *,
        digest_of: Callable[[bytes], str | None],
        tell: Callable[[str, str], object],
        limits: Limits,
        patience: float = PATIENCE,
    ) -> None:
        from replay.store import objects  # loads the library of the store: only a run that writes to one pays for it

        self._objects: Final = objects
        self._prefix: Final = prefix.rstrip("/")
        self._digest_of: Final = digest_of
        self._tell: Final = tell
        self._day: Final = Day(limits)
        self._patience: Final = patience
        self._away = False
        self._known: OrderedDict[str, str] = OrderedDict()  # digest to name
        self.removed: Final = 0
        names.split(self._prefix)
        next(objects.listed(self._prefix), None)  # a `ToolreelError` where the store, or the bucket, is not there

    def store(self, fixture: Fixture, turn: Turn | None) -> Settled:
        """Create the object of a fixture, unless its shape is there; of a turn, unless its name is taken."""
        known = self._known.get(fixture.digest)
        if turn is None and known is not None:
            return Settled(how=How.SAME_SHAPE, file=known)
        over = self._day.over(len(fixture.data))
        if over is not None:
            return unwritten(over)
        try:
            return self._stored(fixture, turn)
        except self._objects.StoreError as error:
            return unwritten(Dropped.STORE, note=error.sort.name.lower().replace("_", " "))
        except ToolreelError:
            return unwritten(Dropped.STORE)

    def _stored(self, fixture: Fixture, turn: Turn | None) -> Settled:
        number = 1
        while True:
            name = turn.file if turn else fixture.stem + ("" if number == 1 else f"-{number}") + SUFFIX
            if self._put(name, fixture.data) is not _Put.THERE:
                self._day.wrote(len(fixture.data))
                self._note(fixture.digest, name)
                return Settled(how=How.WRITTEN, file=name)
            digest = self._digest(name)
            if digest == fixture.digest:
                self._note(digest, name)
                return Settled(how=How.SAME_SHAPE, file=name)
            if turn is not None:
                why = LeftOut.NO_FIXTURE if digest is None else LeftOut.OTHER_TURN
                return Settled(how=How.LEFT_OUT, why=why, file=name)
            number += 1

    def _digest(self, name: str) -> str | None:
        data = self._answered(lambda: self._objects.read(self._path(name), limit=MAX_FIXTURE_BYTES))
        return self._digest_of(data)

    def _put(self, name: str, data: bytes) -> _Put:
        attempts = 0

        def attempt() -> bool:
            nonlocal attempts
            attempts += 1
            created: bool = self._objects.create(self._path(name), data)
            return created

        if self._answered(attempt):
            return _Put.CREATED
        if attempts > 1 and self._answered(lambda: self._objects.read_if_there(self._path(name), limit=2**30)) == data:
            return _Put.MINE
        return _Put.THERE

    def _answered(self, ask: Callable[[], _Answer]) -> _Answer:
        """What the store answers, asked again while it does not; a `StoreError` once patience has ended."""
        began, pause = time.monotonic(), _FIRST_PAUSE
        while True:
            try:
                answer = ask()
            except self._objects.StoreError as error:
                waited = time.monotonic() - began
                if error.sort.lasting or self._away or waited > self._patience:
                    self._away = self._away or not error.sort.lasting
                    raise
                if pause == _TOLD_PAUSE:
                    self._tell(self._prefix, f"the store does not answer; fixtures wait for {self._patience:g} seconds")
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                if self._away or pause > _TOLD_PAUSE:
                    self._tell(self._prefix, "the store answers again")
                self._away = False
                return answer

    def _path(self, name: str) -> str:
        return names.joined(self._prefix, name)

    def _note(self, digest: str, name: str) -> None:
        self._known[digest] = name
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)

    def end(self) -> Iterator[tuple[str, str]]:
        """Nothing: a case in a store is not recorded anew, so none comes to another end."""
        return iter(())

    def save_index(self) -> None:
        """Nothing: the names of the objects say what is there."""
