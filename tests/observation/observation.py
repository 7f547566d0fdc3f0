"""What a fixture still tells of a capture, as data: the list, and an exchange reduced to exactly that.

Two captures with one observation give byte-identical fixtures at the default setting. `TOLD` is the list that
SECURITY.md prints; `observe` reads an exchange down to it. What an `Observation` does not hold (values, ids, texts,
lengths, prose, numbers of use, times) does not reach a file. Knows positions and tokens; masks and judges nothing.
"""

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import Final, TypeAlias

from observation.observed_text import Beside, FreeSeen, TextSeen, text_seen

from redaction.captured.argument_texts import Group
from redaction.captured.exchange import CALLED_TOOLS, Exchange, Pieces, Refused
from redaction.captured.facts import capture_facts, stream_end, transport_facts
from redaction.captured.faults import Fault, Place, worst
from redaction.captured.judged_capture import capture, understood
from redaction.captured.laid_pieces import Laid, has_leaf, lay, piece_of, said
from redaction.captured.payloads import Break, Broken, as_clients_read
from redaction.captured.request import read_request
from redaction.captured.threads import Threads, compared, same_texts
from redaction.captured.untold_texts import says_as, stands_alone
from redaction.families import FAMILIES
from redaction.families.models import model
from redaction.families.tables.treatments import ByType, Formed, Rule, Table, Treatment, Unlisted
from redaction.masks.contract.declarations import declared_tools
from redaction.masks.laid_pieces import fragments
from redaction.masks.mask import (
    KEPT_COUNTER,
    KEPT_INDEX,
    TOOL_RESULT,
    Ordinals,
    is_base64,
    is_index_text,
    is_whole_index,
    said_boolean,
)
from redaction.masks.tool_schemas import property_names
from redaction.proof.calls_in_text import holds_call
from redaction.redactor import MAX_BODY_BYTES, shown
from replay.validator.listener import Form, Heard
from replay.validator.paths import Piece, read_path
from replay.wire.coding import decoder


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One thing that a fixture tells: what it is about, and in plain words what may be learnt."""

    about: str
    what: str


# The whole list: a heading, and under it one line for each thing. What is not here is told by no fixture at the
# default setting.
_LIST: Final = """
the capture
- the profile, the provider's name in your configuration, and how the exchange was seen (reverse, forward, import)
- the public name of the model where the shipped list has it, else its family, else that it is unknown
- the client SDK and its version, where its user agent is a known one; of eight characters or more its first two numbers
- the tool choice (auto, none, required, named), and whether parallel calls were asked for or refused
- whether the stream was complete, or which side ended it
- the allowances of the gateway, the version of the policy, and the rung of the ladder
the transport
- the status, the content coding, and the content type where it is one of the usual spellings
- which line ends occurred, a byte order mark, how many end markers came last, and whether half an event was left
- at which events an id or a retry time stood, and how many comments before each
- how many lines of data an event had, where it had more than one
- where blocks without data stood (a keep-alive: a comment and a blank line), how many alike, and of each how many
  comments it had, whether an id or a retry time, and its name, which is told as that of an event
- the event names that the protocols know; of others, that there was one
- whether every event was named as the type in its payload
- how the body is divided into payloads, of the framings that the family has, and whether an array was not closed
the events
- how many events there were, and their order; but in a turn without a tool call and without a finding, of each run of
  deltas of text or reasoning that look alike how many there were as a power of two, rounded down (1, 2, 4, 8 and so
  on), and of pings and keep-alives among them that there was one
- the members of each payload that the policy names, and their order
- of other members, that one was there, and which of them had the same name; with bedrock-converse, of an event,
  whether the name began with `amazon-bedrock-` or ended in `Exception`; with gemini, of a part, whether it ended in
  `call`
- booleans that decide: with gemini whether a text is a thought and whether a call or piece goes on, with ollama whether
  the turn is done; of a text there, whether it is a word for true or false
- with gemini, a finish reason that is a number, as indices are told
- the words at protocol positions (type, role, finish reason and their like) that the policy lists
- of other words there, which were the same, and whether they ended in `_tool_result`
- the JSON type of everything else: null, boolean, number, list, object; of text, whether it was empty; of bytes,
  whether they were base64 (signatures and data of gemini, redacted content of bedrock-converse)
- where the protocol has an object, whether a list in its place was empty
- indices up to 4096, also where they are texts or written with a fraction of zero; of larger ones the order; whether
  one was negative, another fraction or too large, and of a boolean in the place of one, which
- sequence numbers up to 999,999; of larger ones, which were the last one plus 1
- which ids of one kind (completions, responses, calls, other items) were the same; with mistral, ids that say `null`;
  which ids were the same number, and which 0
- of what stands in the place of a name, an id, arguments or a list of calls, and is of another type, whether it was
  empty or 0
- the names of called tools that the request declares, in pieces where they came so; of others, which were the same;
  with openai-responses, of each part that dots divide
- whether a message repeated exactly the tool calls of its delta
- whether some client may find a call in the text of the answer
- of a payload that is no JSON value, in which way it is none (cut off, two documents, a repeated key, and so on)
- of one that is none for the numbers that JSON has not (`NaN`, `Infinity`, one too large), or for halves of surrogate
  pairs at the ends of texts, all that is told of payloads; which of these numbers stood where, and which half where; of
  all inside of a value of which only the type is told, one
streamed arguments
- how many deltas each call had, and which were empty or white space alone
- of each full copy, whether it was the same text as the deltas made; of one that was not, all that follows
- of a text for a custom tool, which is no JSON, how many deltas, whether it was white space alone, and which
  assertions of the tool's schema held; nothing of what follows
- the JSON shape: members, items and their order, `true`, `false`, `null`, `NaN`, `Infinity`
- property names, and enum and const values, that the tool's schema declares
- of each other string, number and key, which assertions of the schema about its place held, in every branch
- whether a number of eight characters or more was the very one that its answers give; another stands for it then
- whether a number was too large for a double, and whether all others were such that one holds
- which undeclared keys of one object were the same
- of calls with one id, whether their arguments were the same text, where each was cut, and which strings, numbers and
  keys in them were the same
- of a string where the schema wants a number, boolean, object or array, what it reads as: a number with or without a
  fraction, and which assertions about numbers it satisfies; a word for true or false, of which kind; `NaN`; of a JSON
  text, all that is told of arguments
- where the schema wants an integer, whether a number was written with a fraction or exponent; where it wants a boolean,
  whether a number was 0 or 1
- of arguments that no call of the verdict takes, such as those of a payload that is no legal one or of a list that came
  twice, all of this, and which text for the same tool they repeat
- where an argument text began anew: behind another id, name or terminal, or where the index was missing
- of an object that came piece by piece, how many pieces with characters each string had, which were empty, and the path
  of each piece: which member it names, the spelling of the step, and indices that fit or are at most 4096
- of a piece that is out of place, its path in the same manner, and the type of its value
- under `uniqueItems`, which strings, numbers and keys inside were the same
- for each cut what it divided: two tokens, a token, a string between two characters, an escape or a surrogate pair
- where in an escape or a surrogate pair a cut stood, and where in a literal, an escape or a number that broke off
- half surrogate pairs in strings, and between which cuts they stood
- the spelling of a declared word in which an escape was cut
- which strings and keys have a control character in them, and whether white space that JSON has not stood before the
  first token or behind the last; all that is told of other arguments is told of these
- of broken JSON, where among the tokens the error stood, and the class of the first unexpected character: itself if
  it is one of `{}[],:"\\`, or behind a number one of `.eE+-`; else digit, control or other
- whether white space stood before the error, how many cuts came behind it, and in an escape or a number whether more
  characters came
- the piece of a literal, an escape or a number that broke off at the end, hex digits hidden; a byte order mark
the tools
- how many there are, and their order
- of those that the turn names, whole or in pieces: their names and the assertions of their schemas, which are property
  names, enum and const values, patterns, formats and bounds; not titles, descriptions, defaults, examples, comments or
  names of definitions
- of all others, the keywords, types and formats in their schemas, how many names, values and patterns these have, and
  which are the same; with `--all-tools` what is told of the others
- that a schema has something outside the supported subset, and among which keywords
only where it was needed or asked for
- with `--pieces exact`, of which there is no `capture.pieces`, each delta of such a turn, and its place
- with `--lengths exact`, which `capture.lengths` names, the widths of texts and argument fragments in UTF-8
- with `--sample`, which `capture.sample` names, the rate, and whether streams or whole sessions were chosen; with
  `--sample-by` also that the hash of what named its session is one of those that are taken
- with `--keep-reads`, which `capture.reads` names, in which event each network read ended, and what it divided there:
  two events, a line end, a character, an escape, a string, the name of a field, or the JSON between
- with `--keep-timing`, which `capture.timing` names, when each event came, or where reads are kept each read: in steps
  of 100 milliseconds since the head of the response
- on the rung `needed_lengths`, which `capture.rung` names, a lower bound of the length of those argument values and
  keys that no shorter placeholder can stand for
- on the rung `exact_lengths`, a lower bound of the length of every argument value and key; in a turn that ends at a
  limit of the rules (`limit_exceeded`), the widths of its argument fragments
"""


def _told(text: str) -> tuple[Told, ...]:
    found: list[Told] = []
    about = ""
    for line in text.strip().splitlines():
        if line.startswith("- "):
            found.append(Told(about=about, what=line.removeprefix("- ")))
        elif line.startswith("  "):
            found[-1] = Told(about=about, what=f"{found[-1].what} {line.strip()}")
        else:
            about = line
    return tuple(found)


TOLD: Final = _told(_LIST)


def page() -> str:
    """The list in Markdown, as SECURITY.md prints it."""
    lines: list[str] = []
    about = ""
    for told in TOLD:
        if told.about != about:
            about = told.about
            lines += ["", f"**{about[0].upper()}{about[1:]}**", ""]
        lines += textwrap.wrap(
            told.what, 116, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines).strip() + "\n"


class Json(Enum):
    """The type of a value of which nothing else is told; texts are not empty."""

    TEXT = "text"
    ENCODED = "text that is base64"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    OBJECT = "object"
    # where the protocol has an object, or a tool input, that something was in it is told
    # where names, ids, arguments or lists of calls stand, that a number is not 0 is told
    FILLED_NUMBER = "number other than 0"
    ZERO = "number 0"
    TRUE = "true"
    FALSE = "false"
    # a text where a boolean decides
    TRUE_WORD = "word for true"
    FALSE_WORD = "word for false"
    OTHER_WORD = "text that is no word for a boolean"
    FILLED_LIST = "list with an item"
    FILLED_OBJECT = "object with a member"
    EMPTY_OBJECT = "object without any"
    # what is the path of a piece of an object, though the piece belongs to none
    PATH = "path"
    ARRAY_PATH = "path of an array"


# How the name of an unlisted member ends that says that it is a call, in whatever case.
CALL: Final = "call"


class Odd(Enum):
    """A number at the place of an index that is none, or too large to keep."""

    NEGATIVE = "negative"
    FRACTION = "fraction"
    BEYOND = "past the largest index"


@dataclass(frozen=True, slots=True)
class Free:
    """A value of this type."""

    json: Json


@dataclass(frozen=True, slots=True)
class Same:
    """A text of which only is told which others of its site it equals."""

    site: str
    number: int


@dataclass(frozen=True, slots=True)
class SameNumber:
    """A number in the place of an id, of which is told which others it equals; none is 0."""

    number: int


@dataclass(frozen=True, slots=True)
class WithFraction:
    """A number that is an index, but for the fraction or exponent with which it is written."""

    number: int


@dataclass(frozen=True, slots=True)
class Deciding:
    """A key that no table names, which begins or ends so that it decides what its object is."""

    same: Same
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class Large:
    """An index that is not kept: its rank among those."""

    rank: int


@dataclass(frozen=True, slots=True)
class Counter:
    """A number of a sequence that is kept."""

    number: int


class Step(Enum):
    """A number of a sequence that is not kept: what it was to the one before."""

    NEXT = "the last one plus 1"
    OTHER = "any other"


@dataclass(frozen=True, slots=True)
class Dotted:
    """A tool name that is not declared: its parts, which dots divide; those that a declared name has as they are."""

    parts: "tuple[str | Same, ...]"


@dataclass(frozen=True, slots=True)
class Named:
    """A model, as a fixture names it."""

    model: str


@dataclass(frozen=True, slots=True)
class PieceOf:
    """A fragment: the number of its text, its own among the filled fragments of it, and how many of them it is."""

    text: int
    piece: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class CopyOf:
    """The text with this number, whole once more."""

    text: int


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """The object that is printed as the text with this number."""

    text: int


# One step into the object of a text: the place of a member, or an index.
Inside: TypeAlias = "tuple[int, ...]"


@dataclass(frozen=True, slots=True)
class StringOf:
    """Some of a string in the object that is printed as a text: the how many-th of so many pieces with characters."""

    text: int
    at: Inside
    piece: int
    pieces: int


@dataclass(frozen=True, slots=True)
class NumberAt:
    """A number in the object that is printed as a text."""

    text: int
    at: Inside


@dataclass(frozen=True, slots=True)
class Known:
    """A name in a path: that of the member at this place, in this spelling."""

    place: int
    spelling: str


@dataclass(frozen=True, slots=True)
class New:
    """A name in a path that leads nowhere: a declared one, or which others beside it are the same."""

    name: "str | Same"
    spelling: str


@dataclass(frozen=True, slots=True)
class PathOf:
    """The path of a piece of the object that is printed as a text; None for an index too large to keep."""

    text: int
    steps: "tuple[Known | New | int | None, ...]"
    array: bool


@dataclass(frozen=True, slots=True)
class Mirrored:
    """The same value as the tool calls of the `delta` beside it, its members in this order."""

    calls: "Node"


# A payload: told words, numbers and nulls as they are, and one of the above for everything else. Objects are tuples of
# members, so that their order counts.
@dataclass(frozen=True, slots=True)
class Members:
    """An object: its members in order."""

    members: "tuple[tuple[str | Same | Deciding, Node], ...]"


@dataclass(frozen=True, slots=True)
class Faults:
    """A payload that is no JSON and that clients read: what is told of its value, and the faults by their places."""

    value: "Node"
    faults: "tuple[tuple[Place, Fault], ...]"


Node: TypeAlias = (
    "str | int | Free | Same | SameNumber | WithFraction"
    " | Dotted | Large | Counter | Step | Odd | Named | PieceOf | CopyOf | ObjectOf | StringOf"
    " | NumberAt | PathOf | Mirrored | Break | Faults | Members | tuple[Node, ...] | None"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """All that a fixture tells. Two captures that have equal ones have one fixture."""

    profile: str
    allow: tuple[str, ...]
    tool_schemas: Mapping[str, object]
    capture: Mapping[str, object]
    transport: Mapping[str, object]
    payloads: tuple[Node, ...]
    texts: tuple[TextSeen | FreeSeen, ...]


def observe(exchange: Exchange) -> Observation | None:
    """The observation of an exchange; None where its profile is unknown or its body cannot be read."""
    found = understood(exchange, limit=MAX_BODY_BYTES)
    if isinstance(found, Refused):
        return None
    exchange, body = found
    pieces, end = Pieces.EXACT, stream_end(exchange.profile, body, exchange.ending)
    in_the_text = holds_call(body.payloads)
    judged = capture(exchange, limit=MAX_BODY_BYTES, undo=decoder)
    if not isinstance(judged, Refused):
        showing = shown(judged, Pieces.ROUNDED)
        body, pieces = showing.body, showing.pieces
    request = read_request(exchange.profile, exchange.request_body, body.payloads)
    raw_schemas = {**exchange.schemas, **request.tool_schemas}
    threads = Threads(exchange.profile, body.payloads)
    told = declared_tools(exchange.profile, body.payloads, threads, raw_schemas, CALLED_TOOLS)
    named = {name: told.schemas[name] for name in told.names}
    texts, places = _texts(threads, named)
    reader = _Reader(exchange.profile, named, body.payloads, places, told.names.keys() | told.pieces.keys())
    return Observation(
        profile=exchange.profile,
        allow=exchange.allow,
        tool_schemas=told.schemas,
        capture={
            **capture_facts(exchange, request, body, stream_end=end, rung="canonical", pieces=pieces),
            "call in the text": in_the_text,
        },
        transport=transport_facts(exchange, body),
        payloads=tuple(reader.payload(event, payload) for event, payload in enumerate(body.payloads)),
        texts=tuple(texts),
    )


Path: TypeAlias = tuple[str | int, ...]
Places: TypeAlias = dict[tuple[int, Path], PieceOf | CopyOf | ObjectOf | StringOf | NumberAt | PathOf]


def _texts(threads: Threads, schemas: Mapping[str, object]) -> tuple[list[TextSeen | FreeSeen], Places]:
    """What is told of each argument text, and of each copy that differs; and where their pieces stand."""
    texts: list[TextSeen | FreeSeen] = []
    places: Places = {}
    units = threads.units(schemas.keys())
    tools: dict[int, str] = {}  # of each text
    together = _compared(units, schemas, texts, places, tools)
    for at_unit, group in enumerate(units):
        if at_unit in together:
            continue
        number = len(texts)
        if group.laid:
            laid = lay(group.laid)
            texts.append(text_seen([text for text in fragments(laid)[0] if text], schemas, group.tool, free=False))
            places.update(_laid(number, group.laid, laid, property_names(schemas.get(group.tool))))
            continue
        filled = [piece for piece in group.pieces if piece.text]
        seen = text_seen([piece.text for piece in filled], schemas, group.tool, free=group.free)
        if isinstance(seen, TextSeen) and any(stands_alone(piece) for piece in filled):
            seen = replace(seen, says_not=tuple(at for at, tool in tools.items() if tool == group.tool))
        texts.append(seen)
        tools[number] = group.tool
        for at, piece in enumerate(filled):
            places[piece.event, piece.path] = ObjectOf(number) if piece.form is Form.OBJECT else PieceOf(number, at)
        _copied(group, number, schemas, texts, places)
    return texts, places


def _copied(
    group: Group, number: int, schemas: Mapping[str, object], texts: list[TextSeen | FreeSeen], places: Places
) -> None:
    """What is told of each copy of the text with this number, in its place and beside it."""
    for copy in (*group.copies, *group.beside):
        if not copy.text:
            continue
        is_object = copy.form is Form.OBJECT
        if says_as(copy, group.form, group.text()):
            places[copy.event, copy.path] = ObjectOf(number) if is_object else CopyOf(number)
        else:
            places[copy.event, copy.path] = ObjectOf(len(texts)) if is_object else PieceOf(len(texts), 0)
            texts.append(text_seen([copy.text], schemas, group.tool, free=group.free, unlike=number))


def _laid(
    number: int, heard: Sequence[Heard], laid: Laid, declared: frozenset[str]
) -> "dict[tuple[int, Path], StringOf | NumberAt | PathOf]":
    """What is told of the path and value of each piece."""
    found: dict[tuple[int, Path], StringOf | NumberAt | PathOf] = {}
    outside = {id(one) for one in laid.misfits}
    new = Ordinals()
    for one in heard:
        piece = piece_of(one)
        steps = tuple(_step(laid, piece, at, declared, new, f"name of {number}") for at in range(len(piece.path)))
        found[one.event, (*one.path, "jsonPath")] = PathOf(number, steps, piece.array)
        if id(one) in outside or not has_leaf(piece) or not said(piece):
            continue
        inside = tuple(step.place if isinstance(step, Known) else step for step in steps)
        assert all(isinstance(step, int) for step in inside)
        filled = [other for other in laid.leaves[piece.path] if said(piece_of(other))]
        if isinstance(piece.value, str):
            at = next(at for at, other in enumerate(filled) if other is one)
            found[one.event, (*one.path, "stringValue")] = StringOf(number, inside, at, len(filled))  # type: ignore[arg-type]
        else:
            found[one.event, (*one.path, "numberValue")] = NumberAt(number, inside)  # type: ignore[arg-type]
    return found


def _step(
    laid: Laid, piece: Piece, at: int, declared: frozenset[str], new: Ordinals, site: str
) -> "Known | New | int | None":
    step, here = piece.path[at], laid.value
    for before in piece.path[:at]:
        inside = isinstance(here, (dict, list)) and (
            before in here if isinstance(here, dict) else isinstance(before, int) and before < len(here)
        )
        here = here[before] if inside else None  # type: ignore[index]
    if isinstance(step, int):
        fits = isinstance(here, list) and step < len(here)
        return step if fits or step <= KEPT_INDEX else None
    if isinstance(here, dict) and step in here:
        return Known(list(here).index(step), piece.spelling[at])
    if step in declared:
        return New(step, piece.spelling[at])
    return New(Same(site, new[repr((piece.path[:at], step))]), piece.spelling[at])


def _compared(
    units: Sequence[Group],
    schemas: Mapping[str, object],
    texts: list[TextSeen | FreeSeen],
    places: Places,
    tools: dict[int, str],
) -> set[int]:
    """Fills in the texts of calls that share an id, and where their pieces stand; the numbers of these units.

    Of one text that came twice is told where each was cut, and of two texts which values were the same.
    """
    found: set[int] = set()
    for number, numbers in enumerate(compared(units)):
        found.update(numbers)
        beside = Beside(number)
        first = len(texts)
        copied: list[tuple[Group, int]] = []
        for one in same_texts(units, numbers):
            filled = [piece for piece in one.fragments if piece]
            seen = text_seen(filled, schemas, one.tool, free=False, beside=beside)
            assert isinstance(seen, TextSeen)
            texts.append(replace(seen, other_than=tuple(range(first, len(texts)))))
            tools[len(texts) - 1] = one.tool
            for at, runs in one.runs.items():
                for piece, (start, end) in zip(units[at].pieces, runs, strict=True):
                    if piece.text:
                        whole = ObjectOf(len(texts) - 1) if piece.form is Form.OBJECT else None
                        places[piece.event, piece.path] = whole or PieceOf(len(texts) - 1, start, end - start)
                copied += ((units[at], len(texts) - 1) for at in one.runs)
        for unit, at in copied:
            _copied(unit, at, schemas, texts, places)
    return found


class _Reader:
    """Reads the payloads of one capture down to what is told; equality is over all of them."""

    def __init__(
        self,
        profile: str,
        schemas: Mapping[str, object],
        payloads: Sequence[object],
        pieces: Places,
        names: Collection[str],
    ) -> None:
        self._names = names  # of declared tools, and the pieces that make one
        self._table = FAMILIES[profile].table
        parts = {part for name in schemas for part in name.split(".")}
        self._parts = parts if FAMILIES[profile].spoken.parted_names else None
        self._last: int | None = None  # the last number of a sequence
        self._verbatim = FAMILIES[profile].verbatim_ids
        self._schemas = schemas
        self._pieces = pieces
        self._sites = {
            site: Ordinals() for site in (*FAMILIES[profile].identifiers, "word", "tool", "member", "number")
        }
        large = {number for payload in map(as_clients_read, payloads) for number in _large(payload, self._table)}
        self._ranks = {number: rank for rank, number in enumerate(sorted(large))}
        self._event = 0

    def payload(self, event: int, value: object) -> Node:
        self._event = event
        if not isinstance(value, Broken):
            return self._node(value, self._table, ())
        if value.faulty is None:
            return value.kind
        node = self._node(value.faulty.value, self._table, ())
        seen: dict[Place, list[Fault]] = {}
        for place, fault in value.faulty.faults.items():
            seen.setdefault(_seen_at(node, place), []).append(fault)
        return Faults(node, tuple((place, worst(faults)) for place, faults in seen.items()))

    def _node(self, value: object, table: Table, path: Path) -> Node:
        if isinstance(table, Rule):
            return None if value is None else self._leaf(value, table, path)
        if isinstance(table, (ByType, Formed)):
            return self._node(value, _chosen(table, value), path)
        if isinstance(table, list):
            if not isinstance(value, list):
                return _hollow(value) if isinstance(value, dict) else _free(value)
            return tuple(self._node(item, table[0], (*path, at)) for at, item in enumerate(value))
        table, unlisted = (table.table, table) if isinstance(table, Unlisted) else (table, None)
        if not isinstance(value, dict):
            if isinstance(value, list):
                return Free(Json.FILLED_LIST) if value else ()
            return _free(value)
        mirror = _mirrors(value)
        return Members(
            tuple(
                (
                    key if key in table else self._unlisted(key, unlisted),
                    self._node(inner, table[key], (*path, key)) if key in table else _free(inner),
                )
                if key != "message" or not mirror
                else (key, self._mirroring(inner, table[key], (*path, key)))
                for key, inner in value.items()
            )
        )

    def _unlisted(self, key: str, decides: Unlisted | None) -> "Same | Deciding":
        """A key that no table names; and how it begins and ends, where that decides what it is."""
        found = decides.name.search(key) if decides is not None else None
        parts = found.groupdict("") if found is not None else {}
        same = self._same("member", key)
        if found is None:
            return same
        return Deciding(same, parts.get("beside", ""), parts.get("error", "") if parts else CALL)

    def _mirroring(self, message: object, table: Table, path: Path) -> Node:
        node = self._node(message, table, path)
        assert isinstance(node, Members)
        return Members(tuple((key, Mirrored(inner) if key == "tool_calls" else inner) for key, inner in node.members))

    def _same(self, site: str, raw: str) -> Same:
        return Same(site, self._sites[site][raw])

    def _leaf(self, value: object, rule: Rule, path: Path) -> Node:
        if rule.treatment is Treatment.INDEX or (rule.treatment is Treatment.REASON and not isinstance(value, str)):
            return self._index(value)
        if rule.treatment is Treatment.FLAG and isinstance(value, (bool, str)):
            return value if isinstance(value, bool) else _said_boolean(value)
        if rule.treatment is Treatment.NULL and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            return Odd.FRACTION if value else 0
        if rule.treatment is Treatment.PIECE and not isinstance(value, bool):
            return self._pieces.get((self._event, path), _free(value))
        if rule.treatment is Treatment.COUNTER:
            return self._counter(value)
        if rule.treatment in (Treatment.FRAGMENT, Treatment.WHOLE):
            alone = _free(value) if isinstance(value, str) else _hollow(value)
            return self._pieces.get((self._event, path), alone)
        if rule.treatment is Treatment.IDENTIFIER and isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            number = self._sites["number"][str(Decimal(value).normalize())] if value else 0
            return SameNumber(number) if number else Free(Json.ZERO)
        if not isinstance(value, str):
            return _hollow(value) if rule.treatment in _OF_CALLS else _free(value)
        match rule.treatment:
            case Treatment.PATH:
                kind = Json.ARRAY_PATH if value.endswith("[]") else Json.PATH
                return self._pieces.get((self._event, path), _free(value) if read_path(value) is None else Free(kind))
            case Treatment.NULL if value not in rule.words:
                return _free(value)
            case Treatment.MODEL:
                return Named(model(value))
            case Treatment.WORD | Treatment.REASON if value and value not in rule.words:
                number = self._sites["word"][value]
                return Same("result" if value.endswith(TOOL_RESULT) else "word", number)
            case Treatment.IDENTIFIER if value and value not in self._verbatim:
                return self._same(rule.site, value)
            case Treatment.TOOL_NAME if value and value not in self._names:
                return self._same("tool", value) if self._parts is None else self._dotted(value, self._parts)
            case Treatment.ENCODED if value and is_base64(value):
                return Free(Json.ENCODED)
            case Treatment.TEXT | Treatment.ENCODED | Treatment.EMPTY | Treatment.WHOLE | Treatment.FLAG:
                return _free(value)
        return value

    def _dotted(self, name: str, known: "set[str]") -> Node:
        parts = (part if not part or part in known else self._same("tool", part) for part in name.split("."))
        return Dotted(tuple(parts))

    def _counter(self, value: object) -> Node:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MAX_INDEX:
            return self._index(value)
        last, self._last = self._last, value
        if value <= KEPT_COUNTER:
            return Counter(value)
        return Step.NEXT if last is not None and value == last + 1 else Step.OTHER

    def _index(self, value: object) -> Node:
        if isinstance(value, Decimal):
            return WithFraction(int(value)) if is_whole_index(value) else Odd.FRACTION
        if isinstance(value, str):
            return value if is_index_text(value) else _free(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return value if isinstance(value, bool) else _free(value)
        if value < 0:
            return Odd.NEGATIVE
        if value > _MAX_INDEX:
            return Odd.BEYOND
        return value if value <= KEPT_INDEX else Large(self._ranks[value])


def _seen_at(node: Node, place: Place) -> Place:
    """The place at which a fault is told: inside of what is emptied, the first one."""
    if not place or isinstance(node, ObjectOf):
        return place
    if isinstance(node, (Members, tuple)):
        inner = node.members[place[0]][1] if isinstance(node, Members) else node[place[0]]
        return (place[0], *_seen_at(inner, place[1:]))
    return (0,)


_MAX_INDEX: Final = 2**31 - 1
_OF_CALLS: Final = frozenset({Treatment.IDENTIFIER, Treatment.TOOL_NAME})


def _chosen(table: ByType | Formed, value: object) -> Table:
    """The table that the type of an object decides for, or that there is one."""
    if isinstance(table, Formed):
        return table.table if isinstance(value, dict) else table.other
    kind = value.get("type") if isinstance(value, dict) else None
    return table.tables.get(kind, table.other) if isinstance(kind, str) else table.other


def _large(value: object, table: Table) -> "list[int]":
    """The indices of a payload that are not kept."""
    if isinstance(table, (ByType, Formed)):
        return _large(value, _chosen(table, value))
    if isinstance(table, Rule):
        good = (
            table.treatment in (Treatment.INDEX, Treatment.REASON)
            and isinstance(value, int)
            and not isinstance(value, bool)
        )
        return [value] if good and isinstance(value, int) and KEPT_INDEX < value <= _MAX_INDEX else []
    if isinstance(table, list):
        return [number for item in value for number in _large(item, table[0])] if isinstance(value, list) else []
    table = table.table if isinstance(table, Unlisted) else table
    if not isinstance(value, dict):
        return []
    return [number for key, inner in value.items() if key in table for number in _large(inner, table[key])]


def _mirrors(choice: Mapping[str, object]) -> bool:
    """Whether the message of a choice repeats the tool calls of its delta."""
    message, delta = choice.get("message"), choice.get("delta")
    if not isinstance(message, dict) or not isinstance(delta, dict):
        return False
    calls = message.get("tool_calls")
    return calls not in (None, []) and calls == delta.get("tool_calls")


def _hollow(value: object) -> Node:
    """The same, and whether there is anything in it."""
    if isinstance(value, bool):
        return Free(Json.TRUE if value else Json.FALSE)
    if isinstance(value, (int, Decimal)):
        return Free(Json.FILLED_NUMBER if value else Json.ZERO)
    if isinstance(value, list):
        return Free(Json.FILLED_LIST) if value else ()
    if isinstance(value, dict):
        return Free(Json.FILLED_OBJECT if value else Json.EMPTY_OBJECT)
    return _free(value)


def _said_boolean(value: str) -> Node:
    said = said_boolean(value)
    words = {"true": Json.TRUE_WORD, "false": Json.FALSE_WORD, None: Json.OTHER_WORD}
    return Free(words[said]) if value else ""


def _free(value: object) -> Node:
    """The JSON type of a value, and whether a text is empty."""
    if isinstance(value, str):
        return Free(Json.TEXT) if value else ""
    if isinstance(value, bool):
        return Free(Json.BOOLEAN)
    if isinstance(value, (int, float, Decimal)):
        return Free(Json.NUMBER)
    if value is None:
        return None
    return Free(Json.LIST) if isinstance(value, list) else Free(Json.OBJECT)
