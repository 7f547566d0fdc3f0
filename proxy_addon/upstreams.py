"""The providers that can be recorded: where each is, what it speaks, and which deviations of it were reviewed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """One provider behind one prefix. `base_path` is put before what follows the prefix; it has no trailing slash."""

    name: str
    scheme: str
    host: str
    port: int
    base_path: str = ""
    profile: str
    allow: tuple[str, ...] = ()

    @property
    def authority(self) -> str:
        """Host and, where it is not the scheme's own, port: the Host header that the provider gets."""
        return authority(self.scheme, self.host, self.port)

    @property
    def url(self) -> str:
        """As a user would write it."""
        return f"{self.scheme}://{self.authority}{self.base_path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """What is known of a provider by its name: the wire family it speaks and its reviewed deviations (rules, 7)."""

    profile: str
    allow: tuple[str, ...] = ()


DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}

# Names that carry their profile and allowances, for `--upstream NAME=URL` without either.
GATEWAYS: Final[Mapping[str, Gateway]] = {
    "anthropic": Gateway(profile="anthropic"),
    "avian": Gateway(profile="openai", allow=("repeated_terminal",)),
    "azure": Gateway(profile="openai", allow=("named_choice_stop",)),
    "databricks": Gateway(profile="openai", allow=("empty_arguments",)),
    "deepseek": Gateway(profile="openai"),
    "groq": Gateway(profile="openai"),
    "mistral": Gateway(profile="mistral", allow=("unindexed_whole_call",)),
    "openai": Gateway(profile="openai", allow=("named_choice_stop",)),
    "openrouter": Gateway(profile="openai", allow=("repeated_terminal",)),
    "together": Gateway(profile="openai"),
    "vertex": Gateway(profile="anthropic"),
    "writer": Gateway(profile="openai", allow=("message_mirror",)),
    "xai": Gateway(profile="openai"),
}


def _built_in(name: str, host: str) -> Upstream:
    known = GATEWAYS[name]
    return Upstream(name=name, scheme="https", host=host, port=443, profile=known.profile, allow=known.allow)


BUILT_IN: Final[Mapping[str, Upstream]] = {
    "openai": _built_in("openai", "api.openai.com"),
    "anthropic": _built_in("anthropic", "api.anthropic.com"),
    "mistral": _built_in("mistral", "api.mistral.ai"),
}

# Path suffixes (the query left aside) whose streamed answer is one turn, with the name of the API, for each profile.
TURNS: Final[Mapping[str, Mapping[str, str]]] = {
    "openai": {"/chat/completions": "openai.chat", "/v1/chat": "openai.chat"},  # the second is Writer's
    "mistral": {"/chat/completions": "mistral.chat"},
    "anthropic": {"/v1/messages": "anthropic.messages", ":streamRawPredict": "anthropic.messages"},  # Vertex
}


def authority(scheme: str, host: str, port: int) -> str:
    """Host and, where it is not the scheme's own, port."""
    host = f"[{host}]" if ":" in host else host
    return host if port == DEFAULT_PORTS.get(scheme) else f"{host}:{port}"


def turn_api(profile: str, target: str) -> str | None:
    """The API whose turn a POST to `target` streams, or None where the path is no recognised one."""
    path = target.partition("?")[0]
    return next((api for suffix, api in TURNS[profile].items() if path.endswith(suffix)), None)
