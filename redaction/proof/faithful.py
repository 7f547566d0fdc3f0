"""Which classes of what clients look at a masked turn does not keep: the words of `capture.unfaithful`.

In: the threads of the raw turn and of the masked one. Each is read as clients read it: the pieces of a call joined by
index, by id, or one after the other; a name in pieces joined; an argument text taken for JSON or not. Where the two
turns differ in one of these readings, some client may do with the fixture what it did not do with the stream. Then
the fixture says so by the class of the reading, and nothing more. Knows threads and JSON; knows no mask.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum, unique
from itertools import combinations
from typing import Final, TypeAlias

from redaction.captured.argument_texts import Group
from redaction.captured.json_tokens import Kind, Stop, read
from redaction.captured.payloads import Break, Broken
from redaction.captured.threads import Threads, compared
from redaction.captured.untold_texts import says_as
from replay.validator import Code, Report


@unique
class Unfaithful(Enum):
    """What a client may look at and find otherwise in a fixture."""

    PAYLOADS = "payloads"  # one that is no strict JSON, or of a shape that the API has not, and that clients read
    ARGUMENTS = "arguments"  # fragments that some clients join otherwise than the verdict does, or repair
    NAMES = "names"  # pieces of a name
    IDS = "ids"  # calls that share an id: whether they ask for the same
    VALUES = "values"  # a text where a number is wanted, and its like: what a client that converts makes of it
    TEXTS = "texts"  # text of the answer in which some client finds a call


# What common readers of JSON take: half surrogate pairs and repeated keys all of them, `NaN` and bad bytes some.
_READ_BY_SOME: Final = frozenset({Break.SURROGATE, Break.DUPLICATE_KEY, Break.NON_FINITE, Break.BAD_UTF8})

Shape: TypeAlias = object


def unfaithful_payloads(payloads: Sequence[object], masked: Sequence[object]) -> set[Unfaithful]:
    """The class of raw payloads that stand as their break class alone, where some client reads them all the same."""
    both = zip(payloads, masked, strict=True)
    alone = (raw.kind for raw, other in both if isinstance(raw, Broken) and other == raw.kind.value)
    return {Unfaithful.PAYLOADS} if any(kind in _READ_BY_SOME for kind in alone) else set()


# The findings of payloads of which the verdict takes nothing, and some client may.
_NOT_TAKEN: Final = frozenset({Code.MALFORMED_EVENT, Code.UNSUPPORTED_EVENT})


def unfaithful_shapes(report: Report, payloads: Sequence[object]) -> set[Unfaithful]:
    """The class of payloads of which the verdict takes nothing for their shape or kind: little in them is kept."""
    events = (one.event for one in report.findings if one.code in _NOT_TAKEN and one.event is not None)
    shaped = any(not isinstance(payloads[event], Broken) for event in events)
    return {Unfaithful.PAYLOADS} if shaped else set()


# Behind such an error some clients look for what they can use: they close brackets, or leave out what is too much.
_REPAIRED: Final = frozenset({Stop.UNEXPECTED, Stop.TRAILING})


def unfaithful_repairs(raw: Threads, tools: Collection[str]) -> set[Unfaithful]:
    """The class of argument texts that some clients repair by what stands behind the error, which is not kept."""
    texts = (text.text() for text in raw.units(tools) if not text.free)
    return {Unfaithful.ARGUMENTS} if any(_is_repaired(text) for text in texts) else set()


def _is_repaired(text: str) -> bool:
    found = read(text)
    return found.stop in _REPAIRED and found.tokens[-1].kind is Kind.TAIL


def unfaithful(raw: Threads, masked: Threads, tools: Mapping[str, str]) -> set[Unfaithful]:
    """The classes of readings in which the two turns differ; `tools` has what each tool is called in the masked one."""
    found: set[Unfaithful] = set()
    own = {name: name for name in tools.values()}
    if list(_forms(raw, tools)) != list(_forms(masked, own)):
        found.add(Unfaithful.ARGUMENTS)
    if list(_names(raw, tools)) != list(_names(masked, own)):
        found.add(Unfaithful.NAMES)
    if _asks(raw.apart(tools)) != _asks(masked.apart(own)):
        found.add(Unfaithful.IDS)
    return found


def _forms(threads: Threads, tools: Collection[str]) -> Iterator[Shape]:
    """What the texts of a turn are to a reader of JSON, joined in each of the ways."""
    for texts in (threads.named, threads.apart(tools), threads.whole):
        yield [text.free or form(text.text()) for text in texts]


def _names(threads: Threads, tools: Mapping[str, str]) -> Iterator[Shape]:
    """For each run of names that came for one call, the declared tool that they make, as the masked turn calls it."""
    for names in threads.names:
        runs = combinations(range(min(len(names), _MOST_NAMES) + 1), 2)
        yield [tools.get("".join(names[start:end]), "") for start, end in runs]


# Of a call that gets more names than this, the first ones are looked at.
_MOST_NAMES: Final = 24


def _asks(units: Sequence[Group]) -> list[bool]:
    """For each two calls that share an id, whether they ask for the same: the same text, for the same tool."""
    return [
        units[one].tool == units[other].tool and _say_the_same(units[one], units[other])
        for numbers in compared(units)
        for one, other in combinations(numbers, 2)
    ]


def _say_the_same(one: Group, other: Group) -> bool:
    """Whether two texts are the same; an object and a text are, if the text says the object."""
    return says_as(replace(one.pieces[0], text=one.text()), other.form, other.text())


def form(text: str) -> Shape:
    """What an argument text is to a reader of JSON: the shape of its value; else whether it begins as one."""
    try:
        value: object = json.loads(text, strict=False, parse_int=float)
    except (ValueError, RecursionError):
        return (text.lstrip()[:1] in ("{", "["), bool(text.strip()))
    return _shape(value)


def _shape(value: object) -> Shape:
    """The types of a value and of all that is in it, in order."""
    if isinstance(value, dict):
        return ("object", *map(_shape, value.values()))
    if isinstance(value, list):
        return ("array", *map(_shape, value))
    return type(value)
