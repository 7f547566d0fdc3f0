"""Whether an exchange is a turn, whose, and in which wire family: the recorder's table, asked with a URL.

Pure functions and tables; no file, no body.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from proxy_addon.upstreams import GATEWAYS, TURNS, Gateway, Upstream, turn_api

# What a provider is called that no table names.
CUSTOM: Final = "custom"

# Hosts of the providers in `GATEWAYS`: a host of this name, or (with a dot in front) any host under it.
HOSTS: Final[Mapping[str, str]] = {
    "api.anthropic.com": "anthropic",
    "api.avian.io": "avian",
    ".openai.azure.com": "azure",
    ".azuredatabricks.net": "databricks",
    ".databricks.com": "databricks",
    "api.deepseek.com": "deepseek",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "codestral.mistral.ai": "mistral",
    "api.openai.com": "openai",
    ".api.openai.com": "openai",
    "openrouter.ai": "openrouter",
    "api.together.ai": "together",
    "api.together.xyz": "together",
    "aiplatform.googleapis.com": "vertex",
    "-aiplatform.googleapis.com": "vertex",
    "api.writer.com": "writer",
    "api.x.ai": "xai",
    ".api.x.ai": "xai",
}

# In which order a path is looked for in the tables of the wire families, where the provider does not say: Mistral's
# path is OpenAI's, so it is known by its host alone.
_FAMILIES: Final = ("openai", "anthropic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the user says about all exchanges of a run; None where the sources are to say it."""

    provider: str | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A recognised turn: its provider as the recorder describes one, and the name of its API."""

    upstream: Upstream
    api: str


def split(url: str) -> SplitResult | None:
    """The parts of a URL; None where it is none."""
    try:
        parts = urlsplit(url)
        parts.hostname, parts.port  # noqa: B018 - both may raise
    except ValueError:
        return None
    return parts


def turn(parts: SplitResult, claim: Claim) -> Turn | None:
    """The turn that a POST to this URL streams, or None where its path is no recognised one."""
    provider = claim.provider or provider_of(parts.hostname or "")
    gateway = GATEWAYS.get(provider)
    families = [claim.profile] if claim.profile else [*([gateway.profile] if gateway else []), *_FAMILIES]
    for profile in families:
        api = turn_api(profile, parts.path)
        if api is not None:
            return Turn(upstream=upstream(provider, profile), api=api)
    return None


def declared(claim: Claim) -> Turn | None:
    """The turn that the user says a body is; None where nothing says its profile."""
    provider = claim.provider or CUSTOM
    gateway = GATEWAYS.get(provider)
    profile = claim.profile or (gateway.profile if gateway else None)
    if profile is None:
        return None
    return Turn(upstream=upstream(provider, profile), api=next(iter(TURNS[profile].values())))


def provider_of(host: str) -> str:
    """The name of the provider with this host."""
    name = host.lower().rstrip(".")
    for known, provider in HOSTS.items():
        if name == known or (known[0] in ".-" and name.endswith(known)):
            return provider
    return CUSTOM


def upstream(provider: str, profile: str) -> Upstream:
    """The provider as the recorder would have it; its reviewed deviations only in the family that they belong to."""
    gateway = GATEWAYS.get(provider, Gateway(profile=profile))
    allow = gateway.allow if gateway.profile == profile else ()
    return Upstream(name=provider, scheme="https", host="", port=443, profile=profile, allow=allow)


def user_info(parts: SplitResult) -> tuple[str, ...]:
    """User name and password of a URL, as they stand and decoded."""
    raw = [part for part in (parts.username, parts.password) if part]
    return tuple(dict.fromkeys([*raw, *(unquote(part, errors="replace") for part in raw)]))
