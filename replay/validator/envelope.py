"""The envelope of one turn: a fixture's bytes, or a decoded object, to an `Envelope` or why not (section 1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from replay.validator.codes import Allowance, Code
from replay.validator.limits import MAX_FIXTURE_NESTING
from replay.validator.profiles import ARRAYS, PROFILES
from replay.validator.strict_json import parse

__all__ = [
    "FILE_MESSAGES",
    "FIXTURE_VERSION",
    "GRAMMAR",
    "Envelope",
    "InvalidFixture",
    "envelope_from",
    "read_envelope",
]

FIXTURE_VERSION: Final = 1
# What stands in `tool_schemas` for a tool whose text a grammar binds: no keyword says what a grammar allows, so the
# schema is one that cannot be checked.
GRAMMAR: Final[Mapping[str, object]] = {"type": "string", "format": "grammar"}
ALLOWANCES: Final = {allowance.value: allowance for allowance in Allowance}

# The messages of the codes by which strict parsing ends, where the text is a file.
FILE_MESSAGES: Final[Mapping[Code, str]] = {
    Code.LIMIT_EXCEEDED: f"the file nests deeper than {MAX_FIXTURE_NESTING} levels",
    Code.MALFORMED_ARGUMENTS: "the file is not JSON",
    Code.TRAILING_DATA: "something follows the JSON object",
    Code.NON_FINITE_NUMBER: "a number in the file is not finite",
    Code.DUPLICATE_KEY: "an object in the file repeats a member name",
    Code.INVALID_UNICODE: "the file has a byte order mark or a lone surrogate",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One turn, ready to be judged. Holds captured text, so `repr` shows none of it."""

    profile: str
    tool_schemas: Mapping[str, object] = field(repr=False)
    payloads: Sequence[object] = field(repr=False)
    allow: tuple[Allowance, ...] = ()
    stream_end: str | None = field(default=None, repr=False)
    tool_choice: str | None = field(default=None, repr=False)
    parallel_tool_calls: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidFixture:
    """A file or an object that is no envelope: its own `profile` where it has one, and the message that says why."""

    profile: str | None = field(default=None, repr=False)
    message: str


def read_envelope(data: bytes) -> Envelope | InvalidFixture:
    """The envelope in a fixture's bytes. Total: any bytes give one or the other."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return InvalidFixture(message=f"the file is not UTF-8: a wrong byte at offset {error.start}")
    parsed = parse(text, max_nesting=MAX_FIXTURE_NESTING, utf8=data)
    if parsed.code is not None:
        return InvalidFixture(message=f"{FILE_MESSAGES[parsed.code]} (at character {parsed.offset})")
    return envelope_from(parsed.value)


def envelope_from(value: object) -> Envelope | InvalidFixture:
    """The envelope in a decoded value, as strict parsing gives it."""
    if not isinstance(value, dict):
        return InvalidFixture(message="a fixture must be a JSON object")
    named = value.get("profile")
    profile = named if isinstance(named, str) else None
    message = _objection(value)
    if message is not None:
        return InvalidFixture(profile=profile, message=message)
    assert profile is not None, "an unknown profile is no envelope"
    capture = value.get("capture", {})
    return Envelope(
        profile=profile,
        tool_schemas=value["tool_schemas"],
        payloads=value[PROFILES[profile].array],
        allow=tuple(ALLOWANCES[name] for name in value.get("allow", [])),
        stream_end=capture.get("stream_end"),
        tool_choice=capture.get("tool_choice"),
        parallel_tool_calls=capture.get("parallel_tool_calls"),
    )


def _objection(value: dict[str, object]) -> str | None:
    """The message about the first member that makes an object no envelope; None where it is one."""
    profile = value.get("profile")
    if not isinstance(profile, str) or profile not in PROFILES:
        return f"`profile` must be one of {_listed(PROFILES)}"
    array = PROFILES[profile].array
    if not isinstance(value.get(array), list):
        return f"`{array}` must be an array: the decoded payloads of this profile"
    other = next((name for name in ARRAYS if name != array and name in value), None)
    if other is not None:
        return f"`{other}` must not be present: this profile reads `{array}`"
    if not isinstance(value.get("tool_schemas"), dict):
        return "`tool_schemas` must be an object: tool names to JSON Schemas"
    return _objection_to_optional(value)


def _objection_to_optional(value: dict[str, object]) -> str | None:
    allow = value.get("allow", [])
    if not isinstance(allow, list) or any(not isinstance(name, str) or name not in ALLOWANCES for name in allow):
        return f"`allow` must be an array of allowances: {_listed(ALLOWANCES)}"
    for name in ("capture", "transport"):
        if not isinstance(value.get(name, {}), dict):
            return f"`{name}` must be an object"
    if "fixture_version" in value and not _is_version(value["fixture_version"]):
        return f"`fixture_version` must be {FIXTURE_VERSION}"
    capture = value.get("capture", {})
    assert isinstance(capture, dict), "anything else has its message above"
    for name in ("stream_end", "tool_choice"):
        if not isinstance(capture.get(name, ""), str):
            return f"`capture.{name}` must be a string"
    if not isinstance(capture.get("parallel_tool_calls", True), bool):
        return "`capture.parallel_tool_calls` must be a boolean"
    return None


def _is_version(value: object) -> bool:
    return type(value) is int and value == FIXTURE_VERSION


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(f"`{name}`" for name in names)
