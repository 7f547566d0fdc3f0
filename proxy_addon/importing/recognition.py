"""The turn of an exchange by its URL, as the recorder's table has it: whose it is, and in which wire family.

Pure functions and tables; no file, no body.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

from proxy_addon.upstreams import TurnKind, Upstream
from replay import families

# What a provider is called that no table names.
CUSTOM: Final = "custom"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The provider and the profile of all exchanges of a run, as the user says; None where the sources say it."""

    provider: str | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """A turn that was recognised, and its provider."""

    provider: str
    turn: TurnKind


def split(url: str) -> SplitResult | None:
    """The parts of a URL; None where it is none."""
    try:
        parts = urlsplit(url)
        parts.hostname, parts.port  # noqa: B018 - both may raise
    except ValueError:
        return None
    return parts


def turn(method: str, parts: SplitResult, claim: Claim) -> Recognised | None:
    """The turn that a request of this URL asks for, or None where its path is no recognised one."""
    provider = claim.provider or families.provider_at(parts.hostname or "") or CUSTOM
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    found = _upstream(provider, claim.profile).turn(method, target)
    return None if found is None else Recognised(provider=provider, turn=found)


def declared(claim: Claim) -> Recognised | None:
    """The turn that the user says a body is; None where nothing says its profile, for a body has no path."""
    provider = claim.provider or CUSTOM
    profile = claim.profile or _only_family(provider)
    if profile is None:
        return None
    return Recognised(provider=provider, turn=_upstream(provider, profile).speaking(profile))


def _only_family(provider: str) -> str | None:
    """The one wire family of this provider; None where the API that it speaks has several, as OpenAI's."""
    known = families.PROVIDERS.get(provider)
    if known is None:
        return None
    whose = families.FAMILIES[known.family].provider
    spoken = [profile for profile, family in families.FAMILIES.items() if family.provider == whose]
    return known.family if spoken == [known.family] else None


def _upstream(provider: str, profile: str | None) -> Upstream:
    """The provider as an upstream of the recorder."""
    return Upstream(name=provider, scheme="https", host="", port=443, provider=provider, profile=profile)


def user_info(parts: SplitResult) -> tuple[str, ...]:
    """User name and password of a URL, as they stand and decoded."""
    raw = [part for part in (parts.username, parts.password) if part]
    return tuple(dict.fromkeys([*raw, *(unquote(part, errors="replace") for part in raw)]))
