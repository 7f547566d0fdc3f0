"""What a request says of the turn that it asks for: of which family, as a stream or not, from which model."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from .family import Asked, Family
from .providers import PROVIDERS
from .rows import FAMILIES


def family_of(method: str, target: str, provider: str | None = None) -> str | None:
    """The profile of the turn that this request asks for, or None where its path is no recognised one.

    `target` is the path with its query. Where several families have a path, the one that `provider` speaks counts,
    then the first of the table.
    """
    path, _, query = target.partition("?")
    found = [profile for profile, family in FAMILIES.items() if _asks(family, method, path, query)]
    known = PROVIDERS.get(provider or "")
    return known.family if known is not None and known.family in found else next(iter(found), None)


# Paths of families that are asked in the body elsewhere.
_STREAMS_BY_NAME: Final = (":streamRawPredict",)


def asks_for(profile: str, method: str, target: str) -> bool:
    """Whether this request asks for a turn of this profile."""
    path, _, query = target.partition("?")
    return _asks(FAMILIES[profile], method, path, query)


def _asks(family: Family, method: str, path: str, query: str) -> bool:
    if method == "POST":
        return path.endswith(family.paths)
    return (
        method == "GET"
        and bool(family.retrieved)
        and path.rpartition("/")[0].endswith(family.retrieved)
        and asks_by_query(query)
    )


def asks_for_stream(profile: str | None, path: str, body: object) -> bool:
    """Whether a POST for a turn of this profile, with this path (without query) and JSON body, asks for a stream.

    Where no profile is given, the path says it.
    """
    profile = profile or family_of("POST", path)
    asked = FAMILIES[profile].asked if profile is not None else Asked.IN_BODY
    if asked is Asked.BY_PATH or path.endswith(_STREAMS_BY_NAME):
        return True
    stream = body.get("stream") if isinstance(body, dict) else None
    return stream is True or (asked is Asked.UNLESS_DECLINED and isinstance(body, dict) and stream is None)


def model_in(profile: str, path: str) -> str:
    """The name of the model in a path, without its query; "" where this family has it elsewhere."""
    expression = FAMILIES[profile].model
    match = expression.search(path) if expression is not None else None
    return unquote(match[1]) if match is not None else ""


def asks_by_query(query: str) -> bool:
    """Whether the query of a GET asks for a stream."""
    return "stream=true" in query.split("&")
