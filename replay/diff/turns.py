"""The turns that an adapter is asked for, and the process that is asked for them, started anew where it is gone."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError, translated
from replay.serve.matching import FixtureMatcher, Order, ServedFixture
from replay.serve.server import Pace, Server, case_url, url

from . import closing_turn
from .box.lacks import Lack
from .outcomes import End, Heard
from .processes.adapter_process import AdapterProcess, MissingError, UnusableError
from .processes.debugging import Debugging, Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from replay.serve.cutting import Cuts
    from replay.validator import Report

    from .outcomes import Handed
    from .processes.adapter_command import Adapter
    from .processes.adapter_process import Ready

# A client that was recorded as the one that left does not leave here: it is cut off after this.
PATIENCE: Final = 0.2


class Detail(Enum):
    """How much is told while an adapter runs."""

    NOTICES = "what nothing keeps it from on this system"
    DEBUG = "also what it is served, and what it prints"


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is told while adapters run; `say` takes each line."""

    say: Callable[[str], None] = field(default=lambda _: None)
    detail: Detail = Detail.NOTICES


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One fixture and its verdict. An adapter is asked for it by a number in the lines, and by a case in the URL."""

    path: str
    fixture: ServedFixture
    report: Report
    contested: tuple[str, ...] = ()  # what of it is read in more than one way
    number: int = 0  # among those that one adapter is asked for

    @property
    def case(self) -> str:
        """The name under which it is served."""
        return f"c{self.number}"

    @property
    def served(self) -> tuple[ServedFixture, ServedFixture]:
        """The fixture, and the plain answer behind it."""
        return (
            replace(self.fixture, name=self.case),
            replace(self.fixture, name=f"{self.case}-2", loaded=closing_turn.turn(self.fixture.profile)),
        )

    @property
    def tools(self) -> Mapping[str, object]:
        """The tools that the fixture declares."""
        schemas = self.fixture.loaded.value["tool_schemas"]
        assert isinstance(schemas, dict)
        return schemas

    @property
    def unfaithful(self) -> tuple[str, ...]:
        """The classes in which the recorder says that clients may do otherwise with the stream itself."""
        capture = self.fixture.loaded.value.get("capture")
        named = capture.get("unfaithful") if isinstance(capture, dict) else None
        return tuple(str(one) for one in named) if isinstance(named, list) else ()

    @property
    def derived(self) -> str:
        """The kind that the fixture was derived as, without the twin that it is told as; "" of a recording."""
        capture = self.fixture.loaded.value.get("capture")
        told = capture.get("derived") if isinstance(capture, dict) else None
        kind = told.get("kind") if isinstance(told, dict) else None
        return kind.partition("+")[0] if isinstance(kind, str) else ""

    @property
    def texts(self) -> frozenset[str]:
        """The names of the tools that take a text as it stands; all others take a JSON object."""
        return frozenset(
            name for name, schema in self.tools.items() if isinstance(schema, dict) and schema.get("type") == "string"
        )


class _OneTurn(FixtureMatcher):
    """The fixtures of one turn, which another may take the place of."""

    def __init__(self) -> None:
        super().__init__(())

    def serve(self, turn: Turn) -> None:
        """From now on there is this turn alone."""
        FixtureMatcher.__init__(self, turn.served, order=Order.ONCE)


class Driver:
    """One adapter, asked for turns. Each turn of its life has a number of its own."""

    def __init__(self, adapter: Adapter, *, cuts: Cuts, seconds: float, telling: Telling) -> None:
        self._adapter = adapter
        self._cuts = cuts
        self._seconds = seconds
        self._say = telling.say
        self._told = Debugging(telling.say) if telling.detail is Detail.DEBUG else Silence()
        self._scratch = tempfile.TemporaryDirectory(prefix="toolreel-diff-", ignore_cleanup_errors=True)
        self._process: AdapterProcess | None = None
        self._late: dict[int, list[Handed]] = {}

    def ready(self) -> Ready:
        """What the adapter says of itself. What nothing keeps it from on this system is said, too."""
        process = self._started()
        lacks = (process.lacks | self._adapter.lacks) - self._adapter.guarded
        if lacks:
            can = "; ".join(lack.value for lack in Lack if lack in lacks)
            self._say(f"Notice: {self._adapter.called}: nothing keeps its process from what follows: to {can}")
        return process.ready

    def heard(self, turns: Sequence[Turn]) -> list[Heard]:
        """What the adapter makes of each turn. Until its process has ended, a call may come late for any of them."""
        matcher = FixtureMatcher((one for turn in turns for one in turn.served), order=Order.ONCE)
        answers = self._told.answers(lambda kind: kind(matcher, cuts=self._cuts))
        with Server(answers, pace=Pace(patience=PATIENCE)) as server:
            listened: set[AdapterProcess] = set()
            heard = [self._asked(server, listened, matcher, turn) for turn in turns]
            self._retire()
            self._told.tell(f"{self._adapter.name}, ending")
        return [self._whole(turn.number, one) for turn, one in zip(turns, heard, strict=True)]

    @contextmanager
    def session(self) -> Iterator[Callable[[Turn, Cuts | None], Heard]]:
        """Ask for one turn after another, each served from when it is asked for; what comes late is lost.

        Each turn of a session has a number of its own. It is cut as it is asked for, else as the driver cuts.
        """
        matcher = _OneTurn()
        answers = self._told.answers(lambda kind: kind(matcher, cuts=self._cuts))
        with Server(answers, pace=Pace(patience=PATIENCE)) as server:
            listened: set[AdapterProcess] = set()

            def ask(turn: Turn, cuts: Cuts | None = None) -> Heard:
                if cuts is not None:
                    answers.recut(cuts)
                matcher.serve(turn)
                return self._asked(server, listened, matcher, turn)

            yield ask
            self._retire()

    def end(self) -> None:
        """End what is left of its process."""
        if self._process is not None:
            self._process.end()
        self._told.close()
        self._scratch.cleanup()

    def _asked(self, server: Server, listened: set[AdapterProcess], matcher: FixtureMatcher, turn: Turn) -> Heard:
        """What the adapter says of a turn while it is asked for it."""
        process = self._started()
        if process not in listened:
            server.listen_also(process.listener)
            listened.add(process)
        base_url = case_url(url(process.listener), turn.case)
        asked = {"base_url": base_url, "profile": turn.fixture.profile, "tools": turn.tools}
        heard = process.ask(asked, number=turn.number, seconds=self._seconds)
        self._told.tell(f"{self._adapter.name}, {turn.path}")
        if heard.end in (End.RETURNED, End.REFUSED, End.BROKEN) and not matcher.taken(turn.case):
            return replace(heard, end=End.UNASKED)
        return heard

    def _whole(self, number: int, heard: Heard) -> Heard:
        """What was heard of a turn, and the calls that came late for it."""
        late = self._late.get(number)
        return replace(heard, handed=(*heard.handed, *late), end=End.LATE) if late else heard

    def _retire(self) -> None:
        """Close the process, and keep what came late."""
        if self._process is not None:
            self._process.close()
            for number, calls in self._process.late.items():
                self._late.setdefault(number, []).extend(calls)
            self._process = None

    def _started(self) -> AdapterProcess:
        if self._process is not None and self._process.alive:
            return self._process
        self._retire()
        scratch = Path(self._scratch.name).resolve()
        try:
            with translated(MissingError, self._without_client), translated(UnusableError, self._not_usable):
                self._process = AdapterProcess(self._adapter.command, scratch=scratch, output=self._told.output)
        finally:
            self._told.tell(f"{self._adapter.name}, starting")
        return self._process

    def _without_client(self, error: MissingError) -> ToolreelError:
        adapter = self._adapter
        place = f" ({error.place} imports it)" if error.place else ""
        return ToolreelError(f"{adapter.called}: {error.name} is not to be found{place} {adapter.without}")

    def _not_usable(self, error: UnusableError) -> ToolreelError:
        return ToolreelError(f"{self._adapter.called}: {error}")
