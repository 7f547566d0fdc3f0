"""A turn served to a client under test: the server of `toolreel serve`, for the time of one test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replay.errors import ToolreelError, translated
from replay.serve import served_fixtures
from replay.serve.answers import Answers
from replay.serve.cutting import read_cuts
from replay.serve.matching import FixtureMatcher
from replay.serve.server import Server

from . import MARKER, markers

if TYPE_CHECKING:
    import pytest

    from .recorded_turns import Reel


def server(request: pytest.FixtureRequest, reel: Reel) -> Server:
    """A server, not yet started, with the fixture of this reel and no other."""
    marker = request.node.get_closest_marker(MARKER)
    said = marker.kwargs.get("cuts", "frames") if marker is not None else "frames"
    with translated(ToolreelError, lambda error: markers.error_of(request.node, f"toolreel marker: {error}")):
        return Server(Answers(FixtureMatcher(served_fixtures.fill([reel.path]).fixtures), cuts=read_cuts(str(said))))
