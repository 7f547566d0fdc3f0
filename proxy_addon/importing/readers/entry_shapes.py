"""Which tool wrote an item of a source, by the members that it has, and the reader of that tool's exchanges.

Example: an item with `scope` and `path` is a call of nock. In: parsed values. Knows no file.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from proxy_addon.importing.entries import Attached, Entry, Unusable, UnusableError
from proxy_addon.importing.readers import cassettes, dumps, har, other_tools

_Value = Mapping[str, Any]
# What stands in the request of a stub of WireMock in the place of a whole address.
_WIREMOCK: Final = frozenset({"urlPath", "urlPattern", "urlPathPattern", "urlPathTemplate", "bodyPatterns"})


def _is_nock(value: _Value) -> bool:
    return "scope" in value and "path" in value and "response" in value


def _is_azure(value: _Value) -> bool:
    return "RequestUri" in value


def _is_pair(value: _Value) -> bool:
    return isinstance(value.get("request"), dict) and isinstance(value.get("response"), dict)


def _is_wiremock(value: _Value) -> bool:
    if not _is_pair(value):
        return False
    request = value["request"]
    return bool(_WIREMOCK & request.keys()) or str(request.get("url", "")).startswith("/")


def _is_har(value: _Value) -> bool:
    return (
        _is_pair(value)
        and ("content" in value["response"] or "postData" in value["request"])
        and (isinstance(value["request"].get("headers"), list) or isinstance(value["response"].get("headers"), list))
    )


def _is_fixture(value: object) -> bool:
    """Whether a value is a fixture already. Its payloads are masked, and no traffic."""
    return isinstance(value, dict) and "tool_schemas" in value and "profile" in value


# The first that holds says whose it is.
_SHAPES: Final[tuple[tuple[Callable[[_Value], bool], Callable[[Any, Attached], Entry]], ...]] = (
    (_is_nock, lambda value, _: other_tools.nock(value)),
    (_is_azure, lambda value, _: other_tools.azure(value)),
    (_is_wiremock, other_tools.wiremock),
    (_is_har, har.entry),
    (_is_pair, lambda value, _: cassettes.entry(value)),
)


def is_exchange(value: object) -> bool:
    """Whether a value is an exchange of some tool."""
    return isinstance(value, dict) and any(holds(value) for holds, _ in _SHAPES)


def entry(value: object, attached: Attached) -> Entry:
    """The exchange in a value; an `UnusableError` where there is none."""
    if isinstance(value, dict):
        for holds, read in _SHAPES:
            if holds(value):
                return read(value, attached)
    found = None if _is_fixture(value) else dumps.entry(value)
    if found is None:
        raise UnusableError(Unusable.NO_EXCHANGE)
    return found
