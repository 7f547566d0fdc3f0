"""What `toolreel record` prints when it is ready: where to point a client, for people and for programs."""

import json
import shlex
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.settings.tokens import TOKEN_HEADER
from proxy_addon.upstreams import Upstream, origin_of
from replay.families import FAMILIES

# By provider, the variable that its official client reads for its base URL, and what that expects behind the host.
VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    family.provider: (family.variable, family.base) for family in FAMILIES.values() if family.variable is not None
}

# Where the recorder listens unless it is told otherwise.
DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8100


def env_options(origin: str) -> str:
    """The options that `toolreel env` needs for the recorder at `origin`; none for the one that it expects."""
    parts = urlsplit(origin)
    if parts.scheme == "https":
        return f" --recorder {origin}"
    host = "" if parts.hostname == DEFAULT_HOST else f" --host {parts.hostname}"
    return host + ("" if parts.port == DEFAULT_PORT else f" --port {parts.port}")


def base_urls(options: RecordOptions) -> dict[str, str]:
    """The base URL of each prefix, without what an SDK adds."""
    reached = options.access
    scheme = "https" if reached.tls else "http"
    origin = "http://localhost" if reached.socket else origin_of(reached.shown_host, options.port, scheme)
    return {found.name: f"{origin}/{found.name}" for found in options.routes.prefixed}


# In the place of a base URL: what a client signs with its host, say, can only come so.
_BY_PROXY: Final = "(as HTTPS proxy alone)"


def _recorded(upstream: Upstream) -> str:
    """What a line says of an upstream of which one family is recorded, whatever the path. Example: `  (mistral)`."""
    return f"  ({upstream.profile})" if upstream.profile else ""


def lines(options: RecordOptions, admin: str | None = None) -> list[str]:
    """The lines for people, then one for programs: `ready` and a JSON object. `admin` is where `/healthz` is."""
    urls = base_urls(options)
    told = {} if admin is None else {"admin": admin}
    if options.access.socket:
        return _socket_lines(options, urls, told)
    width = max(len(upstream.name) for upstream in options.routes.upstreams)
    found = [f"toolreel records into {options.out}; Ctrl-C ends it", ""]
    found += [
        f"  {upstream.name:{width}}  {urls.get(upstream.name, _BY_PROXY)}  ->  {upstream.url}{_recorded(upstream)}"
        for upstream in options.routes.upstreams
    ]
    found += ["", "Point the clients at it:", ""]
    found += [
        f"  export {variable}={shlex.quote(urls[name] + suffix)}"
        for name, (variable, suffix) in VARIABLES.items()
        if name in urls
    ]
    found += [
        f"  {family.client.format(url=urls[family.provider] + family.base)}   # its SDK reads no variable for this"
        for family in FAMILIES.values()
        if family.client and family.provider in urls
    ]
    here = env_options(origin_of(options.host, options.port))
    if options.access.open:
        found += ["", f'or as their HTTPS proxy, certificates included: eval "$(toolreel env{here})"']
    if options.access.tokens:
        found += ["", f"Each request needs the header {TOKEN_HEADER}, with a token of --client-token-file"]
    found += [line for name in told.values() for line in ("", f"Health and metrics: {name}")]
    return [*found, "", f"ready {json.dumps({'port': options.port, 'base_urls': urls, **told}, sort_keys=True)}"]


def _socket_lines(options: RecordOptions, urls: Mapping[str, str], told: Mapping[str, str]) -> list[str]:
    """The lines of a recorder that listens on a Unix socket: few clients can be told of one by a variable."""
    return [
        f"toolreel records into {options.out}; Ctrl-C ends it",
        "",
        *(f"  {name}  {url}" for name, url in urls.items()),
        "",
        f"Point the clients at these URLs, over the Unix socket {options.access.socket}",
        *(line for name in told.values() for line in ("", f"Health and metrics: {name}")),
        "",
        f"ready {json.dumps({'socket': str(options.access.socket), 'base_urls': urls, **told}, sort_keys=True)}",
    ]
