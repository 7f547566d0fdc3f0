"""The test of invariance: the body of a fixture, cut in other places, must give the same verdict.

The same bytes can come in other reads. That `{"city":"Oslo"}` came as `{"city":"Os` and `lo"}` must not matter; where
it does, toolreel has a bug, and this says at which cut.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from replay.body import stream
from replay.validator import InvalidFixture, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from replay.corpus.loading import Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """The cuts to try: so many positions, or, with None, every one. One cut makes two reads of a body."""

    number: int | None


def bug(loaded: Loaded, cuts: Cuts, *, seed: bytes) -> str | None:
    """The bug of toolreel that cutting the stream shows, in words; None where every cut gives the same verdict.

    Besides the single cuts the body is read once byte by byte, which is every cut at once. The positions depend on
    `seed` alone, so a fixture is cut in the same places on every machine.
    """
    if isinstance(loaded.envelope, InvalidFixture):
        return None
    body = stream.body(loaded)
    whole = stream.frames([body.data], body)
    judged = judge(loaded.envelope)
    if judge(replace(loaded.envelope, payloads=stream.payloads(whole, body))) != judged:
        return (
            "rendered to a stream and read again, the verdict is another; this is a bug of toolreel: please report it"
        )
    for how, pieces in (*_recorded(loaded, body), *_ways(body.data, cuts, seed)):
        found = stream.frames(pieces, body)
        # Equal frames are equal payloads, and equal payloads the same verdict: only others need judging.
        if found != whole and judge(replace(loaded.envelope, payloads=stream.payloads(found, body))) != judged:
            return f"read {how}, the stream has another verdict; this is a bug of toolreel: please report it"
    return None


def _recorded(loaded: Loaded, body: stream.Body) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The body as its network reads were recorded, where they were."""
    transport = loaded.value.get("transport")
    if not isinstance(transport, dict) or "reads" not in transport:
        return
    from replay.body.packing import packer  # only a fixture with recorded reads pays for it
    from replay.body.rendering import render
    from replay.serve.cutting import read_ends, split

    rendered = render(loaded)
    packing = packer(body.coding)
    plain = split(b"".join(rendered.frames), read_ends(rendered, transport) or ())
    yield "as it was recorded", [*map(packing.pack, plain), packing.end()]


def _ways(data: bytes, cuts: Cuts, seed: bytes) -> Iterator[tuple[str, Iterable[bytes]]]:
    yield "byte by byte", (data[at : at + 1] for at in range(len(data)))
    for at in _positions(len(data), cuts, seed):
        yield f"with a cut at byte {at}", (data[:at], data[at:])


def _positions(size: int, cuts: Cuts, seed: bytes) -> Sequence[int]:
    inner = range(1, size)
    if cuts.number is None or cuts.number >= len(inner):
        return inner
    import random  # only a run that cuts pays for it

    return sorted(random.Random(hashlib.sha256(seed).digest()).sample(inner, cuts.number))  # noqa: S311 - no secret
