"""A recorder as `env` and `doctor` reach it: where it is, and what they show to it. Example: `https://recorder:8100`.

A recorder of this machine may speak plain HTTP. Another one speaks TLS, and its clients show a token or a certificate.
"""

import re
import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from proxy_addon.recorder.settings import options
from proxy_addon.recorder.settings.options import OptionError
from proxy_addon.recorder.settings.tokens import TOKEN_HEADER, is_visible, written_in
from proxy_addon.upstreams import DEFAULT_PORTS, origin_of
from replay.errors import ToolreelError, translated

# For a connection to a recorder or a provider; where there is a network it takes a tenth of that.
PATIENCE: Final = 5.0

_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A recorder, and what is shown to it. `ca` is the file of the authority that its certificate is of."""

    scheme: str = "http"
    host: str
    port: int
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    ca: Path | None = None
    certified: str = ""  # the file of the certificate that is shown to it

    @property
    def origin(self) -> str:
        """Its URL."""
        return origin_of(self.host, self.port, self.scheme)

    @property
    def proxy(self) -> str:
        """Its URL as a proxy, with the token as the password where there is one."""
        before, after = self.origin.split("://")
        return self.origin if self.token is None else f"{before}://toolreel:{quote(self.token, safe='')}@{after}"

    @property
    def here(self) -> bool:
        """Whether it is on this machine, by its name."""
        return options.is_this_machine(self.host)

    def ask(self, target: str) -> bytes:
        """The start of what it answers to a request; an `OSError` where there is no answer."""
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as plain:
            connection = plain if self.tls is None else self.tls.wrap_socket(plain, server_hostname=self.host)
            shown = f"{TOKEN_HEADER}: {self.token}\r\n" if self.token else ""
            host = self.origin.partition("://")[2]
            with connection:
                head = f"GET {target} HTTP/1.1\r\nHost: {host}\r\n{shown}Connection: close\r\n\r\n"
                connection.sendall(head.encode("latin-1"))
                with connection.makefile("rb") as answer:
                    return answer.read(4096)


def reached(
    *,
    host: str,
    port: int,
    recorder: str | None,
    recorder_ca: Path | None,
    client_token_file: Path | None,
    client_cert: Path | None,
    client_key: Path | None,
) -> Reached:
    """The recorder that the options name, each of them seen to be usable."""
    scheme = "http"
    if recorder is None:
        host = options.loopback(host)
    else:
        scheme, host, port = _place(recorder)
    if scheme == "http":
        given = {"--recorder-ca": recorder_ca, "--client-cert": client_cert, "--client-key": client_key}
        for name in (name for name, path in given.items() if path is not None):
            raise ToolreelError(f"{name}: only a recorder with TLS is told so; name it with --recorder https://…")
    return Reached(
        scheme=scheme,
        host=host,
        port=port,
        tls=_context(recorder_ca, client_cert, client_key) if scheme == "https" else None,
        token=_token(client_token_file),
        ca=None if recorder_ca is None else recorder_ca.absolute(),
        certified=str(client_cert or ""),
    )


def _place(recorder: str) -> tuple[str, str, int]:
    """Scheme, host and port of a URL. A wrong one is not repeated: it can have a password in it."""
    expected = OptionError(
        "--recorder", "URL", "expected scheme, host and port, such as https://recorder.internal:8100"
    )
    with translated(ValueError, lambda _: expected):
        parts = urlsplit(recorder)
        host, port = (parts.hostname or "").lower(), parts.port
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc or not _HOST.fullmatch(host):
        raise expected
    if parts.path.strip("/") or parts.query or parts.fragment or port == 0:
        raise expected
    if parts.scheme == "http" and not options.is_this_machine(host):
        raise OptionError("--recorder", f"http://{host}", "a recorder of another machine speaks TLS; use https://")
    return parts.scheme, host, port or DEFAULT_PORTS[parts.scheme]


def _context(ca: Path | None, cert: Path | None, key: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca is not None:
        context.load_verify_locations(cadata=options.pem("--recorder-ca", ca))
    if key is not None and cert is None:
        raise ToolreelError("--client-key without --client-cert: give both, the certificate and its key")
    if cert is not None:
        for option, path in (("--client-cert", cert), ("--client-key", key)):
            if path is not None:
                options.read(option, path)
        no_pair = OptionError("--client-cert", str(cert), "no PEM certificate with its key; the key has no passphrase")
        with translated((ssl.SSLError, ValueError), lambda _: no_pair):
            context.load_cert_chain(cert, key, password=lambda: "")
    return context


def _token(path: Path | None) -> str | None:
    """The first token of a file."""
    if path is None:
        return None
    token = next(iter(written_in(options.read("--client-token-file", path))), b"")
    if not token or not is_visible(token):
        raise OptionError("--client-token-file", str(path), "expected a token of visible characters on its first line")
    return token.decode("ascii")
