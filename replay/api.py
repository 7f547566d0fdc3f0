"""What a program of your own calls: fixtures replayed, and fixtures served. `toolreel` has both names.

for result in toolreel.replay("reels"):
    print(result.fixture, result.outcome.value)

with toolreel.serve("reels") as server:
    client = OpenAI(base_url=f"{server.url}/openai/v1", api_key="none")
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from replay.corpus import discovery
from replay.errors import ToolreelError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from replay.judging.results import Result
    from replay.serve.server import Server
    from replay.validator import Allowance


def replay(
    *paths: str | os.PathLike[str], accept: Iterable[Allowance] = (), limits: Mapping[str, int] | None = None
) -> tuple[Result, ...]:
    """What became of each fixture at the paths, compared with its pin, as `toolreel replay` does. Writes nothing.

    A fixture or a pin that cannot be read is a result, too; a path that names nothing is a `ToolreelError`.
    """
    from replay.judging import runner
    from replay.judging.run_options import Options

    options = Options(accept=frozenset(accept), limits=dict(limits or {}))
    return tuple(runner.replay(_found(paths), options))


def serve(*paths: str | os.PathLike[str], port: int = 0, cuts: str = "frames") -> Server:
    """A server for the fixtures at the paths, for the time of a `with` block, at `.url`; port 0 takes any free one."""
    from replay.serve import served_fixtures
    from replay.serve.answers import Answers
    from replay.serve.cutting import read_cuts
    from replay.serve.matching import FixtureMatcher
    from replay.serve.server import Server

    fixtures = served_fixtures.fill(_found(paths).some()).fixtures
    return Server(Answers(FixtureMatcher(fixtures), cuts=read_cuts(cuts)), port=port)


def _found(paths: Iterable[str | os.PathLike[str]]) -> discovery.Plan:
    named = [Path(path) for path in paths]
    if not named:
        raise ToolreelError("no path is given; name a fixture, a folder or a pattern")
    return discovery.find(named)
