"""The task that an adapter is given: where to ask, which tools there are, and a recorder in the place of every tool.

Runs in the adapter's own interpreter: standard library only, Python 3.10 or newer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from . import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Any name will do: the server answers from a fixture. Clients look at its family.
MODELS: Final = {
    "openai": "gpt-4o-mini",
    "mistral": "mistral-small-latest",
    "anthropic": "claude-sonnet-4-5",
    "openai-responses": "gpt-4o-mini",
    "bedrock-converse": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere-v2": "command-a-03-2025",
    "gemini": "gemini-2.5-flash",
    "ollama": "llama3.2",
}
# For an API that has no row above.
ANY_MODEL: Final = "model"
PROMPT: Final = "Use the tools."


class _Absent:
    """Stands for the id of a client that gives none: then no id is compared."""


ABSENT: Final = _Absent()


@dataclass(frozen=True)
class Task:
    """One fixture that the adapter is to ask for, as it sees it."""

    base_url: str  # what stands before the `/v1/...` of the provider's own API
    profile: str  # the API to speak, by its name in `MODELS`
    tools: Mapping[str, Any] = field(repr=False)  # name to JSON Schema, as the application declared them
    record: Callable[[str], None] = field(repr=False)  # takes one line of JSON
    key: str = "x"  # no key is looked at

    @property
    def model(self) -> str:
        """A model name of the profile's family."""
        return MODELS.get(self.profile, ANY_MODEL)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """A conversation that asks for tools, as all four APIs take it."""
        return [{"role": "user", "content": PROMPT}]

    def hand_over(self, name: object, arguments: object, *, id: object = ABSENT) -> str:  # noqa: A002 - the APIs' word
        """The recorder: say that this call would be executed now. Does nothing else; returns a tool's result.

        `arguments` is what the client hands over: the text itself, or a value that it parsed.
        """
        call = {"name": name, "arguments": arguments}
        if id is not ABSENT:
            call["id"] = id
        self.record(json.dumps({"call": call}, default=_unknown))
        return "recorded"

    def function(
        self, name: str, *, context: Any = None, id_of: Callable[[Any], object] | None = None
    ) -> Callable[..., str]:
        """The tool as a typed function of its schema, as applications register one: running it hands the call over.

        Where a client gives its tools a context, `context` is its type, and `id_of` takes the id of the call from it.
        """

        def call(arguments: dict[str, Any], about: Any) -> str:
            return self.hand_over(name, arguments, **({} if id_of is None else {"id": id_of(about)}))

        return typed.function(name.rpartition(".")[2], self.schema(name), call, context=context)

    def schema(self, name: str) -> dict[str, Any]:
        """The schema of a tool as an object: clients refuse to send another one, though the stream is what counts."""
        found = self.tools[name]
        return found if isinstance(found, dict) and found.get("type") == "object" else {"type": "object"}

    def is_custom(self, name: str) -> bool:
        """Whether this is a custom tool of the Responses API: it takes a text, of any form or of a grammar."""
        found = self.tools[name]
        return isinstance(found, dict) and found.get("type") == "string"

    def openai_tools(self) -> list[dict[str, Any]]:
        """The tools as the APIs of OpenAI and Mistral take them."""
        return [
            {"type": "function", "function": {"name": name, "parameters": self.schema(name)}} for name in self.tools
        ]

    def anthropic_tools(self) -> list[dict[str, Any]]:
        """The tools as the API of Anthropic takes them."""
        return [{"name": name, "input_schema": self.schema(name)} for name in self.tools]

    def converse_tools(self) -> list[dict[str, Any]]:
        """The tools as ConverseStream of Amazon Bedrock takes them."""
        return [{"toolSpec": {"name": name, "inputSchema": {"json": self.schema(name)}}} for name in self.tools]

    def responses_tools(self) -> list[dict[str, Any]]:
        """The tools as the Responses API takes them: functions and custom tools, `space.name` in a namespace.

        The grammar of a custom tool is in no fixture, so none is sent.
        """
        tools: list[dict[str, Any]] = []
        spaces: dict[str, list[dict[str, Any]]] = {}
        for name in self.tools:
            space, _, own = name.rpartition(".")
            tool: dict[str, Any] = {"type": "custom", "name": own}
            if not self.is_custom(name):
                tool = {"type": "function", "name": own, "parameters": self.schema(name), "strict": False}
            if space and space not in spaces:
                spaces[space] = []
                tools.append({"type": "namespace", "name": space, "description": space, "tools": spaces[space]})
            spaces.get(space, tools).append(tool)
        return tools


def _unknown(value: object) -> str:
    """A value that is no JSON stands as its type: it equals no argument of a stream."""
    return f"<{type(value).__name__}>"
