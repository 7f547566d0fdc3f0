"""The outcomes of clients beside a fixture: what may stand in them, in the scan of a folder."""

import json

import pytest

from redaction.scan import scan_outcomes
from replay.diff import outcome_pins
from replay.diff.outcomes import Outcome


def places(value: object) -> list[str]:
    return [hit.place for hit in scan_outcomes(json.dumps(value).encode())]


def test_what_diff_writes_is_nothing_but_data() -> None:
    pinned = {
        "openai": {"3.57.0": Outcome.UNSAFE, "4.0.0rc1": Outcome.AGREE},
        "langchain-openai": {"1.7.4+1.8.3": Outcome.LOST},
        "our.gateway:drive": {"unversioned": Outcome.CRASH},
    }
    assert list(scan_outcomes(outcome_pins.write(pinned))) == []
    for outcome in Outcome:
        assert list(scan_outcomes(outcome_pins.write({"x": {"1": outcome}}))) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([], ["file"]),
        ({"format": 1, "adapters": {}, "note": "a secret"}, ["file"]),
        ({"format": "a secret", "adapters": {}}, ["format"]),
        ({"format": 1, "adapters": "a secret"}, ["adapters"]),
        ({"format": 1, "adapters": {"a secret": {"1": "agree"}}}, ["adapter name"]),
        ({"format": 1, "adapters": {"x": "a secret"}}, ["adapter"]),
        ({"format": 1, "adapters": {"x": {"a secret": "agree"}}}, ["adapter version"]),
        ({"format": 1, "adapters": {"x": {"1": "a secret"}}}, ["outcome"]),
        ({"format": 1, "adapters": {"x": {"1": ["agree"]}}}, ["outcome"]),
    ],
)
def test_anything_else_is_named_by_its_place(value: object, found: list[str]) -> None:
    assert places(value) == found


@pytest.mark.parametrize("data", [b"\xff", b"{", b'{"format": 1, "adapters": {}, "adapters": {}}'])
def test_a_file_that_cannot_be_read_strictly_is_one_place(data: bytes) -> None:
    assert [hit.place for hit in scan_outcomes(data)] == ["file"]
