"""Where a request goes and whether its answer is a turn. Tables and pure functions; no mitmproxy, no sockets.

The first segment of the path names the upstream; nothing else of a request decides where it goes, least of all
its Host.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from proxy_addon.upstreams import Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A request's way: the upstream and the target it gets there (path and query)."""

    upstream: Upstream
    target: str


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
        """The upstream that a client means which asks for this host itself; of several, that with the longest path.

        Of two at one place it is the later one: the user's goes before one that comes with toolreel.
        """
        path = target.partition("?")[0]
        found = [
            upstream
            for upstream in reversed(self._by_name.values())
            if (upstream.scheme, upstream.host, upstream.port) == (scheme, host.lower(), port)
            and (path + "/").startswith(upstream.base_path + "/")
        ]
        return max(found, key=lambda upstream: len(upstream.base_path), default=None)

    def lists(self, host: str, port: int) -> bool:
        """Whether an upstream is at this host and port."""
        return any((upstream.host, upstream.port) == (host.lower(), port) for upstream in self._by_name.values())
