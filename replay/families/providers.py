"""The providers that speak a wire family: one row each, and how a host is found among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One who speaks one or more families: where, and with which reviewed deviations.

    `hosts` are whole names; or begin with a dot or hyphen and stand for every name that ends so; or have a `*`, which
    stands for one label, such as a region. `family` is the one
    that is meant where a path, or nothing at all, leaves it open. `url` is where the recorder finds it, if it comes
    with toolreel.
    """

    family: str
    hosts: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    url: str = ""


PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider(
        family="openai",
        hosts=("api.openai.com", ".api.openai.com"),
        allow=("named_choice_stop", "builtin_calls", "unchecked_grammar"),
        url="https://api.openai.com",
    ),
    "anthropic": Provider(family="anthropic", hosts=("api.anthropic.com",), url="https://api.anthropic.com"),
    "mistral": Provider(
        family="mistral",
        hosts=("api.mistral.ai", "codestral.mistral.ai"),
        allow=("unindexed_whole_call",),
        url="https://api.mistral.ai",
    ),
    "bedrock": Provider(
        family="bedrock-converse",
        url="https://bedrock-runtime.*.amazonaws.com",  # the region is the client's choice
        hosts=(
            *("bedrock-runtime.*.amazonaws.com", "bedrock-runtime-fips.*.amazonaws.com"),
            *(
                "bedrock-runtime.*.amazonaws.com.cn",
                "bedrock-runtime.*.api.aws",
                "*.bedrock-runtime.*.vpce.amazonaws.com",
            ),
        ),
    ),
    "cohere": Provider(family="cohere-v2", hosts=("api.cohere.com", "api.cohere.ai"), url="https://api.cohere.com"),
    "avian": Provider(family="openai", hosts=("api.avian.io",), allow=("repeated_terminal",)),
    "azure": Provider(
        family="openai", hosts=(".openai.azure.com", ".services.ai.azure.com"), allow=("named_choice_stop",)
    ),
    "databricks": Provider(
        family="openai", hosts=(".azuredatabricks.net", ".databricks.com"), allow=("empty_arguments",)
    ),
    "deepseek": Provider(family="openai", hosts=("api.deepseek.com",)),
    "gemini": Provider(
        family="gemini",
        hosts=("generativelanguage.googleapis.com",),
        allow=("unindexed_whole_call", "whole_call_stop"),  # of its endpoint for OpenAI's clients
        url="https://generativelanguage.googleapis.com",
    ),
    "github-copilot": Provider(
        family="openai", hosts=("api.githubcopilot.com", ".githubcopilot.com"), allow=("rotating_ids",)
    ),
    "groq": Provider(family="openai", hosts=("api.groq.com",)),
    "ollama": Provider(family="ollama", hosts=("ollama.com",), url="http://127.0.0.1:11434"),
    "openrouter": Provider(family="openai", hosts=("openrouter.ai",), allow=("repeated_terminal",)),
    "together": Provider(family="openai", hosts=("api.together.ai", "api.together.xyz")),
    "vertex": Provider(family="anthropic", hosts=("aiplatform.googleapis.com", "-aiplatform.googleapis.com")),
    "vllm": Provider(family="openai", allow=("empty_arguments",)),
    "writer": Provider(family="openai", hosts=("api.writer.com",), allow=("message_mirror",)),
    "xai": Provider(family="openai", hosts=("api.x.ai", ".api.x.ai")),
}


def provider_at(host: str) -> str | None:
    """The name of the provider with this host, or None."""
    name = host.lower().rstrip(".")
    return next(
        (provider for provider, known in PROVIDERS.items() if any(is_host(name, one) for one in known.hosts)), None
    )


def is_host(name: str, known: str) -> bool:
    """Whether the name of a host is the known one, or one of those that it stands for."""
    if "*" in known:
        parts, labels = known.split("."), name.split(".")
        return len(parts) == len(labels) and all(
            part in ("*", label) for part, label in zip(parts, labels, strict=True)
        )
    return name == known or (known[0] in ".-" and name.endswith(known))
