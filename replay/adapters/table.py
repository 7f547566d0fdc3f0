"""The adapters that come with toolreel: where each runs, what it needs, and how to get that. Imports none of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class Runtime(Enum):
    """What an adapter runs in; the value is the program that is looked for where none is named."""

    PYTHON = "python"
    NODE = "node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One adapter. `target` is `module:callable` for Python, a module beside the Node driver for Node."""

    runtime: Runtime
    target: str
    needs: str  # the words that install what it drives


def _python(module: str, function: str, needs: str) -> Known:
    return Known(runtime=Runtime.PYTHON, target=f"toolreel_adapters.{module}:{function}", needs=f"pip install {needs}")


def _node(module: str, needs: str) -> Known:
    return Known(runtime=Runtime.NODE, target=module, needs=f"npm install {needs}")


ADAPTERS: Final[Mapping[str, Known]] = {
    "openai": _python("openai_python", "create", "openai"),
    "openai-stream": _python("openai_python", "stream", "openai"),
    "openai-responses": _python("openai_responses_python", "create", "openai"),
    "openai-responses-stream": _python("openai_responses_python", "stream", "openai"),
    "anthropic": _python("anthropic_python", "stream", "anthropic"),
    "mistralai": _python("mistral_python", "stream", "mistralai"),
    "litellm": _python("litellm_python", "complete", "litellm"),
    "litellm-responses": _python("litellm_responses_python", "respond", "litellm"),
    "langchain-openai": _python("langchain_openai_python", "stream", "langchain-openai"),
    "langchain-openai-responses": _python("langchain_openai_python", "responses", "langchain-openai"),
    "langchain-anthropic": _python("langchain_anthropic_python", "stream", "langchain-anthropic"),
    "pydantic-ai": _python("pydantic_ai_python", "run", "'pydantic-ai-slim[openai]'"),
    "pydantic-ai-responses": _python("pydantic_ai_python", "responses", "'pydantic-ai-slim[openai]'"),
    "openai-agents": _python("openai_agents_python", "run", "openai-agents"),
    "openai-agents-responses": _python("openai_agents_python", "responses", "openai-agents"),
    "llama-index-openai": _python("llama_index_openai_python", "stream", "llama-index-llms-openai"),
    "llama-index-anthropic": _python("llama_index_anthropic_python", "stream", "llama-index-llms-anthropic"),
    "boto3": _python("bedrock_python", "stream", "boto3"),
    "langchain-aws": _python("langchain_aws_python", "stream", "langchain-aws"),
    "pydantic-ai-bedrock": _python("pydantic_ai_bedrock_python", "run", "'pydantic-ai-slim[bedrock]'"),
    "strands": _python("strands_python", "run", "strands-agents"),
    "litellm-bedrock": _python("litellm_providers_python", "bedrock", "litellm boto3"),
    "litellm-cohere": _python("litellm_providers_python", "cohere", "litellm"),
    "cohere": _python("cohere_python", "stream", "cohere"),
    "node-openai": _node("openai", "openai"),
    "node-openai-responses": _node("openai_responses", "openai"),
    "node-openai-responses-stream": _node("openai_responses_stream", "openai"),
    "node-anthropic": _node("anthropic", "@anthropic-ai/sdk"),
    "node-ai": _node("ai", "ai @ai-sdk/openai @ai-sdk/anthropic"),
    "node-ai-responses": _node("ai_responses", "ai @ai-sdk/openai"),
    "node-ai-bedrock": _node("ai_bedrock", "ai @ai-sdk/amazon-bedrock"),
    "node-ai-cohere": _node("ai_cohere", "ai @ai-sdk/cohere"),
}
