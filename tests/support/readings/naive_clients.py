"""What clients of chat completions make of a turn, in a few lines for each way in which they go apart.

They stand in for real ones where a property is tried on thousands of turns: calls joined by index, by index and id, or
one after the other; names joined or replaced; calls with one id held for one; arguments parsed and converted by the
schema of the tool. Each gives the calls that would be executed: name, and the shape of the converted arguments.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

Payloads: TypeAlias = Iterable[Any]


@dataclass(slots=True)
class Call:
    """A call as a client puts it together."""

    ids: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    text: str = ""


def _entries(payloads: Payloads) -> Iterator[tuple[object, str, str, str]]:
    """Index, id, name and fragment of each entry; "" where there is none."""
    for payload in payloads:
        for choice in payload.get("choices", ()) if isinstance(payload, dict) else ():
            for entry in (choice.get("delta") or {}).get("tool_calls") or ():
                function = entry.get("function") or {}
                yield (
                    entry.get("index"),
                    entry.get("id") or "",
                    function.get("name") or "",
                    function.get("arguments") or "",
                )


def _joined(payloads: Payloads, begins: Callable[[object, str, dict[object, Call]], bool]) -> list[Call]:
    """The calls; `begins` says whether an entry begins another one at its index."""
    found: list[Call] = []
    current: dict[object, Call] = {}
    for index, identity, name, fragment in _entries(payloads):
        if begins(index, identity, current) or not found:
            found.append(Call())
            current[index] = found[-1]
        call = current.get(index, found[-1])
        call.ids += [identity] if identity else []
        call.names += [name] if name else []
        call.text += fragment
    return found


def by_index(payloads: Payloads) -> list[Call]:
    """As most clients do; an entry without an index goes on with the last call."""
    return _joined(payloads, lambda index, _, current: index is not None and index not in current)


def by_index_and_id(payloads: Payloads) -> list[Call]:
    """As those do that begin anew where another id comes."""

    def begins(index: object, identity: str, current: dict[object, Call]) -> bool:
        known = current.get(index)
        return known is None if not identity else known is None or identity not in known.ids

    return _joined(payloads, lambda index, identity, current: bool(current) and begins(index, identity, current))


def by_id(payloads: Payloads) -> list[Call]:
    """As those do that look at no index: an id begins a call, and all else goes on with the last one."""
    found: list[Call] = []
    for _, identity, name, fragment in _entries(payloads):
        if not found or (identity and identity not in found[-1].ids):
            found.append(Call())
        found[-1].ids += [identity] if identity else []
        found[-1].names += [name] if name else []
        found[-1].text += fragment
    return found


JOINS: Final[Mapping[str, Callable[[Payloads], list[Call]]]] = {
    "by index": by_index,
    "by index and id": by_index_and_id,
    "by id": by_id,
}
NAMES: Final[Mapping[str, Callable[[list[str]], str]]] = {
    "joined": "".join,
    "the last": lambda names: names[-1] if names else "",
}


def executed(payloads: Payloads, tools: Mapping[str, Any]) -> dict[str, list[object]]:
    """What each client would execute, by how it joins and names."""
    payloads = list(payloads)
    found: dict[str, list[object]] = {}
    for way, join in JOINS.items():
        try:
            calls = join(payloads)
        except (AttributeError, TypeError):  # on a payload of a shape that it does not know
            found[way] = ["stops"]
            continue
        for naming, name_of in NAMES.items():
            found[f"{way}, {naming}"] = [_run(name_of, call, tools) for call in calls]
        asked = [(call.ids[:1], call.text) for call in calls]
        found[f"{way}, each once"] = [asked.index(one) for one in asked]
    return found


def _run(name_of: Callable[[list[str]], str], call: Call, tools: Mapping[str, Any]) -> object:
    """What is executed of one call: the tool and the shape of its arguments; "" where the client refuses it."""
    text = call.text
    try:
        name = name_of(call.names)
        if name not in tools:
            return ""
        value = json.loads(text, strict=False)
        return (name, _shape(_converted(value, tools[name])))
    except (TypeError, ValueError):
        return ""


def _converted(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value, as lax clients convert it; raises where it is none of what the schema wants."""
    if "enum" in schema and value not in schema["enum"]:
        raise ValueError
    match schema.get("type"):
        case "object":
            if not isinstance(value, dict) or any(name not in value for name in schema.get("required", ())):
                raise ValueError
            known = schema.get("properties", {})
            return {key: _converted(inner, known.get(key, {})) for key, inner in value.items()}
        case "array":
            if not isinstance(value, list):
                raise ValueError
            return [_converted(inner, schema.get("items", {})) for inner in value]
        case "string" if not isinstance(value, str):
            raise ValueError
        case "boolean":
            return _boolean(value)
        case "integer" | "number" as kind:
            number = float(value)
            if (kind == "integer" and number != int(number)) or number < schema.get("minimum", number):
                raise ValueError
            return number
    return value


def _boolean(value: Any) -> bool:
    words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower() if isinstance(value, str) else str(float(value)).removesuffix(".0")
    if text not in words:
        raise ValueError
    return words[text]


def _shape(value: Any) -> object:
    """The types of a value and of all that is in it."""
    if isinstance(value, dict):
        return tuple(_shape(inner) for inner in value.values())
    if isinstance(value, list):
        return ("list", *map(_shape, value))
    return value if isinstance(value, bool) or value is None else type(value).__name__
