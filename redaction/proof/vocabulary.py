"""The closed vocabulary, read back from finished bytes: every key, string and number must be known to it.

Written apart from the masks, and by key name rather than by position, so that one cannot vouch for the other. A value
is allowed if it is a protocol word of its key, a name or bound that the fixture's own tool schemas declare, or a
placeholder. In: what the bytes of a fixture read back as. Out: the places that hold anything else, in closed words.
Nothing is guessed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from redaction.captured.payloads import Break
from redaction.families import FAMILIES
from redaction.families.family import Spoken
from redaction.placeholders import CONTRARY
from redaction.proof.declared import SCHEMA_WORDS, Declared, read_schema
from redaction.proof.known_facts import FACT_WORDS, MODELS, VERSION, strange_facts
from redaction.proof.known_placeholders import SchemaNumbers, schema_texts
from replay.validator import Allowance
from replay.validator.strict_json import printed

_PLACEHOLDER: Final = re.compile(r"x")
_OTHER: Final = re.compile(r"other_[0-9]{1,6}(?:_tool_result)?")
_UNKNOWN_KEY: Final = re.compile(r"unknown_[0-9]{1,6}")
_UNDECLARED: Final = re.compile(r"undeclared_[0-9]{1,6}")
_INDEX_LIMIT: Final = 2 * 4096
_COUNTER_LIMIT: Final = 4 * 1_000_000
_COUNTER: Final = re.compile(r"[0-9]{1,7}")

_TOP: Final = frozenset(
    ("fixture_version", "profile", "tool_schemas", "allow", "capture", "transport", "chunks", "events")
)


@dataclass(frozen=True, slots=True)
class Stranger:
    """A place that holds what the vocabulary does not know: the class of the place, and nothing of the value."""

    place: str
    event: int | None = None  # the payload that holds it


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What one fixture may say, and the places where it says anything else."""

    strangers: tuple[Stranger, ...]
    _declared: Declared = field(repr=False)
    _spoken: Spoken = field(repr=False)

    def in_arguments(self, texts: Iterable[str]) -> Iterator[Stranger]:
        """The places of assembled argument texts that the vocabulary does not cover."""
        for text in texts:
            if not (self._spoken.free_text and _argument_text(text, self._declared)):
                yield from _argument_strangers(text, self._declared)

    def explains(self, word: str) -> bool:
        """Whether a fixture without any conversation could hold `word`."""
        text = word.removeprefix("\ufeff")  # which may stand before any argument text
        return (
            not text
            or word in _EVERY_WORD
            or word in self._spoken.keys
            or any(word in words for words in self._spoken.words.values())
            or self._spoken.identifier.fullmatch(text) is not None
            or _named(text, self._declared, self._spoken)
            or (bool(self._spoken.counters) and _COUNTER.fullmatch(text) is not None)
            or word in self._declared.spoken
            or word in SCHEMA_WORDS
            or any(expression.fullmatch(text) for expression in (*_PLACEHOLDERS, _ARGUMENT_WORD))
            or _argument_text(text, self._declared)
            or (_NUMERIC.fullmatch(text) is not None and _argument_number(text.rstrip(".eE+-"), self._declared))
        )

    def knows(self, key: str, text: str) -> bool:
        """Whether a payload could say `text` under `key`."""
        return _text_allowed(key, text, self._declared, self._spoken)

    @property
    def indices(self) -> frozenset[int]:
        """The numbers that a choice or slot can have: those that the payloads say, and places in a list of calls."""
        return frozenset(self._declared.indices)


def vocabulary_of(fixture: object) -> Vocabulary:
    """The vocabulary of a fixture, given as its file reads back; equal payloads may be one object."""
    declared = Declared()
    spoken = _spoken(fixture)
    return Vocabulary(strangers=tuple(_strangers(fixture, declared, spoken)), _declared=declared, _spoken=spoken)


# Of no family: a fixture that names none may say nothing.
_SILENT: Final = Spoken(
    keys=frozenset(),
    words={"type": frozenset()},
    identifier=re.compile(r"(?!)"),
    identifier_keys=frozenset(),
    arguments=frozenset(),
)


def _spoken(fixture: object) -> Spoken:
    profile = fixture.get("profile") if isinstance(fixture, dict) else None
    return FAMILIES[profile].spoken if isinstance(profile, str) and profile in FAMILIES else _SILENT


def _strangers(fixture: object, declared: Declared, spoken: Spoken) -> Iterator[Stranger]:
    """Every place of a fixture that the closed vocabulary does not cover; fills in what the fixture declares."""
    if not isinstance(fixture, dict):
        yield Stranger("file")
        return
    for key in fixture:
        if key not in _TOP:
            yield Stranger("top-level key")
    version = fixture.get("fixture_version")
    if type(version) is not int or version != 1 or spoken is _SILENT:
        yield Stranger("profile or version")
    schemas = fixture.get("tool_schemas")
    for name, schema in schemas.items() if isinstance(schemas, dict) else ():
        declared.tools.add(name)
        declared.parts.update(name.split("."))
        yield from map(Stranger, read_schema(schema, declared))
        declared.spoken.add(name)
    if "tool_schemas" in fixture and not isinstance(schemas, dict):
        yield Stranger("tool_schemas")
    if "allow" in fixture and not _are_allowances(fixture["allow"]):
        yield Stranger("allow")
    payloads = []
    for name in _ARRAYS:
        if not isinstance(fixture.get(name, []), list):
            yield Stranger(name)
        payloads += _items(fixture.get(name))
    yield from map(Stranger, strange_facts(fixture, len(payloads), spoken))
    capture = fixture.get("capture")
    if isinstance(capture, dict):
        declared.widths = capture.get("lengths") == "exact"
        if isinstance(capture.get("provider"), str):
            declared.spoken.add(capture["provider"])
    clean: set[int] = set()
    for event, payload in enumerate(payloads):
        if id(payload) in clean:
            continue
        found = list(_payload(payload, declared, spoken))
        yield from (Stranger(stranger.place, event) for stranger in found)
        if not found:
            clean.add(id(payload))


_ALLOWANCES: Final = frozenset(name.value for name in Allowance)
_ARRAYS: Final = ("chunks", "events")


def _are_allowances(value: object) -> bool:
    """Whether `value` lists allowances, each once."""
    return (
        isinstance(value, list)
        and all(isinstance(name, str) and name in _ALLOWANCES for name in value)
        and len({*value}) == len(value)
    )


_NUMERIC: Final = re.compile(r"-?[0-9.eE+-]+")
# An index, a status or a count. Which numbers may stand where is what the structure check decides.
_COUNT: Final = re.compile(r"[0-9]{1,4}")
_PLACEHOLDERS: Final = (_COUNT, _PLACEHOLDER, _OTHER, _UNKNOWN_KEY, _UNDECLARED, VERSION)
# Every word of a fixture beside its payloads, whatever its key: what an empty conversation could say.
_EVERY_WORD: Final = frozenset(
    {
        *_TOP,
        *MODELS,
        *FAMILIES,
        *_ALLOWANCES,
        *FACT_WORDS,
        *("0", "0.5", "-1", "2147483648"),
        *(kind.value for kind in Break),
    }
)


_BREAKS: Final = frozenset(kind.value for kind in Break)


def _payload(payload: object, declared: Declared, spoken: Spoken) -> Iterator[Stranger]:
    """One payload by itself; argument text is judged assembled, by `Vocabulary.in_arguments`."""
    if isinstance(payload, str):
        if payload not in _BREAKS:
            yield Stranger("payload that is no JSON")
        return
    waiting: list[tuple[str, object]] = [("", payload)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            for name, inner in value.items():
                if name not in spoken.keys and not _UNKNOWN_KEY.fullmatch(name):
                    yield Stranger(f"key in {_key(key, spoken)}")
                if not _is_argument(name, inner, spoken):
                    waiting.append((name, inner))
                elif isinstance(inner, dict) and not _is_plainly_spelled(inner):
                    yield Stranger("argument number")
                if name in spoken.slots and isinstance(inner, int) and 0 <= inner <= _INDEX_LIMIT:
                    declared.indices.add(inner)
        elif isinstance(value, list):
            waiting += [(key, inner) for inner in value]
            if key == "tool_calls":
                declared.indices.update(range(len(value)))
        elif isinstance(value, str):
            if not _text_allowed(key, value, declared, spoken):
                yield Stranger(f"text of {_key(key, spoken)}")
        elif value is True or not _number_allowed(key, value, spoken):
            yield Stranger(f"value of {_key(key, spoken)}")


def _is_argument(key: str, value: object, spoken: Spoken) -> bool:
    """Whether a value is argument text or an object of arguments, which are judged assembled and printed."""
    if isinstance(value, str):
        return key in spoken.arguments
    return isinstance(value, dict) and key in spoken.whole_arguments


def _is_plainly_spelled(arguments: dict[str, object]) -> bool:
    """Whether each number of an argument object is spelled as it is printed: its zeros and its exponent say nothing."""
    waiting: list[object] = [arguments]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif isinstance(here, int | Decimal) and not isinstance(here, bool) and str(here).lower() != printed(here):
            return False
    return True


def _key(key: str, spoken: Spoken) -> str:
    return "payload" if not key else key if key in spoken.keys else "an unknown key"


def _text_allowed(key: str, value: str, declared: Declared, spoken: Spoken) -> bool:
    if not value or _PLACEHOLDER.fullmatch(value) or (declared.widths and not value.strip("x")):
        return True
    if key in spoken.words and (value in spoken.words[key] or _OTHER.fullmatch(value)):
        return True
    if key == "model":
        return value in MODELS
    if key in spoken.names:
        return _named(value, declared, spoken)
    return key in spoken.identifier_keys and spoken.identifier.fullmatch(value) is not None


def _named(value: str, declared: Declared, spoken: Spoken) -> bool:
    """Whether this is the name of a declared tool, or stands for one that is not; or parts of either."""
    if value in declared.tools or _UNDECLARED.fullmatch(value):
        return True
    if not spoken.parted_names:
        return False
    return all(not part or part in declared.parts or _UNDECLARED.fullmatch(part) for part in value.split("."))


def _number_allowed(key: str, value: object, spoken: Spoken) -> bool:
    if value is None or value is False:
        return True
    counts = key in spoken.counters
    if (counts or key in spoken.indices) and isinstance(value, Decimal):
        return str(value) == "0.5"
    if type(value) is not int:
        return False  # a zero may be written with any exponent, and with any number of digits
    if counts and 0 <= value <= _COUNTER_LIMIT:
        return True
    return value == 0 or ((counts or key in spoken.indices) and (-1 <= value <= _INDEX_LIMIT or value == 2**31))


# The tokens of argument text, whatever its state: complete and open strings, numbers, words, all else one by one.
_TOKEN: Final = re.compile(
    r'"(?P<text>(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*+)(?P<close>"?)'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z]+)|(?P<rest>.)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# A raw tab is what stands for any control character that broke a string.
_ARGUMENT_TEXT: Final = re.compile(
    "[x\U0001f600\ud800]*(?:\tx*)?|(?:key|x)_[0-9]{1,7}x*(?:\tx*)?|([" + re.escape(CONTRARY) + "])\\1*"
)
_ARGUMENT_WORD: Final = re.compile(
    r"(?:true|false|null|NaN|-?Infinity|[eEu])?x*|t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|I(?:n(?:f(?:i(?:n(?:it?)?)?)?)?)?"
)
_ARGUMENT_REST: Final = frozenset('{}[],: \t\\.+-\ufeff"')
_ROUND: Final = re.compile(r"-?(?:0{1,3}|10*)(?:\.[05]?0*)?(?:e999)?")


def _argument_strangers(text: str, declared: Declared) -> Iterator[Stranger]:
    """The places of an assembled argument text that the vocabulary does not cover, token by token."""
    for match in _TOKEN.finditer(text):
        if match["rest"] is not None:
            if match["rest"] not in _ARGUMENT_REST:
                yield Stranger("argument text")
        elif match["number"] is not None:
            if not _argument_number(match["number"], declared):
                yield Stranger("argument number")
        elif match["word"] is not None:
            if not _ARGUMENT_WORD.fullmatch(match["word"]):
                yield Stranger("argument word")
        elif not _argument_text(_unescaped(match["text"]), declared):
            yield Stranger("argument string")


def _unescaped(raw: str) -> str:
    def one(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT_ESCAPES.get(match[2], match[2])

    text = _ESCAPE.sub(one, raw) if "\\" in raw else raw
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _argument_text(value: str, declared: Declared) -> bool:
    if not value or _ARGUMENT_TEXT.fullmatch(value) or value in declared.names or value in declared.texts:
        return True
    if ("text", value) not in declared.judged:
        declared.judged["text", value] = schema_texts(value, declared.assertions, distinct=declared.distinct)
    return declared.judged["text", value]


def _argument_number(text: str, declared: Declared) -> bool:
    if _ROUND.fullmatch(text):
        return True
    if ("number", text) not in declared.judged:
        if declared.samples is None:
            declared.samples = SchemaNumbers(declared.assertions, distinct=declared.distinct)
        plain = _WRITTEN_OUT.fullmatch(text) is not None and Decimal(text) in declared.numbers
        declared.judged["number", text] = plain or declared.samples.hold(text)
    return declared.judged["number", text]


# A number without exponent, and with no zeros before it that could say something.
_WRITTEN_OUT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []
