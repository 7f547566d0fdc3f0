"""The digest of a fixture file that is there already: by it the same shape is known again, whoever wrote the file."""

from typing import Any, Final

from redaction.fixture import Draft, finish
from replay.validator.strict_json import parse

# The nesting that the rules allow a fixture file.
MAX_NESTING: Final = 512

ARRAYS: Final = ("chunks", "events")


def digest_of(data: bytes) -> str | None:
    """The digest of a fixture's profile, schemas, payloads, stream end and allowances; None where `data` is none."""
    try:
        parsed = parse(data.decode("utf-8"), max_nesting=MAX_NESTING)
    except UnicodeDecodeError:
        return None
    found = parsed.value
    if parsed.code is not None or not isinstance(found, dict):
        return None
    payloads: Any = next((found[name] for name in ARRAYS if name in found), None)
    try:
        draft = Draft(
            profile=found["profile"],
            tool_schemas=found["tool_schemas"],
            allow=found.get("allow", ()),
            capture=found["capture"],
            transport=found["transport"],
            payloads=payloads,
        )
        return finish(draft).digest
    except (KeyError, TypeError, ValueError):
        return None  # another tool's file, or one edited past recognition
