"""The program that shuts a command in: run in a process of its own, with what is asked as one argument of JSON.

    {"control": 5, "scratch": "/tmp/…", "caches": {}, "command": ["go", "run", "./adapter"]}

    toolreel diff ──► launcher ──► supervisor, process 1 of the box ──► the command
                         │              │ ends once `control` is closed, and everything in the box with it
                         │              └ says on `control`: what the box lacks, that the command ended, that all did
                         └ where the system allows no namespaces, supervisor and command stay outside

The supervisor hands over a socket that listens on the box's own loopback: the fixtures are served on it, from outside.
Of an adapter, nothing runs in these processes.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from . import landlock, namespaces, sockets, system
from .lacks import Lack

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST: Final = "127.0.0.1"
# How the process that tries the namespaces says that there are none.
_NO_NAMESPACES: Final = 77
# Where no parent hears of orphans, it is looked so often whether the group of the command is empty.
_LOOK_SECONDS: Final = 0.05
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
_OWN_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - mounted in the box


def main() -> NoReturn:
    """Start the command in the best box that this system has means for, and stay until it is over."""
    asked = json.loads(sys.argv[1])
    control = socket.socket(fileno=asked["control"])
    control.set_inheritable(False)
    status = _in_namespaces(asked, control) if system.LINUX else _NO_NAMESPACES
    if status == _NO_NAMESPACES:
        lacks = {Lack.NETWORK, Lack.ENVIRONMENTS, Lack.FILES}
        _move(asked, asked["caches"])
        _Supervisor(asked, control, _listener(), lacks).run()
    _sweep(asked, control)
    os._exit(status)


def _sweep(asked: dict[str, Any], control: socket.socket) -> None:
    """Remove the scratch folder where whoever asked was ended, and cannot do it.

    The parent does not tell that yet: a process of several threads closes its files before it is gone.
    """
    try:
        gone = not control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        gone = False
    except OSError:
        gone = True
    if gone:
        shutil.rmtree(asked["scratch"], ignore_errors=True)


def _listener() -> socket.socket:
    found = socket.create_server((HOST, 0), backlog=128)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


def _in_namespaces(asked: dict[str, Any], control: socket.socket) -> int:
    """How the box in namespaces ended, or that there is none: tried in a process that can be thrown away."""
    left, say_left = os.pipe()
    mapped, say_mapped = os.pipe()
    tried = os.fork()
    if tried == 0:
        _first_inside(asked, control, say_left, mapped, (left, say_mapped))
    for end in (say_left, mapped):
        os.close(end)
    if os.read(left, 1):
        with contextlib.suppress(OSError):
            namespaces.map_users(tried)
            os.write(say_mapped, b"1")
    for end in (left, say_mapped):
        os.close(end)
    return os.waitstatus_to_exitcode(os.waitpid(tried, 0)[1]) & 0xFF


def _first_inside(
    asked: dict[str, Any], control: socket.socket, say_left: int, mapped: int, others: tuple[int, int]
) -> NoReturn:
    """Leave the namespaces, wait for the users, and fork the process that all others of the box descend from."""
    for end in others:
        os.close(end)
    try:
        namespaces.leave()
        os.write(say_left, b"1")
        if not os.read(mapped, 1):
            os._exit(_NO_NAMESPACES)
        namespaces.raise_loopback()
        listener = _listener()
    except OSError:
        os._exit(_NO_NAMESPACES)
    for end in (say_left, mapped):
        os.close(end)
    first = os.fork()
    if first == 0:
        with contextlib.suppress(OSError):
            system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
        lacks = _shut_files(asked["scratch"])
        _overlay(asked)
        _Supervisor(asked, control, listener, lacks).run()
    listener.close()
    os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF)


def _shut_files(scratch: str) -> set[Lack]:
    """What of the files and processes outside cannot be put out of reach by mounts."""
    lacks: set[Lack] = set()
    try:
        namespaces.make_read_only(writable=scratch)
    except OSError:
        lacks.add(Lack.FILES)
    # Other users cannot be looked into from a user namespace, whatever `/proc` shows.
    with contextlib.suppress(OSError):
        namespaces.show_own_processes()
    return lacks


def _overlay(asked: dict[str, Any]) -> None:
    """Let what is written to a folder of `caches` go to the scratch folder; where that cannot be, take an empty one."""
    for name, folder in tuple(asked["caches"].items()):
        try:
            namespaces.write_elsewhere(folder, scratch=f"{asked['scratch']}/over-{name}-{time.time_ns()}")
        except OSError:
            _move(asked, [name])


def _move(asked: dict[str, Any], names: Iterable[str]) -> None:
    """Name an empty folder instead of each of these caches."""
    for name in tuple(names):
        del asked["caches"][name]
        os.environ[name] = f"{asked['scratch']}/{name}"


class _Supervisor:
    """The parent of the command, and of what the command leaves behind. `lacks` is what the box lacks so far."""

    def __init__(
        self, asked: dict[str, Any], control: socket.socket, listener: socket.socket, lacks: set[Lack]
    ) -> None:
        self._asked = asked
        self._control = control
        self._listener = listener
        self._lacks = lacks
        self._is_first = os.getpid() == 1
        self._hears_of_orphans = self._is_first or _takes_orphans()
        if not self._hears_of_orphans:
            lacks.add(Lack.SESSIONS)

    def run(self) -> NoReturn:
        """Start the command, tell what becomes of it, and end once everything has, or whoever asked is gone."""
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        heard, said = os.pipe()
        self._command = os.fork()
        if self._command == 0:
            signal.set_wakeup_fd(-1)
            self._become_command(said)
        os.close(said)
        with os.fdopen(heard, "rb") as pipe:
            greeting = pipe.read().rpartition(b"\n")[2] or b'{"error": "it ended before it was started"}'
        socket.send_fds(self._control, [greeting + b"\n"], [self._listener.fileno()])
        self._listener.close()
        self._watch(woken)
        self._end_all()
        if not self._is_first:
            _sweep(self._asked, self._control)
        os._exit(0)

    def _watch(self, woken: int) -> None:
        """Until no process is left, or whoever asked ends it or is gone."""
        ended = False
        while True:
            wait = None if self._hears_of_orphans or not ended else _LOOK_SECONDS
            ready = select.select([self._control.fileno(), woken], [], [], wait)[0]
            if self._control.fileno() in ready:  # told to end, or closed by the end of whoever asked
                return
            if woken in ready:
                os.read(woken, 512)
            left, status = self._reaped()
            if status is not None:
                ended = True
                self._say({"ended": status})
            if ended and not left and (self._hears_of_orphans or not _is_group(self._command)):
                self._say({"empty": True})
                return

    def _reaped(self) -> tuple[bool, int | None]:
        """Whether a child is left, and how the command ended where it was among those that did."""
        ended = None
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False, ended
            if pid == 0:
                return True, ended
            if pid == self._command:
                ended = os.waitstatus_to_exitcode(status)

    def _say(self, members: dict[str, object]) -> None:
        with contextlib.suppress(OSError):
            self._control.sendall(json.dumps(members).encode("ascii") + b"\n")

    def _end_all(self) -> None:
        """End what is left. The first process of a namespace need only end itself."""
        if self._is_first:
            return
        with contextlib.suppress(OSError):
            os.killpg(self._command, signal.SIGKILL)
        # Children of one that ends become children of this one, where orphans come here at all.
        while self._hears_of_orphans and (children := _children()):
            for pid in children:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, 0)

    def _become_command(self, said: int) -> NoReturn:
        """Restrict this process and become the command; what the box lacks, or why it is none, goes to `said`."""
        error = ""
        try:
            os.setsid()
            port = None if Lack.NETWORK not in self._lacks else int(self._listener.getsockname()[1])
            writable = [self._asked["scratch"], *self._asked["caches"].values()]
            os.environ.update(self._asked["caches"])
            lacks = _restricted(writable, self._lacks, port)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.write(said, json.dumps({"lacks": sorted(lack.name for lack in lacks)}).encode("ascii"))
            command = self._asked["command"]
            os.execvp(command[0], command)  # noqa: S606 - the user's own interpreter or command
        except OSError as raised:
            error = raised.strerror or type(raised).__name__
        os.write(said, b"\n" + json.dumps({"error": error}).encode("ascii"))
        os._exit(127)


def _restricted(folders: list[str], lacks: set[Lack], port: int | None) -> set[Lack]:
    """What the box lacks once this process is restricted for good, and all that it becomes and starts.

    `port` is the one that it may connect to; None in a network of its own.
    """
    left = set(lacks)
    writable = [*folders, *_DEVICES]
    if port is None:
        namespaces.drop_capabilities()
        writable.append(_OWN_SHARED_MEMORY)
    try:
        landlock.restrict(writable=writable, port=port)
        left -= {Lack.FILES, Lack.ENVIRONMENTS}
        if Lack.NETWORK in left and landlock.confines_ports():
            left = left - {Lack.NETWORK} | {Lack.DATAGRAMS}
    except OSError:
        pass
    try:
        sockets.restrict(sockets.Allowed.INTERNET if port is None else sockets.Allowed.STREAMS)
        left.discard(Lack.DATAGRAMS)
    except OSError:
        left.add(Lack.SOCKETS)
    return left


def _takes_orphans() -> bool:
    try:
        system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    except OSError:
        return False
    return True


def _is_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _children() -> list[int]:
    """The processes whose parent is this one."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                # The name in brackets may have anything in it: what follows the last bracket counts.
                parent = (folder / "stat").read_bytes().rpartition(b")")[2].split()[1]
                if int(parent) == os.getpid():
                    found.append(int(folder.name))
    return found
