"""What an exchange is called that is not recorded: closed words, from its path. Pure functions and tables.

Example: a POST of `/v1/embeddings` is `embeddings`, and there is nothing to do about it. A POST of a path that nobody
knows, answered by an event stream, is `a stream at another path`, and may well be a turn that the user wants.
"""

from collections.abc import Mapping
from typing import Final

from proxy_addon.upstreams import Upstream
from proxy_addon.writing.outcomes.unrecorded import OTHER_STREAM, REQUEST, Sort, What
from replay.families import FAMILIES, FRAMINGS, provider_at

_NO_TURN: Final = (
    *("embeddings", "embed", "rerank", "moderations", "models", "files", "batches", "images", "audio", "videos"),
    *("uploads", "fine_tuning", "vector_stores", "evals", "containers", "count_tokens", "input_tokens", "tokenize"),
    *("detokenize", "classify", "ocr", "input_items", "tags", "show", "pull", "ps", "version", "health", "usage"),
    *("countTokens", "embedContent", "batchEmbedContents", "cachedContents", "predict"),
)
# Turns that are never streamed at these paths; another path of the same API streams them.
_UNSTREAMED: Final = ("generateContent", "rawPredict", "converse", "invoke")
_OTHER_TURNS: Final = ("completions", "threads", "assistants", "conversations", "agents", "generate", "realtime", "fim")

# By a segment of the path, or by what stands behind the colon in its last one: the API that is asked.
KNOWN: Final[Mapping[str, What]] = {
    **{name: What(name=name, sort=Sort.NO_TURN) for name in _NO_TURN},
    **{name: What(name=name, sort=Sort.UNSTREAMED) for name in _UNSTREAMED},
    **{name: What(name=name, sort=Sort.OTHER_TURN) for name in _OTHER_TURNS},
}

_STREAMED: Final = frozenset(framing.content_type for framing in FRAMINGS) - {"application/json"}


def turn(profile: str) -> What:
    """What a turn of this wire family is called: its API."""
    return What(name=FAMILIES[profile].api, sort=Sort.TURN)


def asked_for(upstream: Upstream, method: str, target: str) -> What:
    """What a request asks for: a turn of a known API, another API that is known, or just something."""
    kind = upstream.turn(method, target)
    if kind is not None:
        return turn(kind.profile)
    path = target.partition("?")[0]
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1:]
    words = [*(segment.rpartition(":")[2] for segment in last), *reversed(segments)]
    return next((KNOWN[word] for word in words if word in KNOWN), REQUEST)


def answered(asked: What, content_type: str | None) -> What:
    """What an exchange is called once its response begins: where nobody knows the path, a stream is worth a word."""
    named = (content_type or "").partition(";")[0].strip().lower()
    return OTHER_STREAM if asked.sort is Sort.OTHER and named in _STREAMED else asked


# Statuses that a user mends in a way of their own; of the others the first digit is enough.
_TOLD: Final = frozenset({401, 403, 404, 429})


def with_status(asked: What, status: int) -> What:
    """What a turn is called that the provider declined. Examples: `chat.completions (429)`, `messages (5xx)`."""
    said = str(status) if status in _TOLD else f"{status // 100}xx"
    return What(name=f"{asked.name} ({said})", sort=asked.sort)


def host_of(name: str) -> str:
    """What the host of a tunnel is called: the provider, where it is one that toolreel knows, else nothing of it."""
    return provider_at(name) or "another host"
