"""The checks of `toolreel doctor`: one for each thing that may stand between this machine and a recording."""

import contextlib
import socket
import ssl
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Final

from proxy_addon.recorder.requests.own_answers import LOOK, Cause
from proxy_addon.recorder.tunnels.upstream_proxies import Proxy
from proxy_addon.setup import authority
from proxy_addon.setup.diagnosis import Diagnosis, bad, good, note
from proxy_addon.setup.reached import PATIENCE, Reached
from proxy_addon.upstreams import Upstream, host_and_port, origin_of


def installed() -> Diagnosis:
    """Whether mitmproxy is installed, in a version that is known."""
    try:
        version = metadata.version("mitmproxy")
    except metadata.PackageNotFoundError:
        return bad("mitmproxy", "is not installed", "pip install 'toolreel[record]'")
    if not 11 <= int(version.partition(".")[0]) < 13:
        return bad("mitmproxy", f"{version} is not known to work", "pip install 'mitmproxy>=11.0.2,<13'")
    return good("mitmproxy", version)


def port(found: Reached) -> Diagnosis:
    """Whether a port is free, or taken by a recorder or something else; of another machine, how a recorder answers."""
    thing = f"port {found.port}" if found.here and found.tls is None else f"recorder {found.origin}"
    if found.here and _is_free(found.host, found.port):
        return good(thing, "free: `toolreel record` can listen there")
    try:
        answer = found.ask("/")
    except ssl.SSLCertVerificationError:
        return bad(thing, "has no certificate that is trusted here", "--recorder-ca PEM adds a private authority")
    except TimeoutError:
        return bad(thing, "does not answer", "check its URL and the network")
    except (ssl.SSLError, ConnectionResetError, BrokenPipeError):
        return bad(thing, "ends the connection in TLS", _SHOW[bool(found.certified)])
    except OSError:
        return bad(thing, "cannot be reached", "check its URL and the network, and that the recorder runs")
    if found.tls is not None and not answer:  # which is how the end of a handshake of TLS 1.3 can look
        return bad(thing, "ends the connection in TLS", _SHOW[bool(found.certified)])
    return _answered(thing, answer, found)


# What to do about a recorder that ends a handshake, where no certificate was shown to it, and where one was.
_SHOW: Final = (
    "where it wants a certificate of its clients, show one with --client-cert; where it has no TLS, use http://",
    "show a certificate of its --client-ca",
)


def _answered(thing: str, answer: bytes, found: Reached) -> Diagnosis:
    """The diagnosis by what a recorder says to a request that leads nowhere."""
    if Cause.UNKNOWN_PREFIX.value.encode() in answer:
        return good(thing, "a recorder listens there")
    if Cause.UNKNOWN_CLIENT.value.encode() in answer:
        if found.token is None:
            return bad(thing, "a recorder listens there, and wants a token", "--client-token-file FILE shows it")
        return bad(thing, "a recorder listens there, and does not know the token", "use one of its own file of tokens")
    if Cause.FOREIGN_HOST.value.encode() in answer:
        mend = "use a name of its certificate, or start it with --allow-host NAME"
        return bad(thing, "a recorder listens there, and takes no requests for this name", mend)
    mend = "toolreel record --port 0, or another port"
    if found.tls is None:
        mend += f"; a recorder with TLS is --recorder {origin_of(found.host, found.port, 'https')}"
    return bad(thing, "taken by something that is no recorder", mend)


def _is_free(host: str, number: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind((host, number))
            return True
    return False


def look(found: Reached) -> None:
    """Have the recorder that is reached so, if there is one, look at the authority on the disk."""
    with contextlib.suppress(OSError):
        found.ask(LOOK)


def folder(out: Path) -> Diagnosis:
    """Whether a folder takes files, or can be made."""
    here = out.absolute()
    while not here.exists() and here != here.parent:
        here = here.parent
    try:
        with tempfile.TemporaryFile(dir=here):
            pass
    except OSError as error:
        why = error.strerror or type(error).__name__
        return bad(f"folder {out}", f"cannot be written ({why})", "name another with --out DIR")
    return good(f"folder {out}", "can be written" if here == out.absolute() else "can be made")


def certificates() -> Diagnosis:
    """Whether the authority that HTTPS_PROXY needs is there, and good."""
    thing = "certificate authority"
    try:
        found = authority.examine()
    except authority.AuthorityError as error:
        return bad(thing, f"{authority.KEY_FILE} {error.state}", error.mend)
    if found is None:
        return note(thing, "none; only HTTPS_PROXY needs it, and `toolreel env` makes it")
    days = found.left().days
    if days < 0:
        return bad(thing, f"has expired ({found.expires:%Y-%m-%d})", authority.ROTATE)
    if lacking := found.lacking():
        names = ", ".join(path.name for path in lacking)
        return bad(thing, f"missing, or of another key: {names}", authority.ROTATE)
    return good(thing, f"good for {days} days")


def proxy(found: Proxy, authorities: Path | None) -> Diagnosis:
    """Whether the proxy on the way to the providers can be reached. That it lets through is a matter of each one."""
    thing = f"proxy {found.url}"
    try:
        _to_proxy(found, authorities).close()
    except ssl.SSLError:
        return bad(thing, "has no certificate that is trusted here", "--upstream-ca PEM adds a private one")
    except OSError:
        return bad(thing, "cannot be reached", "check --upstream-proxy or HTTPS_PROXY, and the network")
    return good(thing, "can be reached")


def upstream(found: Upstream, authorities: Path | None, way: Proxy | None = None) -> Diagnosis:
    """Whether a provider can be reached, through a proxy if that is the way, and its certificate is trusted."""
    thing = f"upstream {found.name}"
    try:
        connection = _connected(found, authorities, way)
    except _NotLetThroughError as error:
        return bad(thing, f"the proxy does not lead to {found.url} (status {error.status})", error.mend)
    except OSError:
        if way is not None:
            return bad(thing, f"{found.url} was not tried: its proxy failed", "mend the proxy first")
        return bad(thing, f"{found.url} cannot be reached", "check its URL and the network")
    with connection:
        if found.scheme == "https":
            try:
                _context(authorities).wrap_socket(connection, server_hostname=found.host).close()
            except (OSError, ValueError):
                return bad(
                    thing,
                    f"{found.url} has no certificate that is trusted here",
                    "--upstream-ca PEM adds a private one",
                )
    return good(thing, f"{found.url} can be reached" + (" through the proxy" if way else ""))


class _NotLetThroughError(Exception):
    """Raised where a proxy opens no tunnel; `mend` says what to do."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status: Final = status
        self.mend: Final = {
            407: "put the user and password into the URL of the proxy, in HTTPS_PROXY",
            403: "ask who runs the proxy, or name the host in NO_PROXY",
        }.get(status, "check the URL of the upstream; NO_PROXY connects to a host directly")


def _context(authorities: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if authorities is not None:
        context.load_verify_locations(authorities)
    return context


def _to_proxy(found: Proxy, authorities: Path | None) -> socket.socket:
    connection = socket.create_connection((found.host, found.port), timeout=PATIENCE)
    if found.scheme == "http":
        return connection
    return _context(authorities).wrap_socket(connection, server_hostname=found.host)


# More than the head of an answer to CONNECT has.
_MAX_HEAD: Final = 16 * 1024


def _connected(found: Upstream, authorities: Path | None, way: Proxy | None) -> socket.socket:
    """A connection to an upstream, through a tunnel of the proxy where there is one."""
    if way is None:
        return socket.create_connection((found.host, found.port), timeout=PATIENCE)
    connection = _to_proxy(way, authorities)
    place = host_and_port(found.host, found.port)
    told = f"Proxy-Authorization: {way.authorization}\r\n" if way.authorization else ""
    connection.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{told}\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _MAX_HEAD and (piece := connection.recv(1)):
        head += piece
    words = head.split(b" ", 2)
    status = int(words[1]) if len(words) > 2 and words[1].isdigit() else 0
    if not 200 <= status < 300:
        connection.close()
        raise _NotLetThroughError(status)
    return connection
