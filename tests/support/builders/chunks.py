"""The chunks of a chat completion, built from the inside: an entry, a choice of entries, a chunk of choices."""

from typing import Any

Payload = dict[str, Any]


def entry(index: object, arguments: object = None, **members: Any) -> Payload:
    """One entry of `delta.tool_calls`; `name` is put beside the arguments, where it belongs."""
    function = {"arguments": arguments, "name": members.pop("name", None)}
    return {"index": index, "function": function, **members}


def call(index: int, arguments: str = "{}", *, name: str = "f", **members: Any) -> Payload:
    """An entry that is a whole call, `call_INDEX` where no other id is given."""
    return entry(index, arguments, **{"id": f"call_{index}", "name": name, **members})


def choice(*entries: object, finish: object = None, index: object = 0, **members: Any) -> Payload:
    """One choice whose delta has these entries."""
    return {"index": index, "delta": {"tool_calls": list(entries)}, "finish_reason": finish, **members}


def chunk(*choices: object, **members: Any) -> Payload:
    """One chunk of these choices."""
    return {"choices": list(choices), **members}


def chunk_of(*entries: object, finish: object = None, **members: Any) -> Payload:
    """One chunk with one choice, which has these entries and members."""
    return chunk(choice(*entries, finish=finish, **members))
