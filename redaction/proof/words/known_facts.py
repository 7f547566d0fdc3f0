"""What `capture` and `transport` may say, read back: closed words and small counts, by key.

In: the finished fixture as JSON value, and how many events it has. Out: the classes of the places that hold anything
else. Every key has a question of its own (`status` is one of the numbers from 100 to 599), and a key without a question
is a leak, whatever its value. Written apart from `captured.facts`, which writes these members.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from redaction.families.models import MODEL_FAMILIES, PUBLIC_MODELS, UNKNOWN_MODEL
from redaction.families.tables.family import Spoken
from replay import derived
from replay import families as wire

MODELS: Final = PUBLIC_MODELS | {*MODEL_FAMILIES, UNKNOWN_MODEL, ""}
VERSION: Final = re.compile(r"(?=.{3,7}\Z)[0-9]{1,2}(?:\.[0-9]{1,4}){1,2}")
# The clients that the recorder knows by their user agents.
_CLIENTS: Final = frozenset(
    (
        "openai-python openai-node anthropic-python anthropic-node mistralai-python google-genai-python "
        "google-genai-node ollama-python ollama-node boto3-python botocore-python cohere-python curl"
    ).split()
)
_PROVIDER: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_DIGEST: Final = re.compile(r"[0-9a-f]{12}")
_POLICIES: Final = range(1, 2)
_STATUSES: Final = range(100, 600)
# One of so many: a sample of one in one is none.
_RATES: Final = range(2, 10_000)
# Counts are told (SECURITY.md); no body has more lines than this.
_COUNTS: Final = range(10_000_000)


@dataclass(frozen=True, slots=True)
class _Around:
    """What a question may ask of the rest of the fixture: how many events it has, what its family says."""

    events: int
    spoken: Spoken
    done: int  # how many end markers there are
    kept: Mapping[str, object]  # what is kept of the network, and named in `capture`


# The value, and what is around it.
_Question: TypeAlias = Callable[[object, _Around], bool]


def known_adapter(value: object) -> bool:
    """Whether `value` is a client as the recorder names one: its name and its version, nothing else."""
    if not isinstance(value, dict) or list(value) != ["name", "version"]:
        return False
    name, version = value["name"], value["version"]
    return isinstance(name, str) and name in _CLIENTS and isinstance(version, str) and _is_version(version)


def whole(value: object, among: range) -> bool:
    """Whether `value` is an integer of JSON, none of its other spellings, and one of these."""
    return type(value) is int and value in among


def leaking_facts(fixture: Mapping[str, object], events: int, spoken: Spoken) -> Iterator[str]:
    """The class of each place in `capture` and `transport` that holds what no recorder writes."""
    around = _Around(events, spoken, _done(fixture), _kept(fixture))
    for part, questions in _QUESTIONS.items():
        facts = fixture.get(part, {})
        if not isinstance(facts, dict):
            yield part
            continue
        for key, value in facts.items():
            if key not in questions:
                yield f"key in {part}"
            elif not questions[key](value, around):
                yield f"{part}.{key}"


def _done(fixture: Mapping[str, object]) -> int:
    transport = fixture.get("transport")
    told = transport.get("done") if isinstance(transport, dict) else None
    return told if isinstance(told, int) and whole(told, _COUNTS) else 0


# What `transport` keeps of the network, by the member of `capture` that names it.
_NAMED: Final = {"timing": "milliseconds", "reads": "reads"}


def _kept(fixture: Mapping[str, object]) -> Mapping[str, object]:
    """The members of `transport` about the network that `capture` names."""
    capture, transport = fixture.get("capture"), fixture.get("transport")
    if not isinstance(capture, dict) or not isinstance(transport, dict):
        return {}
    return {member: transport[member] for name, member in _NAMED.items() if name in capture and member in transport}


def _is_version(text: str) -> bool:
    return VERSION.fullmatch(text) is not None


def _one_of(*words: str) -> _Question:
    return lambda value, _: isinstance(value, str) and value in words


def _true(value: object, _: _Around) -> bool:
    return value is True


def _positions(value: object, around: _Around) -> bool:
    """Events by their number, in order, each once."""
    return (
        isinstance(value, list)
        and all(whole(at, range(around.events)) for at in value)
        and all(one < other for one, other in pairwise(value))
    )


def _comments(value: object, around: _Around) -> bool:
    """Pairs: before which event, how many."""
    return (
        isinstance(value, list)
        and all(isinstance(pair, list) and len(pair) == len(("at", "count")) for pair in value)
        and _positions([pair[0] for pair in value], around)
        and all(whole(pair[1], _COUNTS) for pair in value)
    )


def _data_lines(value: object, around: _Around) -> bool:
    """Pairs: which event, and in how many lines its data came, of those that came in several."""
    return _comments(value, around) and isinstance(value, list) and all(pair[1] > 1 for pair in value)


def _blocks(value: object, around: _Around) -> bool:
    """Before which event or end marker, how many blocks like this one, and what each had; in order, runs whole."""
    return (
        isinstance(value, list)
        and all(isinstance(run, list) and len(run) == len(("at", "count", "what")) for run in value)
        and all(
            whole(at, range(around.events + around.done + 1))
            and whole(count, _COUNTS)
            and count > 0
            and _is_block(what, around)
            for at, count, what in value
        )
        and all(one[0] <= other[0] and (one[0], one[2]) != (other[0], other[2]) for one, other in pairwise(value))
    )


def _is_block(value: object, around: _Around) -> bool:
    """What a block without data had: a number of comments, a known name, an id, a retry time."""
    asked: dict[str, _Question] = {
        "comments": lambda count, _: whole(count, _COUNTS) and count != 0,
        "event": lambda name, _: isinstance(name, str) and name in (_NAMES | around.spoken.words["type"]) - {""},
        "id": _true,
        "retry": _true,
    }
    return (
        isinstance(value, dict)
        and [*value] == [name for name in asked if name in value]
        and all(asked[name](one, around) for name, one in value.items())
    )


_NAMES: Final = frozenset({"ping", "error", "message", "done", "x", ""})


def _event_names(value: object, around: _Around) -> bool:
    """That each event has the name of its payload's type, or the name of each."""
    if isinstance(value, list):
        known = _NAMES | around.spoken.words["type"]
        return len(value) == around.events and all(isinstance(name, str) and name in known for name in value)
    return value == "type"


_UNFAITHFUL: Final = ("payloads", "arguments", "names", "ids", "values", "texts")


def _classes(value: object, _: _Around) -> bool:
    """Classes of what clients look at, each once and in order."""
    return isinstance(value, list) and bool(value) and value == [one for one in _UNFAITHFUL if one in value]


# Where a read may have ended, and the grid of times, in milliseconds, with its name. No stream lasts a fortnight.
_PLACES: Final = ("frame", "line_end", "utf8", "escape", "string", "field", "structure")
_GRID: Final = "100ms"
_TIMES: Final = range(0, 14 * 24 * 60 * 60 * 1000, 100)


def _reads(value: object, around: _Around) -> bool:
    """Pairs: in which event each read ended, in order, and in which place. End markers follow the last event."""
    if not isinstance(value, list) or not around.kept.get("reads"):
        return False
    pairs = [pair for pair in value if isinstance(pair, list) and len(pair) == len(("event", "place"))]
    return (
        len(pairs) == len(value)
        and all(whole(at, range(around.events + around.done + 2)) and place in _PLACES for at, place in pairs)
        and all(one[0] <= other[0] for one, other in pairwise(pairs))
    )


def _milliseconds(value: object, around: _Around) -> bool:
    """Times on the grid, none before the last one: of the reads where they are kept, else of events and end markers."""
    reads = around.kept.get("reads")
    count = around.events + around.done if reads is None else len(reads) if isinstance(reads, list) else -1
    return (
        isinstance(value, list)
        and "milliseconds" in around.kept
        and len(value) == count
        and all(whole(at, _TIMES) for at in value)
        and all(one <= other for one, other in pairwise(value))
    )


_LINE_ENDS: Final = frozenset({"lf", "crlf", "cr"})


def _line_ends(value: object, _: _Around) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(end, str) and end in _LINE_ENDS for end in value)
        and value == sorted(set(value))
    )


def _derived(value: object, _: _Around) -> bool:
    """Whether this names a kind that `toolreel derive` makes, and the digest of what it was made of."""
    return (
        isinstance(value, dict)
        and value.keys() == {"kind", "source"}
        and value["kind"] in derived.NAMES
        and isinstance(value["source"], str)
        and _DIGEST.fullmatch(value["source"]) is not None
    )


_SAMPLES: Final = ("stream", "session")


def _sample(value: object, _: _Around) -> bool:
    """One of so many streams, or of so many sessions."""
    return (
        isinstance(value, dict)
        and value.keys() == {"one_in", "of"}
        and whole(value["one_in"], _RATES)
        and isinstance(value["of"], str)
        and value["of"] in _SAMPLES
    )


_CONTENT_TYPES: Final = frozenset(
    f"{kind}{parameter}"
    for kind in (
        "text/event-stream",
        "application/json",
        "application/x-ndjson",
        "application/vnd.amazon.eventstream",
    )
    for parameter in ("", "; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8")
) | {"other"}

_FRAMINGS: Final = ("sse", "ndjson", "json", "json-object", "eventstream", "eventstream-chunks")

_QUESTIONS: Final[Mapping[str, Mapping[str, _Question]]] = {
    "capture": {
        "provider": lambda value, _: isinstance(value, str) and _PROVIDER.fullmatch(value) is not None,
        "model": lambda value, _: isinstance(value, str) and value in MODELS,
        "api": _one_of(*(family.api for family in wire.FAMILIES.values())),
        "mode": _one_of("reverse", "forward", "import"),
        "adapter": lambda value, _: known_adapter(value),
        "tool_choice": _one_of("auto", "none", "required", "named"),
        "parallel_tool_calls": lambda value, _: isinstance(value, bool),
        "lengths": _one_of("exact"),
        "pieces": _one_of("rounded"),
        "renamed": _one_of("contract", "values"),
        "timing": lambda value, around: value == _GRID and "milliseconds" in around.kept,
        "reads": lambda value, around: value == "places" and "reads" in around.kept,
        "sample": _sample,
        "stream_end": _one_of("complete", "client_disconnected", "upstream_disconnected", "proxy_stopped"),
        "policy": lambda value, _: whole(value, _POLICIES),
        "rung": _one_of("canonical", "needed_lengths", "exact_lengths", "widths"),
        "unfaithful": _classes,
        "derived": _derived,
    },
    "transport": {
        "status": lambda value, _: whole(value, _STATUSES),
        "content_type": lambda value, _: value is None or (isinstance(value, str) and value in _CONTENT_TYPES),
        "content_coding": _one_of("identity", "gzip", "deflate", "br", "zstd"),
        "framing": _one_of(*_FRAMINGS),
        "line_ends": _line_ends,
        "done": lambda value, _: whole(value, _COUNTS),
        "byte_order_mark": _true,
        "event_names": _event_names,
        "comments": _comments,
        "data_lines": _data_lines,
        "blocks": _blocks,
        "ids": _positions,
        "retries": _positions,
        "unterminated_event": _true,
        "unterminated_done": _true,
        "unclosed": _true,
        "reads": _reads,
        "milliseconds": _milliseconds,
    },
}

# Every word that stands in these two parts, whatever its key.
FACT_WORDS: Final = frozenset(
    {
        *_QUESTIONS,
        *(key for questions in _QUESTIONS.values() for key in questions),
        *_CLIENTS,
        *_NAMES,
        *_LINE_ENDS,
        *derived.NAMES,
        *_SAMPLES,
        *_FRAMINGS,
        *_PLACES,
        _GRID,
        *(family.api for family in wire.FAMILIES.values()),
        *_CONTENT_TYPES,
        *(
            "event id retry name version reverse forward import auto none required named complete "
            "client_disconnected unfaithful payloads arguments names ids values texts "
            "upstream_disconnected proxy_stopped derived kind source canonical needed_lengths exact_lengths widths "
            "one_in exact rounded places contract values identity gzip deflate br zstd type true false null"
        ).split(),
    }
)
