"""Smolagents: what the tools of a `ToolCallingAgent` are run with is what it hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smolagents import OpenAIModel, Tool, ToolCallingAgent

if TYPE_CHECKING:
    from replay.adapters.task import Task

# The words of its own that it has for types.
TYPES = ("string", "boolean", "integer", "number", "array", "object", "null")


def run(turn: Task) -> None:
    """`run(stream=True)`, outputs streamed, one step; it holds arguments against the types that a tool declares."""
    model = OpenAIModel(turn.model, api_base=turn.base_url + "/v1", api_key=turn.key, client_kwargs={"max_retries": 0})
    agent = ToolCallingAgent([_tool(turn, name) for name in turn.tools], model, stream_outputs=True, max_steps=1)
    for _ in agent.run("Use the tools.", stream=True):
        pass


def _tool(turn: Task, name: str) -> Any:
    schema = turn.schema(name)
    required = schema.get("required", ())
    inputs = {
        key: {"type": _type(value), "description": key, **({} if key in required else {"nullable": True})}
        for key, value in (schema.get("properties") or {}).items()
    }
    members = {
        "name": name,
        "description": name,
        "inputs": inputs,
        "output_type": "string",
        "forward": staticmethod(turn.function(name)),
        "skip_forward_signature_validation": True,
    }
    return type("Recorder", (Tool,), members)()


def _type(schema: Any) -> str:
    named = schema.get("type") if isinstance(schema, dict) else None
    return named if named in TYPES else "any"


run.distributions = ("smolagents",)  # type: ignore[attr-defined]
run.profiles = ("openai",)  # type: ignore[attr-defined]
