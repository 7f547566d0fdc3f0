"""What a response says of its turn: whether it is a stream of a family, in which framing, of which family at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.validator.profiles import PROFILES
from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.framing import WHITE_SPACE
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

from .rows import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay.wire.framing import Framing


# Every framing of the table.
FRAMINGS: Final[tuple[Framing, ...]] = (SSE, NDJSON, JSON_ARRAY, AWS_EVENT_STREAM)
# The forms of framings in which one provider carries the payloads of another's API: the first payload says whose.
CARRIERS: Final = frozenset({"eventstream-chunks"})
# By such a form, the paths of a POST whose answer has it.
CARRIED_AT: Final[Mapping[str, tuple[str, ...]]] = {"eventstream-chunks": ("/invoke-with-response-stream",)}


def array(profile: str) -> str:
    """The name of the array that a fixture of this profile has."""
    return PROFILES[profile].array


# Types that say nothing of a body. Some gateways name a stream so, or name no type at all.
_NO_TYPES: Final = frozenset({"", "text/plain", "application/octet-stream"})


def streams(profile: str, content_type: str | None) -> bool:
    """Whether a response with this content type can be a stream of this profile; one whose type says nothing can."""
    return names_no_stream(content_type) or _media_type(content_type) in {
        framing.content_type for framing in FAMILIES[profile].framings
    }


def is_of_another_framing(content_type: str | None) -> bool:
    """Whether a content type is one that nothing but a stream has. JSON is the type of whole answers, too."""
    return _media_type(content_type) in {one.content_type for one in FRAMINGS if one is not JSON_ARRAY}


def names_no_stream(content_type: str | None) -> bool:
    """Whether a content type says nothing, so that the request and the start of the body have to."""
    return _media_type(content_type) in _NO_TYPES


def _media_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def starts(profile: str, start: bytes) -> bool:
    """Whether a body that starts so, behind a byte order mark if there is one, can be a stream of this profile."""
    known = tuple(begin for framing in FAMILIES[profile].framings for begin in framing.starts)
    text = start.removeprefix(b"\xef\xbb\xbf")
    return text.startswith(known) or text.lstrip(WHITE_SPACE).startswith(known)


def framing_of(profile: str, form: object) -> Framing:
    """The framing of this profile with this form, as `transport.framing` of a fixture says it; else the usual one."""
    family = FAMILIES[profile]
    known = (*family.framings, *([family.carrier] if family.carrier is not None else []))
    return next((framing for framing in known if form in framing.forms), family.framing)


def form_at(profile: str, path: str, recorded: object) -> str | None:
    """The form in which a turn of this profile is answered at this path; None where it is the one that was recorded.

    Payloads that came in a carrier are answered in it where it is asked for, and else as their own API has them.
    """
    family = FAMILIES[profile]
    carrier = next((form for form, paths in CARRIED_AT.items() if path.endswith(paths)), None)
    if carrier is not None and family.carrier is not None:
        return carrier
    return family.framing.forms[0] if recorded in CARRIERS else None


def carried_family(payloads: Sequence[object]) -> str | None:
    """The profile of payloads that came in a carrier, by the first of them; None where no family knows it."""
    first = next((payload for payload in payloads if isinstance(payload, dict)), {})
    return next((profile for profile, family in FAMILIES.items() if family.carried(first)), None)


def look_of(payload: object) -> tuple[str, ...]:
    """The profiles that a payload can be of, by what it looks like; none where no family knows it."""
    if not isinstance(payload, dict):
        return ()
    return tuple(profile for profile, family in FAMILIES.items() if family.look(payload))


def effective(profile: str, allow: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the allowances that this profile knows, in their order."""
    return tuple(name for name in allow if name in FAMILIES[profile].allowances)
