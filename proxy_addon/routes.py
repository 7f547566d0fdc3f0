"""Where a request goes and whether its answer is a turn. Tables and pure functions; no mitmproxy, no sockets.

The first segment of the path names the upstream; nothing else of a request decides where it goes, least of all
its Host.
"""

from collections.abc import Iterable, Mapping
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A request's way: the upstream and the target it gets there (path and query)."""

    upstream: Upstream
    target: str


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


class Routes:
    """The upstreams of one run, by prefix. A prefix is a whole path segment, compared as it is written."""

    def __init__(self, upstreams: Iterable[Upstream]) -> None:
        """A later upstream takes the place of an earlier one of its name."""
        self._by_name: Final = {upstream.name: upstream for upstream in upstreams}

    @property
    def upstreams(self) -> tuple[Upstream, ...]:
        """In the order given."""
        return tuple(self._by_name.values())

    def find(self, target: str) -> Route | None:
        """The route of an origin-form target such as `/openai/v1/chat/completions?x=1`, or None: fits no prefix."""
        path, mark, query = target.partition("?")
        if not path.startswith("/"):
            return None
        name, slash, rest = path[1:].partition("/")
        upstream = self._by_name.get(name)
        if upstream is None:
            return None
        return Route(upstream=upstream, target=(upstream.base_path + slash + rest or "/") + mark + query)

    def hosted(self, scheme: str, host: str, port: int, target: str) -> Upstream | None:
        """The upstream that a client means which asks for this host itself; of several, that with the longest path."""
        path = target.partition("?")[0]
        found = [
            upstream
            for upstream in self._by_name.values()
            if (upstream.scheme, upstream.host, upstream.port) == (scheme, host.lower(), port)
            and (path + "/").startswith(upstream.base_path + "/")
        ]
        return max(found, key=lambda upstream: len(upstream.base_path), default=None)

    def lists(self, host: str, port: int) -> bool:
        """Whether an upstream is at this host and port."""
        return any((upstream.host, upstream.port) == (host.lower(), port) for upstream in self._by_name.values())
