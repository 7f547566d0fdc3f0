"""Real clients do with a masked turn what they do with the raw one: outcome, end and calls, under the renaming.

A turn for which that is not known is named by the recorder, and only such a one may change. `scripts/fidelity.py` asks
every client that is installed.
"""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import shared
from support.made import adversarial
from support.nightly import nightly
from support.processes import clients, fidelity
from support.readings import streams

from redaction.captured.exchange import Exchange
from replay.diff.processes import adapter_command
from replay.diff.processes.adapter_command import Adapter

SEED = 20_261_130
OFFICIAL = ("openai", "anthropic", "mistralai")


def recorded(folder: Path) -> Iterator[tuple[str, Exchange]]:
    for stream in streams.read(folder):
        request = stream.request.encode() if stream.request else None
        yield (
            stream.name,
            Exchange(profile=stream.profile, provider=stream.upstream, request_body=request, body=stream.body),
        )


def made(count: int) -> Iterator[tuple[str, Exchange]]:
    for kind in adversarial.KINDS:
        for number in range(count):
            name = f"{kind.replace(' ', '-')}-{number}"
            yield name, adversarial.exchange(kind, random.Random(f"{SEED} {kind} {number}"))


def adapter(name: str) -> Adapter:
    """The adapter with the client that the tests have; skips where there is none."""
    if name.startswith("node-"):
        clients.node()
        where = adapter_command.Interpreters(python={}, node_folder=clients.node_folder())
    else:
        where = adapter_command.Interpreters(python={"": str(clients.python())}, node_folder=Path())
    return adapter_command.find(name, where)


def changed(name: str, found: Iterator[tuple[str, Exchange]], folder: Path) -> list[str]:
    """One line for each turn that the client took otherwise without the recorder having said so."""
    pairs = [pair for one, exchange in found if (pair := fidelity.pair(one, exchange)) is not None]
    compared = fidelity.driven(pairs, adapter(name), folder)
    assert compared
    return list(fidelity.told(one for one in compared if not one.pair.unfaithful))


@pytest.mark.parametrize("name", OFFICIAL)
def test_official_clients_do_the_same_with_recorded_turns(name: str, tmp_path: Path) -> None:
    sample = (one for one in recorded(streams.BUNDLED) if any(one[0] == kept.name for kept in streams.one_of_each()))
    assert changed(name, sample, tmp_path) == []


def test_a_client_does_the_same_with_turns_that_are_not_as_they_should_be(tmp_path: Path) -> None:
    assert changed("openai", made(1), tmp_path) == []


@nightly
@pytest.mark.parametrize("name", [*OFFICIAL, "node-openai"])
def test_clients_do_the_same_with_every_recorded_turn(name: str, tmp_path: Path) -> None:
    if name.startswith("node-") and shutil.which("node") is None:
        pytest.skip("not installed: Node")
    assert changed(name, recorded(shared.folder("streams")), tmp_path) == []


@nightly
@pytest.mark.parametrize("name", ["openai", "node-openai"])
def test_clients_do_the_same_with_many_turns_that_are_not_as_they_should_be(name: str, tmp_path: Path) -> None:
    assert changed(name, made(12), tmp_path) == []
