"""Plants recognisable secrets in a recorded exchange, in each position that holds text, and looks for them in files.

A canary is letters and digits that no text holds by chance, one for each position. In arguments it is cut in two across
fragments wherever they allow it, so that no single piece of the stream shows it whole.
"""

import base64
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from support.builders.asking import Wanted
from support.families import FAMILIES
from support.readings.streams import Stream

REQUEST: Final = (
    "header",
    "query",
    "system",
    "message",
    "call_argument",
    "tool_result",
    "tool_description",
    "parameter_description",
    "user",
    "metadata",
)
RESPONSE: Final = ("response_header", "text", "arguments", "ids")

# String members of a payload that carry words of the conversation or of the provider, none of which may be kept.
_TEXT_MEMBERS = """
content text thinking reasoning reasoning_content signature data cited_text title url encrypted_content encrypted_index
refusal stdout stderr system_fingerprint obfuscation service_tier user p
delta instructions description output_text safety_identifier prompt_cache_key fingerprint diff filename query
server_description server_url message definition
"""
TEXT_MEMBERS: Final = frozenset(_TEXT_MEMBERS.split())
ID_MEMBERS: Final = frozenset(
    """
    id tool_use_id tool_call_id request_id container_id item_id call_id caller_id file_id previous_response_id
    approval_request_id
    """.split()
)
# Where the Responses API has the text of a call: in fragments, and whole by event and by type of item.
CALL_DELTAS: Final = frozenset({"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"})
CALL_TEXTS: Final = {
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
    "function_call": "arguments",
    "custom_tool_call": "input",
}


def canary(position: str) -> str:
    """Twenty letters and digits, always the same for one position."""
    return base64.b32encode(hashlib.sha256(position.encode()).digest()).decode()[:20]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """The exchange with canaries in it, and the response positions that this body really has."""

    stream: Stream
    path: str
    request_headers: dict[str, str]
    response_headers: dict[str, str]
    response_positions: frozenset[str]


def plant(stream: Stream) -> Planted:
    """A copy of `stream` that holds a canary in every position it has."""
    body, positions = _plant_body(stream.body)
    path = stream.meta["path"]
    return Planted(
        stream=replace(stream, body=body, request=_plant_request(stream)),
        path=f"{path}{'&' if '?' in path else '?'}note={canary('query')}",
        request_headers={"authorization": f"Bearer {canary('header')}", "cookie": f"session={canary('header')}"},
        response_headers={"x-request-id": canary("response_header"), "set-cookie": f"a={canary('response_header')}"},
        response_positions=positions | {"response_header"},
    )


def _plant_request(stream: Stream) -> str:
    hello = [{"role": "user", "content": "Hello"}]
    asking, converse = _CONVERSATIONS[stream.profile]
    fallback = {"model": stream.meta["model"], asking: hello, "stream": True}
    request: dict[str, Any] = json.loads(stream.request or json.dumps(fallback))
    request |= converse(request)
    unused = Wanted(schemas={"unused_tool": {"type": "object", "properties": {}}}, say=str)
    request["tools"] = [*request.get("tools", []), *FAMILIES[stream.profile].ask(unused)["tools"]]
    for tool in _declared(request["tools"]):
        tool["description"] = f"{tool.get('description', '')} {canary('tool_description')}"
        schema = tool.get("parameters", tool.get("input_schema", tool.get("parametersJsonSchema")))
        if schema is not None:
            schema["description"] = canary("parameter_description")
            for inner in schema.get("properties", {}).values():
                inner["description"] = canary("parameter_description")
    return json.dumps(request)


def _declared(tools: list[Any]) -> Iterator[dict[str, Any]]:
    """The tools that the application declares itself, those of a namespace too."""
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from _declared(tool["tools"])
        elif "functionDeclarations" in tool:
            yield from tool["functionDeclarations"]
        elif "function" in tool or "input_schema" in tool or tool.get("type") in ("function", "custom"):
            yield tool.get("function", tool)


def _chat(request: dict[str, Any]) -> dict[str, Any]:
    arguments = json.dumps({"query": canary("call_argument")})
    call = {"id": "call_0001", "type": "function", "function": {"name": "unused_tool", "arguments": arguments}}
    messages = [
        {"role": "system", "content": canary("system")},
        *request["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0001", "content": canary("tool_result")},
        {"role": "user", "content": f"My name is {canary('message')}."},
    ]
    return {"messages": messages, "user": canary("user"), "metadata": {"team": canary("metadata")}}


def _responses(request: dict[str, Any]) -> dict[str, Any]:
    said = request.get("input", "Hello")
    arguments = json.dumps({"query": canary("call_argument")})
    asked = [
        *([{"role": "user", "content": said}] if isinstance(said, str) else said),
        {"type": "function_call", "call_id": "call_0001", "name": "unused_tool", "arguments": arguments},
        {"type": "function_call_output", "call_id": "call_0001", "output": canary("tool_result")},
        {"role": "user", "content": [{"type": "input_text", "text": f"My name is {canary('message')}."}]},
    ]
    instructions = f"{request.get('instructions') or ''} {canary('system')}"
    metadata = {"team": canary("metadata")}
    return {"input": asked, "instructions": instructions, "user": canary("user"), "metadata": metadata}


def _messages(request: dict[str, Any]) -> dict[str, Any]:
    system = request.get("system", "")
    parts = [{"type": "text", "text": system or "Be brief."}] if isinstance(system, str) else system
    call = {"type": "tool_use", "id": "toolu_0001", "name": "unused_tool", "input": {"query": canary("call_argument")}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": canary("tool_result")}
    messages = [
        *request["messages"],
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result, {"type": "text", "text": f"My name is {canary('message')}."}]},
    ]
    metadata = {"user_id": canary("user"), "team": canary("metadata")}
    return {"system": [*parts, {"type": "text", "text": canary("system")}], "messages": messages, "metadata": metadata}


def _cohere(request: dict[str, Any]) -> dict[str, Any]:
    asked = _chat(request)
    document = {"id": "1", "data": {"text": canary("system")}}
    return {
        "messages": asked["messages"],
        "documents": [document],
        "user": canary("user"),
        "metadata": canary("metadata"),
    }


def _contents(request: dict[str, Any]) -> dict[str, Any]:
    said = request.get("contents") or [{"role": "user", "parts": [{"text": "Hello"}]}]
    call = {"id": "call_0001", "name": "unused_tool", "args": {"query": canary("call_argument")}}
    result = {"id": "call_0001", "name": "unused_tool", "response": {"result": canary("tool_result")}}
    asked = [
        *(said if isinstance(said, list) and said != [{"role": "user", "content": "Hello"}] else []),
        {"role": "model", "parts": [{"functionCall": call}]},
        {"role": "user", "parts": [{"functionResponse": result}, {"text": f"My name is {canary('message')}."}]},
    ]
    labels = {"user": canary("user"), "team": canary("metadata")}
    return {"contents": asked, "systemInstruction": {"parts": [{"text": canary("system")}]}, "labels": labels}


def _lines(request: dict[str, Any]) -> dict[str, Any]:
    call = {"function": {"name": "unused_tool", "arguments": {"query": canary("call_argument")}}}
    messages = [
        {"role": "system", "content": canary("system")},
        *request["messages"],
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_name": "unused_tool", "content": canary("tool_result")},
        {"role": "user", "content": f"My name is {canary('message')}."},
    ]
    return {"messages": messages, "options": {"user": canary("user"), "team": canary("metadata")}}


# By profile: the member of a request that has the conversation, and a longer conversation with canaries in it.
_CONVERSATIONS: Final[Mapping[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]]] = {
    "openai": ("messages", _chat),
    "mistral": ("messages", _chat),
    "anthropic": ("messages", _messages),
    "openai-responses": ("input", _responses),
    "cohere-v2": ("messages", _cohere),
    "gemini": ("contents", _contents),
    "ollama": ("messages", _lines),
}
# Whose recorded streams are planted here. Bedrock's are binary messages: `support.planted.hiding` plants those.
PROFILES: Final = frozenset(_CONVERSATIONS)


def _plant_body(body: bytes) -> tuple[bytes, frozenset[str]]:
    """The body with canaries, framing untouched, and which positions it had."""
    lines = [line for line in re.split(rb"(\r\n|\n|\r)", body) if line]
    payloads: dict[int, Any] = {}
    for number, line in enumerate(lines):
        if line.startswith(b"data:"):
            try:
                payloads[number] = json.loads(line.removeprefix(b"data:"))
            except ValueError:
                continue  # `[DONE]`, or a payload that is no JSON: left as it is
    seen: set[str] = set()
    for payload in payloads.values():
        for holder, name in _members(payload):
            value = holder[name]
            if not isinstance(value, str) or value in ("", "null"):
                continue
            if name == "delta" and holder.get("type") in CALL_DELTAS:
                continue
            if name in TEXT_MEMBERS:
                holder[name] = value + canary("text")
                seen.add("text")
            elif name in ID_MEMBERS:
                holder[name] = value + canary("ids")
                seen.add("ids")
    if _plant_arguments(list(payloads.values())):
        seen.add("arguments")
    for number, payload in payloads.items():
        lines[number] = b"data: " + json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    return b"".join(lines), frozenset(seen)


def _members(node: object) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(node, dict):
        for name in list(node):
            yield node, name
            yield from _members(node[name])
    elif isinstance(node, list):
        for inner in node:
            yield from _members(inner)


def _plant_arguments(payloads: list[Any]) -> bool:
    planted = False
    for key, fragments in _fragments(payloads).items():
        texts = [holder[name] for holder, name in fragments]
        whole = "".join(texts)
        values = list(re.finditer(r':\s*"((?:[^"\\]|\\.)+)"', whole))
        values = values or list(re.finditer(r"\A([^{].*)\Z", whole, re.DOTALL))  # the text for a custom tool
        if not values:
            continue
        start, end = max(values, key=lambda found: len(found[1])).span(1)
        ends = [sum(map(len, texts[: count + 1])) for count in range(len(texts))]
        inside = [
            number
            for number, at in enumerate(ends[:-1])
            if start < at < end and not re.search(r"\\(u[0-9a-fA-F]{0,3})?$", whole[start:at])
        ]
        secret = canary("arguments")
        if inside:
            for number, half, put in ((inside[0], secret[:10], _behind), (inside[0] + 1, secret[10:], _before)):
                holder, name = fragments[number]
                holder[name] = put(holder[name], half)
        else:
            number = next(count for count, at in enumerate(ends) if at > start)
            holder, name = fragments[number]
            at = start - (ends[number - 1] if number else 0)
            holder[name] = holder[name][:at] + secret + holder[name][at:]
        _plant_copies(payloads, key, "".join(holder[name] for holder, name in fragments))
        planted = True
    return planted


def _plant_copies(payloads: list[Any], index: object, text: str) -> None:
    """Put the planted text of a call of the Responses API where it comes again whole."""
    ids: list[str] = []
    for payload in payloads:
        if isinstance(payload, dict) and str(payload.get("type")).startswith("response."):
            item = payload.get("item") or {}
            if payload.get("output_index") == index:
                copies = [payload, item]
                ids += [item["call_id"]] if item.get("type") in CALL_TEXTS else []
            else:
                listed = (payload.get("response") or {}).get("output") or []
                copies = [one for one in listed if one.get("call_id") in ids]
            for one in copies:
                member = CALL_TEXTS.get(one.get("type"), "")
                if one.get(member):
                    one[member] = text


def _behind(text: str, half: str) -> str:
    return text + half


def _before(text: str, half: str) -> str:
    return half + text


def _fragments(payloads: list[Any]) -> dict[object, list[tuple[dict[str, Any], str]]]:
    """Where the argument fragments of each slot stand, in order."""
    found: defaultdict[object, list[tuple[dict[str, Any], str]]] = defaultdict(list)
    for payload in payloads:
        if not isinstance(payload, dict):
            continue
        delta = payload.get("delta")
        if payload.get("type") in CALL_DELTAS:
            found[payload["output_index"]].append((payload, "delta"))
        item = payload.get("item") or {}
        if item.get(CALL_TEXTS.get(item.get("type"), "")) and payload["output_index"] not in found:  # it came whole
            found[payload["output_index"]].append((item, CALL_TEXTS[item["type"]]))
        if isinstance(delta, dict) and isinstance(delta.get("partial_json"), str):
            found[payload["index"]].append((delta, "partial_json"))
        for choice in payload.get("choices") or []:
            for place, call in enumerate((choice.get("delta") or {}).get("tool_calls") or []):
                function = call.get("function")
                if isinstance(function, dict) and isinstance(function.get("arguments"), str):
                    key = (choice.get("index"), call.get("index", place))
                    found[key].append((function, "arguments"))
    return found


# Length of the pieces that are looked for beside the whole canary: eight of its characters betray it as well.
PIECE: Final = 8


def traces(position: str) -> dict[str, bytes]:
    """Each form in which the canary of `position` might stand in a file, with a name for it."""
    secret = canary(position)
    raw = secret.encode()
    found = {
        "raw": raw,
        "escaped": "".join(f"\\u{ord(letter):04x}" for letter in secret).encode(),
        "hex": raw.hex().encode(),
    }
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        # Characters that also depend on what stands before or behind are left out.
        found[f"base64 at {shift}"] = encoded[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6]
    found.update((f"piece at {at}", raw[at : at + PIECE]) for at in range(len(raw) - PIECE + 1))
    return found


def views(data: bytes) -> Iterator[bytes]:
    """The bytes of a file and, where it is JSON, its strings, those of one place in all payloads joined in order."""
    yield data
    try:
        value = json.loads(data)
    except ValueError:
        return
    joined: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    _collect(value, (), joined.__getitem__)
    for strings in joined.values():
        yield "".join(strings).encode("utf-8", "surrogatepass")


def _collect(node: object, place: tuple[object, ...], bucket: Callable[[tuple[object, ...]], list[str]]) -> None:
    if isinstance(node, dict):
        index = node.get("index", node.get("output_index"))
        here = (*place, index) if isinstance(index, int) else place
        for name, inner in node.items():
            bucket(()).append(name)
            _collect(inner, (*here, name), bucket)
    elif isinstance(node, list):
        for inner in node:
            _collect(inner, place, bucket)
    elif isinstance(node, str):
        bucket(place).append(node)
        bucket(()).append(node)
