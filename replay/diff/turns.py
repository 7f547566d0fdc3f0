"""The turns that an adapter is asked for, and the process that is asked for them, started anew where it is gone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError, translated
from replay.serve.answers import Answers
from replay.serve.matching import FixtureMatcher, Order, ServedFixture
from replay.serve.server import Pace, Server

from . import closing_turn
from .adapter_process import AdapterProcess, MissingError
from .outcomes import End, Heard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from replay.serve.cutting import Cuts
    from replay.validator import Report

    from .adapter_command import Adapter
    from .adapter_process import Ready
    from .outcomes import Handed

# A client that was recorded as the one that left does not leave here: it is cut off after this.
PATIENCE: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One fixture and its verdict. An adapter is asked for it by a number in the lines, and by a case in the URL."""

    path: Path
    fixture: ServedFixture
    report: Report
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
    def texts(self) -> frozenset[str]:
        """The names of the tools that take a text as it stands; all others take a JSON object."""
        return frozenset(
            name for name, schema in self.tools.items() if isinstance(schema, dict) and schema.get("type") == "string"
        )


class Driver:
    """One adapter, asked for turns. Each turn of its life has a number of its own."""

    def __init__(self, adapter: Adapter, *, cuts: Cuts, seconds: float) -> None:
        self._adapter = adapter
        self._cuts = cuts
        self._seconds = seconds
        self._process: AdapterProcess | None = None
        self._late: dict[int, list[Handed]] = {}

    def ready(self) -> Ready:
        """What the adapter says of itself."""
        return self._started().ready

    def heard(self, turns: Sequence[Turn]) -> list[Heard]:
        """What the adapter makes of each turn. Until its process has ended, a call may come late for any of them."""
        matcher = FixtureMatcher((one for turn in turns for one in turn.served), order=Order.ONCE)
        with Server(Answers(matcher, cuts=self._cuts), pace=Pace(patience=PATIENCE)) as server:
            heard = [self._asked(server, matcher, turn) for turn in turns]
            self._retire()
        return [self._whole(turn.number, one) for turn, one in zip(turns, heard, strict=True)]

    def end(self) -> None:
        """End what is left of its process."""
        if self._process is not None:
            self._process.end()

    def _asked(self, server: Server, matcher: FixtureMatcher, turn: Turn) -> Heard:
        """What the adapter says of a turn while it is asked for it."""
        asked = {"base_url": server.url_of(turn.case), "profile": turn.fixture.profile, "tools": turn.tools}
        heard = self._started().ask(asked, number=turn.number, seconds=self._seconds)
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
        with translated(MissingError, self._without_client):
            self._process = AdapterProcess(self._adapter.command)
        return self._process

    def _without_client(self, error: MissingError) -> ToolreelError:
        adapter = self._adapter
        return ToolreelError(f"--adapter {adapter.name}: {error.name} is not to be found {adapter.without}")
