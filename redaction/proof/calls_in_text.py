"""Whether the text of an answer holds a call, as clients find one that models write where they should have called.

Some clients look for calls in text, because small models write `{"name": "get_weather", "arguments": {}}` as their
answer. Of such a text a mask keeps nothing, so the fixture has to say that there was one. Knows where the families
stream text; knows no mask.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

# What begins a call in the text of models that have a format of their own for it.
_SIGNS: Final = ("<tool_call", "<function", "[TOOL_CALLS]", "<|tool", "<｜tool", "<|python_tag|>")
_ARGUMENTS: Final = ("arguments", "parameters", "input", "args")
# A text with more brackets than this is no call that somebody wrote.
_MOST_TRIED: Final = 64
_DECODER: Final = json.JSONDecoder(strict=False, parse_int=float)


def holds_call(payloads: Sequence[object]) -> bool:
    """Whether some client may find a call in the text that the payloads stream."""
    texts: dict[object, list[str]] = {}
    for payload in payloads:
        if isinstance(payload, dict):
            for place, piece in _pieces(payload):
                texts.setdefault(place, []).append(piece)
    return bool(texts) and any(_reads_as_call("".join(pieces)) for pieces in texts.values())


def _pieces(payload: Mapping[str, object]) -> Iterator[tuple[object, str]]:
    """The text in a payload, by the choice or block that it belongs to."""
    choices = payload.get("choices")
    if isinstance(choices, list):  # nothing else is a chunk's own text
        for at, choice in enumerate(choices):
            for name in ("delta", "message") if isinstance(choice, dict) else ():
                holder = choice.get(name)
                content = holder.get("content") if isinstance(holder, dict) else None
                if content:
                    yield from ((at, text) for text in _content(content))
        return
    delta = payload.get("delta")
    if isinstance(delta, str) and payload.get("type") == "response.output_text.delta":
        yield payload.get("item_id"), delta
    for holder in (delta, payload.get("message"), payload.get("content_block")):
        if isinstance(holder, dict):
            yield from (("block", text) for text in _content(holder.get("text")))
            yield from (("message", text) for text in _content(holder.get("content")))


def _content(value: object) -> Iterator[str]:
    """The text of a content, which may stand in parts."""
    if isinstance(value, str):
        yield value
    parts = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]


def _reads_as_call(text: str) -> bool:
    if any(sign in text for sign in _SIGNS):
        return True
    if '"name"' not in text or not any(f'"{word}"' in text for word in _ARGUMENTS):
        return False
    at = text.find("{")
    for _ in range(_MOST_TRIED):
        if at < 0:
            return False
        try:
            value, _end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("name"), str) and any(word in value for word in _ARGUMENTS):
            return True
        at = text.find("{", at + 1)
    return True  # so many that somebody may find one
