"""The marker `toolreel` of a test: what it says, and the error where it is wrong, which fails that test alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from replay.corpus import discovery
from replay.errors import ToolreelError, translated
from replay.terminal import printable

from . import MARKER, network, paths

if TYPE_CHECKING:
    from collections.abc import Sequence

ASK: Final = "name a fixture: @pytest.mark.toolreel('reels/NAME.json'), or parametrize toolreel_reel with indirect=True"


def error_of(test: pytest.Item, reason: str) -> BaseException:
    """The error that fails a test because of its own marker or parameter: one line that names the test."""
    return pytest.fail.Exception(printable(f"{test.nodeid}: {reason}"), pytrace=False)


def reach(marker: pytest.Mark) -> network.Reach | None:
    """How far the test may reach; None where the marker says nothing that is known."""
    return network.reach(_network(marker))


def check(test: pytest.Item, marker: pytest.Mark) -> None:
    """Raise the error of a test whose marker does not say how far the test may reach."""
    if reach(marker) is None:
        raise error_of(test, f"toolreel marker: network must be 'none' or 'loopback', and not {_network(marker)!r}")


def _network(marker: pytest.Mark) -> object:
    return marker.kwargs.get("network", network.Reach.NONE.value)


def fixtures(test: pytest.Item) -> Sequence[Path]:
    """The fixtures that the markers of the test name, as whole paths; none where they name none."""
    named = [path for mark in test.iter_markers(MARKER) for path in mark.args]
    for path in named:
        if not isinstance(path, (str, os.PathLike)):
            raise ToolreelError(f"toolreel marker: {path!r} is no path; {ASK}")
        if path == "":
            raise ToolreelError(f"toolreel marker: a path is empty; {ASK}")
    with translated(ToolreelError, lambda error: ToolreelError(f"toolreel marker: {error}")):
        found = discovery.find([paths.below_root(test.config, path) for path in named]).fixtures
    if named and not found:
        raise ToolreelError(f"toolreel marker: {named[0]}: a pin, and no fixture beside it; bring it back")
    return [Path(os.path.abspath(file)) for file in found]  # noqa: PTH100 - as in discovery
