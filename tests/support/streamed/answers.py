"""Answers in text alone, as each family streams them: reasoning, then text, in deltas, with pings among them.

An answer has no call, so its number of deltas is rounded where it is redacted. Knows the events of the families.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from support.builders import items
from support.recorded.exchanges import body_of, content_type, request_body

from redaction.captured.exchange import Exchange

Payload = dict[str, Any]
# The deltas of an answer: a text, or None for what the family sends so that a connection stays open.
Deltas = Sequence[str | None]


def _chunk(delta: Payload, reason: str | None = None) -> Payload:
    return {"id": "chatcmpl-1", "created": 1, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _chat(reasoning: Deltas, text: Deltas) -> list[Payload]:
    idle: Payload = {"id": "", "created": 0, "choices": []}
    found = [_chunk({"role": "assistant", "content": ""})]
    found += [idle if piece is None else _chunk({"reasoning_content": piece}) for piece in reasoning]
    found += [idle if piece is None else _chunk({"content": piece}) for piece in text]
    return [*found, _chunk({}, "stop")]


def _block(index: int, kind: str, member: str, pieces: Deltas) -> list[Payload]:
    at: Payload = {"type": "content_block_delta", "index": index}
    found: list[Payload] = [{**at, "type": "content_block_start", "content_block": {"type": kind, member: ""}}]
    for piece in pieces:
        grown = {**at, "delta": {"type": f"{kind}_delta", member: piece}}
        found.append({"type": "ping"} if piece is None else grown)
    return [*found, {"type": "content_block_stop", "index": index}]


def _messages(reasoning: Deltas, text: Deltas) -> list[Payload]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-3", "content": []}
    found: list[Payload] = [{"type": "message_start", "message": message}]
    found += _block(0, "thinking", "thinking", reasoning)
    found += _block(1, "text", "text", text)
    return [*found, {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]


def _responses(reasoning: Deltas, text: Deltas) -> list[Payload]:
    def growing(index: int, stem: str, pieces: Deltas, **at: Any) -> list[Payload]:
        idle = {"type": "keepalive"}
        return [idle if piece is None else items.grow(index, piece, f"response.{stem}", **at) for piece in pieces]

    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    whole = "".join(piece or "" for piece in reasoning)
    events = [
        items.added(0, thought),
        *growing(0, "reasoning_summary_text", reasoning, item_id="rs_1", summary_index=0),
    ]
    events.append(items.done(0, {**thought, "summary": [{"type": "summary_text", "text": whole}]}))
    begun, *said = items.said(1, [piece for piece in text if piece is not None])
    deltas = growing(1, "output_text", text, content_index=0, item_id="msg_1")
    return items.turn(*events, begun, *deltas, *said[-2:])


def _converse(reasoning: Deltas, text: Deltas) -> list[Payload]:
    def delta(index: int, one: Payload) -> Payload:
        return {"contentBlockDelta": {"contentBlockIndex": index, "delta": one}}

    found: list[Payload] = [{"messageStart": {"role": "assistant"}}]
    found += [delta(0, {"reasoningContent": {"text": piece or ""}}) for piece in reasoning]
    found += [{"contentBlockStop": {"contentBlockIndex": 0}}] if reasoning else []
    found += [delta(1, {"text": piece or ""}) for piece in text]
    return [*found, {"contentBlockStop": {"contentBlockIndex": 1}}, {"messageStop": {"stopReason": "end_turn"}}]


def _cohere(reasoning: Deltas, text: Deltas) -> list[Payload]:
    def block(index: int, kind: str, pieces: Deltas) -> list[Payload]:
        def event(stage: str, **members: str) -> Payload:
            return {"type": f"content-{stage}", "index": index, "delta": {"message": {"content": members}}}

        inside = [event("delta", **{kind: piece or ""}) for piece in pieces]
        return [event("start", type=kind, **{kind: ""}), *inside, {"type": "content-end", "index": index}]

    start: Payload = {"id": "1", "type": "message-start", "delta": {"message": {"role": "assistant", "content": []}}}
    end: Payload = {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}
    return [start, *block(0, "thinking", reasoning), *block(1, "text", text), end]


def _gemini(reasoning: Deltas, text: Deltas) -> list[Payload]:
    def chunk(*parts: Payload, **members: str) -> Payload:
        content = {"role": "model", "parts": [*parts]}
        return {"candidates": [{"content": content, "index": 0, **members}], "responseId": "r"}

    found = [chunk({"text": piece or "", "thought": True}) for piece in reasoning]
    found += [chunk({"text": piece or ""}) for piece in text]
    return [*found, chunk({"text": ""}, finishReason="STOP")]


def _ollama(reasoning: Deltas, text: Deltas) -> list[Payload]:
    def line(**members: str) -> Payload:
        return {"model": "qwen3", "message": {"role": "assistant", "content": "", **members}, "done": False}

    found = [line(thinking=piece or "") for piece in reasoning] + [line(content=piece or "") for piece in text]
    return [*found, {**line(), "done": True, "done_reason": "stop"}]


ANSWERS: Final[Mapping[str, Callable[[Deltas, Deltas], list[Payload]]]] = {
    "openai": _chat,
    "mistral": _chat,
    "anthropic": _messages,
    "openai-responses": _responses,
    "bedrock-converse": _converse,
    "cohere-v2": _cohere,
    "gemini": _gemini,
    "ollama": _ollama,
}


def answer(profile: str, text: Deltas, reasoning: Deltas = ()) -> Exchange:
    """The answer as it was recorded, of an application that declares a tool."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    done = profile in ("openai", "mistral")
    return Exchange(
        profile=profile,
        provider=profile,
        request_body=request_body(profile, {"note": schema}),
        content_type=content_type(profile),
        body=body_of(profile, ANSWERS[profile](reasoning, text), done=done),
    )
