"""The hosts for which an authority can sign: its name constraints (RFC 5280, 4.2.1.10), as names and back.

Example: an authority with `api.openai.com` and `127.0.0.1` signs for these two and for names below the first. A client
that trusts it refuses what its key signs for any other host. A constraint is a whole name with all that is below it, so
`bedrock-runtime.*.amazonaws.com` is `amazonaws.com`.
"""

import ipaddress
from collections.abc import Iterable
from typing import Any, Final

from proxy_addon.upstreams import BUILT_IN, Upstream
from replay.families import PROVIDERS

# Where no address is a host, every address is excluded: a kind of name without a constraint would be free.
_EVERY_ADDRESS: Final = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))


def hosts_of(upstreams: Iterable[Upstream]) -> frozenset[str]:
    """The hosts that a certificate has to be made for: those of the upstreams that are behind TLS."""
    return frozenset(_below(one.host) for one in upstreams if one.scheme == "https")


def known_hosts() -> frozenset[str]:
    """The hosts of the providers that toolreel knows. Those that only a pattern names are added when one is used."""
    every = (host for known in PROVIDERS.values() for host in known.hosts)
    return hosts_of(BUILT_IN.values()) | {_below(host) for host in every if host[0] != "-" and "*" not in host}


def _below(host: str) -> str:
    return host.lower().rpartition("*")[2].strip(".")


def lacking(hosts: Iterable[str], permitted: Iterable[str]) -> frozenset[str]:
    """Those of the hosts for which an authority with the `permitted` ones cannot sign."""
    known = tuple(permitted)
    return frozenset(host for host in hosts if not any(host == one or host.endswith(f".{one}") for one in known))


def permitted(certificate: Any) -> frozenset[str]:
    """The hosts for which an authority can sign; none where its certificate has no constraints."""
    from cryptography import x509

    try:
        found = certificate.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return frozenset()
    trees = found.permitted_subtrees or ()
    names = {tree.value for tree in trees if isinstance(tree, x509.DNSName)}
    addresses = {str(tree.value).partition("/")[0] for tree in trees if isinstance(tree, x509.IPAddress)}
    return frozenset(names | addresses)


def constraints(hosts: Iterable[str]) -> Any:
    """The extension that permits these hosts and no others."""
    from cryptography import x509

    wanted = sorted(hosts)
    addresses = [ipaddress.ip_network(host) for host in wanted if _is_address(host)]
    # An address is permitted as a name as well: it is the common name of its certificate, and OpenSSL looks at that.
    names = [x509.DNSName(host) for host in wanted if ":" not in host]
    excluded = None if addresses else [x509.IPAddress(every) for every in _EVERY_ADDRESS]
    return x509.NameConstraints([*names, *map(x509.IPAddress, addresses)], excluded)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
