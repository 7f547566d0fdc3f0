"""The variables that make the clients of a process use the recorder: for a shell, and for the command of `record`."""

from collections.abc import Mapping

from proxy_addon.recorder.banner import origin_of
from proxy_addon.setup import authority, proxies, shells
from proxy_addon.setup.shells import Way
from proxy_addon.upstreams import BUILT_IN, Upstream


def variables(
    way: Way, environment: Mapping[str, str], *, host: str, port: int, upstreams: tuple[Upstream, ...] = ()
) -> dict[str, str]:
    """The variables for clients that come to the recorder at this address in this way; an authority is made for HTTPS.

    NO_PROXY is among them where that of `environment` would keep clients from the recorder, or from `upstreams` of the
    user's through it.
    """
    origin = origin_of(host, port)
    found: dict[str, str] = {}
    reached: tuple[Upstream, ...] = ()
    spared: tuple[str, ...] = ()
    if way is not Way.PROXY:
        found |= shells.base_urls(origin)
        spared = (host,)
    if way is not Way.URL:
        made = authority.ensure()
        found |= shells.proxy(origin, certificate=made.certificate, bundle=made.bundle)
        reached = (*BUILT_IN.values(), *upstreams)
    return found | proxies.exceptions(environment, upstreams=reached, spared=spared)
