"""How many short texts a fixture still tells apart: prose and argument values, of texts that all differ.

Each text is streamed in fragments as small as tokens. Texts with one fixture are one crowd; one alone in its crowd is
identified. Beside it what the number of fragments alone tells, and what their lengths would.
"""

import collections
import json
import random
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from support.exchanges import request_body, sse_body

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
    inside = json.dumps(text, ensure_ascii=False)[1:-1]
    entries += [{"index": 0, "function": {"arguments": piece}} for piece in [*fragments(inside, tokens), '"}']]
    return _turn([{"tool_calls": [entry]} for entry in entries], "tool_calls")


def _turn(deltas: list[object], reason: str) -> Exchange:
    choices = [{"index": 0, "delta": delta} for delta in deltas] + [{"index": 0, "delta": {}, "finish_reason": reason}]
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return Exchange(
        profile="openai",
        provider="openai",
        request_body=request_body("openai", {"note": schema}),
        body=sse_body([{"id": "c", "choices": [choice]} for choice in choices], done=True),
    )


@dataclass(slots=True)
class Crowds:
    """Of one corpus: texts, and by each view the share that is alone in it and the number of crowds."""

    texts: int = 0
    alone: dict[str, float] = field(default_factory=dict)
    crowds: dict[str, int] = field(default_factory=dict)


PROSE: Final = "prose"
ARGUMENT: Final = "argument value"
WORST: Final = "argument value, each escape cut"
VIEWS: Final = ("fixture", "number of fragments", "lengths of fragments")


def measure(seed: int, size: int, *, say: Callable[[str], None] = lambda _: None) -> dict[str, Crowds]:
    """The crowds of texts streamed as prose, and as an argument."""
    texts = corpus(seed, size)
    found = {}
    for name, exchange_of, tokens in (
        (PROSE, prose, _TOKENS),
        (ARGUMENT, argument, _TOKENS),
        (WORST, partial(argument, tokens=_CUT_ESCAPES), _CUT_ESCAPES),
    ):
        crowds: dict[str, collections.Counter[Hashable]] = {view: collections.Counter() for view in VIEWS}
        for text in texts:
            result = redact(exchange_of(text))
            assert isinstance(result, Proved)
            pieces = fragments(text if name == PROSE else json.dumps(text, ensure_ascii=False)[1:-1], tokens)
            crowds["fixture"][result.fixture.data] += 1
            crowds["number of fragments"][len(pieces)] += 1
            crowds["lengths of fragments"][tuple(map(len, pieces))] += 1
        found[name] = Crowds(
            texts=len(texts),
            alone={view: sum(size == 1 for size in crowd.values()) / len(texts) for view, crowd in crowds.items()},
            crowds={view: len(crowd) for view, crowd in crowds.items()},
        )
        say(f"identification: {name}")
    return found
