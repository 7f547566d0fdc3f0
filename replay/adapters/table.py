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
    checks: str  # what the client holds arguments against before it hands them over, as the adapter drives it


# What an adapter has its client check.
NONE: Final = "none"
JSON: Final = "that they are JSON"
TYPES: Final = "types of a function"
PLAIN: Final = "types of a function, but no enumerations"
ZOD: Final = "a schema of zod"


def _python(module: str, function: str, needs: str, checks: str) -> Known:
    target = f"toolreel_adapters.{module}:{function}"
    return Known(runtime=Runtime.PYTHON, target=target, needs=f"pip install {needs}", checks=checks)


def _node(module: str, needs: str, checks: str) -> Known:
    return Known(runtime=Runtime.NODE, target=f"clients/{module}", needs=f"npm install {needs}", checks=checks)


ADAPTERS: Final[Mapping[str, Known]] = {
    "openai": _python("openai_python", "create", "openai", NONE),
    "openai-stream": _python("openai_python", "stream", "openai", JSON),
    "openai-responses": _python("openai_responses_python", "create", "openai", NONE),
    "openai-responses-stream": _python("openai_responses_python", "stream", "openai", NONE),
    "anthropic": _python("anthropic_python", "stream", "anthropic", JSON),
    "mistralai": _python("mistral_python", "stream", "mistralai", NONE),
    "litellm": _python("litellm_python", "complete", "litellm", NONE),
    "litellm-responses": _python("litellm_responses_python", "respond", "litellm", NONE),
    "langchain-openai": _python("langchain_openai_python", "stream", "langchain-openai", JSON),
    "langchain-openai-responses": _python("langchain_openai_python", "responses", "langchain-openai", JSON),
    "langchain-anthropic": _python("langchain_anthropic_python", "stream", "langchain-anthropic", JSON),
    "pydantic-ai": _python("pydantic_ai_python", "run", "'pydantic-ai-slim[openai]'", TYPES),
    "pydantic-ai-raw": _python("pydantic_ai_python", "run_raw", "'pydantic-ai-slim[openai]'", JSON),
    "pydantic-ai-responses": _python("pydantic_ai_python", "responses", "'pydantic-ai-slim[openai]'", TYPES),
    "pydantic-ai-responses-raw": _python("pydantic_ai_python", "responses_raw", "'pydantic-ai-slim[openai]'", JSON),
    "pydantic-ai-anthropic": _python("pydantic_ai_anthropic_python", "run", "'pydantic-ai-slim[anthropic]'", TYPES),
    "openai-agents": _python("openai_agents_python", "run", "openai-agents", TYPES),
    "openai-agents-raw": _python("openai_agents_python", "run_raw", "openai-agents", NONE),
    "openai-agents-responses": _python("openai_agents_python", "responses", "openai-agents", TYPES),
    "openai-agents-responses-raw": _python("openai_agents_python", "responses_raw", "openai-agents", NONE),
    "langgraph": _python("agents.langgraph", "run", "langchain langchain-openai langchain-anthropic", TYPES),
    "google-adk": _python("agents.google_adk", "run", "google-adk litellm", JSON),
    "anthropic-tool-runner": _python("agents.anthropic_tools", "run", "anthropic", TYPES),
    "agent-framework": _python("agents.agent_framework", "run", "agent-framework-openai", TYPES),
    "strands": _python("agents.strands", "run", "'strands-agents[openai,anthropic]'", TYPES),
    "smolagents": _python("agents.smolagents", "run", "'smolagents[openai]'", PLAIN),
    "haystack": _python("agents.haystack", "run", "haystack-ai", JSON),
    "semantic-kernel": _python("agents.semantic_kernel", "run", "semantic-kernel", PLAIN),
    "crewai": _python("agents.crewai", "run", "'crewai[anthropic]'", TYPES),
    "dspy": _python("agents.dspy", "run", "dspy", TYPES),
    "instructor": _python("agents.instructor", "run", "instructor", TYPES),
    "llama-index-openai": _python("llama_index_openai_python", "stream", "llama-index-llms-openai", JSON),
    "llama-index-anthropic": _python("llama_index_anthropic_python", "stream", "llama-index-llms-anthropic", JSON),
    "boto3": _python("bedrock_python", "stream", "boto3", NONE),
    "langchain-aws": _python("langchain_aws_python", "stream", "langchain-aws", JSON),
    "pydantic-ai-bedrock": _python("pydantic_ai_bedrock_python", "run", "'pydantic-ai-slim[bedrock]'", JSON),
    "strands-bedrock": _python("strands_python", "run", "strands-agents", JSON),
    "litellm-bedrock": _python("litellm_providers_python", "bedrock", "litellm boto3", NONE),
    "litellm-cohere": _python("litellm_providers_python", "cohere", "litellm", NONE),
    "cohere": _python("cohere_python", "stream", "cohere", NONE),
    "google-genai": _python("google_genai_python", "stream", "google-genai", NONE),
    "google-genai-auto": _python("google_genai_python", "auto", "google-genai", NONE),
    "langchain-google-genai": _python("langchain_google_python", "stream", "langchain-google-genai", NONE),
    "pydantic-ai-google": _python("pydantic_ai_google_python", "run", "'pydantic-ai-slim[google]'", JSON),
    "ollama": _python("ollama_python", "stream", "ollama", NONE),
    "node-openai": _node("openai", "openai", NONE),
    "node-openai-responses": _node("openai_responses", "openai", NONE),
    "node-openai-responses-stream": _node("openai_responses_stream", "openai", NONE),
    "node-openai-run-tools": _node("openai_run_tools", "openai zod", ZOD),
    "node-anthropic": _node("anthropic", "@anthropic-ai/sdk", JSON),
    "node-ai": _node("ai", "ai @ai-sdk/openai @ai-sdk/anthropic zod", ZOD),
    "node-ai-raw": _node("ai_raw", "ai @ai-sdk/openai @ai-sdk/anthropic", JSON),
    "node-ai-compatible": _node("ai_compatible", "ai @ai-sdk/openai-compatible zod", ZOD),
    "node-ai-responses": _node("ai_responses", "ai @ai-sdk/openai zod", ZOD),
    "node-ai-responses-raw": _node("ai_responses_raw", "ai @ai-sdk/openai", JSON),
    "node-ai-bedrock": _node("ai_bedrock", "ai @ai-sdk/amazon-bedrock", JSON),
    "node-ai-cohere": _node("ai_cohere", "ai @ai-sdk/cohere", JSON),
    "node-langchain": _node("langchain", "langchain @langchain/core @langchain/openai @langchain/anthropic zod", ZOD),
    "node-mastra": _node("mastra", "@mastra/core @ai-sdk/openai @ai-sdk/anthropic zod", ZOD),
    "node-ai-google": _node("ai_google", "ai @ai-sdk/google", JSON),
    "node-google-genai": _node("google_genai", "@google/genai", NONE),
    "node-ollama": _node("ollama", "ollama", NONE),
}
