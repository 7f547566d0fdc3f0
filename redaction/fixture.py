"""A fixture as bytes in their one form: one order of keys, LF, one payload to a line, a line end at the end.

In: a `Draft`, which has the masked parts. Out: the bytes of the file, a name for it, and the digest by which the same
shape is known again. Recording the same traffic twice gives the same bytes. Knows the envelope
(`docs/fixture-format.md`); masks and judges nothing.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from redaction.captured.exchange import Fixture
from replay.families import array
from replay.validator.profiles import ARRAYS
from replay.validator.strict_json import parse

if TYPE_CHECKING:
    from redaction.masks.mask import MaskedPayload

# A masked payload: as a value, or as the JSON text that it will be.
Payload: TypeAlias = "MaskedPayload | orjson.Fragment"

FIXTURE_VERSION: Final = 1
# Of the digest in a file name; 48 bits keep a folder of a million fixtures apart.
_STEM_DIGITS: Final = 12
_LARGEST_INTEGER: Final = 2**63 - 1
# The nesting that the rules allow a fixture file.
_MAX_NESTING: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The masked parts of a fixture. `capture` and `transport` hold closed words and counts alone."""

    profile: str
    tool_schemas: Mapping[str, object] = field(repr=False)
    allow: Sequence[str]
    capture: Mapping[str, object]
    transport: Mapping[str, object]
    payloads: Sequence[Payload] = field(repr=False)


def written(payloads: Iterable["MaskedPayload"]) -> list[Payload]:
    """The payloads as JSON texts, which equal ones share. As values they take many times the room."""
    texts: dict[bytes, orjson.Fragment] = {}
    found: list[Payload] = []
    for payload in payloads:
        text = _json(payload)
        if text not in texts:
            texts[text] = orjson.Fragment(text)
        found.append(texts[text])
    return found


def finish(draft: Draft) -> Fixture:
    """The canonical file of a draft, its name and its digest."""
    digest = _digest(draft)
    stem = f"{draft.capture['provider']}-{draft.capture['model']}-{digest[:_STEM_DIGITS]}"
    return Fixture(data=canonical(draft), stem=stem, digest=digest)


def canonical(draft: Draft) -> bytes:
    """The whole file of a draft."""
    head = [
        b"{",
        b'"fixture_version": %d,' % FIXTURE_VERSION,
        b'"profile": %b,' % _json(draft.profile),
        b'"tool_schemas": {',
        b",\n".join(_json(name) + b": " + _json(schema) for name, schema in draft.tool_schemas.items()),
        b"},",
    ]
    if not draft.tool_schemas:
        del head[-2]
    if draft.allow:
        head.append(b'"allow": %b,' % _json(list(draft.allow)))
    head += [
        b'"capture": %b,' % _json(draft.capture),
        b'"transport": %b,' % _json(draft.transport),
        b'"%b": [' % array(draft.profile).encode(),
        b"",
    ]
    # One growing buffer: as separate texts the lines would take many times the room of the file.
    file = bytearray(b"\n".join(head))
    for at, payload in enumerate(draft.payloads):
        file += b",\n" if at else b""
        file += _json(payload)
    file += b"\n]\n}\n" if draft.payloads else b"]\n}\n"
    return bytes(file)


def digest_of(data: bytes) -> str | None:
    """The digest of a fixture file, whoever wrote it; None where `data` is no fixture."""
    draft = _read(data)
    if draft is None:
        return None
    try:
        return _digest(draft)
    except (KeyError, TypeError, ValueError):
        return None  # another tool's file, or one edited past recognition


def of_parts(value: Mapping[str, Any], *, capture: Mapping[str, object]) -> bytes:
    """The canonical file of a proved fixture that was read back, with another `capture`."""
    draft = _draft(value)
    assert draft is not None, "a proved fixture has all parts"
    return canonical(replace(draft, capture=capture))


def canonical_of(value: object) -> bytes | None:
    """The canonical file of a fixture that was read back; None where it is not of the shape that is written here."""
    draft = _draft(value)
    try:
        return canonical(draft) if draft is not None else None
    except (KeyError, TypeError, ValueError):
        return None


def _read(data: bytes) -> Draft | None:
    try:
        parsed = parse(data.decode("utf-8"), max_nesting=_MAX_NESTING)
    except UnicodeDecodeError:
        return None
    return _draft(parsed.value) if parsed.code is None else None


def _draft(found: Any) -> Draft | None:
    try:
        return Draft(
            profile=found["profile"],
            tool_schemas=found["tool_schemas"],
            allow=found.get("allow", ()),
            capture=found["capture"],
            transport=found["transport"],
            payloads=next(found[name] for name in ARRAYS if name in found),
        )
    except (AttributeError, KeyError, StopIteration, TypeError):
        return None


# What goes into a digest. Another one gives every shape another name, so a folder may hold it twice.
DIGEST_VERSION: Final = 2
# What of the transport depends on the network of one day: two recordings of one shape differ in it.
_OF_THE_NETWORK: Final = frozenset({"milliseconds", "reads"})


def _digest(draft: Draft) -> str:
    """The SHA-256 in hex of what makes the shape: profile, schemas, payloads, stream end, allowances, and the wire.

    A client can tell a stream whose events have names from one whose events have none, and so with line ends, comments,
    ids, codings and end markers; a folder keeps both.
    """
    shape = [
        DIGEST_VERSION,
        draft.profile,
        draft.tool_schemas,
        draft.payloads,
        draft.capture["stream_end"],
        sorted(draft.allow),
        {name: draft.transport[name] for name in sorted(draft.transport.keys() - _OF_THE_NETWORK)},
    ]
    return hashlib.sha256(_json(shape)).hexdigest()


def _json(value: object) -> bytes:
    try:
        return orjson.dumps(value, default=_number)
    except TypeError:  # integers that orjson refuses to write
        pass
    return orjson.dumps(_writable(value), default=_number)


def _number(value: object) -> object:
    if isinstance(value, Decimal):
        return orjson.Fragment(str(value).lower())
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


def _writable(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _writable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(inner) for inner in value]
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        return orjson.Fragment(str(value))
    return value
