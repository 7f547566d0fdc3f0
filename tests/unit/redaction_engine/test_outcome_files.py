"""The outcomes of clients beside a fixture: what may stand in them, in the scan of a folder."""

import json

import pytest

from redaction.proof.scan import scan_outcomes
from replay.diff import outcome_pins
from replay.diff.outcomes import COUNTING, Outcome


def places(value: object) -> list[str]:
    return [hit.place for hit in scan_outcomes(json.dumps(value).encode())]


def test_what_diff_writes_is_nothing_but_data() -> None:
    pinned = {
        "openai": {"3.57.0": Outcome.UNSAFE, "4.0.0rc1": Outcome.AGREE},
        "langchain-openai": {"1.7.4+1.8.3": Outcome.LOST},
        "our.gateway:drive": {"unversioned": Outcome.CRASH},
    }
    assert list(scan_outcomes(outcome_pins.write(pinned))) == []
    for outcome in COUNTING:
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
        ({"format": True, "adapters": {}}, ["format"]),
        ({"format": 1, "adapters": {"x": {}}}, ["adapter without a version"]),
        ({"format": 1, "adapters": {"": {"": None}}}, ["adapter name", "adapter version", "outcome"]),
    ],
)
def test_anything_else_is_named_by_its_place(value: object, found: list[str]) -> None:
    assert places(value) == found


@pytest.mark.parametrize("data", [b"\xff", b"{", b'{"format": 1, "adapters": {}, "adapters": {}}'])
def test_a_file_that_cannot_be_read_strictly_is_one_place(data: bytes) -> None:
    assert [hit.place for hit in scan_outcomes(data)] == ["file"]


@pytest.mark.parametrize(
    "data",
    [
        b'{"format": 1,  "adapters": {}}',
        b'{"format": 1, "adapters": {}} \t \t',
        b'{"format": 1, "adapters": {"\\u006fpenai": {"1": "agree"}}}',
    ],
)
def test_a_layout_that_no_writer_makes_is_one_place(data: bytes) -> None:
    assert [hit.rule for hit in scan_outcomes(data)] == ["layout"]


@pytest.mark.parametrize(
    "version",
    [
        "0",
        "3.57.0",
        "2.0.0b1",
        "1.0.post2",
        "1.4.dev12+g1a2b3c4.d20240517",
        "6.0.0-beta.12",
        "1.7.10+1.8.3",
        "0.0.0-canary.20250101",
        "unversioned",
    ],
)
def test_a_version_of_software_is_data(version: str) -> None:
    assert places({"format": 1, "adapters": {"x": {version: "agree"}}}) == []


@pytest.mark.parametrize(
    "version",
    ["", "1sk-live-secret", "1.0-mara", "1.0.", "1..0", "4111111111111111", "1" + ".1" * 40, "1.0\n", "v1", "1.0+Mara"],
)
def test_a_version_with_words_of_its_own_is_named(version: str) -> None:
    assert places({"format": 1, "adapters": {"x": {version: "agree"}}}) == ["adapter version"]
