"""The wire families as the tests know them, a row each. What a new one adds here is its row and its sample."""

from collections.abc import Mapping
from typing import Final

from support.streamed.bedrock import BEDROCK
from support.streamed.blocks import ANTHROPIC
from support.streamed.chat import MISTRAL, OPENAI
from support.streamed.cohere import COHERE
from support.streamed.family import Family
from support.streamed.gemini import GEMINI
from support.streamed.ollama import OLLAMA
from support.streamed.responses import RESPONSES

FAMILIES: Final[Mapping[str, Family]] = {
    "openai": OPENAI,
    "mistral": MISTRAL,
    "anthropic": ANTHROPIC,
    "openai-responses": RESPONSES,
    "bedrock-converse": BEDROCK,
    "cohere-v2": COHERE,
    "gemini": GEMINI,
    "ollama": OLLAMA,
}
