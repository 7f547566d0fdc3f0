"""Where a recorder listens and who may use it: `--listen`, `--tls-cert`, `--client-token-file` and `--client-ca`.

Beyond this machine keys and prompts would cross the network in clear, and anybody could use what the recorder can
reach. So an address there wants a certificate, and clients that show who they are.
"""

import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxy_addon.recorder.settings import options
from proxy_addon.recorder.settings.options import OptionError
from proxy_addon.recorder.settings.tokens import Tokens, is_visible, written_in
from replay.errors import ToolreelError, translated

# Shorter ones can be guessed. 128 bits are 22 characters of base64.
MIN_TOKEN: Final = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a recorder listens, and what its clients have to show. `names` are those in its certificate."""

    host: str
    socket: Path | None = None
    tls: ssl.SSLContext | None = None
    tokens: Tokens | None = None
    names: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether a client of this machine needs nothing but the port."""
        return self.tls is None and self.tokens is None and self.socket is None

    @property
    def shown_host(self) -> str:
        """The host for a URL: a name that the certificate has, where there is one."""
        return self.names[0] if self.names else self.host


def access(
    *,
    host: str,
    listen: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    client_token_file: Path | None,
    client_ca: Path | None,
) -> Access:
    """The options that say it, each seen to be usable together with the others."""
    local = options.loopback(host)
    socket = _socket(listen)
    address = local if listen is None or socket else _address(listen)
    if (tls_cert is None) != (tls_key is None):
        lacking, there = ("--tls-key", "--tls-cert") if tls_key is None else ("--tls-cert", "--tls-key")
        raise ToolreelError(f"{there} without {lacking}: give both, the certificate and its key")
    if client_ca is not None and tls_cert is None:
        raise ToolreelError("--client-ca without --tls-cert: certificates of clients come in TLS; give --tls-cert too")
    if socket and (tls_cert or client_token_file):
        raise ToolreelError("--listen unix:PATH: its file says who may connect; leave --tls-… and --client-… out")
    if not ipaddress.ip_address(address).is_loopback:
        _closed(address, tls_cert, client_token_file or client_ca)
    return Access(
        host=address,
        socket=socket,
        tls=None if tls_cert is None or tls_key is None else _tls(tls_cert, tls_key, client_ca),
        tokens=None if client_token_file is None else _tokens(client_token_file),
        names=() if tls_cert is None else _names(tls_cert),
    )


def _closed(address: str, tls_cert: Path | None, shown: Path | None) -> None:
    """Raise what is missing for an address that other machines reach."""
    if tls_cert is None:
        why = "beyond this machine keys would cross the network in clear; give --tls-cert and --tls-key"
        raise OptionError("--listen", address, why)
    if shown is None:
        why = "beyond this machine anybody could use it; give --client-token-file, or --client-ca"
        raise OptionError("--listen", address, why)


def _socket(listen: str | None) -> Path | None:
    return options.unix_socket(listen) if listen is not None and listen.startswith("unix:") else None


def _address(listen: str) -> str:
    said = "expected unix:PATH or an address of this machine alone, such as 10.0.0.5; its port is that of --port"
    with translated(ValueError, lambda _: OptionError("--listen", listen, said)):
        return str(ipaddress.ip_address(listen))


def _tls(cert: Path, key: Path, client_ca: Path | None) -> ssl.SSLContext:
    """What the recorder shows, and with an authority of clients what it wants to see."""
    for option, path in (("--tls-cert", cert), ("--tls-key", key)):
        options.read(option, path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    no_pair = OptionError(
        "--tls-cert", str(cert), "no PEM certificate that goes with --tls-key; the key must have no passphrase"
    )
    with translated((ssl.SSLError, ValueError), lambda _: no_pair):
        context.load_cert_chain(cert, key, password=lambda: "")  # else it would be asked for on the terminal
    if client_ca is not None:
        data = options.pem("--client-ca", client_ca)
        context.load_verify_locations(cadata=data)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def _names(cert: Path) -> tuple[str, ...]:
    """The names in a certificate by which clients can ask for the recorder; no patterns."""
    from cryptography import x509

    found = x509.load_pem_x509_certificate(cert.read_bytes())
    try:
        names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    hosts = [name.lower() for name in names.get_values_for_type(x509.DNSName) if "*" not in name]
    return (*hosts, *map(str, names.get_values_for_type(x509.IPAddress)))


def _tokens(path: Path) -> Tokens:
    """The tokens of a file, one a line."""
    tokens = written_in(options.read("--client-token-file", path))
    good = [one for one in tokens if len(one) >= MIN_TOKEN and is_visible(one)]
    if not tokens or len(good) < len(tokens):
        raise OptionError(
            "--client-token-file",
            str(path),
            f"expected tokens, one a line, each of {MIN_TOKEN} visible characters or more; "
            "for example of: openssl rand -hex 32",
        )
    return Tokens(good)
