"""The table of wire families: one row each, by the name of its profile, with the short turn that it ends with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replay.wire.aws_event_stream import AWS_EVENT_STREAM
from replay.wire.json_array import JSON_ARRAY
from replay.wire.ndjson import NDJSON
from replay.wire.sse import SSE

from .family import Asked, Family, Said, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _chunk(delta: Mapping[str, object], finish: str | None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "closing", "object": "chat.completion.chunk", "created": 0, "model": "closing", "choices": [choice]}


_CHAT_ANSWER: Final = (_chunk({"role": "assistant", "content": "Done."}, None), _chunk({}, "stop"))

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
