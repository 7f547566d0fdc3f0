"""The wire families: what toolreel knows of each beside its verdict, and the providers that speak them.

One row a family in `FAMILIES`, by the name of its profile; one row a provider in `PROVIDERS`. Recorder, import, serve,
rendering, diff and demo read them. Tables and pure functions: knows no payload but the short answer that closes a turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from .validator.profiles import PROFILES
from .wire.aws_event_stream import AWS_EVENT_STREAM
from .wire.framing import WHITE_SPACE
from .wire.json_array import JSON_ARRAY
from .wire.ndjson import NDJSON
from .wire.sse import SSE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .wire.framing import Framing


@unique
class Words(Enum):
    """What a payload can say in words, beside its calls."""

    TEXT = "text"
    REASONING = "reasoning"
    FINISH = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Where such words stand. `path` leads there through the payload; `[]` stands for each item of an array.

    Where `of` is given, only payloads of these types say it there: `delta` is text in one event, arguments in another.
    Where `flag` is given, only an object whose member of that name is true says it there; with `unless`, only another.
    """

    words: Words
    path: tuple[str, ...]
    of: tuple[str, ...] = ()
    flag: str = ""
    unless: str = ""


@unique
class Asked(Enum):
    """How a request asks for a stream; a GET does it in its query."""

    IN_BODY = "by a member `stream` that is true"
    BY_PATH = "by its path"
    UNLESS_DECLINED = "unless a member `stream` is false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How one API streams. Paths are those of a client's request, the query left aside."""

    framing: Framing  # the usual one
    other_framings: tuple[Framing, ...] = ()  # each known by the first byte of a body
    done: bool  # whether a whole stream ends with the end marker of its framing
    named: bool  # whether each event has the name of its payload's type
    api: str  # as `capture.api` of a fixture says it
    paths: tuple[str, ...]  # how the path of a POST ends whose answer is a turn
    asked: Asked = Asked.IN_BODY
    model: re.Pattern[str] | None = None  # in a path, the name of the model, where it stands there
    retrieved: tuple[str, ...] = ()  # what stands before the id in the path of a GET whose answer is a turn
    provider: str  # whose API it is, by its name in `PROVIDERS`
    base: str  # what its official client expects between the host and these paths
    variable: str | None  # where that client reads its base URL from
    client: str = ""  # how to point it at `{url}` in code, where it reads none
    allowances: frozenset[str] = frozenset()  # the reviewed deviations that have an effect in this family
    carrier: Framing | None = None  # in which another API may carry payloads of this family, asked for by its own paths
    # Whether a payload is of this family that came in a carrier.
    carried: Callable[[Mapping[str, object]], bool] = field(default=lambda _: False, repr=False)
    # Whether a payload says that it is of this family, by members that the payloads of no other API have.
    look: Callable[[Mapping[str, object]], bool] = field(default=lambda _: False, repr=False)
    said: tuple[Said, ...] = field(repr=False)  # where payloads say what is no call, for people who look at a turn
    answer: tuple[Mapping[str, object], ...] = field(repr=False)  # a short turn in text, for an agent to end with

    @property
    def framings(self) -> tuple[Framing, ...]:
        """Every framing that a body of this family may have, the usual one first."""
        return (self.framing, *self.other_framings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One who speaks one or more families: where, and with which reviewed deviations.

    `hosts` are whole names; or begin with a dot or hyphen and stand for every name that ends so; or have a `*`, which
    stands for one label, such as a region. `family` is the one
    that is meant where a path, or nothing at all, leaves it open. `url` is where the recorder finds it, if it comes
    with toolreel.
    """

    family: str
    hosts: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    url: str = ""


def _chunk(delta: Mapping[str, object], finish: str | None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "closing", "object": "chat.completion.chunk", "created": 0, "model": "closing", "choices": [choice]}


_CHAT_ANSWER: Final = (_chunk({"role": "assistant", "content": "Done."}, None), _chunk({}, "stop"))
# Every framing of the table.
FRAMINGS: Final[tuple[Framing, ...]] = (SSE, NDJSON, JSON_ARRAY, AWS_EVENT_STREAM)
# The forms of framings in which one provider carries the payloads of another's API: the first payload says whose.
CARRIERS: Final = frozenset({"eventstream-chunks"})
# By such a form, the paths of a POST whose answer has it.
CARRIED_AT: Final[Mapping[str, tuple[str, ...]]] = {"eventstream-chunks": ("/invoke-with-response-stream",)}

_CHAT_ALLOWANCES: Final = frozenset(
    {
        "repeated_terminal",
        "named_choice_stop",
        "unindexed_whole_call",
        "whole_call_stop",
        "empty_arguments",
        "message_mirror",
        "rotating_ids",
    }
)


def _is_chunk(payload: Mapping[str, object]) -> bool:
    return isinstance(payload.get("choices"), list)


def _has_member(name: str, kind: type) -> Callable[[Mapping[str, object]], bool]:
    return lambda payload: isinstance(payload.get(name), kind)


def _is_message_of_bedrock(payload: Mapping[str, object]) -> bool:
    return len(payload) == 1 and next(iter(payload)).startswith(("messageSt", "contentBlock"))


def _has_type(*starts: str) -> Callable[[Mapping[str, object]], bool]:
    return lambda payload: str(payload.get("type")).startswith(starts)


_CHAT_SAID: Final = tuple(
    Said(words=words, path=("choices", "[]", *path))
    for words, path in (
        (Words.REASONING, ("delta", "reasoning_content")),
        (Words.REASONING, ("delta", "reasoning")),
        (Words.REASONING, ("delta", "content", "[]", "thinking", "[]", "text")),
        (Words.TEXT, ("delta", "content")),
        (Words.TEXT, ("delta", "content", "[]", "text")),
        (Words.TEXT, ("delta", "refusal")),
        (Words.FINISH, ("finish_reason",)),
    )
)
_ANSWER_TEXT: Final = {"type": "output_text", "text": "Done.", "annotations": [], "logprobs": []}
_ANSWER_ITEM: Final = {
    "id": "msg_closing",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "content": [_ANSWER_TEXT],
}


def _response(status: str, output: list[object]) -> dict[str, object]:
    return {
        "id": "resp_closing",
        "object": "response",
        "created_at": 0,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "closing",
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        }
        if status == "completed"
        else None,
    }


def _numbered(*events: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    return tuple({**event, "sequence_number": at} for at, event in enumerate(events))


_IN_TEXT: Final[Mapping[str, object]] = {"item_id": "msg_closing", "output_index": 0, "content_index": 0}

# The events of ConverseStream, and an error, which is the same in the payloads of every vendor.
_CONVERSE_EVENTS: Final = frozenset(
    {
        *("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"),
        "error",
    }
)
_OLLAMA_LINE: Final[Mapping[str, object]] = {"model": "closing", "created_at": "2026-01-01T00:00:00Z"}

# In the order in which a path is looked for where several families have it.
FAMILIES: Final[Mapping[str, Family]] = {
    "openai": Family(
        framing=SSE,
        carrier=AWS_EVENT_STREAM,
        carried=lambda first: "choices" in first,
        done=True,
        named=False,
        api="chat.completions",
        paths=("/chat/completions", "/v1/chat"),  # the second is Writer's
        provider="openai",
        base="/v1",
        variable="OPENAI_BASE_URL",
        allowances=_CHAT_ALLOWANCES,
        look=_is_chunk,
        said=_CHAT_SAID,
        answer=_CHAT_ANSWER,
    ),
    "anthropic": Family(
        framing=SSE,
        carrier=AWS_EVENT_STREAM,
        carried=lambda first: isinstance(first.get("type"), str),
        done=False,
        named=True,
        api="messages",
        paths=("/v1/messages", ":streamRawPredict"),  # the second is Vertex AI's
        provider="anthropic",
        base="",
        variable="ANTHROPIC_BASE_URL",
        look=_has_type("message_", "content_block_"),
        said=(
            Said(words=Words.REASONING, path=("content_block", "thinking")),
            Said(words=Words.REASONING, path=("delta", "thinking")),
            Said(words=Words.TEXT, path=("content_block", "text")),
            Said(words=Words.TEXT, path=("delta", "text")),
            Said(words=Words.FINISH, path=("message", "stop_reason")),
            Said(words=Words.FINISH, path=("delta", "stop_reason")),
        ),
        answer=(
            {
                "type": "message_start",
                "message": {
                    "id": "msg_closing",
                    "type": "message",
                    "role": "assistant",
                    "model": "closing",
                    "content": [],
                    "stop_reason": None,
                    "stop_sequence": None,
                    "usage": {"input_tokens": 1, "output_tokens": 1},
                },
            },
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": {"output_tokens": 1},
            },
            {"type": "message_stop"},
        ),
    ),
    "mistral": Family(
        framing=SSE,
        done=True,
        named=False,
        api="chat.completions",
        paths=("/chat/completions",),
        provider="mistral",
        base="",
        variable=None,
        client='Mistral(server_url="{url}")',
        allowances=_CHAT_ALLOWANCES,
        look=_is_chunk,
        said=_CHAT_SAID,
        answer=_CHAT_ANSWER,
    ),
    "openai-responses": Family(
        framing=SSE,
        done=False,
        named=True,
        api="responses",
        paths=("/responses",),
        retrieved=("/responses",),
        provider="openai",
        base="/v1",
        variable="OPENAI_BASE_URL",
        allowances=frozenset(
            {"rotating_ids", "builtin_calls", "unchecked_grammar", "sequence_gaps", "empty_arguments"}
        ),
        look=_has_type("response."),
        said=(
            Said(
                words=Words.REASONING,
                path=("delta",),
                of=("response.reasoning_text.delta", "response.reasoning_summary_text.delta"),
            ),
            Said(words=Words.TEXT, path=("delta",), of=("response.output_text.delta", "response.refusal.delta")),
            Said(
                words=Words.FINISH,
                path=("response", "status"),
                of=("response.completed", "response.incomplete", "response.failed"),
            ),
        ),
        answer=_numbered(
            {"type": "response.created", "response": _response("in_progress", [])},
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {**_ANSWER_ITEM, "status": "in_progress", "content": []},
            },
            {"type": "response.content_part.added", **_IN_TEXT, "part": {**_ANSWER_TEXT, "text": ""}},
            {"type": "response.output_text.delta", **_IN_TEXT, "delta": "Done.", "logprobs": []},
            {"type": "response.output_text.done", **_IN_TEXT, "text": "Done.", "logprobs": []},
            {"type": "response.content_part.done", **_IN_TEXT, "part": _ANSWER_TEXT},
            {"type": "response.output_item.done", "output_index": 0, "item": _ANSWER_ITEM},
            {"type": "response.completed", "response": _response("completed", [_ANSWER_ITEM])},
        ),
    ),
    "bedrock-converse": Family(
        framing=AWS_EVENT_STREAM,
        carrier=AWS_EVENT_STREAM,
        done=False,
        named=False,
        api="converse-stream",
        paths=("/converse-stream", "/invoke-with-response-stream"),  # what the second carries is the vendor's
        asked=Asked.BY_PATH,
        model=re.compile(r"/model/([^/]+)/[a-z-]+\Z"),
        provider="bedrock",
        base="",
        variable=None,
        client="",
        carried=lambda first: not _CONVERSE_EVENTS.isdisjoint(first),
        look=_is_message_of_bedrock,
        said=(
            Said(words=Words.REASONING, path=("contentBlockDelta", "delta", "reasoningContent", "text")),
            Said(words=Words.TEXT, path=("contentBlockDelta", "delta", "text")),
            Said(words=Words.FINISH, path=("messageStop", "stopReason")),
        ),
        answer=(
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Done."}}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"messageStop": {"stopReason": "end_turn"}},
            {
                "metadata": {
                    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
                    "metrics": {"latencyMs": 1},
                }
            },
        ),
    ),
    "cohere-v2": Family(
        framing=SSE,
        done=True,
        named=True,
        api="chat",
        paths=("/v2/chat",),
        provider="cohere",
        base="",
        variable="CO_API_URL",
        look=_has_type("message-", "content-", "tool-plan-", "tool-call-", "citation-"),
        said=(
            Said(words=Words.REASONING, path=("delta", "message", "tool_plan")),
            Said(words=Words.REASONING, path=("delta", "message", "content", "thinking")),
            Said(words=Words.TEXT, path=("delta", "message", "content", "text")),
            Said(words=Words.FINISH, path=("delta", "finish_reason")),
        ),
        answer=(
            {
                "type": "message-start",
                "id": "closing",
                "delta": {
                    "message": {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
                },
            },
            {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
            {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Done."}}}},
            {"type": "content-end", "index": 0},
            {
                "type": "message-end",
                "delta": {
                    "finish_reason": "COMPLETE",
                    "usage": {
                        "billed_units": {"input_tokens": 1, "output_tokens": 1},
                        "tokens": {"input_tokens": 1, "output_tokens": 1},
                    },
                },
            },
        ),
    ),
    "gemini": Family(
        framing=SSE,
        other_framings=(JSON_ARRAY,),
        done=False,
        named=False,
        api="streamGenerateContent",
        paths=(":streamGenerateContent",),
        asked=Asked.BY_PATH,
        model=re.compile(r"/([^/:]+):streamGenerateContent\Z"),
        provider="gemini",
        base="",
        variable="GOOGLE_GEMINI_BASE_URL",
        allowances=frozenset({"repeated_terminal"}),
        look=_has_member("candidates", list),
        said=(
            Said(words=Words.REASONING, path=("candidates", "[]", "content", "parts", "[]", "text"), flag="thought"),
            Said(words=Words.TEXT, path=("candidates", "[]", "content", "parts", "[]", "text"), unless="thought"),
            Said(words=Words.FINISH, path=("candidates", "[]", "finishReason")),
        ),
        answer=(
            {
                "candidates": [
                    {"content": {"parts": [{"text": "Done."}], "role": "model"}, "finishReason": "STOP", "index": 0}
                ],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
                "modelVersion": "closing",
                "responseId": "closing",
            },
        ),
    ),
    "ollama": Family(
        framing=NDJSON,
        done=False,
        named=False,
        api="api.chat",
        paths=("/api/chat",),
        asked=Asked.UNLESS_DECLINED,
        provider="ollama",
        base="",
        variable="OLLAMA_HOST",
        allowances=frozenset({"empty_arguments"}),
        look=_has_member("done", bool),
        said=(
            Said(words=Words.REASONING, path=("message", "thinking")),
            Said(words=Words.TEXT, path=("message", "content")),
            Said(words=Words.FINISH, path=("done_reason",)),
        ),
        answer=(
            {**_OLLAMA_LINE, "message": {"role": "assistant", "content": "Done."}, "done": False},
            {
                **_OLLAMA_LINE,
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "stop",
                "total_duration": 1,
                "load_duration": 1,
                "prompt_eval_count": 1,
                "prompt_eval_duration": 1,
                "eval_count": 1,
                "eval_duration": 1,
            },
        ),
    ),
}

PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider(
        family="openai",
        hosts=("api.openai.com", ".api.openai.com"),
        allow=("named_choice_stop", "builtin_calls", "unchecked_grammar"),
        url="https://api.openai.com",
    ),
    "anthropic": Provider(family="anthropic", hosts=("api.anthropic.com",), url="https://api.anthropic.com"),
    "mistral": Provider(
        family="mistral",
        hosts=("api.mistral.ai", "codestral.mistral.ai"),
        allow=("unindexed_whole_call",),
        url="https://api.mistral.ai",
    ),
    "bedrock": Provider(
        family="bedrock-converse",
        url="https://bedrock-runtime.*.amazonaws.com",  # the region is the client's choice
        hosts=(
            *("bedrock-runtime.*.amazonaws.com", "bedrock-runtime-fips.*.amazonaws.com"),
            *(
                "bedrock-runtime.*.amazonaws.com.cn",
                "bedrock-runtime.*.api.aws",
                "*.bedrock-runtime.*.vpce.amazonaws.com",
            ),
        ),
    ),
    "cohere": Provider(family="cohere-v2", hosts=("api.cohere.com", "api.cohere.ai"), url="https://api.cohere.com"),
    "avian": Provider(family="openai", hosts=("api.avian.io",), allow=("repeated_terminal",)),
    "azure": Provider(
        family="openai", hosts=(".openai.azure.com", ".services.ai.azure.com"), allow=("named_choice_stop",)
    ),
    "databricks": Provider(
        family="openai", hosts=(".azuredatabricks.net", ".databricks.com"), allow=("empty_arguments",)
    ),
    "deepseek": Provider(family="openai", hosts=("api.deepseek.com",)),
    "gemini": Provider(
        family="gemini",
        hosts=("generativelanguage.googleapis.com",),
        allow=("unindexed_whole_call", "whole_call_stop"),  # of its endpoint for OpenAI's clients
        url="https://generativelanguage.googleapis.com",
    ),
    "github-copilot": Provider(
        family="openai", hosts=("api.githubcopilot.com", ".githubcopilot.com"), allow=("rotating_ids",)
    ),
    "groq": Provider(family="openai", hosts=("api.groq.com",)),
    "ollama": Provider(family="ollama", hosts=("ollama.com",), url="http://127.0.0.1:11434"),
    "openrouter": Provider(family="openai", hosts=("openrouter.ai",), allow=("repeated_terminal",)),
    "together": Provider(family="openai", hosts=("api.together.ai", "api.together.xyz")),
    "vertex": Provider(family="anthropic", hosts=("aiplatform.googleapis.com", "-aiplatform.googleapis.com")),
    "vllm": Provider(family="openai", allow=("empty_arguments",)),
    "writer": Provider(family="openai", hosts=("api.writer.com",), allow=("message_mirror",)),
    "xai": Provider(family="openai", hosts=("api.x.ai", ".api.x.ai")),
}


def array(profile: str) -> str:
    """The name of the array that a fixture of this profile has."""
    return PROFILES[profile].array


def provider_at(host: str) -> str | None:
    """The name of the provider with this host, or None."""
    name = host.lower().rstrip(".")
    return next(
        (provider for provider, known in PROVIDERS.items() if any(is_host(name, one) for one in known.hosts)), None
    )


def is_host(name: str, known: str) -> bool:
    """Whether the name of a host is the known one, or one of those that it stands for."""
    if "*" in known:
        parts, labels = known.split("."), name.split(".")
        return len(parts) == len(labels) and all(
            part in ("*", label) for part, label in zip(parts, labels, strict=True)
        )
    return name == known or (known[0] in ".-" and name.endswith(known))


def family_of(method: str, target: str, provider: str | None = None) -> str | None:
    """The profile of the turn that this request asks for, or None where its path is no recognised one.

    `target` is the path with its query. Where several families have a path, the one that `provider` speaks counts,
    then the first of the table.
    """
    path, _, query = target.partition("?")
    found = [profile for profile, family in FAMILIES.items() if _asks(family, method, path, query)]
    known = PROVIDERS.get(provider or "")
    return known.family if known is not None and known.family in found else next(iter(found), None)


# Paths of families that are asked in the body elsewhere.
_STREAMS_BY_NAME: Final = (":streamRawPredict",)


def asks_for(profile: str, method: str, target: str) -> bool:
    """Whether this request asks for a turn of this profile."""
    path, _, query = target.partition("?")
    return _asks(FAMILIES[profile], method, path, query)


def _asks(family: Family, method: str, path: str, query: str) -> bool:
    if method == "POST":
        return path.endswith(family.paths)
    return (
        method == "GET"
        and bool(family.retrieved)
        and path.rpartition("/")[0].endswith(family.retrieved)
        and asks_by_query(query)
    )


def asks_for_stream(profile: str | None, path: str, body: object) -> bool:
    """Whether a POST for a turn of this profile, with this path (without query) and JSON body, asks for a stream.

    Where no profile is given, the path says it.
    """
    profile = profile or family_of("POST", path)
    asked = FAMILIES[profile].asked if profile is not None else Asked.IN_BODY
    if asked is Asked.BY_PATH or path.endswith(_STREAMS_BY_NAME):
        return True
    stream = body.get("stream") if isinstance(body, dict) else None
    return stream is True or (asked is Asked.UNLESS_DECLINED and isinstance(body, dict) and stream is None)


def model_in(profile: str, path: str) -> str:
    """The name of the model in a path, without its query; "" where this family has it elsewhere."""
    expression = FAMILIES[profile].model
    match = expression.search(path) if expression is not None else None
    return unquote(match[1]) if match is not None else ""


def asks_by_query(query: str) -> bool:
    """Whether the query of a GET asks for a stream."""
    return "stream=true" in query.split("&")


# Types that say nothing of a body. Some gateways name a stream so, or name no type at all.
_NO_TYPES: Final = frozenset({"", "text/plain", "application/octet-stream"})


def streams(profile: str, content_type: str | None) -> bool:
    """Whether a response with this content type can be a stream of this profile; one whose type says nothing can."""
    return names_no_stream(content_type) or _media_type(content_type) in {
        framing.content_type for framing in FAMILIES[profile].framings
    }


def is_of_another_framing(content_type: str | None) -> bool:
    """Whether a content type is one that nothing but a stream has. JSON is the type of whole answers, too."""
    return _media_type(content_type) in {one.content_type for one in FRAMINGS if one is not JSON_ARRAY}


def names_no_stream(content_type: str | None) -> bool:
    """Whether a content type says nothing, so that the request and the start of the body have to."""
    return _media_type(content_type) in _NO_TYPES


def _media_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def starts(profile: str, start: bytes) -> bool:
    """Whether a body that starts so, behind a byte order mark if there is one, can be a stream of this profile."""
    known = tuple(begin for framing in FAMILIES[profile].framings for begin in framing.starts)
    text = start.removeprefix(b"\xef\xbb\xbf")
    return text.startswith(known) or text.lstrip(WHITE_SPACE).startswith(known)


def framing_of(profile: str, form: object) -> Framing:
    """The framing of this profile with this form, as `transport.framing` of a fixture says it; else the usual one."""
    family = FAMILIES[profile]
    known = (*family.framings, *([family.carrier] if family.carrier is not None else []))
    return next((framing for framing in known if form in framing.forms), family.framing)


def form_at(profile: str, path: str, recorded: object) -> str | None:
    """The form in which a turn of this profile is answered at this path; None where it is the one that was recorded.

    Payloads that came in a carrier are answered in it where it is asked for, and else as their own API has them.
    """
    family = FAMILIES[profile]
    carrier = next((form for form, paths in CARRIED_AT.items() if path.endswith(paths)), None)
    if carrier is not None and family.carrier is not None:
        return carrier
    return family.framing.forms[0] if recorded in CARRIERS else None


def carried_family(payloads: Sequence[object]) -> str | None:
    """The profile of payloads that came in a carrier, by the first of them; None where no family knows it."""
    first = next((payload for payload in payloads if isinstance(payload, dict)), {})
    return next((profile for profile, family in FAMILIES.items() if family.carried(first)), None)


def look_of(payload: object) -> tuple[str, ...]:
    """The profiles that a payload can be of, by what it looks like; none where no family knows it."""
    if not isinstance(payload, dict):
        return ()
    return tuple(profile for profile, family in FAMILIES.items() if family.look(payload))


def effective(profile: str, allow: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the allowances that this profile knows, in their order."""
    return tuple(name for name in allow if name in FAMILIES[profile].allowances)
