"""The proxies through which the recorder itself reaches its upstreams: from the variables that clients read, or told.

Example: with `HTTPS_PROXY=http://user:word@proxy.example:3128` and `NO_PROXY=.corp.example` the recorder asks that
proxy for a tunnel to `api.openai.com`, and connects to `gateway.corp.example` itself. Tables and pure functions; what
mitmproxy does with them stands in `via.py`.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from proxy_addon.recorder.settings.options import OptionError, is_this_machine
from proxy_addon.setup.proxies import ALL, EXCEPT, HTTPS, PLAIN, covered, leads_to, spelled
from proxy_addon.upstreams import origin_of
from replay.errors import ToolreelError, translated

OPTION: Final = "--upstream-proxy"

# What the option takes for no proxy at all, whatever the variables say.
NONE: Final = "none"

_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """One proxy. `authorization` is the value of its header `Proxy-Authorization`, None where it asks for none."""

    scheme: str
    host: str
    port: int
    authorization: str | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Its URL, without what it is told of who asks."""
        return f"{self.scheme}://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamProxies:
    """The proxies of a run, by the scheme of the upstream, and the hosts that are reached without one."""

    by_scheme: Mapping[str, Proxy]
    spared: str = ""

    def for_(self, scheme: str, host: str, port: int) -> Proxy | None:
        """The proxy through which a host is reached; None where it is connected to. This machine always is."""
        found = self.by_scheme.get(scheme)
        if found is None or is_this_machine(host) or covered(self.spared, host, port):
            return None
        return found

    @property
    def every(self) -> tuple[Proxy, ...]:
        """The proxies, each once."""
        return tuple(dict.fromkeys(self.by_scheme.values()))

    def at(self, address: tuple[str, int] | None) -> Proxy | None:
        """The proxy at this address."""
        return next((one for one in self.by_scheme.values() if (one.host, one.port) == address), None)


NO_PROXIES: Final = UpstreamProxies(by_scheme={})


def chosen(told: str | None, environment: Mapping[str, str], *, host: str, port: int) -> UpstreamProxies:
    """The proxies of a recorder that listens at this address: what `--upstream-proxy` tells, else the variables.

    A variable that leads to the recorder itself, as `toolreel env` sets it for clients, is no proxy of its own.
    """
    spared = ",".join(value for value in spelled(environment, EXCEPT).values() if value)
    if told == NONE:
        return NO_PROXIES
    if told:
        one = _proxy(OPTION, told)
        return UpstreamProxies(by_scheme={"http": one, "https": one}, spared=spared)
    found: dict[str, Proxy] = {}
    for scheme, names in (("https", (HTTPS, ALL)), ("http", (PLAIN, ALL))):
        values = [(name, value) for one in names for name, value in spelled(environment, one).items() if value]
        if values and not leads_to(values[0][1], origin_of(host, port)):
            found[scheme] = _proxy(*values[0])
    return UpstreamProxies(by_scheme=found, spared=spared)


def _proxy(name: str, value: str) -> Proxy:
    """The proxy of one value. No error repeats it: there may be a password in it."""
    expected = (
        "expected the URL of an http or https proxy, such as http://proxy.example:3128; "
        f"{OPTION} none connects directly"
    )
    error = OptionError(name, "", expected) if name == OPTION else ToolreelError(f"{name}: {expected}")
    with translated(ValueError, lambda _: error):
        parts = urlsplit(value if "://" in value else f"http://{value}")
        port = parts.port
    if parts.scheme not in _PORTS or not parts.hostname or port == 0 or not value.isascii() or not value.isprintable():
        raise error
    return Proxy(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        authorization=_basic(parts.username, parts.password),
    )


def _basic(user: str | None, word: str | None) -> str | None:
    if user is None:
        return None
    pair = f"{unquote(user)}:{unquote(word or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
