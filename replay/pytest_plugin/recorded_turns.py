"""Recorded turns for tests of adapters, named by the paths of the marker or by a parameter."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay.body import stream
from replay.corpus import discovery, files
from replay.corpus.loading import load
from replay.errors import ToolreelError, translated
from replay.judging.comparison import pinning
from replay.terminal import printable
from replay.validator import InvalidFixture
from replay.validator.profiles import PROFILES

from . import markers, paths, told_turns, unused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay.validator import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Reel:
    """One recorded turn. Each reel is read anew, so a test may change what it holds."""

    path: Path
    shown: str = field(repr=False)  # the path as a message has it
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
            reason = f"{self.shown}: the profile {self.profile} has {has}; use toolreel_{has}"
            pytest.fail(printable(reason), pytrace=False)
        return self.payloads


def _array(profile: str) -> str:
    """The name of the payload array of a profile."""
    return PROFILES[profile].array


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Give the test the fixtures of its marker, unless it is parametrized by hand.

    One whose marker is wrong is given none, and says why when it is run.
    """
    if any("toolreel_reel" in _names(mark) for mark in metafunc.definition.iter_markers("parametrize")):
        return
    found: Sequence[Path] = ()
    with suppress(ToolreelError):
        found = markers.fixtures(metafunc.definition)
    if found:
        root = metafunc.config.rootpath
        metafunc.parametrize("toolreel_reel", found, indirect=True, ids=[_identity(path, root) for path in found])


def _names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _identity(path: Path, root: Path) -> str:
    """A short name that is the same on every machine."""
    shown = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
    return shown.as_posix().removesuffix(discovery.FIXTURE_SUFFIX)


def of(request: pytest.FixtureRequest) -> Reel:
    """The reel that the test was given."""
    test: pytest.Item = request.node
    named = getattr(request, "param", None)
    if named is None:
        # No parameter came of the marker: either the marker is wrong, and this says how, or it names no fixture.
        with translated(ToolreelError, lambda error: markers.error_of(test, str(error))):
            markers.fixtures(test)
    if not isinstance(named, (str, os.PathLike)):
        raise markers.error_of(test, f"toolreel_reel: {markers.ASK}")
    path = test.config.rootpath / named
    with translated(ToolreelError, lambda error: pytest.fail.Exception(printable(str(error)), pytrace=False)):
        return _read(path, paths.shown(test.config, path), test)


def _read(path: Path, shown: str, test: pytest.Item) -> Reel:
    loaded = load(files.read(shown))
    # One without a pin fails the test, also where it is no fixture: a run that skips what is broken proves nothing.
    pin = pinning.pinned(shown)
    unused.note(test.config, Path(os.path.abspath(path)))  # noqa: PTH100 - as in discovery
    if isinstance(loaded.envelope, InvalidFixture):
        pytest.skip(printable(f"{shown} is no fixture, so it streams nothing: {loaded.envelope.message}"))
    told_turns.note(test, shown, loaded, pin)
    whole = json.loads(loaded.text)
    body = stream.body(loaded)
    return Reel(
        path=path,
        shown=shown,
        profile=loaded.envelope.profile,
        tool_schemas=whole["tool_schemas"],
        payloads=whole[_array(loaded.envelope.profile)],
        body=body.data,
        coding=body.coding,
        expected=pin.report,
    )
