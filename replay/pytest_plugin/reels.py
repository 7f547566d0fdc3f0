"""Recorded turns for tests of adapters: by the marker's paths, or by a parameter."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay import discovery, files, pins, stream
from replay.errors import ToolreelError
from replay.loading import load
from replay.validator import InvalidFixture
from replay.validator.profiles import PROFILES

from . import MARKER

if TYPE_CHECKING:
    from replay.validator import Report

_ASK = "name a fixture: @pytest.mark.toolreel('reels/NAME.json'), or parametrize toolreel_reel with indirect=True"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reel:
    """One recorded turn. Each reel is read anew, so a test may change what it holds."""

    path: Path
    profile: str
    tool_schemas: dict[str, object] = field(repr=False)
    payloads: list[object] = field(repr=False)  # as json.loads gives them
    body: bytes = field(repr=False)  # the response body as the provider streams it, content coding included
    coding: str  # identity, gzip or deflate
    expected: Report = field(repr=False)

    @property
    def chunks(self) -> list[object]:
        """The payloads, where the family calls them chunks."""
        return self._of("chunks")

    @property
    def events(self) -> list[object]:
        """The payloads, where the family calls them events."""
        return self._of("events")

    def _of(self, array: str) -> list[object]:
        has = _array(self.profile)
        if has != array:
            pytest.fail(f"{self.path}: the profile {self.profile} has {has}; use toolreel_{has}", pytrace=False)
        return self.payloads


def _array(profile: str) -> str:
    """What the payload array of a profile is called."""
    return PROFILES[profile].array


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give the test the fixtures of its marker, unless it is parametrized by hand."""
    if any("toolreel_reel" in _names(mark) for mark in metafunc.definition.iter_markers("parametrize")):
        return
    root = metafunc.config.rootpath
    marks = list(metafunc.definition.iter_markers(MARKER))
    named = [path for mark in marks for path in mark.args]
    if not named:
        return
    problem = ""
    try:
        found = discovery.find([root / path for path in named]).fixtures
    except ToolreelError as error:
        problem = str(error)
    if problem:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {problem}")
    paths = [Path(file).absolute() for file in found]
    metafunc.parametrize("toolreel_reel", paths, indirect=True, ids=[_identity(path, root) for path in paths])


def _names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _identity(path: Path, root: Path) -> str:
    """A short name that is the same on every machine."""
    shown = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
    return shown.as_posix().removesuffix(discovery.FIXTURE_SUFFIX)


def of(request: pytest.FixtureRequest) -> Reel:
    """The reel that the test was given."""
    named = getattr(request, "param", None)
    if not isinstance(named, (str, Path)):
        raise pytest.UsageError(f"{request.node.nodeid}: toolreel_reel: {_ASK}")
    path = request.config.rootpath / named
    problem = ""
    try:
        return _read(path)
    except (ToolreelError, pins.PinError) as error:
        problem = str(error)
    pytest.fail(problem, pytrace=False)


def _read(path: Path) -> Reel:
    loaded = load(files.read(path))
    if isinstance(loaded.envelope, InvalidFixture):
        pytest.skip(f"{path.name} is no fixture, so it streams nothing: {loaded.envelope.message}")
    pin = Path(discovery.pin_path(str(path)))
    if not pin.exists():
        raise ToolreelError(f"{path}: no pin beside it; to pin its verdict: toolreel replay --update {path}")
    whole = json.loads(loaded.text)
    body = stream.body(loaded)
    return Reel(
        path=path,
        profile=loaded.envelope.profile,
        tool_schemas=whole["tool_schemas"],
        payloads=whole[_array(loaded.envelope.profile)],
        body=body.data,
        coding=body.coding,
        expected=pins.read(files.read(pin)).report,
    )
