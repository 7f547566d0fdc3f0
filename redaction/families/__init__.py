"""What redaction knows of each wire family: one module a family, one row a profile in `FAMILIES`."""

from collections.abc import Mapping
from typing import Final

from redaction.families import anthropic, bedrock_converse, cohere_v2, gemini, mistral, ollama, openai, openai_responses
from redaction.families.tables.family import Family

FAMILIES: Final[Mapping[str, Family]] = {
    "openai": openai.FAMILY,
    "mistral": mistral.FAMILY,
    "anthropic": anthropic.FAMILY,
    "openai-responses": openai_responses.FAMILY,
    "bedrock-converse": bedrock_converse.FAMILY,
    "cohere-v2": cohere_v2.FAMILY,
    "gemini": gemini.FAMILY,
    "ollama": ollama.FAMILY,
}
