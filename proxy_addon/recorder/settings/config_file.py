"""The section `[record]` of a settings file: options of `toolreel record`, one member each, and upstreams as tables.

    [record]
    out = "reels"
    max-body = 16

    [record.upstreams.litellm]
    url = "http://127.0.0.1:4000"
    allow = ["rotating_ids"]

A file is shared and checked in, so it holds no secrets: no user and password of a proxy. Knows no click; no files.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from replay.store import names

# The member that has a table for each upstream.
UPSTREAMS: Final = "upstreams"

Error = Callable[[str], Exception]


class Kind(Enum):
    """What a member has to be; the value is how a message says it."""

    TEXT = "a text"
    PATH = "a text, the path of a file or folder"
    WHOLE = "a whole number"
    NUMBER = "a number"
    SWITCH = "true or false"
    TEXTS = "a list of texts"


def _is(kind: Kind, value: object) -> bool:
    if kind is Kind.TEXTS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if isinstance(value, bool):
        return kind is Kind.SWITCH
    return isinstance(value, _TYPES[kind])


_TYPES: Final[Mapping[Kind, type | tuple[type, ...]]] = {
    Kind.TEXT: str,
    Kind.PATH: str,
    Kind.WHOLE: int,
    Kind.NUMBER: (int, float),
    Kind.SWITCH: bool,
}


def defaults(
    members: Mapping[str, object], kinds: Mapping[str, Kind], *, folder: Path, error: Error
) -> dict[str, object]:
    """The values of a section by the names of the options' parameters. Paths are taken from the folder of the file."""
    found: dict[str, object] = {}
    for name, value in members.items():
        if name == UPSTREAMS:
            continue
        if not _is(kinds[name], value):
            raise error(f"{name} must be {kinds[name].value}")
        if name == "upstream-proxy" and "@" in str(value):
            raise error(f"{name}: no secrets in a file; give user and password in HTTPS_PROXY of the recorder")
        found[name.replace("-", "_")] = _path(folder, str(value)) if kinds[name] is Kind.PATH else value
    tables = list(_upstreams(members.get(UPSTREAMS, {}), error))
    if tables:
        given = found.get("upstream", [])
        assert isinstance(given, list)
        found["upstream"] = [*given, *tables]
    return found


def _path(folder: Path, value: str) -> str:
    return value if names.is_stored(value) else str(folder / value)


# What a table of an upstream may have, beside its `url`.
_SETTINGS: Final = ("provider", "profile", "allow", "path")


def _upstreams(tables: object, error: Error) -> Iterator[str]:
    """Each table as `--upstream` would have it."""
    if not isinstance(tables, dict):
        raise error(f"{UPSTREAMS} must be tables, [record.{UPSTREAMS}.NAME]")
    for name, table in tables.items():
        if not isinstance(table, dict) or not isinstance(table.get("url"), str):
            raise error(f"{UPSTREAMS}.{name} must be a table with a url")
        unknown = sorted(table.keys() - {"url", *_SETTINGS})
        if unknown:
            known = ", ".join(("url", *_SETTINGS))
            raise error(f"{UPSTREAMS}.{name} has the unknown member {unknown[0]!r}; known are {known}")
        parts = [f"{name}={table['url']}", *_settings(name, table, error)]
        if any("," in part for part in parts):
            raise error(f"{UPSTREAMS}.{name}: no value can have a comma")
        yield ",".join(parts)


def _settings(name: str, table: Mapping[str, object], error: Error) -> Iterator[str]:
    for setting in (one for one in _SETTINGS if one in table):
        value = table[setting]
        several = value if isinstance(value, list) else [value]
        texts = [one for one in several if isinstance(one, str)]
        if len(texts) < len(several):
            raise error(f"{UPSTREAMS}.{name}.{setting} must be a text or a list of texts")
        if setting == "allow":
            yield f"allow={'+'.join(texts)}"
        else:
            yield from (f"{setting}={one}" for one in texts)


def lines(settings: Mapping[str, tuple[object, str]]) -> Iterator[str]:
    """The settings as a section, each with a comment that says where it comes from. What is not set is a comment."""
    yield "[record]"
    for name, (value, source) in settings.items():
        if value is None:
            yield f"# {name} is not set"
        else:
            yield f"{name} = {_toml(_shown(name, value))}  # {source}"


def _shown(name: str, value: object) -> object:
    """A value as it can be shown: a proxy without what it is told of who asks."""
    if name != "upstream-proxy" or "@" not in str(value):
        return value
    text = str(value)
    parts = urlsplit(text if "://" in text else f"http://{text}")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
