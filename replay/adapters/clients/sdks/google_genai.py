"""Google's Python client for Gemini: `generate_content_stream()`, whose calls are read here or made by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google import genai
from google.genai import types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replay.adapters.task import Task


def stream(turn: Task) -> None:
    """The `function_call` parts of all chunks that are a call by themselves; the client puts no pieces together."""
    calling = types.AutomaticFunctionCallingConfig(disable=True)
    for chunk in _chunks(turn, [types.Tool(function_declarations=_declared(turn))], calling):
        for call in (part.function_call for part in _parts(chunk) if part.function_call is not None):
            if call.name and not call.will_continue:
                turn.hand_over(call.name, call.args or {}, id=call.id)


def auto(turn: Task) -> None:
    """Automatic function calling over typed functions: the client runs what it takes for a call."""
    calling = types.AutomaticFunctionCallingConfig(maximum_remote_calls=2)
    for _ in _chunks(turn, [turn.function(name) for name in turn.tools], calling):
        pass


def _chunks(turn: Task, tools: list[Any], calling: types.AutomaticFunctionCallingConfig) -> Iterator[Any]:
    """All chunks. The client closes its connections as soon as nobody holds it, so it is held here."""
    options = types.HttpOptions(base_url=turn.base_url, retry_options=types.HttpRetryOptions(attempts=1))
    client = genai.Client(api_key=turn.key, vertexai=False, http_options=options)
    config = types.GenerateContentConfig(tools=tools, automatic_function_calling=calling)
    yield from client.models.generate_content_stream(model=turn.model, contents="Use the tools.", config=config)


def _declared(turn: Task) -> list[types.FunctionDeclaration]:
    return [types.FunctionDeclaration(name=name, parameters_json_schema=turn.schema(name)) for name in turn.tools]


def _parts(chunk: Any) -> list[Any]:
    contents = [candidate.content for candidate in chunk.candidates or ()]
    return [part for content in contents if content is not None for part in content.parts or ()]


stream.distributions = auto.distributions = ("google-genai",)  # type: ignore[attr-defined]
stream.profiles = auto.profiles = ("gemini",)  # type: ignore[attr-defined]
