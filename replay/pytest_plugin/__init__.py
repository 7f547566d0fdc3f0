"""The pytest plugin: fixtures as tests, and recorded streams for tests of adapters.

pytest imports this module in every project that has toolreel installed, so it holds the options and the declarations
and nothing else; the rest is loaded when a run uses it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from replay.serve.server import Server
    from replay.validator import Report

    from .recorded_turns import Reel

MARKER = "toolreel"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options `--toolreel…` and the setting `toolreel`."""
    group = parser.getgroup("toolreel", "replay of recorded LLM streams")
    group.addoption(
        "--toolreel",
        metavar="PATH",
        action="append",
        default=[],
        help="Collect each fixture that `toolreel replay PATH` judges as a test: its verdict must be as pinned. "
        "PATH is relative to the working folder, or else to the root folder. Repeatable.",
    )
    group.addoption(
        "--toolreel-update",
        action="store_true",
        help="Write the pins, of fixtures that --toolreel collects, that are missing or differ.",
    )
    group.addoption(
        "--toolreel-html",
        metavar="FILE",
        help="Write one page of HTML that shows each turn that --toolreel collects. FILE is relative to the working "
        "folder.",
    )
    group.addoption(
        "--toolreel-unused",
        action="store_true",
        help="Name the fixtures of --toolreel that no test used as toolreel_reel, and fail if there are any.",
    )
    group.addoption("--toolreel-in-ci", action="store_true", help="Let --toolreel-update write in a CI job.")
    parser.addini(
        "toolreel",
        "What --toolreel collects where it is not given: paths, relative to this file.",
        type="paths",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; collect where it was asked for."""
    config.addinivalue_line(
        "markers",
        "toolreel(*paths, network='none', cuts='frames'): run the test with each fixture at or under the paths, which "
        "are relative to the root folder, and without network; network='loopback' leaves this machine reachable; cuts "
        "is how toolreel_server tears its stream.",
    )
    options = ("toolreel", "toolreel_update", "toolreel_unused")
    asked = any(map(config.getoption, options)) or config.getini("toolreel")
    if asked or _mentioned(config.rootpath):
        from . import collecting

        collecting.register(config)


def _mentioned(folder: Path) -> bool:
    """Whether there may be settings of toolreel at or above the root folder. A project without any pays little."""
    return any(
        os.path.exists(one / "toolreel.toml") or _mentions_us(one / "pyproject.toml")  # noqa: PTH110 - raises nothing
        for one in (folder, *folder.parents)
    )


def _mentions_us(project: Path) -> bool:
    try:
        return b"toolreel" in project.read_bytes()
    except OSError:
        return False


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes a reel once for each one that its marker names."""
    if "toolreel_reel" in metafunc.fixturenames:
        from . import recorded_turns

        recorded_turns.parametrize(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Block the network from before the test's fixtures are made until they are gone."""
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return (yield)
    from . import markers, network

    with network.blocked(markers.reach(marker) or network.Reach.NONE):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose marker is wrong before any of its fixtures is made."""
    marker = item.get_closest_marker(MARKER)
    if marker is not None:
        from . import markers

        markers.check(item, marker)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say beside a test that failed what there is to know of its recorded turn."""
    report = yield
    if report.failed and call.when == "call" and "toolreel_reel" in getattr(item, "fixturenames", ()):
        from . import told_turns

        told_turns.add(item, report)
    return report


@pytest.fixture
def toolreel_reel(request: pytest.FixtureRequest) -> Reel:
    """One recorded turn: path, profile, tool schemas, payloads, the body as bytes, the pinned verdict."""
    from . import recorded_turns

    return recorded_turns.of(request)


@pytest.fixture
def toolreel_server(request: pytest.FixtureRequest, toolreel_reel: Reel) -> Iterator[Server]:
    """A server on this machine that answers with the turn, at `toolreel_server.url`, for a client under test.

    The marker must say network='loopback'. Its cuts='all', or another value of `toolreel serve --cuts`, tears the
    stream.
    """
    from . import serving

    with serving.server(request, toolreel_reel) as server:
        yield server


@pytest.fixture
def toolreel_chunks(toolreel_reel: Reel) -> list[object]:
    """The payloads of a turn of OpenAI's or Mistral's family, decoded; the test may change them."""
    return toolreel_reel.chunks


@pytest.fixture
def toolreel_events(toolreel_reel: Reel) -> list[object]:
    """The payloads of a turn of Anthropic's family, decoded; the test may change them."""
    return toolreel_reel.events


@pytest.fixture
def toolreel_expected(toolreel_reel: Reel) -> Report:
    """The pinned verdict: status, executable, calls and findings, without messages."""
    return toolreel_reel.expected
