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
    "openai": _python("sdks.openai", "create", "openai", NONE),
    "openai-stream": _python("sdks.openai", "stream", "openai", JSON),
    "openai-responses": _python("sdks.openai_responses", "create", "openai", NONE),
    "openai-responses-stream": _python("sdks.openai_responses", "stream", "openai", NONE),
    "anthropic": _python("sdks.anthropic", "stream", "anthropic", JSON),
    "mistralai": _python("sdks.mistral", "stream", "mistralai", NONE),
    "litellm": _python("litellm.completions", "complete", "litellm", NONE),
    "litellm-responses": _python("litellm.responses", "respond", "litellm", NONE),
    "langchain-openai": _python("langchain.openai", "stream", "langchain-openai", JSON),
    "langchain-openai-responses": _python("langchain.openai", "responses", "langchain-openai", JSON),
    "langchain-anthropic": _python("langchain.anthropic", "stream", "langchain-anthropic", JSON),
    "pydantic-ai": _python("pydantic_ai.openai", "run", "'pydantic-ai-slim[openai]'", TYPES),
    "pydantic-ai-raw": _python("pydantic_ai.openai", "run_raw", "'pydantic-ai-slim[openai]'", JSON),
    "pydantic-ai-responses": _python("pydantic_ai.openai", "responses", "'pydantic-ai-slim[openai]'", TYPES),
    "pydantic-ai-responses-raw": _python("pydantic_ai.openai", "responses_raw", "'pydantic-ai-slim[openai]'", JSON),
    "pydantic-ai-anthropic": _python("pydantic_ai.anthropic", "run", "'pydantic-ai-slim[anthropic]'", TYPES),
    "openai-agents": _python("agents.openai_agents", "run", "openai-agents", TYPES),
    "openai-agents-raw": _python("agents.openai_agents", "run_raw", "openai-agents", NONE),
    "openai-agents-responses": _python("agents.openai_agents", "responses", "openai-agents", TYPES),
    "openai-agents-responses-raw": _python("agents.openai_agents", "responses_raw", "openai-agents", NONE),
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
    "llama-index-openai": _python("llama_index.openai", "stream", "llama-index-llms-openai", JSON),
    "llama-index-anthropic": _python("llama_index.anthropic", "stream", "llama-index-llms-anthropic", JSON),
    "boto3": _python("sdks.bedrock", "stream", "boto3", NONE),
    "langchain-aws": _python("langchain.aws", "stream", "langchain-aws", JSON),
    "pydantic-ai-bedrock": _python("pydantic_ai.bedrock", "run", "'pydantic-ai-slim[bedrock]'", TYPES),
    "pydantic-ai-bedrock-raw": _python("pydantic_ai.bedrock", "run_raw", "'pydantic-ai-slim[bedrock]'", JSON),
    "strands-bedrock": _python("agents.strands_bedrock", "run", "strands-agents", TYPES),
    "strands-bedrock-raw": _python("agents.strands_bedrock", "run_raw", "strands-agents", JSON),
    "litellm-bedrock": _python("litellm.providers", "bedrock", "litellm boto3", NONE),
    "litellm-cohere": _python("litellm.providers", "cohere", "litellm", NONE),
    "cohere": _python("sdks.cohere", "stream", "cohere", NONE),
    "google-genai": _python("sdks.google_genai", "stream", "google-genai", NONE),
    "google-genai-auto": _python("sdks.google_genai", "auto", "google-genai", TYPES),
    "langchain-google-genai": _python("langchain.google", "stream", "langchain-google-genai", NONE),
    "pydantic-ai-google": _python("pydantic_ai.google", "run", "'pydantic-ai-slim[google]'", TYPES),
    "pydantic-ai-google-raw": _python("pydantic_ai.google", "run_raw", "'pydantic-ai-slim[google]'", JSON),
    "google-adk-gemini": _python("agents.google_adk_gemini", "run", "google-adk", JSON),
    "litellm-gemini": _python("litellm.providers", "gemini", "litellm", NONE),
    "litellm-ollama": _python("litellm.providers", "ollama", "litellm", NONE),
    "ollama": _python("sdks.ollama", "stream", "ollama", NONE),
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
    "node-ai-bedrock": _node("ai_bedrock", "ai @ai-sdk/amazon-bedrock zod", ZOD),
    "node-ai-bedrock-raw": _node("ai_bedrock_raw", "ai @ai-sdk/amazon-bedrock", JSON),
    "node-ai-cohere": _node("ai_cohere", "ai @ai-sdk/cohere zod", ZOD),
    "node-ai-cohere-raw": _node("ai_cohere_raw", "ai @ai-sdk/cohere", JSON),
    "node-langchain": _node("langchain", "langchain @langchain/core @langchain/openai @langchain/anthropic zod", ZOD),
    "node-mastra": _node("mastra", "@mastra/core @ai-sdk/openai @ai-sdk/anthropic zod", ZOD),
    "node-ai-google": _node("ai_google", "ai @ai-sdk/google zod", ZOD),
    "node-ai-google-raw": _node("ai_google_raw", "ai @ai-sdk/google", JSON),
    "node-google-genai": _node("google_genai", "@google/genai", NONE),
    "node-ollama": _node("ollama", "ollama", NONE),
}
