"""The variables that make the clients of a process use the recorder: for a shell, and for the command of `record`."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from proxy_addon.setup import authority, proxies, shells
from proxy_addon.setup.shells import Way
from proxy_addon.upstreams import BUILT_IN, Upstream


def variables(
    way: Way,
    environment: Mapping[str, str],
    *,
    origin: str,
    proxy: str | None = None,
    ca: Path | None = None,
    upstreams: tuple[Upstream, ...] = (),
) -> dict[str, str]:
    """The variables for clients that come to the recorder at `origin` in this way; an authority is made for HTTPS.

    `proxy` is its URL as a proxy where that is another one, `ca` the file of the authority of its own certificate.
    NO_PROXY is among the variables where that of `environment` would keep clients from the recorder, or from
    `upstreams` of the user's through it.
    """
    parts = urlsplit(origin)
    found: dict[str, str] = {}
    reached: tuple[Upstream, ...] = ()
    spared: tuple[str, ...] = ()
    made = None if way is Way.URL else authority.ensure()
    if way is not Way.PROXY:
        found |= shells.base_urls(origin)
        spared = (parts.hostname or "",)
    if made is not None:
        found |= shells.proxy(proxy or origin, certificate=made.certificate, bundle=made.bundle)
        reached = (*BUILT_IN.values(), *upstreams)
    if ca is not None:
        found |= shells.trusted(*authority.beside(ca.read_bytes(), made))
    then = {**environment, **found}
    return found | proxies.exceptions(then, upstreams=reached, spared=spared, scheme=parts.scheme)
