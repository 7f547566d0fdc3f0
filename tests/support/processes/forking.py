"""A command as a process that is forked from one that has imported everything: the imports take a second, a fork none.

A forked command runs the same `main`, with words, variables, a folder and files of its own, and ends as an interpreter
ends. The nightly run forks nothing: there every command is an interpreter of its own, as a user starts it.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

from support.nightly import NIGHTLY
from support.shared import ROOT

FORKS: Final = sys.platform == "linux" and not NIGHTLY

_SERVER: Final = "import sys; from support.processes.forking import serve; serve(*sys.argv[1:])"
_LONGEST_REQUEST: Final = 100_000


class Forked:
    """A running command, `toolreel` or another of `_MAINS`: what the tests use of `subprocess.Popen`."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        folder: Path,
        variables: Mapping[str, str],
        output: int,
        errors: int,
        command: str = "toolreel",
    ) -> None:
        self._warden: Final = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._warden.connect(str(_server(command) / "socket"))
        asked = json.dumps({"words": list(words), "folder": str(folder), "variables": dict(variables)})
        with Path(os.devnull).open("rb") as nothing:
            socket.send_fds(self._warden, [asked.encode()], [nothing.fileno(), output, errors])
        self.pid: Final = int(self._warden.recv(64))
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._warden], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("toolreel", timeout or 0)
            self.returncode = int(self._warden.recv(64))
            self._warden.close()
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@cache
def _server(command: str) -> Path:
    """The folder of the process to fork from. It ends with this one, which holds the other end of its input."""
    folder = tempfile.TemporaryDirectory(prefix="forking-")
    paths = (str(ROOT / "tests"), str(ROOT), os.environ.get("PYTHONPATH", ""))
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, command, f"{folder.name}/socket"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # pipes all three, since the interpreter keeps in mind what its streams were at first
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    _KEPT.update({server: folder})
    assert server.stdout is not None
    assert server.stderr is not None
    assert server.stdout.readline() == b"ready\n", server.stderr.read()
    return Path(folder.name)


_KEPT: Final[dict[subprocess.Popen[bytes], tempfile.TemporaryDirectory[str]]] = {}


def serve(command: str, address: str) -> None:
    """The process to fork from: it imports what the command imports, and forks until its input is closed."""
    sys.path.remove(str(ROOT / "tests"))
    main = _MAINS[command]()
    gc.collect()
    gc.freeze()
    words = _forked(address)
    if words is not None:
        sys.argv[1:] = words
        main()


def _toolreel() -> Callable[[], object]:
    from proxy_addon.recorder import engine  # noqa: F401 (and with it all of mitmproxy)
    from replay.cli import main

    with contextlib.suppress(ImportError):
        import yaml  # noqa: F401
    return main


def _pytest() -> Callable[[], object]:
    """`python -B -m pytest`, with nothing of our plugin, which pytest rewrites when it imports it."""
    sys.dont_write_bytecode = True
    import _pytest.config

    from replay.judging import runner  # noqa: F401
    from replay.reports import styles  # noqa: F401

    for name in _pytest.config.default_plugins:
        importlib.import_module(f"_pytest.{name}")
    return lambda: sys.exit(_pytest.config.console_main())


# By the name of a command: what imports all that it needs, and gives what runs it.
_MAINS: Final[Mapping[str, Callable[[], Callable[[], object]]]] = {"toolreel": _toolreel, "pytest": _pytest}


def _forked(address: str) -> list[str] | None:
    """In each forked process its words; in the server None, once its input is closed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(address)
        server.listen()
        os.write(1, b"ready\n")  # and not by print: the commands' own `sys.stdout` has to be unused
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a warden
        while 0 not in select.select([server, 0], [], [])[0]:
            warden = server.accept()[0]
            if not os.fork():
                server.close()
                return _dressed(warden)
            warden.close()
    return None


def _dressed(warden: socket.socket) -> list[str]:
    """Fork once more, and make the new process the command that was asked for; this one says when it ends, and how."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked, files, _, _ = socket.recv_fds(warden, _LONGEST_REQUEST, 3)
    if pid := os.fork():
        _watch(warden, pid)
    warden.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    found = json.loads(asked)
    os.environ.clear()
    os.environ.update(found["variables"])
    os.chdir(found["folder"])
    words: list[str] = found["words"]
    return words


def _watch(warden: socket.socket, pid: int) -> NoReturn:
    with contextlib.suppress(BrokenPipeError):
        warden.sendall(b"%d" % pid)
        warden.sendall(b"%d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)
