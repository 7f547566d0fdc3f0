"""A command as a process that is forked from one that has imported everything: the imports take a second, a fork none.

A forked command runs the same `main`, with words, variables, a folder and files of its own, and ends as an interpreter
ends. So does the process in which a forked recorder redacts. The nightly run forks nothing: there every command is an
interpreter of its own, as a user starts it.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NoReturn

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
    from proxy_addon.recorder import engine, running  # noqa: F401 (and with it all of mitmproxy)
    from proxy_addon.writing.redacting import decoders  # noqa: F401 (and with it all of redaction)
    from proxy_addon.writing.redacting import process as redaction_process
    from redaction.proof import tripwire  # noqa: F401
    from replay.cli import ELSEWHERE, main

    with contextlib.suppress(ImportError):
        import yaml  # noqa: F401
    for command in ELSEWHERE.values():
        if command.extra != "search":  # which imports hypothesis
            with contextlib.suppress(ImportError):
                importlib.import_module(command.target.partition(":")[0])
    redaction_process.subprocess = SimpleNamespace(  # type: ignore[attr-defined]
        Popen=_redaction, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL
    )
    _share_authority()
    return main


def _share_authority() -> None:
    """Have mitmproxy make the authority that no recorder uses once: its key takes as long as all else of a start."""
    from mitmproxy import certs
    from mitmproxy.options import CONF_BASENAME, KEY_SIZE

    certs.create_ca = cache(certs.create_ca)
    certs.load_pem_private_key = cache(certs.load_pem_private_key)
    with tempfile.TemporaryDirectory() as folder:
        certs.CertStore.from_store(folder, CONF_BASENAME, KEY_SIZE)


def _redaction(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes] | ForkedRedaction":
    """The redaction process of a recorder: forked while the recorder starts; later, beside threads, an interpreter."""
    if threading.current_thread() is not threading.main_thread():
        return subprocess.Popen(command, **options)
    return ForkedRedaction(command[3 : len(command) - len(sys.path)])  # an interpreter, `-c`, code; and the path


class ForkedRedaction:
    """What the recorder uses of `subprocess.Popen`: its redaction process, which has these settings."""

    def __init__(self, settings: Sequence[str]) -> None:
        (reading, requests), (replies, writing) = os.pipe(), os.pipe()
        self.returncode: int | None = None
        self._lock: Final = threading.Lock()  # two threads of a recorder that is told to stop may end it
        self.pid: Final = os.fork()
        if not self.pid:
            _redact(settings, reading, writing)
        os.close(reading)
        os.close(writing)
        self.stdin: Final = os.fdopen(requests, "wb")
        self.stdout: Final = os.fdopen(replies, "rb")

    def kill(self) -> None:
        with self._lock:
            if self.returncode is None:
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        with self._lock:
            if self.returncode is None:
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            return self.returncode


def _redact(settings: Sequence[str], requests: int, replies: int) -> NoReturn:
    """Run the redaction process, with the files that it would have if it had been started by itself."""
    from proxy_addon.writing.redacting.process import main

    try:
        os.setsid()
        for number, file in enumerate((requests, replies, os.open(os.devnull, os.O_WRONLY))):
            os.dup2(file, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        main(*settings)
    finally:
        os._exit(0)


def _pytest() -> Callable[[], object]:
    """`python -B -m pytest`, with nothing of our plugin, which pytest rewrites when it imports it."""
    sys.dont_write_bytecode = True
    import _pytest.config

    from replay.judging import runner  # noqa: F401
    from replay.reports import styles  # noqa: F401

    for name in _pytest.config.default_plugins:
        importlib.import_module(f"_pytest.{name}")
    return lambda: sys.exit(_pytest.config.console_main())


def _forward_proxy() -> Callable[[], object]:
    from mitmproxy.tools import dump  # noqa: F401

    main = runpy.run_path(str(Path(__file__).with_name("forward_proxy.py")))["main"]
    _share_authority()
    return lambda: main(*sys.argv[1:])


# By the name of a command: what imports all that it needs, and gives what runs it.
_MAINS: Final[Mapping[str, Callable[[], Callable[[], object]]]] = {
    "toolreel": _toolreel,
    "pytest": _pytest,
    "forward proxy": _forward_proxy,
}


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
