"""The names of models that may stand in a fixture, whatever its family."""

import re
from typing import Final

# Model names that the providers publish. What a gateway, a deployment or a fine-tune adds to one is not kept.
PUBLIC_MODELS: Final = frozenset(
    (
        "gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-4o gpt-4o-mini gpt-5 gpt-5-mini "
        "gpt-5-nano gpt-oss-20b gpt-oss-120b o1 o3 o3-mini o4-mini "
        "claude-3-haiku claude-3-opus claude-3-5-haiku claude-3-5-sonnet claude-3-7-sonnet claude-haiku-4-5 "
        "claude-opus-4 claude-opus-4-0 claude-opus-4-1 claude-opus-4-5 claude-sonnet-4 claude-sonnet-4-0 "
        "claude-sonnet-4-5 "
        "codestral devstral-small devstral-medium magistral-small magistral-medium ministral-3b ministral-8b "
        "mistral-small mistral-medium mistral-large mistral-tiny open-mistral-nemo pixtral-large "
        "gemini-2.0-flash gemini-2.0-flash-lite gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3-flash "
        "gemini-3-pro gemini-3.1-pro gemini-3.5-flash gemini-flash gemini-flash-lite gemini-pro "
        "nova-micro nova-lite nova-pro nova-premier nova-2-lite command-a command-r command-r-plus command-r7b"
    ).split()
)
# What providers put behind a name: a date, or that it is the newest.
_DATED: Final = re.compile(r"(?:-latest|-preview|[-_@][0-9]{4}-?[0-9]{2}-?[0-9]{2}|-[0-9]{2}-[0-9]{4}|-[0-9]{4})\Z")
# What Amazon Bedrock puts around a name: an account and a region, the vendor, a version.
_BEDROCK: Final = re.compile(
    r"\A(?:arn:.*/)?(?:[a-z-]{2,8}\.)?(?:anthropic|amazon|cohere|openai)\.(.+?)(?:-v?[0-9]+)?:[0-9]+\Z"
)
# The first that occurs in the model id wins, so longer names stand before their prefixes.
MODEL_FAMILIES: Final = (
    "gpt-3.5 gpt-4.1 gpt-4o gpt-4 gpt-5 gpt-oss claude codestral devstral magistral ministral mistral mixtral pixtral "
    "command deepseek gemini gemma glm grok kimi llama nova palmyra phi qwen sonar"
).split()
UNKNOWN_MODEL: Final = "unknown-model"
# As a whole word: `qwen3-ollama` is a qwen and no llama. Numbers and sizes may follow: `llama3`, `gpt-4.1-mini`.
_WORDS: Final = {name: re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z])") for name in MODEL_FAMILIES}


def model(raw: str) -> str:
    """The public name where the shipped list has it, else the family, else `unknown-model`; "" stays ""."""
    if not raw:
        return raw
    bedrock = _BEDROCK.match(raw)
    name = _DATED.sub("", bedrock[1] if bedrock is not None else raw)
    if name in PUBLIC_MODELS:
        return name
    lowered = raw.lower()
    return next((family for family, word in _WORDS.items() if word.search(lowered)), UNKNOWN_MODEL)
