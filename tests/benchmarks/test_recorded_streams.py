"""What judging recorded streams costs, family by family: workload C, against `json.loads` of the same texts.

Real turns are mostly text, reasoning, first and last chunks. Prints ratios and asserts no times:
`pytest tests/benchmarks/test_recorded_streams.py -s`. Takes the streams that the suite carries, and those beside the
checkout where they are.
"""

import json
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Final

import pytest
from support import shared
from support.readings import streams
from support.rounds import Ratio, against, tell

from replay.validator import Envelope, Status, judge, validate
from replay.validator.profiles import PROFILES

pytestmark = [pytest.mark.benchmark, pytest.mark.nightly]

FAMILIES: Final = sorted(PROFILES, key=list(PROFILES).index)


@cache
def recorded() -> dict[str, streams.Stream]:
    folders = [streams.BUNDLED, shared.beside("streams")]
    return {one.name: one for folder in folders if folder is not None for one in streams.read(folder)}


@cache
def turns(profile: str) -> list[tuple[Envelope, list[str]]]:
    """The turns of a family, each with the texts of its payloads."""
    found = []
    for stream in recorded().values():
        if stream.profile != profile:
            continue
        envelope = streams.envelope(stream)
        texts = [text for text in streams.events(stream.body)[0] if text != "[DONE]"]
        if all(isinstance(payload, dict) for payload in envelope.payloads):
            found.append((envelope, texts))
    return found


def loads_all(texts: Iterable[str | bytes]) -> None:
    for text in texts:
        json.loads(text)


def of_payloads(judged: list[tuple[Envelope, list[str]]], judging: Callable[[Envelope], object] = judge) -> Ratio:
    """The time of judging decoded payloads, by that of decoding them."""
    texts = [text for _, own in judged for text in own]
    return against(partial(loads_all, texts), lambda: [judging(envelope) for envelope, _ in judged])


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_cost_of_judging_decoded_payloads(profile: str) -> None:
    judged = turns(profile)
    payloads = sum(len(texts) for _, texts in judged)
    assert payloads
    size = sum(len(text) for _, texts in judged for text in texts)
    note = f"{len(judged)} turns, {payloads:,} payloads of {size / payloads:,.0f} characters"
    tell(f"C, {profile}", "judging decoded payloads", "`json.loads` of their texts", of_payloads(judged), note)


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_cost_of_judging_turns_without_a_call(profile: str) -> None:
    judged = [
        (envelope, texts) for envelope, texts in turns(profile) if judge(envelope).status is Status.NOT_APPLICABLE
    ]
    if not judged:
        pytest.skip(f"no recorded turn of {profile} is without a call")
    note = f"{len(judged)} turns"
    ratio = of_payloads(judged)
    tell(f"C, {profile}, turns without a call", "judging decoded payloads", "`json.loads` of their texts", ratio, note)


def file_of(envelope: Envelope, texts: list[str]) -> bytes:
    """A fixture as the recorder writes it: one payload a line, no spaces in it."""
    lines = [json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) for text in texts]
    head = {"fixture_version": 1, "profile": envelope.profile, "tool_schemas": envelope.tool_schemas}
    array = PROFILES[envelope.profile].array
    return (json.dumps(head)[:-1] + f',\n"{array}": [\n' + ",\n".join(lines) + "\n]\n}\n").encode()


@pytest.mark.parametrize("profile", FAMILIES)
def test_the_cost_of_judging_files(profile: str) -> None:
    files = [file_of(envelope, texts) for envelope, texts in turns(profile)]
    ratio = against(partial(loads_all, files), lambda: [validate(data) for data in files])
    tell(f"C, {profile}", "judging fixture files", "`json.loads` of the files", ratio)
