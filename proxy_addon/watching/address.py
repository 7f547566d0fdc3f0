"""Where the admin listener is, as `--admin` says it: a loopback address and a port, or a Unix socket."""

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxy_addon.upstreams import origin_of
from replay.errors import ToolreelError, translated

_UNIX: Final = "unix:"


@dataclass(frozen=True, slots=True)
class Address:
    """A Unix socket, or an address of this machine and a port; port 0 is any free one."""

    host: str = ""
    port: int = 0
    socket: Path | None = None

    def at(self, port: int) -> str:
        """The address with the port that it got. Examples: `http://127.0.0.1:9464`, `unix:/run/toolreel/admin.sock`."""
        if self.socket is not None:
            return f"{_UNIX}{self.socket}"
        return origin_of(self.host, port)


def address(value: str | None) -> Address | None:
    """The address of `--admin`: `127.0.0.1:9464`, `[::1]:9464`, `unix:PATH`, or a port alone."""
    if value is None:
        return None
    refused = ToolreelError(
        f"--admin {value}: expected a loopback address with a port, such as 127.0.0.1:9464, or unix:PATH; "
        "whoever is to watch from another machine asks through what is on this one"
    )
    if value.startswith(_UNIX):
        path = value.removeprefix(_UNIX)
        if not path or "\0" in path:
            raise refused
        return Address(socket=Path(path))
    host, colon, port = value.rpartition(":")
    if not (port.isascii() and port.isdecimal() and len(port) < 6 and int(port) < 65536):
        raise refused
    with translated(ValueError, lambda _: refused):
        found = ipaddress.ip_address("127.0.0.1" if not colon or host == "localhost" else _bare(host))
    if not found.is_loopback:
        raise refused
    return Address(host=str(found), port=int(port))


def _bare(host: str) -> str:
    """An address without the brackets that one of IPv6 has before a port."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host
