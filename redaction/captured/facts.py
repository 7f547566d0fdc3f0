"""The members `capture` and `transport` of a fixture: where a turn came from and how it arrived, in closed words only.

They have no time, no host, and no header but the content type and coding. `User-Agent: OpenAI/Python 2.8.0` becomes
`{"name": "openai-python", "version": "2.8.0"}`, and a user agent that is not in the list becomes nothing. Knows which
words may be said; masks nothing.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from redaction.captured.exchange import Ending, Exchange, Pieces, Widths, Words
from redaction.captured.network import NOTHING, Network
from redaction.captured.payloads import Body
from redaction.captured.request import Request
from redaction.families import FAMILIES
from redaction.families.models import UNKNOWN_MODEL, model
from replay import families as wire
from replay.wire.framing import Block, Frame, Tail

# The version of the redaction policy: what it keeps and how it masks.
POLICY: Final = 1

# SDKs that name themselves in their user agent.
_ADAPTERS: Final = (
    (re.compile(r"(?:Async)?OpenAI/Python ([0-9.]+)\Z"), "openai-python"),
    (re.compile(r"(?:Async)?OpenAI/JS ([0-9.]+)\Z"), "openai-node"),
    (re.compile(r"(?:Async)?Anthropic/Python ([0-9.]+)\Z"), "anthropic-python"),
    (re.compile(r"(?:Async)?Anthropic/JS ([0-9.]+)\Z"), "anthropic-node"),
    (re.compile(r"(?:mistral-client-python|speakeasy-sdk/python)/?\s?([0-9.]+)\b.*", re.DOTALL), "mistralai-python"),
    (re.compile(r"google-genai-sdk/([0-9.]+) gl-python/\S+"), "google-genai-python"),
    (re.compile(r"google-genai-sdk/([0-9.]+) gl-node/\S+"), "google-genai-node"),
    (re.compile(r"ollama-python/([0-9.]+) "), "ollama-python"),
    (re.compile(r"ollama-js/([0-9.]+) "), "ollama-node"),
    (re.compile(r"Boto3/([0-9.]+) "), "boto3-python"),
    (re.compile(r"Botocore/([0-9.]+) "), "botocore-python"),
    (re.compile(r"cohere/([0-9.]+)\Z"), "cohere-python"),
    (re.compile(r"curl/([0-9.]+)\Z"), "curl"),
)
# A version of fewer than eight characters is named whole, of a longer one its first two numbers. So no version can have
# as many characters of a raw value as no file may have.
_VERSION: Final = re.compile(
    r"((?=.{3,7}\Z)[0-9]{1,2}(?:\.[0-9]{1,4}){1,2}\Z|[0-9]{1,2}\.[0-9]{1,3}(?=\.[0-9]{1,4}\Z))"
)
_PARAMETERS: Final = ("", "; charset=utf-8", ";charset=utf-8", "; charset=UTF-8", ";charset=UTF-8")
_CONTENT_TYPES: Final = frozenset(
    f"{framing.content_type}{parameter}" for framing in wire.FRAMINGS for parameter in _PARAMETERS
)
_CODINGS: Final = frozenset({"gzip", "deflate", "br", "zstd"})
# Names that servers give events of any family, beside the types of its payloads.
_EVENT_NAMES: Final = frozenset({"ping", "error", "message", "done"})
_UNKNOWN_PROVIDER: Final = "custom"
_PROVIDER: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}\Z")


def stream_end(profile: str, body: Body, ending: Ending) -> str:
    """Whether the stream is complete, or which side ended it.

    Complete is a stream whose own end marker was seen, or an HTTP message that ended as its framing says with no event
    half received. A body that only the connection ends is complete by its marker alone. A user who says that all of
    it came is believed.
    """
    if ending is Ending.WHOLE:
        return "complete"
    is_whole = FAMILIES[profile].is_whole
    if body.done or any(isinstance(payload, dict) and is_whole(payload) for payload in body.payloads):
        return "complete"
    if ending is Ending.MESSAGE_END and not body.tail.pending and not body.torn:
        return "complete"
    return {Ending.CLIENT: "client_disconnected", Ending.PROXY: "proxy_stopped"}.get(ending, "upstream_disconnected")


# Which declared words a fixture has as ordinals, as `capture.renamed` says it.
_RENAMED: Final = {Words.NONE: "contract", Words.NO_VALUES: "values"}


def capture_facts(
    exchange: Exchange,
    request: Request,
    body: Body,
    *,
    stream_end: str,
    rung: str,
    widths: Widths = Widths.DROPPED,
    pieces: Pieces = Pieces.EXACT,
    unfaithful: Sequence[str] = (),
    words: Words = Words.DECLARED,
    network: Network = NOTHING,
) -> dict[str, object]:
    """The `capture` of a fixture."""
    facts: dict[str, object] = {
        "provider": exchange.provider if _PROVIDER.match(exchange.provider) else _UNKNOWN_PROVIDER,
        "model": model(request.model or exchange.model or _answered_by(body)) or UNKNOWN_MODEL,
        "api": wire.FAMILIES[exchange.profile].api,
        "mode": exchange.mode.value,
    }
    adapter = _adapter(exchange.user_agent)
    if adapter is not None:
        facts["adapter"] = adapter
    if request.tool_choice is not None:
        facts["tool_choice"] = request.tool_choice
    if request.parallel is not None:
        facts["parallel_tool_calls"] = request.parallel
    if widths is Widths.KEPT:
        facts["lengths"] = widths.value
    if pieces is Pieces.ROUNDED:
        facts["pieces"] = pieces.value
    if words is not Words.DECLARED:
        facts["renamed"] = _RENAMED[words]
    if exchange.sampled is not None and exchange.sampled.one_in > 1:
        facts["sample"] = {"one_in": exchange.sampled.one_in, "of": exchange.sampled.of.value}
    facts |= network.capture
    facts |= {"stream_end": stream_end, "policy": POLICY, "rung": rung}
    return {**facts, "unfaithful": list(unfaithful)} if unfaithful else facts


# Members of a payload that may hold the name of the model, where it does not do so itself; and what it is called.
_NAMES_THE_MODEL: Final = ("message", "response")
_MODEL: Final = ("model", "modelVersion")


def _answered_by(body: Body) -> str:
    """The model that the response names first; "" where none does."""
    for payload in body.payloads:
        if isinstance(payload, dict):
            inner = (payload.get(key) for key in _NAMES_THE_MODEL)
            for holder in (payload, *(found for found in inner if isinstance(found, dict))):
                name = next((holder[key] for key in _MODEL if key in holder), None)
                if isinstance(name, str) and name:
                    return name
    return ""


def _adapter(user_agent: str | None) -> dict[str, object] | None:
    for expression, name in _ADAPTERS:
        match = expression.match(user_agent or "")
        version = _VERSION.match(match[1]) if match is not None else None
        if version is not None:
            return {"name": name, "version": version[1]}
    return None


def transport_facts(exchange: Exchange, body: Body, network: Network = NOTHING) -> dict[str, object]:
    """The `transport` of a fixture."""
    content_type = exchange.content_type
    facts: dict[str, object] = {
        "status": exchange.status,
        "content_type": content_type if content_type is None or content_type in _CONTENT_TYPES else "other",
        "content_coding": _coding(exchange.content_coding),
        "framing": body.framing.form(body.frames),
        "line_ends": sorted(end.value for end in body.tail.line_ends),
        "done": body.done,
    }
    if body.tail.bom:
        facts["byte_order_mark"] = True
    if body.framing.marked:
        names = _event_names(exchange.profile, body)
        facts.update({} if names is None else {"event_names": names})
        facts |= {**_marks(body.frames), **_blocks(exchange.profile, body)}
    if body.tail.pending:
        facts["unterminated_event"] = True
    if body.tail.bare_marker:
        facts["unterminated_done"] = True
    if body.tail.unclosed:
        facts["unclosed"] = True
    return {**facts, **network.transport}


def _coding(content_coding: str | None) -> str:
    """The content coding that was undone, by its usual name."""
    names = (name.strip().lower().removeprefix("x-") for name in (content_coding or "").split(","))
    return next((name for name in names if name in _CODINGS), "identity")


def _event_names(profile: str, body: Body) -> str | list[str] | None:
    """The names of the events: None where none has one, `type` where each is that of its payload, else one for each."""
    if not any(frame.event for frame in body.frames):
        return None
    pairs = list(zip(body.frames, body.payloads, strict=True))
    if all(isinstance(payload, dict) and payload.get("type") == frame.event for frame, payload in pairs):
        return "type"
    return [event_name(profile, frame) for frame in body.frames]


def event_name(profile: str, frame: Frame | Block) -> str:
    """The name of an event as a fixture shows it: one that the protocols know as it is, any other as `x`."""
    known = frame.event in _EVENT_NAMES or frame.event in FAMILIES[profile].event_names
    return frame.event if known or not frame.event else "x"


def _marks(frames: list[Frame]) -> dict[str, object]:
    """Where comments, ids and retries stood: positions, and how many comments; never what they said."""
    comments = [[at, frame.comments] for at, frame in enumerate(frames) if frame.comments]
    found: dict[str, object] = {}
    if comments:
        found["comments"] = comments
    # The lines of an event are joined by line ends, and none of them has one.
    divided = [[at, frame.data.count("\n") + 1] for at, frame in enumerate(frames) if "\n" in frame.data]
    if divided:
        found["data_lines"] = divided
    if any(frame.id is not None for frame in frames):
        found["ids"] = [at for at, frame in enumerate(frames) if frame.id is not None]
    if any(frame.retry is not None for frame in frames):
        found["retries"] = [at for at, frame in enumerate(frames) if frame.retry is not None]
    return found


def _blocks(profile: str, body: Body) -> dict[str, object]:
    """The blocks without data: before which event or end marker, how many like this one, and what stood in it.

    Those behind the last one have its number and 1.
    """
    holders: Sequence[Frame | Tail] = (*body.frames, *body.markers, body.tail)
    said = [(at, _said(profile, block)) for at, holder in enumerate(holders) for block in holder.blocks]
    runs = [[at, len(list(alike)), what] for (at, what), alike in groupby(said)]
    return {"blocks": runs} if runs else {}


def _said(profile: str, block: Block) -> dict[str, object]:
    """What stood in a block, and never what it said."""
    parts = {
        "comments": block.comments,
        "event": event_name(profile, block),
        "id": block.id is not None,
        "retry": block.retry is not None,
    }
    return {name: part for name, part in parts.items() if part}
