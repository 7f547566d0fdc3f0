"""The guard of an adapter's process, as a function: what it lets through."""

import pytest

from replay.adapters.guard import DeniedError, guard

LOCAL = ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "localhost", b"localhost", b"127.0.0.1"]
ELSEWHERE = [
    "192.0.2.1",
    "10.0.0.1",
    "0.0.0.0",
    "::",
    "2001:db8::1",
    "::ffff:192.0.2.1",
    "example.org",
    b"x.org",
    "\0",
    "127.1",
    5,
]


@pytest.mark.parametrize("host", LOCAL)
def test_loopback_is_let_through(host: object) -> None:
    for event in ("socket.connect", "socket.bind", "socket.sendto"):
        guard(event, (None, (host, 80)))
    guard("socket.getaddrinfo", (host, 80, 0, 0, 0))


@pytest.mark.parametrize("host", ELSEWHERE)
def test_everything_else_is_not(host: object) -> None:
    for event in ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"):
        with pytest.raises(DeniedError):
            guard(event, (None, (host, 80)))
    for event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        with pytest.raises(DeniedError):
            guard(event, (host,))
    with pytest.raises(DeniedError):
        guard("socket.getnameinfo", ((host, 80),))


@pytest.mark.parametrize("address", ["/run/some.sock", b"\0abstract", 7])
def test_local_sockets_and_other_families_are_not(address: object) -> None:
    with pytest.raises(DeniedError):
        guard("socket.connect", (None, address))


@pytest.mark.parametrize(
    "event", ["subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"]
)
def test_no_program_is_started(event: str) -> None:
    with pytest.raises(DeniedError):
        guard(event, ("true", ["true"], None, None))


class EqualToAll(str):
    """Text that says of itself that it is whatever it is compared with."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class ItemOfItsOwn(tuple[str, int]):
    """An address that shows another host than the one that the system reads."""

    __slots__ = ()

    def __getitem__(self, at: object) -> str:  # type: ignore[override]
        return "localhost"


@pytest.mark.parametrize("address", [(EqualToAll("192.0.2.1"), 80), ItemOfItsOwn(("192.0.2.1", 80)), (bytearray(), 80)])
def test_types_that_read_as_they_like_are_refused(address: tuple[object, int]) -> None:
    with pytest.raises(DeniedError):
        guard("socket.connect", (None, address))
    with pytest.raises(DeniedError):
        guard("socket.getaddrinfo", (EqualToAll("example.org"), 80))


def test_a_second_interpreter_is_not_made() -> None:
    with pytest.raises(DeniedError):
        guard("cpython.PyInterpreterState_New", ())


def test_a_connected_socket_sends_and_other_events_pass() -> None:
    guard("socket.sendto", (None, None))
    guard("open", ("file", "r", 0))
    guard("socket.getaddrinfo", (None, 80))
