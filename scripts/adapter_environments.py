"""The environments that the adapters run in: what is installed into each, and which adapters run there.

For example, `python_with("litellm", ("litellm",))` makes `.venv-adapters/litellm` and returns its interpreter.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
ENVIRONMENTS: Final = ROOT / ".venv-adapters"

# An environment, what is installed into it, and the adapters that run in it: clients exclude one another's versions.
FAMILIES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "official": (
        ("openai", "anthropic", "mistralai"),
        (
            "openai",
            "openai-stream",
            "openai-responses",
            "openai-responses-stream",
            "anthropic",
            "anthropic-tool-runner",
            "mistralai",
        ),
    ),
    "litellm": (("litellm",), ("litellm", "litellm-responses", "litellm-gemini", "litellm-ollama")),
    "langchain": (
        ("langchain-openai", "langchain-anthropic"),
        ("langchain-openai", "langchain-openai-responses", "langchain-anthropic"),
    ),
    "langgraph": (("langchain", "langchain-openai", "langchain-anthropic"), ("langgraph",)),
    "pydantic-ai": (
        ("pydantic-ai-slim[openai,anthropic]",),
        (
            "pydantic-ai",
            "pydantic-ai-raw",
            "pydantic-ai-responses",
            "pydantic-ai-responses-raw",
            "pydantic-ai-anthropic",
        ),
    ),
    "openai-agents": (
        ("openai-agents",),
        ("openai-agents", "openai-agents-raw", "openai-agents-responses", "openai-agents-responses-raw"),
    ),
    # Its adapter for Anthropic does not start with the client's version 1 and later.
    "llama-index": (
        ("llama-index-llms-openai", "llama-index-llms-anthropic", "anthropic<1"),
        ("llama-index-openai", "llama-index-anthropic"),
    ),
    "google-adk": (("google-adk", "litellm"), ("google-adk", "google-adk-gemini")),
    "gemini and ollama": (
        ("google-genai", "langchain-google-genai", "pydantic-ai-slim[google]", "ollama"),
        (
            *("google-genai", "google-genai-auto", "langchain-google-genai"),
            *("pydantic-ai-google", "pydantic-ai-google-raw", "ollama"),
        ),
    ),
    "agent-framework": (("agent-framework-core", "agent-framework-openai"), ("agent-framework",)),
    "strands": (("strands-agents[openai,anthropic]",), ("strands",)),
    "smolagents": (("smolagents[openai]",), ("smolagents",)),
    "haystack": (("haystack-ai",), ("haystack",)),
    "semantic-kernel": (("semantic-kernel",), ("semantic-kernel",)),
    "crewai": (("crewai[anthropic]",), ("crewai",)),
    "dspy": (("dspy",), ("dspy",)),
    "instructor": (("instructor",), ("instructor",)),
    "bedrock and cohere": (
        ("boto3", "cohere", "langchain-aws", "litellm", "pydantic-ai-slim[bedrock]", "strands-agents"),
        (
            *("boto3", "langchain-aws", "pydantic-ai-bedrock", "pydantic-ai-bedrock-raw"),
            *("strands-bedrock", "strands-bedrock-raw", "litellm-bedrock", "cohere", "litellm-cohere"),
        ),
    ),
}
NODE_FAMILIES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "node": (
        (
            "openai",
            "@anthropic-ai/sdk",
            "ai",
            "@ai-sdk/openai",
            "@ai-sdk/anthropic",
            "@ai-sdk/openai-compatible",
            "@ai-sdk/amazon-bedrock",
            "@ai-sdk/cohere",
            "@ai-sdk/google",
            "@google/genai",
            "ollama",
            "zod",
        ),
        (
            "node-openai",
            "node-openai-run-tools",
            "node-openai-responses",
            "node-openai-responses-stream",
            "node-anthropic",
            "node-ai",
            "node-ai-raw",
            "node-ai-compatible",
            "node-ai-responses",
            "node-ai-responses-raw",
            "node-ai-bedrock",
            "node-ai-bedrock-raw",
            "node-ai-cohere",
            "node-ai-cohere-raw",
            "node-ai-google",
            "node-ai-google-raw",
            "node-google-genai",
            "node-ollama",
        ),
    ),
    "node-langchain": (
        ("langchain", "@langchain/core", "@langchain/openai", "@langchain/anthropic", "zod"),
        ("node-langchain",),
    ),
    # What runs on Node.js 20 is older than version 1, and takes models of that time.
    "node-mastra": (
        ("@mastra/core", "@ai-sdk/openai@2", "@ai-sdk/anthropic@2", "zod@4", "--legacy-peer-deps"),
        ("node-mastra",),
    ),
}


def installed(name: str, made_from: tuple[str, ...]) -> bool:
    """Whether an environment is made of this already; `marked` says so."""
    mark = ENVIRONMENTS / f"{name}.made-from"
    return mark.exists() and mark.read_text("utf-8").splitlines() == list(made_from)


def marked(name: str, made_from: tuple[str, ...]) -> None:
    """Note what an environment is made of."""
    (ENVIRONMENTS / f"{name}.made-from").write_text("\n".join(made_from) + "\n", "utf-8")


def python_with(name: str, packages: tuple[str, ...]) -> Path:
    """The interpreter of an environment with these packages."""
    python = ENVIRONMENTS / name / "bin" / "python"
    if not installed(name, packages):
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", ENVIRONMENTS / name], check=True)
        constraints = ("-c", str(ROOT / "scripts" / "constraints-clients.txt")) if name == "official" else ()
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *constraints, *packages]
        subprocess.run(command, check=True)
        marked(name, packages)
    return python


def node_with(name: str, packages: tuple[str, ...]) -> Path:
    """The folder of an environment with these packages for Node."""
    node = ENVIRONMENTS / name
    if not installed(name, packages):
        node.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *packages], cwd=node, check=True)
        marked(name, packages)
    return node
