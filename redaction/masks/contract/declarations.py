"""What a fixture says of the tools that its request declares, and how each of its words is called there.

    request     get_weather {city, unit}      send_email {to}      call: get_weather
    default     get_weather {city, unit}      tool_2 {field_1}
    renamed     tool_1 {field_1, field_2}     tool_2 {field_1}

A tool that the turn does not name says nothing but its shape, unless all are asked for. Where the contract itself is a
secret, the named tools are renamed as well, and the argument texts with them. Knows tools and names; masks no value.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from redaction.captured.argument_texts import Group
from redaction.captured.exchange import Contract, ToolTold, Uncalled, Words
from redaction.captured.threads import Threads
from redaction.families import FAMILIES
from redaction.masks.contract.looks import tool_told
from redaction.masks.contract.named import named_tools
from redaction.masks.contract.texts import renamed_group
from redaction.masks.contract.words import ByShape, Renamed
from redaction.masks.layout import spread
from redaction.masks.tool_schemas import mask_schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """The declared tools of one turn. `schemas` are the masked ones, by the names that the fixture has.

    `names` has what stands for the name of a tool that the turn names, `pieces` and `parts` what stands for a piece of
    one. `words` says which words are as declared.
    """

    words: Words
    schemas: Mapping[str, object] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    pieces: Mapping[str, str] = field(repr=False)
    _words: Mapping[str, Renamed] = field(repr=False)
    _by_shape: frozenset[str] = field(repr=False)

    def told(self) -> tuple[ToolTold, ...]:
        """The tools of which the fixture has words as they were declared."""
        if self.words is Words.NONE:
            return ()
        return tuple(tool_told(name, schema) for name, schema in self.schemas.items() if name not in self._by_shape)

    def renamed(self, texts: Sequence[Group]) -> list[Group]:
        """The argument texts as calls of the tools that the fixture has."""
        return [self._renamed(group) for group in texts]

    def _renamed(self, group: Group) -> Group:
        name = self.names.get(group.tool)
        if name is None:
            # A name that the model made up may be one that stands for a tool here.
            return replace(group, tool=f"\0{group.tool}") if group.tool in self.schemas else group
        words = self._words.get(group.tool)
        return renamed_group(group, words, name) if words is not None else group


def declared_tools(
    profile: str, payloads: Sequence[object], threads: Threads, schemas: Mapping[str, object], contract: Contract
) -> Declarations:
    """What a fixture says of these tools, whose `schemas` are those of the request."""
    named = named_tools(profile, payloads, threads, schemas)
    called = {name: name for name in schemas}
    if contract.words is Words.NONE:
        called = _ordinals_of_parts(schemas) if FAMILIES[profile].spoken.parted_names else _ordinals(schemas)
    kept = {called[name] for name in named}
    masked: dict[str, object] = {}
    words: dict[str, Renamed] = {}
    by_shape: set[str] = set()
    for number, (name, schema) in enumerate(schemas.items(), 1):
        if name in named or contract.uncalled is Uncalled.AS_CALLED:
            if contract.words is Words.DECLARED:
                masked[called[name]] = mask_schema(schema)
            else:
                words[name] = Renamed(mask_schema(schema), contract.words)
                masked[called[name]] = mask_schema(schema, words[name])
        else:
            plain = called[name] if contract.words is Words.NONE else f"tool_{number}"
            plain = plain if plain not in kept else f"tool_{len(schemas) + number}"
            masked[plain] = mask_schema(schema, ByShape())
            by_shape.add(plain)
    names = {name: called[name] for name in schemas if name in named}
    return Declarations(
        words=contract.words,
        schemas=masked,
        names=names,
        pieces=dict(_pieces(threads, names)),
        _words=words,
        _by_shape=frozenset(by_shape),
    )


def _ordinals(tools: Mapping[str, object]) -> dict[str, str]:
    """The ordinal of each tool."""
    return {name: f"tool_{number}" for number, name in enumerate(tools, 1)}


def _ordinals_of_parts(tools: Mapping[str, object]) -> dict[str, str]:
    """The ordinals of what dots divide in each name: a call may bring one part here and the other one there."""
    parts = _ordinals(dict.fromkeys(part for name in tools for part in name.split(".")))
    return {name: ".".join(parts[part] for part in name.split(".")) for name in tools}


def _pieces(threads: Threads, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What stands for each piece of a name that came in pieces."""
    for run in threads.runs_of_names(names):
        word = names["".join(run)]
        if word == "".join(run):
            yield from ((piece, piece) for piece in run)
        elif len(run) <= len(word):
            yield from zip(run, spread(word, len(run)), strict=True)
