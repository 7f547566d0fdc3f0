"""The closed vocabulary, read back from finished bytes: every key, string and number must be known to it.

In: what the bytes of a fixture read back as. Out: the leaks, which are the places that hold anything else; and for the
search for raw text, whether a word needs no explanation by the conversation. A value may stand in a fixture if it is a
protocol word of its key, a name or bound that the fixture's own tool schemas declare, or a placeholder. Written apart
from the masks, so that one cannot vouch for the other; what both share is in SECURITY.md.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from redaction.families import FAMILIES
from redaction.families.tables.family import Spoken
from redaction.proof.leak import Leak
from redaction.proof.words.argument_words import ArgumentWords
from redaction.proof.words.declared import SCHEMA_WORDS, Declared, read_schema
from redaction.proof.words.known_facts import FACT_WORDS, MODELS, VERSION, leaking_facts
from redaction.proof.words.payload_words import (
    BREAKS,
    OTHER,
    SHORT_TEXT,
    UNDECLARED,
    WIDE_TEXT,
    PayloadWords,
)
from replay.derived import UNDONE
from replay.validator import Allowance

_ARRAYS: Final = ("chunks", "events")
_TOP: Final = frozenset(("fixture_version", "profile", "tool_schemas", "allow", "capture", "transport", *_ARRAYS))
_ALLOWANCES: Final = frozenset(name.value for name in Allowance)
# Every word of a fixture beside its payloads, whatever its key: what an empty conversation could say.
_EVERY_WORD: Final = frozenset(
    {*_TOP, *MODELS, *FAMILIES, *_ALLOWANCES, *FACT_WORDS, *BREAKS, *("0", "0.5", "-1", "2147483648")}
)
# An index, a status or a count. Which numbers may stand where is what the structure check decides.
_COUNT: Final = re.compile(r"[0-9]{1,4}")
_FORMS: Final = (_COUNT, SHORT_TEXT, OTHER, UNDECLARED, VERSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What one fixture may say, and the leaks in it. Those in argument text are asked for by themselves."""

    leaks: tuple[Leak, ...]
    _spoken: Spoken = field(repr=False)
    _declared: Declared = field(repr=False)
    _payloads: PayloadWords = field(repr=False)
    _arguments: ArgumentWords = field(repr=False)
    _undone: Callable[[str], str] = field(repr=False)

    def leaks_in_arguments(self, texts: Iterable[str], tool: str = "") -> Iterator[Leak]:
        """The leaks in assembled argument texts, which are those of calls of `tool`."""
        for text in map(self._undone, texts):
            if not (self._spoken.free_text and self._arguments.is_free_text(text, tool)):
                yield from map(Leak, self._arguments.leaks(text, tool))

    def leaks_in_calls(self, calls: Iterable[tuple[str, str]]) -> Iterator[Leak]:
        """The leaks in argument texts, each of which comes behind the name of its tool."""
        for tool, text in calls:
            yield from self.leaks_in_arguments([text], tool)

    @property
    def tools(self) -> frozenset[str]:
        """The names of the declared tools."""
        return frozenset(self._declared.tools)

    def made_up_numbers(self, texts: Iterable[str]) -> frozenset[Decimal]:
        """The long numbers in argument texts that stand for others and that nobody declared."""
        return frozenset(number for text in texts for number in self._arguments.made_up_numbers(text))

    def explains(self, word: str) -> bool:
        """Whether a fixture without any conversation could hold `word`."""
        text = word.removeprefix("\ufeff")  # which may stand before any argument text
        return (
            not text
            or word in _EVERY_WORD
            or word in self._payloads.words
            or word in self._declared.words
            or word in SCHEMA_WORDS
            or self._spoken.unlisted.fullmatch(text) is not None
            or self._payloads.has_form(text)
            or any(form.fullmatch(text) for form in _FORMS)
            or self._arguments.explain(text)
        )

    def may_say_of_a_call(self, member: str, text: str) -> bool:
        """Whether a payload could give a call `text` as its `id` or its `name`, whatever its family calls them."""
        keys = {"id": self._spoken.identifier_keys, "name": self._spoken.names}[member]
        return any(self._payloads.may_say(key, text) for key in keys)

    @property
    def indices(self) -> frozenset[int]:
        """The numbers that a choice or slot can have."""
        return frozenset(self._payloads.indices)


def vocabulary_of(fixture: object) -> Vocabulary:
    """The vocabulary of a fixture, given as its file reads back; equal payloads may be one object."""
    members = fixture if isinstance(fixture, dict) else {}
    spoken = _spoken(members)
    declared = Declared()
    capture = members.get("capture")
    wide = isinstance(capture, dict) and capture.get("lengths") == "exact"
    around = [*_leaks_around(members, spoken, declared)] if isinstance(fixture, dict) else [Leak("file")]
    arguments = ArgumentWords(declared, _schemas(members))  # behind what fills in what is declared
    payloads = PayloadWords(spoken, declared, WIDE_TEXT if wide else SHORT_TEXT, arguments.has_text)
    leaks = (*around, *_words_of_a_renamed_contract(capture, declared, arguments), *_leaks_inside(members, payloads))
    return Vocabulary(
        leaks=leaks,
        _spoken=spoken,
        _declared=declared,
        _payloads=payloads,
        _arguments=arguments,
        _undone=_undone(capture),
    )


def _undone(capture: object) -> Callable[[str], str]:
    """What takes from an argument text the words of the kind that the fixture was derived as."""
    told = capture.get("derived") if isinstance(capture, dict) else None
    kind = told.get("kind") if isinstance(told, dict) else None
    return UNDONE.get(kind.partition("+")[0], str) if isinstance(kind, str) else str


# What stands for a declared word where a fixture says that it has none.
_TOOL: Final = re.compile(r"tool_[0-9]{1,6}(?:\.tool_[0-9]{1,6})*")
_WORD: Final = re.compile(r"(?:field|value)_[0-9]{1,6}_?")
_LISTED: Final = re.compile(r"[0-9]{1,6}(?:\.5)?")


def _words_of_a_renamed_contract(capture: object, declared: Declared, arguments: ArgumentWords) -> Iterator[Leak]:
    """The classes of declared words that are as declared, in a fixture that says that they are ordinals.

    A name of which a pattern speaks is one of its placeholders.
    """
    renamed = capture.get("renamed") if isinstance(capture, dict) else None
    if renamed is None:
        return
    kept = declared.names if renamed == "values" else frozenset()
    if any(not (_WORD.fullmatch(text) or text in kept or arguments.is_placeholder(text)) for text in declared.texts):
        yield Leak("declared value")
    if any(_LISTED.fullmatch(str(number)) is None for number in declared.numbers):
        yield Leak("declared number")
    if renamed == "values":
        return
    if any(_TOOL.fullmatch(tool) is None for tool in declared.tools):
        yield Leak("declared tool")
    if any(not (_WORD.fullmatch(name) or arguments.is_placeholder(name)) for name in declared.names):
        yield Leak("declared name")


def _schemas(fixture: Mapping[str, object]) -> Mapping[str, object]:
    schemas = fixture.get("tool_schemas")
    return schemas if isinstance(schemas, dict) else {}


# Of no family: a fixture that names none may say nothing.
_SILENT: Final = Spoken(
    keys=frozenset(),
    words={"type": frozenset()},
    identifier=re.compile(r"(?!)"),
    identifier_keys=frozenset(),
    arguments=frozenset(),
)


def _spoken(fixture: Mapping[str, object]) -> Spoken:
    profile = fixture.get("profile")
    return FAMILIES[profile].spoken if isinstance(profile, str) and profile in FAMILIES else _SILENT


def _leaks_around(fixture: Mapping[str, object], spoken: Spoken, declared: Declared) -> Iterator[Leak]:
    """The leaks of a fixture outside its payloads; fills in what its tool schemas declare."""
    for key in fixture:
        if key not in _TOP:
            yield Leak("top-level key")
    version = fixture.get("fixture_version")
    if type(version) is not int or version != 1 or spoken is _SILENT:
        yield Leak("profile or version")
    schemas = fixture.get("tool_schemas")
    for name, schema in schemas.items() if isinstance(schemas, dict) else ():
        declared.tools.add(name)
        declared.parts.update(name.split("."))
        yield from map(Leak, read_schema(schema, declared))
        declared.words.add(name)
    if "tool_schemas" in fixture and not isinstance(schemas, dict):
        yield Leak("tool_schemas")
    if "allow" in fixture and not _are_allowances(fixture["allow"]):
        yield Leak("allow")
    for name in _ARRAYS:
        if not isinstance(fixture.get(name, []), list):
            yield Leak(name)
    yield from map(Leak, leaking_facts(fixture, len(_payloads(fixture)), spoken))
    capture = fixture.get("capture")
    if isinstance(capture, dict) and isinstance(capture.get("provider"), str):
        declared.words.add(capture["provider"])


def _leaks_inside(fixture: Mapping[str, object], words: PayloadWords) -> Iterator[Leak]:
    """The leaks in the payloads of a fixture. A payload that is clean is looked at once, wherever it comes again."""
    clean: set[int] = set()
    for event, payload in enumerate(_payloads(fixture)):
        words.count(payload)
        if id(payload) in clean:
            continue
        places = list(words.leaks(payload))
        yield from (Leak(place, event) for place in places)
        if not places:
            clean.add(id(payload))


def _payloads(fixture: Mapping[str, object]) -> list[object]:
    arrays = (fixture.get(name) for name in _ARRAYS)
    return [payload for array in arrays if isinstance(array, list) for payload in array]


def _are_allowances(value: object) -> bool:
    """Whether `value` lists allowances, each once."""
    return (
        isinstance(value, list)
        and all(isinstance(name, str) and name in _ALLOWANCES for name in value)
        and len({*value}) == len(value)
    )
