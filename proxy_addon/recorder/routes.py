"""The routes of a run: which upstream a request goes to. Tables and pure functions; no mitmproxy, no sockets.

The first segment of the path names the upstream. Nothing else of a request decides where it goes, least of all its
Host.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from proxy_addon.upstreams import Upstream

# Where a request goes that nothing has routed: a name that can never exist (RFC 6761).
NOWHERE: Final = ("http", "unrouted.invalid", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a request goes: the upstream, and the target (path and query) that it has there."""

    upstream: Upstream
    target: str


class Routes:
    """The upstreams of one run, by prefix. A prefix is a whole path segment, compared as it is written.

    A later upstream takes the place of an earlier one of its name.
    """

    def __init__(self, upstreams: Iterable[Upstream]) -> None:
        self._by_name: Final = {upstream.name: upstream for upstream in upstreams}

    @property
    def upstreams(self) -> tuple[Upstream, ...]:
        """The upstreams, in the order in which they were given."""
        return tuple(self._by_name.values())

    @property
    def prefixed(self) -> tuple[Upstream, ...]:
        """Those of the upstreams to which a prefix leads."""
        return tuple(upstream for upstream in self.upstreams if upstream.has_prefix)

    def find(self, target: str) -> Route | None:
        """The route of a target such as `/openai/v1/chat/completions?x=1`; None where it fits no prefix."""
        path, mark, query = target.partition("?")
        if not path.startswith("/"):
            return None
        name, slash, rest = path[1:].partition("/")
        upstream = self._by_name.get(name)
        if upstream is None or not upstream.has_prefix:
            return None
        return Route(upstream=upstream, target=(upstream.base_path + slash + rest or "/") + mark + query)

    def hosted(self, scheme: str, host: str, port: int, target: str) -> Upstream | None:
        """The upstream for a client that names its host itself; of several at a host, the one with the longest path.

        Of two at one place it is the later one: the user's goes before one that comes with toolreel.
        """
        path = target.partition("?")[0]
        found = [
            upstream
            for upstream in reversed(self._by_name.values())
            if upstream.scheme == scheme
            and upstream.is_at(host, port)
            and (path + "/").startswith(upstream.base_path + "/")
        ]
        return max(found, key=lambda upstream: len(upstream.base_path), default=None)

    def lists(self, host: str, port: int) -> bool:
        """Whether an upstream is at this host and port."""
        return any(upstream.is_at(host, port) for upstream in self._by_name.values())
