"""Captures made from an observation: everything that a fixture may tell is as observed, everything else is chance."""

import gzip
import json
import random
import string
import zlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from observation.observation import (
    CopyOf,
    Counter,
    Dotted,
    Free,
    Json,
    Large,
    Members,
    Mirrored,
    Named,
    Node,
    ObjectOf,
    Observation,
    Odd,
    PieceOf,
    Same,
    Step,
)
from observation.observed_text import (
    Answer,
    Counted,
    Cut,
    FreeSeen,
    Item,
    Label,
    Literal,
    Mark,
    NumberOf,
    Open,
    Part,
    Rest,
    Said,
    TextOf,
    TextSeen,
)
from support import families
from support.asking import Wanted

from redaction.captured.exchange import Ending, Exchange, Mode
from redaction.captured.payloads import Break, Broken, read_payload
from redaction.families import FAMILIES
from redaction.families.models import MODEL_FAMILIES, PUBLIC_MODELS, UNKNOWN_MODEL, model
from redaction.families.treatments import ByType, Rule, Table
from redaction.masks.layout import ASTRAL, LONE, Special, Split
from redaction.masks.mask import KEPT_COUNTER, KEPT_INDEX
from redaction.placeholders import format_samples, numbered_format, numbered_pattern, pattern_samples
from replay.validator.envelope import GRAMMAR
from replay.validator.schema import Compiled, compile_schema
from replay.validator.strict_json import exact_number, parse
from replay.wire.framing import Frame

LETTERS: Final = string.ascii_letters + string.digits
# Words of other conversations, and of the placeholder grammar: data may be equal to them.
PROSE: Final = (
    "Hello World|has stage two lymphoma|x|xx|key_1|other_1|unknown_1|call_00000001|tool_calls|null|0|true|"
    'a "quoted" word|back\\slash|line\nbreak|tab\there|Grüße aus Köln|日本語の文|👩‍👩‍👧 family|sk-proj-AbC123|'
    'ann@example.org|+49301234567|2024-05-06|{"a": 1}|[DONE]|data: x|<b>|/Users/ann/.ssh|\u2028|%41%42'
).split("|")
VALUES: Final = (
    "foo|bar|foo1|foo12|BAR|Berlin|a|ab|abc|abcd|2021-03-04|2021-03-04T05:06:07Z|05:06:07Z|ann@example.org|"
    "https://acme.example/p?q=1|/a/b|192.168.7.9|2001:db8::7|12345678-1234-4234-8234-123456789abc|example.org|P3D|"
    "123|4567|+4930123456|A1|Z|a-b|_|foo bar|id|the id here|é|😀|a@b|x@y"
).split("|")


class UnfillableError(Exception):
    """No other value with these answers was found."""


def _words(table: Table) -> set[str]:
    if isinstance(table, Rule):
        return set(table.words)
    return {word for part in _inside(table) for word in _words(part)}


def _inside(table: Table) -> Iterable[Table]:
    """The tables in a table."""
    if isinstance(table, ByType):
        return [*table.tables.values(), table.other]
    assert not isinstance(table, Rule)
    return table if isinstance(table, list) else table.values()


def _keys(table: Table) -> set[str]:
    if isinstance(table, Rule):
        return set()
    own = table if isinstance(table, Mapping) else ()
    return {*own, *(key for part in _inside(table) for key in _keys(part))}


WORDS: Final = {word for family in FAMILIES.values() for word in _words(family.table)}
KEYS: Final = {key for family in FAMILIES.values() for key in _keys(family.table)}


def fill(observation: Observation, chance: random.Random) -> Exchange:
    """A capture with this observation; raises `UnfillableError`."""
    return _Filler(observation, chance).exchange()


class _Filler:
    def __init__(self, observation: Observation, chance: random.Random) -> None:
        self._seen = observation
        self._chance = chance
        self._same: dict[tuple[str, int], str] = {}
        self._pieces: list[list[str]] = []
        for text in observation.texts:
            self._pieces.append(self._text(text))
        self._large: dict[int, int] = {}
        self._last = 0  # the last number of a sequence
        parts = {part for name in observation.tool_schemas for part in name.split(".")}
        self._parts = parts if FAMILIES[observation.profile].spoken.parted_names else frozenset()

    def _text(self, seen: TextSeen | FreeSeen) -> list[str]:
        """The pieces of an argument text; a copy that differs is other than its text."""
        for _ in range(50):
            if isinstance(seen, FreeSeen):
                pieces = _FreeFiller(seen, self._chance, self).pieces()
            else:
                pieces = _TextFiller(seen, self._chance, self).pieces()
            if seen.unlike is None or "".join(pieces) != "".join(self._pieces[seen.unlike]):
                return pieces
        raise UnfillableError

    def exchange(self) -> Exchange:
        seen, chance = self._seen, self._chance
        capture, transport = seen.capture, seen.transport
        body = self._body()
        choice = capture.get("tool_choice")
        by_request = choice is not None or not seen.tool_schemas
        schemas = {name: self._schema(schema) for name, schema in seen.tool_schemas.items()}
        adapter = capture.get("adapter")
        coding = transport["content_coding"]
        if coding == "gzip":
            body = gzip.compress(body, chance.randrange(1, 10))
        elif coding == "deflate":
            body = zlib.compress(body, chance.randrange(1, 10))
        return Exchange(
            profile=seen.profile,
            provider=str(capture["provider"]) if capture["provider"] != "custom" else f"Custom {self.word()}",
            request_body=self._request(schemas if by_request else {}),
            user_agent=self._agent(adapter),
            status=int(str(transport["status"])),
            content_type=self._content_type(transport["content_type"]),
            content_coding=None if coding == "identity" else str(coding),
            body=body,
            ending=self._ending(body if coding == "identity" else b""),
            mode=Mode(capture["mode"]),
            allow=seen.allow,
            schemas={} if by_request else schemas,
            secrets=tuple(self.word() for _ in range(chance.randrange(3))),
        )

    # -- texts of no meaning

    def word(self) -> str:
        return "".join(self._chance.choice(LETTERS) for _ in range(self._chance.randrange(6, 30)))

    def prose(self) -> str:
        """Any text with at least one character, of any length and script."""
        chance = self._chance
        if chance.random() < 0.3:
            return chance.choice(PROSE)
        if chance.random() < 0.2:
            return "".join(chance.choice(LETTERS + ' é"\\\n/😀日<,.{}[]:') for _ in range(chance.randrange(1, 50)))
        return " ".join(self.word() for _ in range(chance.randrange(1, 12)))

    def value(self, depth: int = 0) -> object:
        """Any JSON value."""
        chance = self._chance
        kind = chance.randrange(4 if depth > 2 else 6)
        if kind == 0:
            return chance.choice((None, True, False))
        if kind == 1:
            return self._any_number()
        if kind in (2, 3):
            return self.prose()
        if kind == 4:
            return [self.value(depth + 1) for _ in range(chance.randrange(4))]
        return {self.prose(): self.value(depth + 1) for _ in range(chance.randrange(4))}

    def _any_number(self) -> int | float:
        chance = self._chance
        return chance.choice((0, 1, -7, chance.randrange(10**18), 0.5, 1e300, -2.75, chance.random()))

    # -- the request

    def _request(self, schemas: Mapping[str, object]) -> bytes | None:
        seen, chance = self._seen, self._chance
        capture = seen.capture
        choice, parallel = capture.get("tool_choice"), capture.get("parallel_tool_calls")
        named = self._model(str(capture["model"]))
        plain = choice is None and parallel is None and not schemas and not self._repeats()
        if plain and capture["model"] == UNKNOWN_MODEL and not self._names_a_model() and chance.random() < 0.3:
            return chance.choice((None, b"no request {", b"[]"))
        request: dict[str, object] = {"stream": True, "model": named}
        for _ in range(chance.randrange(3)):
            request[self.word()] = self.value()
        said = str(choice) if choice is not None and self._said(str(choice), schemas) else None
        request |= families.FAMILIES[seen.profile].ask(
            Wanted(
                schemas=schemas, say=self.prose, choice=said, named=self.word(), parallel=parallel, pick=chance.choice
            )
        )
        members = list(request.items())
        chance.shuffle(members)
        return self._json(dict(members)).encode()

    def _said(self, choice: str, schemas: Mapping[str, object]) -> bool:
        """Whether the request says its tool choice: it need not where tools say it."""
        return choice != "auto" or not schemas or self._chance.random() < 0.5

    def _repeats(self) -> bool:
        """Whether a payload may repeat the request, which counts where there is none."""
        created = ("type", "response.created")
        return any(isinstance(node, Members) and created in node.members for node in self._seen.payloads)

    def _names_a_model(self) -> bool:
        return any(True for node in self._seen.payloads if isinstance(node, Members))

    def _model(self, name: str) -> str:
        """A name that a fixture shows as `name`."""
        chance = self._chance
        if not name:
            return name
        for _ in range(200):
            if name in PUBLIC_MODELS:
                made = name + chance.choice(
                    ("", "-latest", "-preview", f"-20{chance.randrange(20, 27)}-0{chance.randrange(1, 10)}-11")
                )
            elif name in MODEL_FAMILIES:
                made = f"ft:{name}-{self.word()}:{self.word()}"
            else:
                made = self.word()
            if model(made) == name:
                return made
        raise UnfillableError

    def _agent(self, adapter: object) -> str | None:
        if not isinstance(adapter, dict):
            return self._chance.choice((None, self.word(), f"{self.word()}/1.2.3 ({self.word()})"))
        return {
            "openai-python": "{}OpenAI/Python {}",
            "openai-node": "{}OpenAI/JS {}",
            "anthropic-python": "{}Anthropic/Python {}",
            "anthropic-node": "{}Anthropic/JS {}",
        }.get(adapter["name"], {"curl": "curl/{1}"}.get(adapter["name"], "mistral-client-python/{1}")).format(
            self._chance.choice(("", "Async")), adapter["version"]
        )

    def _content_type(self, told: object) -> str | None:
        if told == "other":
            return self._chance.choice((f"text/event-stream; boundary={self.word()}", self.word(), "text/plain"))
        return None if told is None else str(told)

    def _ending(self, body: bytes) -> Ending:
        end = self._seen.capture["stream_end"]
        endings = {
            "complete": [Ending.MESSAGE_END],
            "client_disconnected": [Ending.CLIENT],
            "proxy_stopped": [Ending.PROXY],
            "upstream_disconnected": [Ending.UPSTREAM, Ending.CLOSE],
        }[str(end)]
        if end == "complete" and self._seen.transport["done"]:
            endings = list(Ending)
        if end == "upstream_disconnected" and self._seen.transport.get("unterminated_event"):
            endings.append(Ending.MESSAGE_END)
        return self._chance.choice(endings)

    def _schema(self, schema: object) -> object:
        """The schema with other prose, and other names of definitions."""
        names: dict[str, str] = {}

        def name_of(ordinal: str) -> str:
            return names.setdefault(ordinal, f"{self.word()}")

        def walk(here: object) -> object:
            if isinstance(here, bool) or not isinstance(here, Mapping) or here == GRAMMAR:
                return here
            found: dict[str, object] = {}
            notes = list(_ANNOTATIONS)
            self._chance.shuffle(notes)
            for keyword, inner in here.items():
                if notes and self._chance.random() < 0.3:
                    note = notes.pop()
                    found[note] = self.prose() if note in ("title", "description", "$comment") else self.value()
                if keyword == "unknown_keyword":
                    found[self._chance.choice(("unevaluatedItems", "$id", self.word()))] = self.value()
                elif keyword in ("$defs", "definitions"):
                    found[keyword] = {name_of(name): walk(one) for name, one in inner.items()}
                elif keyword == "$ref":
                    tokens = str(inner).split("/")
                    found[keyword] = "/".join(name_of(one) if one.startswith("def_") else one for one in tokens)
                elif keyword in _SCHEMA_MAPS:
                    found[keyword] = {name: walk(one) for name, one in inner.items()}
                elif keyword in _SCHEMA_LISTS:
                    found[keyword] = [walk(one) for one in inner]
                elif keyword in _SCHEMAS:
                    found[keyword] = walk(inner)
                else:
                    found[keyword] = inner
            return found

        return walk(schema)

    # -- the body

    def _body(self) -> bytes:
        for _ in range(60):
            body = self._written()
            if body is not None:
                return body
        raise UnfillableError

    def _written(self) -> bytes | None:
        """The event stream; None where its line ends came out otherwise than observed."""
        seen, chance = self._seen, self._chance
        self._last = 0
        transport = seen.transport
        names, comments = transport.get("event_names"), dict(transport.get("comments", []))  # type: ignore[call-overload]
        ends: list[bytes] = [_ENDS[end] for end in transport["line_ends"]]  # type: ignore[attr-defined]
        blocks: list[list[bytes]] = []
        for event, node in enumerate(seen.payloads):
            text, told_type = self._payload(node)
            lines = [b"data: " + part if chance.random() < 0.8 else b"data:" + part for part in text.split(b"\n")]
            name = names[event] if isinstance(names, list) else told_type if names == "type" else ""
            if name == "x":
                name = chance.choice((self.word(), "Message_Start", "é"))
            extra = [b"event: " + name.encode()] if name else []
            if event in transport.get("ids", ()):  # type: ignore[operator]
                extra.append(b"id: " + self.word().encode())
            if event in transport.get("retries", ()):  # type: ignore[operator]
                extra.append(b"retry: %d" % chance.randrange(10**6))
            if chance.random() < 0.1:
                extra.append(f"{self.word()}: {self.word()}".encode())
            extra += [b":" + chance.choice(("", " ", self.prose().replace("\n", " "))).encode()] * comments.get(
                event, 0
            )
            chance.shuffle(extra)
            before = chance.randrange(len(extra) + 1)
            blocks.append([*extra[:before], *lines, *extra[before:], b""])
        blocks += [[b"data: [DONE]", b""]] * int(transport["done"])  # type: ignore[call-overload]
        body, used = b"\xef\xbb\xbf" if transport.get("byte_order_mark") else b"", set()
        for block in blocks:
            for line in block:
                options = [end for end in ends if not (not line and end == b"\n" and body.endswith(b"\r"))]
                if not options:
                    return None
                end = chance.choice(options)
                body += line + end
                used.add(end)
        if transport.get("unterminated_event"):
            half = chance.choice((b"data: ", b"data", b"id: ", b"")) + self.word().encode()
            if ends and chance.random() < 0.5:
                half += chance.choice(ends)
            body += half
            used.update(end for end in ends if half.endswith(end))
        return body if used == set(ends) or not ends else None

    def _payload(self, node: Node) -> tuple[bytes, str]:
        """The data of an event, and the type that it says."""
        if isinstance(node, Break):
            return self._broken(node), ""
        value = self._value(node)
        said = value.get("type", "") if isinstance(value, dict) else ""
        return self._json(value).encode(), said if isinstance(said, str) else ""

    def _broken(self, kind: Break) -> bytes:
        chance = self._chance
        text = json.dumps(self.prose(), ensure_ascii=False).replace("\n", " ")
        made = {
            Break.TRUNCATED: ("{%s: ", '{"a": %s', "[%s, 1", '{"a": {%s'),
            Break.MALFORMED: ("{%s %s}", "[%s %s]", '{"a": %s,}'),
            Break.PROSE: ("no %s", "<%s>", "upstream %s"),
            Break.EMPTY: (" ", "  ", "\t"),
            Break.TWO_DOCUMENTS: ("{} {%s", "[1]{}%s", "%s {}"),
            Break.TRAILING: ("{} %s", "1 %s", "{%s: 1} x"),
            Break.DUPLICATE_KEY: ("{%s: 1, %s: 2}", '{"a": {%s: 1, %s: 1}}'),
            Break.NON_FINITE: ("{%s: NaN}", "[%s, 1e999]", "-Infinity"),
            Break.SURROGATE: ('{%s: "\\ud800"}', '[%s, "a\\udc01"]'),
            Break.BYTE_ORDER_MARK: ("\ufeff{}", "\ufeff{%s: 1}"),
            Break.BAD_UTF8: ("{%s: 1}", "%s"),
            Break.BARE_STRING: ("%s",),
            Break.TOO_DEEP: ("[" * 600 + "]" * 600, "[" * 700),
            Break.DONE: ("[DONE]",),
        }[kind]
        for _ in range(50):
            shape = chance.choice(made)
            data = shape.replace("%s", text).encode()
            if kind is Break.BAD_UTF8:
                data += b"\xff"
            found = read_payload(Frame(data=data.decode("utf-8", "replace"), utf8=kind is not Break.BAD_UTF8))
            if kind is Break.DONE or (isinstance(found, Broken) and found.kind is kind):
                return data
        raise UnfillableError

    def _value(self, node: Node, delta: object = None) -> object:
        chance = self._chance
        if isinstance(node, Members):
            made: dict[str, object] = {}
            for key, inner in node.members:
                name = key if isinstance(key, str) else self._label(key)
                made[name] = _HELD if _needs_delta(inner) else self._value(inner)
            for name, inner in zip(made, (inner for _, inner in node.members), strict=True):
                if made[name] is _HELD:
                    made[name] = self._mirror(inner, made.get("delta"))
            return made
        if isinstance(node, tuple):
            return [self._value(inner) for inner in node]
        if isinstance(node, Free):
            return self._free(node.json)
        if isinstance(node, Same):
            return self._label(node)
        if isinstance(node, Large):
            return self._ranked(node.rank)
        if isinstance(node, Named):
            return self._model(node.model)
        if isinstance(node, PieceOf):
            return self._pieces[node.text][node.piece]
        if isinstance(node, CopyOf):
            return "".join(self._pieces[node.text])
        if isinstance(node, ObjectOf):
            return parse("".join(self._pieces[node.text]), max_nesting=512).value
        if isinstance(node, Dotted):
            return ".".join(part if isinstance(part, str) else self._label(part) for part in node.parts)
        if isinstance(node, (Counter, Step)):
            self._last = self._counted(node)
            return self._last
        if isinstance(node, Odd):
            return {
                Odd.NEGATIVE: -chance.randrange(1, 10**12),
                Odd.FRACTION: chance.choice((0.25, 1.0, 17.5, -0.5)),
                Odd.BEYOND: 2**31 + chance.randrange(10**12),
            }[node]
        return node

    def _mirror(self, node: Node, delta: object) -> object:
        assert isinstance(node, Members)
        assert isinstance(delta, dict)
        made: dict[str, object] = {}
        for key, inner in node.members:
            name = key if isinstance(key, str) else self._label(key)
            made[name] = (
                self._ordered(inner.calls, delta["tool_calls"]) if isinstance(inner, Mirrored) else self._value(inner)
            )
        return made

    def _ordered(self, node: Node, value: object) -> object:
        """`value`, its members in the order of `node`."""
        if isinstance(node, Members) and isinstance(value, dict):
            names = {key if isinstance(key, str) else self._label(key): inner for key, inner in node.members}
            return {name: self._ordered(inner, value[name]) for name, inner in names.items()}
        if isinstance(node, tuple) and isinstance(value, list):
            return [self._ordered(inner, one) for inner, one in zip(node, value, strict=True)]
        return value

    def _free(self, kind: Json) -> object:
        chance = self._chance
        match kind:
            case Json.TEXT:
                return self.prose()
            case Json.NUMBER:
                return self._any_number()
            case Json.BOOLEAN:
                return chance.random() < 0.5
            case Json.LIST:
                return [self.value(1) for _ in range(chance.randrange(4))]
            case Json.OBJECT:
                return {self.prose(): self.value(1) for _ in range(chance.randrange(4))}
            case Json.FILLED_LIST:
                return [self.value(1) for _ in range(chance.randrange(1, 4))]
            case Json.EMPTY_OBJECT:
                return {}
            case Json.FILLED_OBJECT:
                return {self.prose(): self.value(1) for _ in range(chance.randrange(1, 4))}

    def _counted(self, node: Counter | Step) -> int:
        if isinstance(node, Counter):
            return node.number
        number = self._last + 1
        while node is Step.OTHER and number == self._last + 1:
            number = self._chance.randrange(KEPT_COUNTER + 1, 2**31 - 10**6)
        return number

    def _ranked(self, rank: int) -> int:
        if not self._large:
            numbers = sorted(self._chance.sample(range(KEPT_INDEX + 1, 2**31 - 1), 300))
            self._large = dict(enumerate(numbers))
        return self._large[rank]

    def _label(self, same: Same) -> str:
        site = "word" if same.site == "result" else same.site
        if (site, same.number) not in self._same:
            taken = {text for (place, _), text in self._same.items() if place == site}
            while True:
                text = self._chance.choice((self.word(), self.prose(), self._chance.choice("abé0 ")))
                if same.site == "result":
                    text += "_tool_result"
                elif text.endswith("_tool_result"):
                    continue
                wrong = text in WORDS or text in KEYS or text == "null" or text in self._seen.tool_schemas
                wrong = wrong or (bool(self._parts) and same.site == "tool" and (text in self._parts or "." in text))
                if not wrong and text not in taken:
                    break
            self._same[site, same.number] = text
        return self._same[site, same.number]

    def _json(self, value: object) -> str:
        """The value as JSON, with white space and escapes by chance; no CR, which would end a line."""
        chance = self._chance
        tight = chance.random() < 0.5

        def space() -> str:
            return "" if tight else chance.choice(("", " ", "  ", "\n", "\t"))

        def write(here: object) -> str:
            if isinstance(here, dict):
                inside = ",".join(f"{space()}{text(key)}{space()}:{space()}{write(one)}" for key, one in here.items())
                return "{" + inside + space() + "}"
            if isinstance(here, list):
                return "[" + ",".join(f"{space()}{write(one)}{space()}" for one in here) + "]"
            return text(here) if isinstance(here, str) else str(here) if isinstance(here, Decimal) else json.dumps(here)

        def text(here: str) -> str:
            return '"' + "".join(escaped(char, chance) for char in here) + '"'

        return space() + write(value) + space()


class _Held:
    """Stands where a value waits for the one beside it."""


_HELD: Final = _Held()
_ENDS: Final = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
_ANNOTATIONS: Final = ("title", "description", "$comment", "default", "examples", "x-team")
_SCHEMAS: Final = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
_SCHEMA_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")


def _needs_delta(node: Node) -> bool:
    return isinstance(node, Members) and any(isinstance(inner, Mirrored) for _, inner in node.members)


SHORT: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\", "/": "\\/"}


def long_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def escaped(char: str, chance: random.Random) -> str:
    """One character of a JSON string, spelled in one of the ways there are."""
    must = char in '"\\' or char < " " or "\ud800" <= char <= "\udfff"
    if not must and chance.random() < 0.85:
        return char
    if char in SHORT and chance.random() < 0.7:
        return SHORT[char]
    return long_escape(char)


class _FreeFiller:
    """One text that is no JSON, in its fragments."""

    def __init__(self, seen: FreeSeen, chance: random.Random, filler: _Filler) -> None:
        self._seen = seen
        self._chance = chance
        self._guess = _TextFiller(TextSeen((), frozenset()), chance, filler).guess

    def pieces(self) -> list[str]:
        seen, chance = self._seen, self._chance
        if seen.blank:
            return [
                "".join(chance.choice(" \n\t\r") for _ in range(chance.randrange(1, 4))) for _ in range(seen.fragments)
            ]
        for attempt in range(400):
            text = self._guess(seen.answers, attempt, seen.fragments)
            if len(text) >= seen.fragments and text.strip(" \n\t\r") and _holds(text, seen.answers):
                return _cut(text, sorted(chance.sample(range(1, len(text)), seen.fragments - 1)))
        raise UnfillableError


class _TextFiller:
    """One argument text in its fragments."""

    def __init__(self, seen: TextSeen, chance: random.Random, filler: _Filler) -> None:
        self._seen = seen
        self._chance = chance
        self._filler = filler
        self._labels: dict[tuple[str, Label], str] = {}
        self._parts: list[str] = [""]

    def pieces(self) -> list[str]:
        items = self._seen.items
        for at, item in enumerate(items):
            before = next((one for one in reversed(items[:at]) if not isinstance(one, Cut)), None)
            after = next((one for one in items[at + 1 :] if not isinstance(one, Cut)), None)
            if isinstance(item, Cut):
                if not self._parts[-1]:
                    self._parts[-1] = self._space(at_least=1)
                self._parts.append("")
                continue
            if not isinstance(item, (Part, Rest)) and not (isinstance(item, Mark) and item.text in " \ufeff"):
                self._parts[-1] += self._space()
            first, *more = self._written(item, before, after)
            self._parts[-1] += first
            self._parts += more
            ended = isinstance(after, (Part, Rest)) or isinstance(item, (Open, Part, Rest)) or _error_follows(items, at)
            if not ended:
                self._parts[-1] += self._space()
        if not self._parts[-1]:
            self._parts[-1] = self._space(at_least=1)
        return self._parts if items or self._parts != [""] else []

    def _space(self, at_least: int = 0) -> str:
        chance = self._chance
        if not at_least and chance.random() < 0.6:
            return ""
        return "".join(chance.choice(" \n\t\r") for _ in range(chance.randrange(max(1, at_least), 4)))

    def _written(self, item: Item, before: Item | None, after: Item | None) -> list[str]:
        match item:
            case Mark(text=text):
                return [text]
            case Literal(word=word, cuts=cuts):
                return self._split(word, cuts)
            case Part(text=text, cuts=cuts):
                if text.startswith("\\u"):
                    text = text[:2] + "".join(self._chance.choice("0123456789abcdefABCDEF") for _ in text[2:])
                return _cut(text, cuts)
            case Rest():
                return self._rest(item, before)
            case Said(spelled=spelled) if spelled is not None:
                return _cut(*spelled)
            case Said(value=value, layout=layout):
                return self._laid(value, layout.items, closed=True)
            case Counted(value=value, cuts=cuts):
                return self._split(self._spelled(value, cuts + 1), cuts)
            case NumberOf(cuts=cuts):
                zero = isinstance(after, Rest) and after.first == "0"
                return self._split(self._number(item, whole=isinstance(after, (Part, Rest)), zero=zero), cuts)
            case TextOf():
                return self._text(item)
            case Open(layout=layout):
                return self._laid(self._fitting(layout.items, closed=False), layout.items, closed=False)
        raise AssertionError(item)

    def _split(self, text: str, cuts: int) -> list[str]:
        if len(text) <= cuts:
            raise UnfillableError
        return _cut(text, sorted(self._chance.sample(range(1, len(text)), cuts)))

    def _rest(self, rest: Rest, before: Item | None) -> list[str]:
        chance = self._chance
        first = rest.first
        if first == "0":
            first = (
                chance.choice("123456789")
                if not isinstance(before, NumberOf | Counted)
                else chance.choice("0123456789")
            )
        elif first == "\t":
            first = chance.choice("\x01\x1f") if not isinstance(before, Open) else chance.choice("\n\t\x01")
        elif first == "x":
            first = chance.choice("q#'AzéZ😀(")
        length = rest.cuts + chance.randrange(0, 9) if rest.first not in _SPELLED or rest.more or rest.cuts else 0
        if rest.more or (rest.first == "\\" and rest.cuts):
            length = max(1, length)
        if length < rest.cuts:
            length = rest.cuts
        return self._split(first + ("q" + self._filler.word() * 2)[:length], rest.cuts)

    def _text(self, item: TextOf) -> list[str]:
        kind = "key" if item.key else "text"
        if item.label is not None and (kind, item.label) in self._labels:
            value = self._labels[kind, item.label]
            return self._laid(value, item.layout.items, closed=True)
        value = self._candidate(item)
        if item.label is not None:
            self._labels[kind, item.label] = value
        return self._laid(value, item.layout.items, closed=True)

    def _candidate(self, item: TextOf) -> str:
        chance = self._chance
        items = item.layout.items
        taken = {text for (_, label), text in self._labels.items() if item.label and label.site == item.label.site}
        free = all(answer.keyword == "type" for answer in item.answers)
        size = 0
        if item.label is not None:  # one value serves all its places
            size = 2 * max(
                len(one.layout.items)
                for one in self._seen.items
                if isinstance(one, TextOf) and one.label == item.label and one.key is item.key
            )
        for attempt in range(400):
            if free:
                value = self._fitting(items, closed=True, least=size)
            else:
                value = self.guess(item.answers, attempt, max(size, item.layout.needed))
                value = value + chance.choice("abx") * (len(value) < size and chance.random() < 0.5)
            if item.key and value in self._seen.names:
                continue
            if value in taken or (not free and not _holds(value, item.answers)):
                continue
            if self._places(value, items, closed=True) is not None:
                return value
        raise UnfillableError

    def guess(self, answers: Sequence[Answer], attempt: int, size: int) -> str:
        """Any text that may have these answers and at least `size` characters."""
        chance = self._chance
        kind = attempt % 5
        if kind == 0:
            return self._changed(chance.choice(VALUES))
        if kind == 1:
            return self._filler.prose()
        if kind == 2:
            return "".join(chance.choice(LETTERS) for _ in range(size + chance.choice((0, 0, 1, 2, 5, 12))))
        if kind == 3:
            more = chance.choice((0, 1, 2, 3, 5, 8, 20, 40))
            return "".join(chance.choice("abc019-_@. A") for _ in range(size + more))
        made: list[str] = []
        for answer in answers:
            if answer.keyword == "pattern":
                made += numbered_pattern(str(answer.argument), chance.randrange(512), size + chance.randrange(8))
                made += pattern_samples(str(answer.argument), size + chance.randrange(12))
            elif answer.keyword == "format":
                made += numbered_format(str(answer.argument), chance.randrange(512), 0)
                made += format_samples(str(answer.argument), size + chance.randrange(12))
        return self._changed(chance.choice(made) if made else chance.choice(VALUES))

    def _changed(self, text: str) -> str:
        """Another text that looks alike: digits for digits, letters for letters."""
        chance = self._chance
        if chance.random() < 0.2:
            return text
        return "".join(
            chance.choice("0123456789")
            if "0" <= char <= "9"
            else chance.choice("abcdef")
            if "a" <= char <= "z"
            else chance.choice("ABCDEF")
            if "A" <= char <= "Z"
            else char
            for char in text
        )

    def _fitting(self, items: Sequence[Split | Special], *, closed: bool, least: int = 0) -> str:
        """Any value that has the characters that the special places demand, in order."""
        chance = self._chance
        value = ""
        for at, item in enumerate(items):
            value += self._run(1 if at and not isinstance(item, Special) else 0)
            if isinstance(item, Special):
                high = not any(isinstance(one, Special) and one.char == LONE for one in items[at + 1 :])
                lone = chr(chance.randrange(0xD800 if high else 0xDC00, 0xE000))
                value += {ASTRAL: chance.choice("😀𝄞👩"), LONE: lone, "": chance.choice('a\n"é/')}[item.char]
        value += self._run(1 if items and not closed else 0)
        while len(value) < least:
            value += self._run(1)
        if not any(isinstance(item, Special) for item in items):
            return value or chance.choice(("", "x", self._filler.prose()))
        return value

    def _run(self, least: int) -> str:
        chance = self._chance
        length = least + chance.choice((0, 0, 1, 2, 5, 20))
        return "".join(chance.choice(LETTERS + ' -_.,é日/"\\') for _ in range(length))

    def _laid(self, value: str, items: Sequence[Split | Special], *, closed: bool) -> list[str]:
        """The JSON string of `value` with a cut at each split and in each special character."""
        chance = self._chance
        places = self._places(value, items, closed=closed)
        if places is None:
            raise UnfillableError
        pieces = ['"']
        at = 0
        for place, item in zip(places, items, strict=True):
            pieces[-1] += "".join(escaped(char, chance) for char in value[at:place])
            at = place
            if isinstance(item, Split):
                pieces.append("")
                continue
            text = self._special(value, place, item)
            first, *more = _cut(text, item.cuts)
            pieces[-1] += first
            pieces += more
            at += 1
        pieces[-1] += "".join(escaped(char, chance) for char in value[at:]) + ('"' if closed else "")
        return pieces

    def _special(self, value: str, place: int, item: Special) -> str:
        char = value[place]
        if item.cuts and max(item.cuts) == 1 and char in SHORT and self._chance.random() < 0.5:
            return SHORT[char]
        return long_escape(char)

    def _places(self, value: str, items: Sequence[Split | Special], *, closed: bool) -> list[int] | None:
        """Where in `value` each item stands, by chance; None where it has no room for them."""
        lone = iter([at for at, char in enumerate(value) if _is_lone(char)])
        options: list[list[int]] = []
        for item in items:
            if isinstance(item, Split):
                options.append(list(range(len(value) + (1 if closed else 0))))
            elif item.char == LONE:
                options.append([next(lone, -1)])
            else:
                wide = item.char == ASTRAL
                options.append(
                    [at for at, char in enumerate(value) if (ord(char) > 0xFFFF) is wide and not _is_lone(char)]
                )
        if next(lone, None) is not None or [-1] in options:
            return None
        # From the right: the last place that leaves room for what follows.
        last = len(value)
        for at in reversed(range(len(items))):
            options[at] = [place for place in options[at] if place <= last]
            if not options[at]:
                return None
            last = options[at][-1] - _apart(items[at - 1], items[at]) if at else 0
        places: list[int] = []
        for at, item in enumerate(items):
            low = places[-1] + _apart(items[at - 1], item) if at else 0
            allowed = [place for place in options[at] if place >= low]
            if not allowed:
                return None
            places.append(self._chance.choice(allowed[: 1 + self._chance.randrange(len(allowed))]))
        return places

    def _number(self, item: NumberOf, *, whole: bool, zero: bool) -> str:
        chance = self._chance
        if item.answers is None:
            return chance.choice(("1e999", "-1e400", "9" * 400, "123456789.5e1000", "2E+999999"))
        if item.label is not None and ("number", item.label) in self._labels:
            value = Decimal(self._labels["number", item.label])
            return self._spelled(value, item.cuts + 1) if not whole else self._labels["number", item.label]
        taken = {
            Decimal(text)
            for (kind, label), text in self._labels.items()
            if kind == "number" and item.label and label.site == item.label.site
        }
        bounds = [answer.argument for answer in item.answers if isinstance(answer.argument, (int, float, Decimal))]
        for _ in range(400):
            text = self._any(bounds, whole=whole)
            if zero:
                text = chance.choice(("0", "-0"))
            value_ = exact_number(text)
            if value_ is None or Decimal(value_) in taken or not _holds(value_, item.answers):
                continue
            if len(text) <= item.cuts:
                text = self._spelled(Decimal(value_), item.cuts + 1) if not whole else text
            if len(text) <= item.cuts:
                continue
            if item.label is not None:
                self._labels["number", item.label] = text
            return text
        raise UnfillableError

    def _any(self, bounds: Sequence[Any], *, whole: bool) -> str:
        chance = self._chance
        number = chance.choice(
            (chance.randrange(-9, 10), chance.randrange(10**6), chance.randrange(10**17), 0, 1, chance.randrange(100))
        )
        if bounds and chance.random() < 0.7:
            bound = chance.choice(bounds)
            step = chance.choice((1, -1, 0, 0.5, 7, 13, 100, -100, 0.25, 0.001))
            near = Decimal(str(bound)) * chance.choice((1, 1, 2, 7)) + Decimal(str(step)) * chance.choice((0, 1, 3))
            return format(near, "f") if not whole else str(int(near))
        if whole or chance.random() < 0.5:
            return str(number)
        return f"{number}.{chance.randrange(1, 1000)}"

    def _spelled(self, value: Decimal, size: int) -> str:
        chance = self._chance
        plain = format(value, "f")
        options = [plain, plain + ".0" if "." not in plain else plain + "0", f"{plain}e0", f"{plain}E+0"]
        text = chance.choice(options)
        while len(text) < size:
            text = plain + (".0" if "." not in plain else "0") if "." not in text or "e" in text.lower() else text + "0"
        return text


_SPELLED: Final = frozenset("\\.eE+-")


def _apart(left: Split | Special, right: Split | Special) -> int:
    """How many characters lie between the places of two neighbours, at the least."""
    return 1 if isinstance(left, Special) or isinstance(right, Split) else 0


def _is_lone(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def _error_follows(items: Sequence[Item], at: int) -> bool:
    """Whether what follows, behind cuts, belongs to this token or is the error: white space would change it."""
    for item in items[at + 1 :]:
        if isinstance(item, Cut):
            continue
        return isinstance(item, (Part, Rest)) or (isinstance(item, Mark) and item.text == " ")
    return False


def _holds(value: object, answers: Sequence[Answer]) -> bool:
    return all(_compiled(answer).accepts(value) is answer.held for answer in answers)


_COMPILED: Final[dict[str, Compiled]] = {}


def _compiled(answer: Answer) -> Compiled:
    name = repr((answer.keyword, answer.argument))
    if name not in _COMPILED:
        compiled = compile_schema({answer.keyword: answer.argument})
        assert isinstance(compiled, Compiled)
        _COMPILED[name] = compiled
    return _COMPILED[name]


def _cut(text: str, cuts: Sequence[int]) -> list[str]:
    bounds = [0, *cuts, len(text)]
    return [text[low:high] for low, high in pairwise(bounds)]
