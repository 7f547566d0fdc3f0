"""What a request declares: the tools, and how the model may choose among them. Everything else in it is sensitive.

In: the bytes of the request. Out: a `Request`. The family says how its requests declare tools. Messages, prompts and
descriptions are in `Request.value` alone, which the gate reads to look for them in the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from redaction.families import FAMILIES
from replay.validator.strict_json import parse

# Requests nest a dozen levels; schemas some more. What is deeper is no request that we know.
_REQUEST_NESTING: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The declarations of one request, and `value`, which is all that it says, for the gate to look for."""

    tool_schemas: Mapping[str, object] = field(default_factory=dict, repr=False)
    tool_choice: str | None = None
    parallel: bool | None = None
    model: str = field(default="", repr=False)
    known: bool = False  # a request was there and could be read
    value: object = field(default=None, repr=False)


def read_request(profile: str, body: bytes | None, payloads: Sequence[object] = ()) -> Request:
    """The declarations of a decoded request body; where there is none that can be read, what `payloads` repeat of it.

    An empty `Request` where nothing says what was declared.
    """
    request = _read(profile, body)
    return request if request.known else _with_repeated(request, profile, payloads)


def _with_repeated(request: Request, profile: str, payloads: Sequence[object]) -> Request:
    repeated = FAMILIES[profile].repeated(payloads)
    if not repeated:
        return request
    schemas, choice, parallel = FAMILIES[profile].declared(repeated)
    return replace(request, tool_schemas=schemas, tool_choice=_choice(choice, schemas), parallel=parallel)


def _choice(choice: str | None, schemas: Mapping[str, object]) -> str | None:
    """The tool choice that the request says; where it says none, what the providers do then."""
    return choice if choice is not None else ("auto" if schemas else None)


def _read(profile: str, body: bytes | None) -> Request:
    if body is None:
        return Request()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Request(value=body.decode("utf-8", "replace"))
    parsed = parse(text, max_nesting=_REQUEST_NESTING)
    value = parsed.value
    if parsed.code is not None or not isinstance(value, dict):
        return Request(value=text if parsed.code is not None else value)  # nothing is declared; the gate looks for it
    model = value.get("model")
    schemas, choice, parallel = FAMILIES[profile].declared(value)
    return Request(
        tool_schemas=schemas,
        tool_choice=_choice(choice, schemas),
        parallel=parallel,
        model=model if isinstance(model, str) else "",
        known=True,
        value=value,
    )
