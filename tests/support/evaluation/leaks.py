"""Canaries planted in every place, of every material and cut, and looked for in all that redaction lets out.

The exchanges go through `toolreel import` as a HAR archive and through the engine; searched are the files, stdout,
stderr and log records of that process, as they stand, decoded and reassembled.
"""

import base64
import collections
import json
import os
import random
import re
import string
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from support.evaluation.baselines import BASELINES
from support.families import FAMILIES
from support.planted.canaries import PIECE, views
from support.planted.hiding import Hidden, Material, hidden
from support.shared import ROOT

from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Proved
from redaction.redactor import redact
from replay.families import array
from replay.validator import read_envelope
from replay.validator.envelope import Envelope

Chance = random.Random
LETTERS: Final = string.ascii_letters + string.digits
GREEK: Final = "".join(map(chr, range(0x3B1, 0x3CA)))
HAN: Final = "".join(map(chr, range(0x4E00, 0x4F00)))
FACES: Final = "".join(map(chr, range(0x1F600, 0x1F650)))


def _run(chance: Chance, letters: str, size: int) -> str:
    return "".join(chance.choice(letters) for _ in range(size))


def _credential(chance: Chance) -> str:
    """The shape of a real key, with a random body."""
    alphabet, hexadecimal = LETTERS + "-_", "0123456789abcdef"
    return chance.choice(
        (
            lambda: f"sk-proj-{_run(chance, alphabet, 58)}T3BlbkFJ{_run(chance, alphabet, 58)}",
            lambda: f"sk-ant-api03-{_run(chance, alphabet, 93)}AA",
            lambda: f"AIza{_run(chance, alphabet, 35)}",
            lambda: f"AKIA{_run(chance, string.ascii_uppercase + '234567', 16)}",
            lambda: f"ghp_{_run(chance, LETTERS, 36)}",
            lambda: (
                f"xoxb-{_run(chance, string.digits, 11)}-{_run(chance, string.digits, 12)}-{_run(chance, LETTERS, 24)}"
            ),
            lambda: _run(chance, hexadecimal, 32),
            lambda: f"eyJ{_run(chance, alphabet, 20)}.eyJ{_run(chance, alphabet, 40)}.{_run(chance, alphabet, 43)}",
            lambda: f"postgres://{_run(chance, string.ascii_lowercase, 8)}:{_run(chance, LETTERS, 16)}@db.example/x",
            lambda: f"-----BEGIN PRIVATE KEY-----\n{_run(chance, LETTERS + '+/', 64)}\n-----END PRIVATE KEY-----",
        )
    )()


MATERIALS: Final[Mapping[str, Callable[[Chance], str]]] = {
    "letters and digits": lambda chance: _run(chance, LETTERS, 20),
    "letters beyond ASCII": lambda chance: _run(chance, GREEK + HAN + "éüøßłñ", 20),
    "emoji with joiners": lambda chance: "\u200d".join(_run(chance, FACES, 12)),
    "quotes, backslashes, line breaks": lambda chance: (
        f'{_run(chance, LETTERS, 14)}"\\\n{_run(chance, LETTERS, 14)}\\"\t{_run(chance, LETTERS, 6)}'
    ),
    "the shape of a real credential": _credential,
}
NUMBERS: Final = "digits as a JSON number"
KEYS: Final = "as a JSON key"
TAILS: Final = "in a tail that is no JSON"


def _pieces(size: Callable[[Chance], int]) -> Callable[[Chance, str], list[str]]:
    def cut(chance: Chance, text: str) -> list[str]:
        found = []
        while text:
            width = max(1, size(chance))
            found.append(text[:width])
            text = text[width:]
        return found

    return cut


CUTS: Final[Mapping[str, Callable[[Chance, str], list[str]]]] = {
    "whole": lambda _, text: [text],
    "in two": lambda chance, text: [text[: (at := chance.randrange(1, len(text)))], text[at:]],
    "as small as tokens": _pieces(lambda chance: chance.randrange(2, 7)),
    "every character": _pieces(lambda _: 1),
}

# As providers cut arguments: what the other ways to mask are measured with.
USUAL_CUT: Final = "as small as tokens"

# The class of a place, by a word of its name; the first that occurs counts.
CLASSES: Final = (
    ("headers, query, user agent", ("header", "query", "user agent", "content type")),
    ("lines of the stream", ("comment", "event name", "event id", "retry", "field ", "half event")),
    ("payloads that are no JSON", ("payload", "second document", "repeated key", "key beside NaN")),
    ("tool schemas", ("schema", "property ", "definition", "keyword", "pattern", "format", "reference", "enum that")),
    ("tool schemas", ("tool description", "type that is none", "required that")),
    ("arguments", ("argument", "fragment", "mirror", "input", "call of a chunk", "shape")),
    ("ids", (" id", "completion id", "id ")),
    ("names and words", ("tool", "role", "reason", "kind of", "object", "model", "type", "delta that", "name")),
    ("prose, reasoning, signatures", ("text", "content", "refusal", "reasoning", "thinking", "signature", "thought")),
    ("citations and media", ("citation", "cited", "document", "image", "audio", "transcript", "result", "file")),
    ("errors", ("error", "failed generation")),
    ("usage, tiers, fingerprints", ("usage", "tier", "fingerprint", "cost", "unit", "tokens", "created", "token")),
)
REPEATED: Final = "what a response repeats of its request"
INDICES: Final = "indices and numbers of a sequence"
OTHER: Final = "other members and numbers"
REQUEST: Final = "messages and options of the request"
_REQUEST: Final = (
    "system prompt|message|a message|user|metadata|safety|cache|stop sequence|prediction|response format|format enum|"
    "logit|seed|request member|server|authorization|location|used|container|tool choice|description"
).split("|")


def class_of(place: str) -> str:
    """The position class of a place."""
    if " in the response " in place:
        return REPEATED
    if place.startswith("number of") or "past all" in place or "large" in place:
        return INDICES
    if any(word in place for word in _REQUEST) and not place.startswith(("message copy", "message of", "message id")):
        for name, words in CLASSES[3:5]:
            if any(word in place for word in words):
                return name
        return REQUEST
    return next((name for name, words in CLASSES if any(word in place for word in words)), OTHER)


_TAIL_WORDS: Final = (
    "cut payload|trailing payload|second document|half event|late fragment|fragment without|fragment of an|"
    "fragment in a|fragment behind|mirror|legacy arguments|arguments of a choice|call of a chunk|prose payload"
).split("|")


def form_of(place: str, secret: str, material: str) -> str:
    """What the canary of a place is made of, or in what form it stands."""
    if secret.isdigit():
        return NUMBERS
    if any(place.endswith(word) or place.startswith(word) for word in ("key", "metadata key", "argument key")) or any(
        word in place for word in ("key of a default", "repeated key", "key beside", "deep unknown key", "unit")
    ):
        return KEYS
    return TAILS if any(word in place for word in _TAIL_WORDS) else material


@dataclass(frozen=True, slots=True)
class Planted:
    """One exchange full of canaries, and what they are made of."""

    profile: str
    material: str
    cut: str
    hidden: Hidden


def plant(chance: Chance, profile: str, material: str, cut: str) -> Planted:
    """An exchange of one profile, material and cut."""
    return Planted(
        profile,
        material,
        cut,
        hidden(
            profile,
            Material(
                text=lambda _: MATERIALS[material](chance),
                number=lambda _: chance.randrange(10**13, 10**14),
                pieces=lambda text: CUTS[cut](chance, text),
            ),
        ),
    )


# -- what is searched


_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _decoded(text: str) -> str:
    whole = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _SHORT.get(match[2], match[2]), text)
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def readings(text: str) -> Iterator[str]:
    """The text as it stands, unescaped, and unescaped once more."""
    yield text
    for _ in range(2):
        if "\\" not in text:
            return
        text = _decoded(text)
        yield text


def texts_of(data: bytes) -> Iterator[str]:
    """Everything that can be read out of a file: as it is, its strings, its arguments assembled, and all unescaped."""
    seen = [view.decode("utf-8", "replace") for view in views(data)]
    envelope = read_envelope(data)
    if isinstance(envelope, Envelope):
        assembled = argument_texts(envelope.profile, envelope.payloads)
        seen += assembled
        seen += [string for text in assembled for string in _strings(text)]
    for text in seen:
        yield from readings(text)


def _strings(text: str) -> list[str]:
    try:
        value = json.loads(text)
    except ValueError:
        return []
    found: list[str] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            found += here
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif isinstance(here, str):
            found.append(here)
    return found


def windows(secret: str) -> set[str]:
    """Every eight characters of a canary."""
    return {secret[at : at + PIECE] for at in range(len(secret) - PIECE + 1)}


def traces(secret: str) -> set[str]:
    """The canary whole, in encodings that no reader above undoes."""
    raw = secret.encode()
    found = {raw.hex(), secret[::-1]}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw).decode()
        found.add(encoded[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6])
    return found


class Search:
    """The canaries of many exchanges, looked for in texts."""

    def __init__(self, planted: Iterable[Planted]) -> None:
        self._owners: dict[str, tuple[int, str]] = {}
        self._whole: list[tuple[str, tuple[int, str]]] = []
        for number, one in enumerate(planted):
            for place, secret in one.hidden.canaries.items():
                self._owners.update((window, (number, place)) for window in windows(secret))
                self._whole += [(trace, (number, place)) for trace in traces(secret)]

    def found(self, texts: Iterable[str], *, encodings: bool = True) -> set[tuple[int, str]]:
        """The exchange and the place of every canary of which eight characters stand in a text."""
        hits: set[tuple[int, str]] = set()
        seen: set[str] = set()
        whole = []
        for text in dict.fromkeys(texts):
            if text.isascii() and len(set(text)) <= 3:
                continue  # a run of placeholders
            whole.append(text)
            pieces = {text[at : at + PIECE] for at in range(len(text) - PIECE + 1)}
            hits.update(self._owners[piece] for piece in pieces & self._owners.keys())
            seen |= pieces
        if encodings:
            everything = "\n".join(whole)
            hits.update(owner for trace, owner in self._whole if trace[:PIECE] in seen and trace in everything)
        return hits


# -- the run


# Starts the command with every log record noted, even those that nobody would print.
WRAPPER: Final = """
import logging, sys
make = logging.getLogRecordFactory()
log = open(sys.argv.pop(1), "a", encoding="utf-8", errors="backslashreplace")
def note(*given, **named):
    record = make(*given, **named)
    print(record.getMessage(), repr(record.args), repr(record.exc_info), file=log, flush=True)
    return record
logging.setLogRecordFactory(note)
logging.getLogger().setLevel(1)
from replay.cli import main
main()
"""


def _entry(one: Planted) -> dict[str, Any]:
    exchange = one.hidden.exchange
    headers = {
        "authorization": f"Bearer {exchange.secrets[0]}",
        "user-agent": exchange.user_agent or "",
        "content-type": "application/json",
    }
    answered = {"content-type": exchange.content_type or "", "x-request-id": exchange.secrets[0]}
    return {
        "request": {
            "method": "POST",
            "url": f"{FAMILIES[one.profile].url}?note={exchange.secrets[1].encode().hex()}",
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "queryString": [{"name": "key", "value": exchange.secrets[1]}],
            "postData": {"mimeType": "application/json", "text": (exchange.request_body or b"").decode()},
        },
        "response": {
            "status": 200,
            "headers": [{"name": name, "value": value} for name, value in answered.items()],
            "content": {
                "mimeType": "text/event-stream",
                "text": base64.b64encode(exchange.body).decode(),
                "encoding": "base64",
            },
        },
    }


@dataclass(slots=True)
class Tally:
    """Canaries planted and found, by wire family, class of place, form, and cut of the arguments."""

    exchanges: int = 0
    refused: int = 0
    written: int = 0
    planted: dict[str, collections.Counter[str]] = field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )
    found: dict[str, collections.Counter[str]] = field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )
    where: collections.Counter[str] = field(default_factory=collections.Counter)
    searched: collections.Counter[str] = field(default_factory=collections.Counter)
    baselines: dict[str, collections.Counter[str]] = field(
        default_factory=lambda: collections.defaultdict(collections.Counter)
    )

    def count(self, where: dict[str, collections.Counter[str]], one: Planted, place: str, secret: str) -> None:
        """One canary more."""
        where["all"]["all"] += 1
        where["family"][one.profile] += 1
        where["position"][class_of(place)] += 1
        where["material"][form_of(place, secret, one.material)] += 1
        if class_of(place) == "arguments" and place.startswith(
            ("argument", "deep argument", "escaped argument", "free argument")
        ):
            where["cut"][one.cut] += 1


def measure(seed: int, least: int, *, say: Callable[[str], None] = lambda _: None) -> Tally:
    """The canaries of every profile, material and cut, over and over until each profile has at least `least`."""
    tally = Tally()
    for profile in FAMILIES:
        number = 0
        while not number or tally.planted["family"][profile] < least:
            chance = Chance(f"{seed} {number} {profile}")
            planted = [plant(chance, profile, material, cut) for material in MATERIALS for cut in CUTS]
            _one_batch(planted, tally, first=number == 0)
            number += 1
            say(f"canaries: {profile}: {tally.planted['family'][profile]:,} planted")
    return tally


def _one_batch(planted: list[Planted], tally: Tally, *, first: bool) -> None:
    search = Search(planted)
    hits: dict[str, set[tuple[int, str]]] = collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        for kind, texts in _imported(Path(folder), planted, tally):
            tally.searched[kind] += 1
            hits[kind] |= search.found(texts)
    for one in planted:
        tally.exchanges += 1
        result = redact(one.hidden.exchange)
        hits["repr of the result"] |= search.found([repr(result), repr(one.hidden.exchange)], encodings=False)
        if isinstance(result, Proved):
            hits["files"] |= search.found([*texts_of(result.fixture.data), result.fixture.stem], encodings=False)
        else:
            tally.refused += 1
    for number, one in enumerate(planted):
        for place, secret in one.hidden.canaries.items():
            tally.count(tally.planted, one, place, secret)
            if any((number, place) in found for found in hits.values()):
                tally.count(tally.found, one, place, secret)
    for kind, found in hits.items():
        tally.where[kind] += len(found)
    if first:
        _baselines([one for one in planted if one.cut == USUAL_CUT], tally)


def _imported(folder: Path, planted: list[Planted], tally: Tally) -> Iterator[tuple[str, Iterable[str]]]:
    """What the command wrote, printed and logged, by kind."""
    archive, log, out = folder / "in.har", folder / "log", folder / "out"
    archive.write_text(json.dumps({"log": {"version": "1.2", "entries": [_entry(one) for one in planted]}}), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "TMPDIR": str(folder)}
    for command in (
        ["import", str(archive), "--out", str(out)],
        ["replay", "--update", str(out)],
        ["replay", str(out)],
    ):
        ran = subprocess.run(
            [sys.executable, "-c", WRAPPER, str(log), *command],
            capture_output=True,
            cwd=folder,
            env=environment,
            check=False,
        )
        if ran.returncode:
            raise RuntimeError(f"toolreel {command[0]} ended with {ran.returncode}: nothing was measured")
        yield "stdout", readings(ran.stdout.decode("utf-8", "replace"))
        yield "stderr", readings(ran.stderr.decode("utf-8", "replace"))
    yield "log records", readings(log.read_text("utf-8") if log.exists() else "")
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path not in (archive, log):
            tally.written += path.parent == out and not path.name.endswith(".expected.json")
            yield "files", [*texts_of(path.read_bytes()), path.name]


def _baselines(planted: list[Planted], tally: Tally) -> None:
    """The canaries of responses that other ways to mask leave, by exchange and by canary."""
    for name, mask in BASELINES.items():
        for one in planted:
            body = one.hidden.exchange.body.decode("utf-8", "replace")
            mine = {place: secret for place, secret in one.hidden.canaries.items() if _in_response(secret, body)}
            turn = {"profile": one.profile, "tool_schemas": {}, array(one.profile): mask(one.hidden.exchange)}
            data = json.dumps(turn, default=float).encode()
            left = Search([one]).found(texts_of(data), encodings=False)
            tally.baselines[name]["canaries"] += len(mine)
            tally.baselines[name]["found"] += sum(place in mine for _, place in left)
            tally.baselines[name]["exchanges"] += 1
            tally.baselines[name]["leaking"] += any(place in mine for _, place in left)


def _in_response(secret: str, body: str) -> bool:
    return secret in body or json.dumps(secret)[1:-1] in body or json.dumps(secret, ensure_ascii=False)[1:-1] in body
