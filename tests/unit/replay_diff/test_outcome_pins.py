"""`NAME.adapters.json`: written in one form, read strictly."""

import json

import pytest

from replay.diff import outcome_pins
from replay.diff.outcome_pins import OutcomePinError
from replay.diff.outcomes import Outcome

PINNED = {"openai": {"3.57.0": Outcome.UNSAFE}, "anthropic": {"2.0": Outcome.AGREE, "2.1": Outcome.LOST}}


def test_what_is_written_is_read_back_and_looks_like_this() -> None:
    data = outcome_pins.write(PINNED)
    assert outcome_pins.read(data) == PINNED
    assert data.decode() == (
        '{\n "format": 1,\n "adapters": {\n'
        '  "anthropic": {"2.0": "agree", "2.1": "lost"},\n'
        '  "openai": {"3.57.0": "unsafe"}\n'
        " }\n}\n"
    )


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ([], "must be an object"),
        ({"format": 1}, "must be an object with format and adapters"),
        ({"format": 2, "adapters": {}}, "format must be 1"),
        ({"format": True, "adapters": {}}, "format must be 1"),
        ({"format": 1, "adapters": []}, "adapters must be an object"),
        ({"format": 1, "adapters": {"x": {}}}, "a version or more"),
        ({"format": 1, "adapters": {"x": {"1": "fine"}}}, "each outcome must be one of agree, unsafe"),
        ({"format": 1, "adapters": {"x": {"1": ["agree"]}}}, "each outcome must be one of"),
    ],
)
def test_another_shape_is_refused_and_said(value: object, says: str) -> None:
    with pytest.raises(OutcomePinError, match=says):
        outcome_pins.read(json.dumps(value).encode())


@pytest.mark.parametrize("data", [b"\xff", b'{"format": 1, "format": 1}', b"{", b"[" * 100])
def test_what_is_no_strict_json_is_refused_without_its_text(data: bytes) -> None:
    with pytest.raises(OutcomePinError, match=r"^(the|an object in the) file (is not|repeats|nests deeper)"):
        outcome_pins.read(data)


def test_a_run_is_compared_with_its_own_version_or_the_one_pinned_last() -> None:
    versions = PINNED["anthropic"]
    assert outcome_pins.compared_with(versions, "2.0") == ("2.0", Outcome.AGREE)
    assert outcome_pins.compared_with(versions, "3.0") == ("2.1", Outcome.LOST)
    assert outcome_pins.compared_with({}, "3.0") is None


def test_it_stands_beside_its_fixture() -> None:
    assert outcome_pins.path_of("a/b.json") == "a/b.adapters.json"
