"""How many short texts a fixture still tells apart: prose and argument values, of texts that all differ.

Each text is streamed in fragments as small as tokens. Texts with one fixture are one crowd; one alone in its crowd is
identified. Beside it what the number of fragments alone tells, and what their lengths would.
"""

import collections
import itertools
import json
import math
import random
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from support.builders import items
from support.recorded.exchanges import request_body, sse_body
from support.streamed.answers import answer

from redaction.captured.exchange import Exchange, Proved
from redaction.redactor import redact

_SUBJECTS: Final = (
    "the patient|my neighbour|Ann Keller|our client in Zürich|the defendant|a customer|Mr O'Brien|the new intern|"
    "account 4471|the whole team|Dr. Lindqvist|my mother|the tenant|the applicant|José|nobody"
).split("|")
_VERBS: Final = (
    "has asked about|was diagnosed with|wants to cancel|did not pay|complained about|would like to move|is afraid of|"
    "inherited|was convicted of|forgot|has to pick up|wrote a long letter about|cannot afford|is looking for"
).split("|")
_OBJECTS: Final = (
    'stage two lymphoma|the invoice of March|a second mortgage|the divorce|an appointment on Friday|a "quiet" room|'
    "tax fraud|the password for the router|20 mg of sertraline|a visa for Canada|the heating|his criminal record|"
    "the pregnancy test|12 tickets|the merger|a refund of 1,250 euros"
).split("|")
_ENDS: Final = (
    "",
    ".",
    ", please call back.",
    " and needs help by tomorrow.",
    " again?",
    " (urgent)",
    "; see the file.",
)
# Pieces as a tokeniser gives them: a short word with its space, part of a long one, an escape whole.
_TOKENS: Final = re.compile(r"\s?\w{1,5}|\s?(?:\\.|[^\w\s])|\s")
# The same where every escape is cut: the worst case, since the place of a cut escape among the fragments is kept.
_CUT_ESCAPES: Final = re.compile(r"\s?\w{1,5}|\s?[^\w\s]|\s")


def corpus(seed: int, size: int) -> list[str]:
    """So many different texts of 20 to 150 characters."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < size:
        clause = (chance.choice(_SUBJECTS), chance.choice(_VERBS), chance.choice(_OBJECTS))
        text = " ".join(clause) + chance.choice(_ENDS)
        if chance.random() < 0.4:
            text += " " + " ".join((chance.choice(_SUBJECTS), chance.choice(_VERBS), chance.choice(_OBJECTS))) + "."
        found.setdefault(text[:1].upper() + text[1:])
    return list(found)


def fragments(text: str, tokens: re.Pattern[str] = _TOKENS) -> list[str]:
    """The text as small as tokens."""
    return tokens.findall(text)


def prose(text: str) -> Exchange:
    """A turn that says the text."""
    deltas: list[object] = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in fragments(text))]
    return _turn(deltas, "stop")


def argument(text: str, tokens: re.Pattern[str] = _TOKENS) -> Exchange:
    """A turn that calls a tool with the text."""
    entries = [{"index": 0, "id": "call_1", "function": {"name": "note", "arguments": '{"text":"'}}]
    pieces = [*fragments(_inside(text), tokens), '"}']
    entries += [{"index": 0, "function": {"arguments": piece}} for piece in pieces]
    return _turn([{"tool_calls": [entry]} for entry in entries], "tool_calls")


def _turn(deltas: list[object], reason: str) -> Exchange:
    choices = [{"index": 0, "delta": delta} for delta in deltas] + [{"index": 0, "delta": {}, "finish_reason": reason}]
    return Exchange(
        profile="openai",
        provider="openai",
        request_body=request_body("openai", {"note": _SCHEMA}),
        body=sse_body([{"id": "c", "choices": [choice]} for choice in choices], done=True),
    )


_SCHEMA: Final = {"type": "object", "properties": {"text": {"type": "string"}}}


def response_prose(text: str) -> Exchange:
    """A response that says the text, and repeats it whole."""
    return _response(items.said(0, fragments(text)))


def response_argument(text: str) -> Exchange:
    """A response that calls a tool with the text, and repeats its arguments whole."""
    pieces = ['{"text":"', *fragments(_inside(text)), '"}']
    return _response(items.grown(0, items.call(name="note"), pieces))


def response_free(text: str) -> Exchange:
    """A response that hands the text to a custom tool, and repeats it whole."""
    return _response(items.grown(0, items.custom(name="jot"), fragments(text)))


def _response(events: list[items.Payload]) -> Exchange:
    return Exchange(
        profile="openai-responses",
        provider="openai",
        request_body=request_body("openai-responses", {"note": _SCHEMA, "jot": {"type": "string"}}),
        body=sse_body(items.turn(*events), done=False),
    )


@dataclass(slots=True)
class Crowds:
    """Of one corpus: texts, and by each view the share that is alone in it and the number of crowds."""

    texts: int = 0
    alone: dict[str, float] = field(default_factory=dict)
    crowds: dict[str, int] = field(default_factory=dict)


# Of ordinary answers: the median of the number of deltas, and how far most of them are from it, as a factor.
ORDINARY: Final = 370
_SPREAD: Final = 2.0
# Of the answers of one corpus, so many.
ANSWERS: Final = 1_000


def lengths(seed: int, size: int) -> list[int]:
    """So many numbers of deltas as answers have: from a log-normal distribution around `ORDINARY`."""
    chance = random.Random(seed)
    return [max(1, round(chance.lognormvariate(math.log(ORDINARY), math.log(_SPREAD)))) for _ in range(size)]


def _deltas(text: str, count: int) -> list[str]:
    """So many deltas, which say the text over and over."""
    return list(itertools.islice(itertools.cycle(fragments(text)), count))


def ordinary(profile: str, text: str, count: int) -> Exchange:
    """An answer of the family in so many deltas."""
    return answer(profile, _deltas(text, count))


def thoughtful(profile: str, text: str, count: int) -> Exchange:
    """The same, of which a quarter or so is reasoning, with a ping for each hundred of deltas, anywhere in them."""
    chance = random.Random(f"{text} {count}")
    thoughts = max(1, round(count * chance.uniform(0.1, 0.4)))
    said: list[str | None] = [*_deltas(text, max(1, count - thoughts))]
    for _ in range(count // 100):
        said.insert(chance.randrange(1, len(said) + 1), None)
    return answer(profile, said, _deltas(text, thoughts))


# Each kind of ordinary answers: its family, and how an answer of so many deltas is streamed.
ORDINARY_ANSWERS: Final[Mapping[str, tuple[str, Callable[[str, str, int], Exchange]]]] = {
    **{f"answers of {profile}": (profile, ordinary) for profile in ("openai", "anthropic", "gemini")},
    "with reasoning and pings, of anthropic": ("anthropic", thoughtful),
    "with reasoning and keep-alives, of openai": ("openai", thoughtful),
}
# How many of a thousand ordinary answers a fixture may tell from all others.
MAY_BE_ALONE: Final = 0.01


def measure_ordinary(
    seed: int, size: int = ANSWERS, *, say: Callable[[str], None] = lambda _: None
) -> dict[str, Crowds]:
    """The crowds of ordinary answers, by how they are streamed."""
    found = {}
    counts, texts = lengths(seed, size), corpus(seed, size)
    for name, (profile, exchange_of) in ORDINARY_ANSWERS.items():
        crowds: dict[str, collections.Counter[Hashable]] = {
            view: collections.Counter() for view in ("fixture", "number of fragments")
        }
        for text, count in zip(texts, counts, strict=True):
            result = redact(exchange_of(profile, text, count))
            assert isinstance(result, Proved)
            crowds["fixture"][result.fixture.data] += 1
            crowds["number of fragments"][count] += 1
        found[name] = _crowds(crowds)
        say(f"identification: {name}")
    return found


PROSE: Final = "prose"
ARGUMENT: Final = "argument value"
WORST: Final = "argument value, each escape cut"


def _inside(text: str) -> str:
    """The text as it stands in a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


# How a text is streamed, and its fragments.
CORPORA: Final[Mapping[str, tuple[Callable[[str], Exchange], Callable[[str], list[str]]]]] = {
    PROSE: (prose, fragments),
    ARGUMENT: (argument, lambda text: fragments(_inside(text))),
    WORST: (partial(argument, tokens=_CUT_ESCAPES), lambda text: fragments(_inside(text), _CUT_ESCAPES)),
    "prose of a response, and its copies": (response_prose, fragments),
    "argument value of a response, and its copies": (response_argument, lambda text: fragments(_inside(text))),
    "text for a custom tool, and its copies": (response_free, fragments),
}
# What the place of a cut escape tells is shown, and is no target.
TARGETS: Final = tuple(name for name in CORPORA if name != WORST)
VIEWS: Final = ("fixture", "number of fragments", "lengths of fragments")


def measure(seed: int, size: int, *, say: Callable[[str], None] = lambda _: None) -> dict[str, Crowds]:
    """The crowds of texts, by how they are streamed."""
    texts = corpus(seed, size)
    found = {}
    for name, (exchange_of, cut) in CORPORA.items():
        crowds: dict[str, collections.Counter[Hashable]] = {view: collections.Counter() for view in VIEWS}
        for text in texts:
            result = redact(exchange_of(text))
            assert isinstance(result, Proved)
            pieces = cut(text)
            crowds["fixture"][result.fixture.data] += 1
            crowds["number of fragments"][len(pieces)] += 1
            crowds["lengths of fragments"][tuple(map(len, pieces))] += 1
        found[name] = _crowds(crowds)
        say(f"identification: {name}")
    return found


def _crowds(crowds: Mapping[str, collections.Counter[Hashable]]) -> Crowds:
    texts = sum(crowds["fixture"].values())
    return Crowds(
        texts=texts,
        alone={view: sum(size == 1 for size in crowd.values()) / texts for view, crowd in crowds.items()},
        crowds={view: len(crowd) for view, crowd in crowds.items()},
    )
