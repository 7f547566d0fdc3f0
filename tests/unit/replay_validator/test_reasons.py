"""The table of messages has a reason for every code, and none that nobody gives."""

import re
from pathlib import Path

from replay import validator
from replay.validator import Code
from replay.validator._machine.slots import BREACH
from replay.validator._messages import Reason

# Codes whose messages say what a shape, a schema or a file asks for: they are made where that is known.
MADE_ELSEWHERE = {Code.INVALID_FIXTURE, Code.MALFORMED_EVENT, Code.STREAM_ERROR, Code.SCHEMA_VIOLATION}


def test_every_code_has_a_reason_or_is_made_elsewhere() -> None:
    assert {reason.code for reason in Reason} == set(Code) - MADE_ELSEWHERE
    assert {reason.code for reason in Reason} >= set(BREACH.values())


def test_every_reason_is_given_somewhere() -> None:
    folder = Path(validator.__file__).parent
    sources = [path.read_text("utf-8") for path in folder.rglob("*.py") if path.name != "_messages.py"]
    assert set(re.findall(r"Reason\.([A-Z_]+)\b", "\n".join(sources))) == {reason.name for reason in Reason}
