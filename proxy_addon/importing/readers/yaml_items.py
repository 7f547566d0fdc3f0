"""The interactions of a YAML cassette, one at a time, as plain data. The only module that imports PyYAML.

Built from parser events, so that no constructor of any tag ever runs: what comes out is text, bytes, numbers, booleans,
nulls, lists and objects. A value of any other tag is `STRANGE`. An alias is the value that it names, never a copy; a
merge key is a key like any other. Bounded by the size of the file and by the nesting.
"""

import base64
import binascii
from collections.abc import Collection, Iterator
from typing import Any, Final, Protocol

import yaml

from proxy_addon.importing.entries import BrokenError
from replay.errors import translated

# A cassette is a file in a repository. Aliases keep what they name, so the whole file may be in memory.
MAX_YAML_BYTES: Final = 256 * 1024 * 1024

# Requests that are kept parsed nest as deep as a tool's schema does.
MAX_NESTING: Final = 200

# A value whose tag stands for more than data, or whose Base64 is none.
STRANGE: Final = object()

_TAG: Final = "tag:yaml.org,2002:"
_TEXT: Final = frozenset({f"{_TAG}str", f"{_TAG}python/str", f"{_TAG}python/unicode", "!"})
_BINARY: Final = frozenset({f"{_TAG}binary", "!binary"})
_COLLECTIONS: Final = frozenset({None, "!", f"{_TAG}map", f"{_TAG}seq", f"{_TAG}python/tuple"})

# libyaml where PyYAML has it: the same events, many times faster.
_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Final = yaml.resolver.Resolver()
_CONSTRUCTOR: Final = yaml.constructor.SafeConstructor()


class Readable(Protocol):
    """A file as the parser reads it."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes."""
        ...


def items(file: Readable, *, keys: Collection[str], single: Collection[str] = ()) -> Iterator[tuple[str, object]]:
    """Every item of the lists under `keys` at the top of a document, each with its key; of a list alone with "".

    A document that has all of `single` in the place of a list is one item itself, with "". A `BrokenError` with its
    line where the document breaks.
    """
    events = _Events(file)
    found = False
    while not events.at(yaml.StreamEndEvent):
        event = events.next()
        if not isinstance(event, yaml.DocumentStartEvent):
            continue
        if events.at(yaml.SequenceStartEvent) and "" in keys:
            found = True
            yield from (("", value) for value in _listed(events))
        elif not events.at(yaml.MappingStartEvent):
            raise events.broken("no cassette: expected a mapping")
        else:
            for name, value in _members(events, keys, single):
                found = True
                if name is not None:
                    yield name, value
    if not found:
        raise BrokenError("whole document", f"no list at {', '.join(key for key in keys if key)}")


def _members(events: "_Events", keys: Collection[str], single: Collection[str]) -> Iterator[tuple[str | None, object]]:
    """The items of a mapping; None for each list, so that an empty one is seen too."""
    events.next()
    kept: dict[str, object] = {}
    while not events.at(yaml.MappingEndEvent):
        name = events.value()
        if isinstance(name, str) and name in keys and events.at(yaml.SequenceStartEvent):
            yield None, None
            yield from ((name, value) for value in _listed(events))
        else:
            value = events.value()
            if isinstance(name, str) and name in single:
                kept[name] = value
    if single and kept.keys() == set(single):
        yield "", kept


def _listed(events: "_Events") -> Iterator[object]:
    events.next()
    while not events.at(yaml.SequenceEndEvent):
        yield events.value()
    events.next()


class _Events:
    """The events of a document; the next one is known before it is taken."""

    def __init__(self, file: Readable) -> None:
        self._events = yaml.parse(file, Loader=_PARSER)
        self._line = 1
        self._ahead: Any = None
        self._anchors: dict[str, object] = {}
        self.next()

    def at(self, kind: type) -> bool:
        """Whether the next event is of this kind."""
        return isinstance(self._ahead, kind)

    def broken(self, what: str) -> BrokenError:
        """The error at the line that was reached."""
        return BrokenError(f"line {self._line}", what)

    def _no_yaml(self, error: Exception) -> BrokenError:
        """The error in the place of one of PyYAML, whose text quotes the source: only its line is kept."""
        mark = getattr(error, "problem_mark", None)
        if mark is not None:
            self._line = mark.line + 1
        return self.broken("no YAML from here on")

    def next(self) -> Any:
        """Take the next event."""
        event = self._ahead
        with translated((yaml.YAMLError, ValueError, RecursionError), self._no_yaml):
            self._ahead = next(self._events, None)
        if self._ahead is not None and self._ahead.start_mark is not None:
            self._line = self._ahead.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}
        return event

    def value(self, depth: int = 0) -> object:
        """Take a whole value."""
        if depth > MAX_NESTING:
            raise self.broken(f"nested deeper than {MAX_NESTING} levels")
        event = self.next()
        if isinstance(event, yaml.AliasEvent):
            return self._anchors.get(event.anchor, STRANGE)
        found: object = STRANGE
        if isinstance(event, yaml.ScalarEvent):
            found = _scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            listed = []
            while not self.at(yaml.SequenceEndEvent):
                listed.append(self.value(depth + 1))
            self.next()
            found = listed if event.tag in _COLLECTIONS else STRANGE
        elif isinstance(event, yaml.MappingStartEvent):
            members = {}
            while not self.at(yaml.MappingEndEvent):
                name, member = self.value(depth + 1), self.value(depth + 1)
                members[name if isinstance(name, str) else str(name) if isinstance(name, int) else ""] = member
            self.next()
            found = members if event.tag in _COLLECTIONS else STRANGE
        if getattr(event, "anchor", None) is not None:
            self._anchors[event.anchor] = found
        return found


def _scalar(event: Any) -> object:
    plain, _ = event.implicit
    if event.tag in _BINARY:
        try:
            return base64.b64decode("".join(event.value.split()), validate=True)
        except (binascii.Error, ValueError):
            return STRANGE
    if event.tag in _TEXT or (event.tag is None and not plain):
        return str(event.value)
    tag = event.tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, (True, False))
    node = yaml.ScalarNode(tag, event.value)
    try:
        if tag == f"{_TAG}null":
            return None
        if tag == f"{_TAG}bool":
            return bool(_CONSTRUCTOR.construct_yaml_bool(node))
        if tag == f"{_TAG}int":
            return int(_CONSTRUCTOR.construct_yaml_int(node))
        if tag == f"{_TAG}float":
            return float(_CONSTRUCTOR.construct_yaml_float(node))
    except (ValueError, KeyError, ArithmeticError):
        return str(event.value)
    return str(event.value) if event.tag is None else STRANGE
