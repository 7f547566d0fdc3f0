"""The wires: how each family tells calls, in payloads of the form that a recording has. One module a family.

A wire is made of the payloads of a healthy turn. What stood before its first call and behind its end is told again as
it was; a call, of whatever tool, is told in the form of the first recorded one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .anthropic import AnthropicWire
from .bedrock import BedrockWire
from .chat import ChatWire
from .cohere import CohereWire
from .gemini import GeminiWire
from .ollama import OllamaWire
from .responses import ResponsesWire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .wire import Wire

WIRES: Final[Mapping[str, type[Wire]]] = {
    "openai": ChatWire,
    "mistral": ChatWire,
    "openai-responses": ResponsesWire,
    "anthropic": AnthropicWire,
    "bedrock-converse": BedrockWire,
    "cohere-v2": CohereWire,
    "gemini": GeminiWire,
    "ollama": OllamaWire,
}
