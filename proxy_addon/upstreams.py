"""The providers that one run records: where each is, and which deviations of it were reviewed.

What the table of the wire families says of a provider holds for whoever is at its host, whatever the user calls it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from replay import families


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKind:
    """The kind of turn that a request asks for: its profile, and the allowances that its fixture names."""

    profile: str
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """One provider behind one prefix. `base_path` is put before what follows the prefix; it has no trailing slash.

    A host that has a `*` stands for several, one for each region. No prefix leads there: a client names the host
    itself, through the recorder as its proxy.

    `provider` is the row of the table that says how it deviates; `profile` the one family that is recorded of it,
    where the path is not to decide; `allow` stands in the place of the provider's reviewed allowances. `paths` are ends
    of paths that the table does not have, each with the family of the turns that are asked for there.
    """

    name: str
    scheme: str
    host: str
    port: int
    base_path: str = ""
    provider: str | None = None
    profile: str | None = None
    allow: tuple[str, ...] | None = None
    paths: tuple[tuple[str, str | None], ...] = ()

    @property
    def authority(self) -> str:
        """The Host header that the provider gets: its host and, where it is not the scheme's own, its port."""
        return authority(self.scheme, self.host, self.port)

    @property
    def url(self) -> str:
        """The base URL, as a user would write it."""
        return f"{self.scheme}://{self.authority}{self.base_path}"

    @property
    def has_prefix(self) -> bool:
        """Whether a prefix leads to it."""
        return "*" not in self.host

    def is_at(self, host: str, port: int) -> bool:
        """Whether it is at this host and port."""
        return port == self.port and families.is_host(host.lower(), self.host)

    def turn(self, method: str, target: str) -> TurnKind | None:
        """The turn that this request asks for; None where its path is no recognised one."""
        profile = self._added(method, target)
        if profile is None and self.profile is None:
            profile = families.family_of(method, target, self.provider)
        elif profile is None and self.profile is not None and families.asks_for(self.profile, method, target):
            profile = self.profile
        return None if profile is None else self.speaking(profile)

    def _added(self, method: str, target: str) -> str | None:
        """The family of a turn that is asked for at one of the added paths."""
        path = target.partition("?")[0]
        ends = (family for end, family in self.paths if method == "POST" and ends_with(path, end))
        known = families.PROVIDERS.get(self.provider or "")
        usual = self.profile or (known.family if known else FIRST_FAMILY)
        return next((family or usual for family in ends), None)

    def speaking(self, profile: str) -> TurnKind:
        """The kind of turn that this provider streams in this profile."""
        known = families.PROVIDERS.get(self.provider or "")
        allow = self.allow if self.allow is not None else known.allow if known else ()
        return TurnKind(profile=profile, allow=families.effective(profile, allow))


# The family of a path that the user adds without one, at a provider that is not known.
FIRST_FAMILY: Final = next(iter(families.FAMILIES))


def ends_with(path: str, end: str) -> bool:
    """Whether a path ends so. A `*` in `end` stands for one segment, or the rest of one: `/serving-endpoints/*/x`."""
    expression = "[^/]+".join(map(re.escape, end.split("*")))
    return re.search(rf"{expression}\Z", path) is not None


DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}


def _built_in(name: str, url: str) -> Upstream:
    parts = urlsplit(url)
    return Upstream(
        name=name,
        scheme=parts.scheme,
        host=parts.hostname or "",
        port=parts.port or DEFAULT_PORTS[parts.scheme],
        provider=name,
    )


BUILT_IN: Final[Mapping[str, Upstream]] = {
    name: _built_in(name, known.url) for name, known in families.PROVIDERS.items() if known.url
}


def authority(scheme: str, host: str, port: int) -> str:
    """The host of a URL and, where it is not the scheme's own, its port. Example: `127.0.0.1:4000`."""
    if port == DEFAULT_PORTS.get(scheme):
        return f"[{host}]" if ":" in host else host
    return host_and_port(host, port)


def origin_of(host: str, port: int, scheme: str = "http") -> str:
    """The part of a URL that names a server. Example: `http://127.0.0.1:8100`."""
    return f"{scheme}://{host_and_port(host, port)}"


def host_and_port(host: str, port: int) -> str:
    """A host with its port, an address of IPv6 in brackets. Example: `[::1]:8100`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
