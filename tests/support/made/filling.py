"""Captures made from an observation: everything that a fixture may tell is as observed, everything else is chance."""

import base64
import gzip
import json
import random
import re
import zlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from observation.observation import (
    CopyOf,
    Counter,
    Deciding,
    Dotted,
    Faults,
    Free,
    Json,
    Known,
    Large,
    Members,
    Mirrored,
    Named,
    New,
    Node,
    NumberAt,
    ObjectOf,
    Observation,
    Odd,
    PathOf,
    PieceOf,
    Same,
    SameNumber,
    Step,
    StringOf,
    WithFraction,
)
from observation.observed_text import FreeSeen, TextSeen
from support import families
from support.builders.asking import Wanted
from support.made import filled_texts
from support.made.nonsense import Nonsense, UnfillableError, escaped
from support.recorded import event_messages

from redaction.captured.exchange import Ending, Exchange, Mode
from redaction.captured.faults import Fault, Place, written
from redaction.captured.payloads import Break, Broken, read_payload
from redaction.families import FAMILIES
from redaction.families.models import MODEL_FAMILIES, PUBLIC_MODELS, UNKNOWN_MODEL, model
from redaction.families.tables.treatments import ByType, Formed, Rule, Table, Unlisted
from redaction.masks.mask import KEPT_COUNTER, KEPT_INDEX, is_base64, is_index_text
from replay.validator.envelope import GRAMMAR
from replay.validator.paths import PLAIN, spelled_step
from replay.validator.strict_json import parse, printed
from replay.wire.framing import Frame


def _words(table: Table) -> set[str]:
    if isinstance(table, Rule):
        return set(table.words)
    return {word for part in _inside(table) for word in _words(part)}


def _inside(table: Table) -> Iterable[Table]:
    """The tables in a table."""
    if isinstance(table, Unlisted):
        return table.table.values()
    if isinstance(table, ByType):
        return [*table.tables.values(), table.other]
    if isinstance(table, Formed):
        return [table.table, table.other]
    if isinstance(table, Unlisted):
        return [table.table]
    assert not isinstance(table, Rule)
    return table if isinstance(table, list) else table.values()


def _keys(table: Table) -> set[str]:
    if isinstance(table, Rule):
        return set()
    table = table.table if isinstance(table, Unlisted) else table
    own = table if isinstance(table, Mapping) else ()
    return {*own, *(key for part in _inside(table) for key in _keys(part))}


WORDS: Final = {word for family in FAMILIES.values() for word in _words(family.table)}
KEYS: Final = {key for family in FAMILIES.values() for key in _keys(family.table)}


def fill(observation: Observation, chance: random.Random) -> Exchange:
    """A capture with this observation; raises `UnfillableError`."""
    return _Filler(observation, chance).exchange()


class _Filler(Nonsense):
    def __init__(self, observation: Observation, chance: random.Random) -> None:
        super().__init__(chance)
        self._seen = observation
        self._same: dict[tuple[str, int], str] = {}
        self._pieces: list[list[str]] = []
        self._labels: filled_texts.Shared = {}
        for text in observation.texts:
            self._pieces.append(self._text(text))
        self._objects: dict[int, object] = {}
        self._cuts: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        self._laid()
        self._large: dict[int, int] = {}
        self._numeric: dict[int, int] = {}
        self._last = 0  # the last number of a sequence
        parts = {part for name in observation.tool_schemas for part in name.split(".")}
        self._parts = parts if FAMILIES[observation.profile].spoken.parted_names else frozenset()

    def _text(self, seen: TextSeen | FreeSeen) -> list[str]:
        """The pieces of an argument text; a copy that differs is other than its text."""
        for _ in range(50):
            pieces = filled_texts.pieces(seen, self._chance, self, self._labels)
            others = (*([] if seen.unlike is None else [seen.unlike]), *getattr(seen, "other_than", ()))
            told = (_as_printed("".join(self._pieces[other])) for other in getattr(seen, "says_not", ()))
            if all("".join(pieces) != "".join(self._pieces[other]) for other in others) and (
                _as_printed("".join(pieces)) not in told
            ):
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
            # What a carrier holds is of its vendor's family, and was asked for as the carrier's own.
            profile="bedrock-converse" if transport["framing"] == "eventstream-chunks" else seen.profile,
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
            "google-genai-python": "google-genai-sdk/{1} gl-python/3.11",
            "google-genai-node": "google-genai-sdk/{1} gl-node/v22",
            "ollama-python": "ollama-python/{1} (x86_64 linux)",
            "ollama-node": "ollama-js/{1} (x64 linux)",
            "boto3-python": "Boto3/{1} md/Botocore#1.44.8 ua/2.1 os/linux lang/python#3.11.7",
            "botocore-python": "Botocore/{1} ua/2.1 os/linux lang/python#3.11.7",
            "cohere-python": "cohere/{1}",
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
        if str(transport["framing"]).startswith("eventstream"):
            return self._messages(transport)
        if transport["framing"] == "ndjson":
            return self._written_lines()
        names, comments = transport.get("event_names"), dict(transport.get("comments", []))  # type: ignore[call-overload]
        divided = dict(transport.get("data_lines", []))  # type: ignore[call-overload]
        ends: list[bytes] = [_ENDS[end] for end in transport["line_ends"]]  # type: ignore[attr-defined]
        blocks: list[list[bytes]] = []
        for event, node in enumerate(seen.payloads):
            blocks += self._blocks(event)
            text, told_type = self._payload(node)
            text = self._in_lines(text, divided.get(event, 1))
            lines = [b"data: " + part if chance.random() < 0.8 else b"data:" + part for part in text.split(b"\n")]
            name = names[event] if isinstance(names, list) else told_type if names == "type" else ""
            extra = self._beside(
                {
                    "event": name,
                    "id": event in transport.get("ids", ()),  # type: ignore[operator]
                    "retry": event in transport.get("retries", ()),  # type: ignore[operator]
                    "comments": comments.get(event, 0),
                }
            )
            before = chance.randrange(len(extra) + 1)
            blocks.append([*extra[:before], *lines, *extra[before:], b""])
        for marker in range(int(transport["done"])):  # type: ignore[call-overload]
            blocks += [*self._blocks(len(seen.payloads) + marker), [b"data: [DONE]", b""]]
        blocks += self._blocks(len(seen.payloads) + int(transport["done"]))  # type: ignore[call-overload]
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

    def _blocks(self, event: int) -> list[list[bytes]]:
        """The blocks without data before this event or end marker."""
        runs: Any = self._seen.transport.get("blocks", [])
        return [[*self._beside(what), b""] for at, count, what in runs if at == event for _ in range(count)]

    def _beside(self, what: Mapping[str, Any]) -> list[bytes]:
        """The lines beside data, in any order."""
        chance, name = self._chance, what.get("event", "")
        if name == "x":
            name = chance.choice((self.word(), "Message_Start", "é"))
        lines = [b"event: " + name.encode()] if name else []
        if what.get("id"):
            lines.append(b"id: " + self.word().encode())
        if what.get("retry"):
            lines.append(b"retry: %d" % chance.randrange(10**6))
        if chance.random() < 0.1:
            lines.append(f"{self.word()}: {self.word()}".encode())
        comment = b":" + chance.choice(("", " ", self.prose().replace("\n", " "))).encode()
        lines += [comment] * what.get("comments", 0)
        chance.shuffle(lines)
        return lines

    def _in_lines(self, text: bytes, count: int) -> bytes:
        """The text in so many lines, divided where white space may stand, or with empty ones around it."""
        text = text.replace(b"\n", b" ")
        for _ in range(count - 1):
            places = [match.end() for match in _BETWEEN.finditer(text) if match[1]]
            at = self._chance.choice([0, *places, len(text)])
            text = text[:at] + b"\n" + text[at:]
        return text

    def _messages(self, transport: Mapping[str, object]) -> bytes:
        """Messages of an AWS event stream; one of what no event can be, or that carries a vendor's."""
        carries = transport["framing"] == "eventstream-chunks"
        found = b""
        for node in self._seen.payloads:
            note = {"x-note": self.word()} if self._chance.random() < 0.2 else {}
            if isinstance(node, Members) and len(node.members) == 1 and not (carries and self._chance.random() < 0.9):
                [(kind, value)] = self._value(node).items()  # type: ignore[attr-defined]
                found += event_messages.event(kind, self._json(value).encode(), **note)
            elif carries or not isinstance(node, Break):
                found += event_messages.carried(self._payload(node)[0], p=self.word())
            else:
                found += event_messages.event(self.word(), self._payload(node)[0], **note)
        if transport.get("unterminated_event"):
            found += event_messages.event(self.word(), b"{}")[: -self._chance.randrange(1, 9)]
        return found

    def _written_lines(self) -> bytes | None:
        """The lines; None where their ends came out otherwise than observed."""
        seen, chance = self._seen, self._chance
        ends: list[bytes] = [_ENDS[end] for end in seen.transport["line_ends"]]  # type: ignore[attr-defined]
        body, used = b"", set()
        for node in seen.payloads:
            text = self._payload(node)[0].replace(b"\n", b" ")  # white space, wherever it stands raw
            end = chance.choice(ends)
            used.add(end)
            body += text + end + chance.choice((b"", b"", b" " + end))
        if seen.transport.get("unterminated_event"):
            body += b'{"a": ' + self.word().encode()
        return body if used == set(ends) else None

    def _payload(self, node: Node) -> tuple[bytes, str]:
        """The data of an event, and the type that it says."""
        if isinstance(node, Break):
            return self._broken(node), ""
        if isinstance(node, Faults):
            return self._with_faults(self._value(node.value), dict(node.faults)), ""
        value = self._value(node)
        said = value.get("type", "") if isinstance(value, dict) else ""
        return self._json(value).encode(), said if isinstance(said, str) else ""

    def _with_faults(self, value: object, faults: Mapping[Place, Fault]) -> bytes:
        """The text of a value with its faults, each spelled in one of the ways."""
        text = written(value, faults)
        return (
            re.sub(r"(?<=[:\[,])1e999(?=[,\]}])", lambda _: self._chance.choice(("1e999", "2.5E+400", "9" * 320)), text)
            .replace("\\ud800", f"\\ud8{self._chance.choice(('01', '3d', 'Ff'))}")
            .encode()
        )

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
            Break.NON_FINITE: ('{"a": NaN, "a": %s}', '{"a": [1e999], "a": %s}'),
            Break.SURROGATE: ('{%s: "a\\ud800b"}', '[%s, "a\\udc01"]'),
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
            if kind is Break.DONE or (isinstance(found, Broken) and found.kind is kind and found.faulty is None):
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
        if isinstance(node, SameNumber):
            return self._numeric.setdefault(node.number, chance.randrange(1, 10**6) * 1_000 + node.number)
        if isinstance(node, WithFraction):
            return float(node.number)
        if isinstance(node, Large):
            return self._ranked(node.rank)
        if isinstance(node, Named):
            return self._model(node.model)
        if isinstance(node, PieceOf):
            return "".join(self._pieces[node.text][node.piece : node.piece + node.count])
        if isinstance(node, CopyOf):
            return "".join(self._pieces[node.text])
        if isinstance(node, ObjectOf):
            return parse("".join(self._pieces[node.text]), max_nesting=512).value
        if isinstance(node, StringOf):
            return self._cut_string(node)
        if isinstance(node, NumberAt):
            return self._inside(node.text, node.at)
        if isinstance(node, PathOf):
            return self._path(node)
        if isinstance(node, Dotted):
            return ".".join(part if isinstance(part, str) else self._label(part) for part in node.parts)
        if isinstance(node, (Counter, Step)):
            self._last = self._counted(node)
            return self._last
        if isinstance(node, Odd):
            return {
                Odd.NEGATIVE: -chance.randrange(1, 10**12),
                Odd.FRACTION: chance.choice((0.25, 4097.0, 17.5, -0.5)),
                Odd.BEYOND: 2**31 + chance.randrange(10**12),
            }[node]
        return node

    def _inside(self, text: int, at: tuple[int, ...]) -> object:
        """The value at this place in the object of a text."""
        here = self._objects[text]
        for step in at:
            assert isinstance(here, (dict, list))
            here = list(here.values())[step] if isinstance(here, dict) else here[step]
        return here

    def _cut_string(self, node: StringOf) -> str:
        value = self._inside(node.text, node.at)
        assert isinstance(value, str)
        cuts = self._cuts.setdefault(
            (node.text, node.at), sorted(self._chance.sample(range(1, len(value)), node.pieces - 1))
        )
        return value[[0, *cuts][node.piece] : [*cuts, len(value)][node.piece]]

    def _path(self, node: PathOf) -> str:
        steps, here = "$", self._objects[node.text]
        for step in node.steps:
            name: str | int = self._chance.randrange(KEPT_INDEX + 1, 2**31) if step is None else 0
            if isinstance(step, int):
                name = step
            elif isinstance(step, Known):
                assert isinstance(here, dict)
                name = list(here)[step.place]
            elif isinstance(step, New):
                name = step.name if isinstance(step.name, str) else self._label(step.name)
            fits = (isinstance(here, dict) and name in here) or (
                isinstance(here, list) and isinstance(name, int) and name < len(here)
            )
            here = here[name] if fits else None  # type: ignore[index]
            steps += spelled_step(name, step.spelling if isinstance(step, (Known, New)) else "")
        return steps + ("[]" if node.array else "")

    def _laid(self) -> None:
        """Make texts anew until the objects of those that came in pieces can be cut and named as observed."""
        nodes = list(_laid_nodes(self._seen.payloads))
        self._filled = {(node.text, node.at) for node in nodes if isinstance(node, StringOf)}
        for number in {node.text for node in nodes}:
            mine = [node for node in nodes if node.text == number]
            for _ in range(2_000):
                self._pieces[number] = self._text(self._seen.texts[number])
                value = parse("".join(self._pieces[number]), max_nesting=1024).value
                self._objects[number] = {} if value is None else value
                if all(self._is_as_seen(node) for node in mine):
                    break
            else:
                raise UnfillableError

    def _is_as_seen(self, node: StringOf | NumberAt | PathOf) -> bool:
        if isinstance(node, StringOf):
            value = self._inside(node.text, node.at)
            return isinstance(value, str) and len(value) >= node.pieces
        return not isinstance(node, PathOf) or self._names_fit(node)

    def _names_fit(self, node: PathOf) -> bool:
        """Whether each name can be spelled as observed; and, where a string has no character, that it has none."""
        here = self._objects[node.text]
        at: tuple[int, ...] = ()
        for step in node.steps:
            if isinstance(step, Known):
                assert isinstance(here, dict)
                name = list(here)[step.place]
                if step.spelling == PLAIN and spelled_step(name, PLAIN) != f".{name}":
                    return False
                here, at = here[name], (*at, step.place)
            elif isinstance(step, int) and isinstance(here, list) and step < len(here):
                here, at = here[step], (*at, step)
            else:
                return True
        return not isinstance(here, str) or not here or (node.text, at) in self._filled

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
            case Json.TEXT if self._seen.capture.get("call in the text"):
                return json.dumps({"name": self.word(), "arguments": {}})
            case Json.TEXT:
                said = self.prose()
                chanced = said and (is_base64(said) or is_index_text(said))  # which would be told
                return f"{said} " if chanced else said
            case Json.ENCODED:
                return base64.b64encode(self.prose().encode()).decode()
            case Json.NUMBER:
                return self.number()
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
            case Json.ZERO:
                return 0
            case Json.FILLED_NUMBER:
                return chance.choice((-1, 1)) * chance.randrange(1, 10**9)
            case Json.TRUE | Json.FALSE:
                return kind is Json.TRUE
            case Json.TRUE_WORD:
                return chance.choice(("true", "TRUE", "yes", "1", "on", "t"))
            case Json.FALSE_WORD:
                return chance.choice(("false", "No", "0", "off", "F"))
            case Json.OTHER_WORD:
                return f"{self.prose()} ?"
            case Json.PATH | Json.ARRAY_PATH:
                return f"$.{self.word()}" + ("[]" if kind is Json.ARRAY_PATH else "")
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

    def _label(self, same: Same | Deciding) -> str:
        if isinstance(same, Deciding):
            return same.start + self._label(same.same) + same.end
        site = "word" if same.site == "result" else same.site
        if (site, same.number) not in self._same:
            taken = {text for (place, _), text in self._same.items() if place == site}
            while True:
                text = self._chance.choice((self.word(), self.prose(), self._chance.choice("abé0 ")))
                if same.site.startswith("name of"):
                    text = self.word()  # which can be spelled in every way
                if same.site == "result":
                    text += "_tool_result"
                elif text.endswith("_tool_result") or text.lower().endswith("call"):
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


def _laid_nodes(node: object) -> Iterable[StringOf | NumberAt | PathOf]:
    """What is told of pieces of objects, anywhere in payloads."""
    if isinstance(node, (StringOf, NumberAt, PathOf)):
        yield node
    elif isinstance(node, Members):
        for _, inner in node.members:
            yield from _laid_nodes(inner)
    elif isinstance(node, tuple):
        for inner in node:
            yield from _laid_nodes(inner)


class _Held:
    """Stands where a value waits for the one beside it."""


_HELD: Final = _Held()
# A string, which may be broken; else what white space may follow.
_BETWEEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|([{}\[\],:])', re.DOTALL)
_ENDS: Final = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
_ANNOTATIONS: Final = ("title", "description", "$comment", "default", "examples", "x-team")
_SCHEMAS: Final = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
_SCHEMA_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SCHEMA_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")


def _needs_delta(node: Node) -> bool:
    return isinstance(node, Members) and any(isinstance(inner, Mirrored) for _, inner in node.members)


def _as_printed(text: str) -> str:
    """The text as its value is printed, however it is spelled; itself where it is broken."""
    parsed = parse(text, max_nesting=512)
    return (printed(parsed.value) or text) if parsed.code is None else text
