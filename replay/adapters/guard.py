"""The guard of an adapter's process: behind it the process reaches the loopback interface alone, and starts no program.

Standard library only, Python 3.10 or newer. The driver runs this file in a namespace of its own, so that no client that
changes a built-in function, or a name of the driver, changes what is decided here. What the interpreter tells its audit
hooks is decided by `guard`; what it does not tell them is put out of reach by `shut_in`.
"""

from __future__ import annotations

import _imp
import socket
import sys
from socket import AF_INET, AF_INET6, inet_pton
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_ADDRESSED: Final = frozenset({"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"})
_LOOKED_UP: Final = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
)
_PROGRAMS: Final = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"})
# A second interpreter of the process has no hook of the first.
_INTERPRETERS: Final = "cpython.PyInterpreterState_New"
# Methods that take an address, and where it stands: they look up a name in it before any hook is told.
_METHODS: Final = {"bind": 0, "connect": 0, "connect_ex": 0, "sendto": -1, "sendmsg": 3}
_LOOPBACK6: Final = bytes(15) + b"\1"
_MAPPED: Final = bytes(10) + b"\xff\xff"


class DeniedError(PermissionError):
    """The adapter tried to reach something that is not on the loopback interface, or to start a program."""


def guard(event: str, arguments: tuple[Any, ...]) -> None:
    """The audit hook: refuse every address but loopback, every other name, every program and second interpreter."""
    if event in _ADDRESSED:
        # A connected socket sends without an address.
        if arguments[1] is not None and not _local_address(arguments[1]):
            raise DeniedError("toolreel diff: an adapter may reach the loopback interface alone")
    elif event in _LOOKED_UP:
        host = arguments[0]
        if not (_local_address(host) if isinstance(host, tuple) else _local_host(host)):
            raise DeniedError("toolreel diff: an adapter may look up no name but localhost")
    elif event in _PROGRAMS:
        no_program()
    elif event == _INTERPRETERS:
        raise DeniedError("toolreel diff: an adapter may start no second interpreter")


def _local_address(address: object) -> bool:
    # A path (AF_UNIX) leads to another process of this machine, and from there anywhere. The item is read past any
    # method of a derived type, as the system's own functions read it.
    return isinstance(address, tuple) and tuple.__len__(address) > 0 and _local_host(tuple.__getitem__(address, 0))


def _local_host(host: object) -> bool:
    """Whether it is loopback. A type derived from text may compare and read as it likes, so none is let through."""
    if host is None:
        return True
    if type(host) is bytes:
        name = host.decode("ascii", "replace")
    elif type(host) is str:
        name = host
    else:
        return False
    if name in ("localhost", ""):
        return True
    packed = _packed(AF_INET, name)
    if packed is None:
        packed = _packed(AF_INET6, name)
        if packed is None or packed == _LOOPBACK6:
            return packed is not None
        if packed[:12] != _MAPPED:
            return False
        packed = packed[12:]
    return packed[0] == 127


def _packed(family: int, name: str) -> bytes | None:
    try:
        return inet_pton(family, name)
    except (OSError, ValueError):  # no address; a character that none has
        return None


def no_program(*_given: object, **_named: object) -> Any:
    """Stands where a program would be started."""
    raise DeniedError("toolreel diff: an adapter may start no program")


def shut_in() -> None:
    """Set the hook, which nothing takes off again, and put out of reach what raises no event."""
    _replace_everywhere()
    for name, at in _METHODS.items():
        setattr(socket.socket, name, _addressed(getattr(socket.socket, name), at))
    sys.addaudithook(guard)


def _replace_everywhere() -> None:
    """The way of `subprocess` and `multiprocessing` into a program, and the ways to load its module once more."""
    try:
        import _posixsubprocess
    except ImportError:  # a system without fork
        _posixsubprocess = None  # type: ignore[assignment]
    instead = {
        id(_imp.create_builtin): _sealing(_imp.create_builtin),
        id(_imp.create_dynamic): _sealing(_imp.create_dynamic),
    }
    if _posixsubprocess is not None:
        instead[id(_posixsubprocess.fork_exec)] = no_program
    for module in tuple(sys.modules.values()):
        members = getattr(module, "__dict__", {})
        for name, value in tuple(members.items()):
            if id(value) in instead:
                members[name] = instead[id(value)]


def _sealing(create: Callable[..., Any]) -> Callable[..., Any]:
    """The same loader of modules; those that it makes anew have what this module put in the place of theirs."""

    def sealed(*given: Any) -> Any:
        made = create(*given)
        members = getattr(made, "__dict__", {})
        for name, other in (
            ("fork_exec", no_program),
            ("create_builtin", _imp.create_builtin),
            ("create_dynamic", _imp.create_dynamic),
        ):
            if name in members:
                members[name] = other
        return made

    return sealed


def _addressed(method: Callable[..., Any], at: int) -> Callable[..., Any]:
    """The same method of a socket, which refuses an address elsewhere before it looks a name up."""

    def checked(self: socket.socket, *given: Any) -> Any:
        address = given[at] if len(given) > max(at, 0) else None
        if isinstance(address, tuple) and not _local_address(address):
            raise DeniedError("toolreel diff: an adapter may reach the loopback interface alone")
        return method(self, *given)

    return checked
