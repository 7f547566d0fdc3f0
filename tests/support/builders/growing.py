"""Long turns whose calls grow round robin, as decoded payloads: for what is measured, or cut, or changed."""

from typing import Any, Final

# The tool that every call is of; it takes an object with the text `a`.
TOOL: Final = "put"


def responses(calls: int, deltas: int, *, fragment: str = "abcde") -> list[dict[str, Any]]:
    """Items that grow round robin, with every full copy of each text."""
    head = {"id": "resp_0000000000000000000000000000000000000000000000", "object": "response", "model": "example-model"}
    event = "response.function_call_arguments"
    texts = ['{"a":"' + fragment * len(range(slot, deltas, calls)) + '"}' for slot in range(calls)]

    def item(slot: int, text: str, status: str) -> dict[str, Any]:
        own = {"id": f"fc_{slot:048}", "call_id": f"call_{slot}", "name": TOOL, "arguments": text, "status": status}
        return {"type": "function_call", **own}

    def of(slot: int, kind: str, **members: Any) -> dict[str, Any]:
        return {"type": kind, "output_index": slot, **members}

    def grow(slot: int, text: str) -> dict[str, Any]:
        return of(slot, f"{event}.delta", item_id=f"fc_{slot:048}", delta=text, obfuscation="aB3dE5gH7jK")

    found = [{"type": "response.created", "response": {**head, "status": "in_progress", "output": []}}]
    for slot in range(calls):
        found += [of(slot, "response.output_item.added", item=item(slot, "", "in_progress")), grow(slot, '{"a":"')]
    found += [grow(step % calls, fragment) for step in range(deltas)]
    for slot, text in enumerate(texts):
        found += [
            grow(slot, '"}'),
            of(slot, f"{event}.done", item_id=f"fc_{slot:048}", arguments=text),
            of(slot, "response.output_item.done", item=item(slot, text, "completed")),
        ]
    output = [item(slot, text, "completed") for slot, text in enumerate(texts)]
    found += [{"type": "response.completed", "response": {**head, "status": "completed", "output": output}}]
    return [{**payload, "sequence_number": number} for number, payload in enumerate(found)]
