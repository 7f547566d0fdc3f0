"""mitmproxy, embedded: it is set up for recording, started, and stopped without losing what is in progress.

Its own ways to start and to end a process are not used: they print, and they cut what is in progress.
"""

import asyncio
import contextlib
import datetime
import gc
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from mitmproxy import certs
from mitmproxy.net import tls
from mitmproxy.options import Options
from mitmproxy.tools.dump import DumpMaster

from proxy_addon.recorder.addon import Recorder
from proxy_addon.recorder.pacing import drain, every, until
from proxy_addon.recorder.patches.bounds import bound
from proxy_addon.recorder.patches.half_closed import LOOK_SECONDS, end_the_left, serve_half_closed
from proxy_addon.recorder.patches.http1 import repair
from proxy_addon.recorder.patches.sloppy_responses import take_sloppy_responses
from proxy_addon.recorder.patches.unix_listener import listening_on
from proxy_addon.recorder.routes import NOWHERE
from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.stopping import Stopping
from proxy_addon.recorder.tunnels.forward import Tunnels
from proxy_addon.recorder.tunnels.via import Via, tell_proxies_apart
from proxy_addon.setup import authority
from proxy_addon.taken_port import cannot_listen
from proxy_addon.writing.outcomes.settled import Passed
from proxy_addon.writing.outcomes.unrecorded import HANDSHAKE, Kind
from proxy_addon.writing.outlet import Outlet
from proxy_addon.writing.redacting.exchanges import MAX_REQUEST_BYTES

# Open files, sockets among them, of which the recorder makes use where the system has a higher limit or none.
FILES: Final = 65_536

# A cancelled connection ends at once; should one not, the end of the recorder does not wait for it.
_LAST_CONNECTION_SECONDS: Final = 2.0


# What is said when the authority had to be made able to sign for a host of this run.
RESTART: Final = "signs for more hosts now; start again the clients that use HTTPS_PROXY"


# A client that asks for nothing, since its TLS handshake fails.
_REFUSED: Final = Kind(upstream="request", what=HANDSHAKE, why=Passed.CLIENT_TLS)


class Interception:
    """The user's certificate authority, as mitmproxy uses it: taken from the disk when a client needs it.

    It is made able to sign for `hosts`; `note` hears that clients have to start again where it was not.
    """

    def __init__(self, *, hosts: Iterable[str], note: Callable[[str], None]) -> None:
        self._hosts: Final = tuple(hosts)
        self._note: Final = note
        self._master: Any = None
        self._taken: tuple[int, ...] | None = None  # the file that was read: when, which, whose

    def attach(self, master: Any) -> None:
        """Name the proxy that uses it."""
        self._master = master

    def ready(self) -> bool:
        """Have mitmproxy use the authority that is there now; False where there is none that is good."""
        key = authority.authority_folder() / authority.KEY_FILE
        try:
            status = key.stat()
        except OSError:
            return False
        written = (status.st_mtime_ns, status.st_ino, status.st_mode, status.st_uid)
        if written != self._taken:
            found = authority.find()
            if found is None or found.left() <= datetime.timedelta():
                return False
            try:
                able = authority.extend(found, self._hosts)
            except (authority.AuthorityError, OSError):
                return False
            if able is not found:
                self._note(RESTART)
                status = key.stat()
                written = (status.st_mtime_ns, status.st_ino, status.st_mode, status.st_uid)
            self._master.options.update(confdir=str(found.folder))
            self._taken = written
        return True


async def serve(
    recorder: Recorder,
    tunnels: Tunnels,
    via: Via,
    interception: Interception,
    options: RecordOptions,
    *,
    writer: Outlet,
    stopping: Stopping,
    ready: Callable[[int], None],
    listener: socket.socket | None = None,
    authority: bytes | None = None,
) -> None:
    """Listen, call `ready` with the port, run until asked to stop, and return when every capture is decided.

    `listener` is a socket that listens already, and `authority` what `made_authority` gave, for several that serve.
    """
    _prepare(recorder, options)
    # mitmproxy makes a certificate authority of its own, which nothing uses. It is not to stay in the user's home.
    with (
        tempfile.TemporaryDirectory(prefix="toolreel-") as confdir,
        _authorities(options.upstream_ca) as trusted,
        listening_on(options.access.socket, options.access.tls, listener, refused=partial(writer.passed, _REFUSED)),
    ):
        if authority is not None:
            (Path(confdir) / _AUTHORITY_FILE).write_bytes(authority)
        master = _master(recorder, options, confdir=confdir, trusted=trusted)
        started = _with_addons(master, tunnels, via)
        interception.attach(master)
        running = asyncio.create_task(master.run())
        clients = master.addons.get("proxyserver").connections
        try:
            with every(LOOK_SECONDS, lambda: end_the_left(clients.values())):
                await asyncio.wait([running, asyncio.create_task(started.wait())], return_when=asyncio.FIRST_COMPLETED)
                _keep_what_was_imported()
                _forget_authority(Path(confdir))
                interception.ready()  # so that clients which start from here on trust it for every upstream
                ready(_listening_port(master, options))
                await stopping.asked.wait()
                master.options.update(server=False)  # closes the listener; live connections go on
                await until(lambda: recorder.live == 0, or_event=stopping.at_once, seconds=options.drain)
        finally:
            master.shutdown()
            await running
            await _end_connections()
    await drain(writer, at_once=stopping.at_once)


def _keep_what_was_imported() -> None:
    """Have no later collection of garbage walk through it."""
    gc.collect()
    gc.freeze()


def _prepare(recorder: Recorder, options: RecordOptions) -> None:
    """Change of this process, and of mitmproxy in it, what a recorder needs otherwise."""
    allow_connections()
    tell_proxies_apart()
    take_sloppy_responses()
    serve_half_closed()
    repair(recorder.prefixes, idle=options.idle, cut=recorder.idle)
    bound(recorder.held)


def allow_connections() -> None:
    """Raise the soft limit on open files, often 1,024, as far as it goes: each exchange has two sockets."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = FILES if hard == resource.RLIM_INFINITY else min(hard, FILES)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Started:
    """An addon that sets an event when mitmproxy has its listeners up, or could not bring them up."""

    name = "toolreel_started"

    def __init__(self, event: asyncio.Event) -> None:
        self._event = event

    def running(self) -> None:
        self._event.set()


def _master(recorder: Recorder, wanted: RecordOptions, *, confdir: str, trusted: str | None) -> Any:
    """mitmproxy, set up for recording: a `DumpMaster`. `Any`, since mitmproxy types few of its methods."""
    scheme, nowhere, number = NOWHERE
    mode = f"reverse:{scheme}://{nowhere}:{number}"
    options = Options(mode=[mode], listen_host=wanted.host, listen_port=wanted.port, confdir=confdir)
    master: Any = DumpMaster(options, with_termlog=False, with_dumper=False)
    # Where the port is taken, this addon ends the process by itself, and with a line of its own.
    check = master.addons.get("errorcheck")
    if check is not None:
        check.finish()
        master.addons.remove(check)
    master.addons.add(recorder)
    # Raw TCP is for tunnels that pass untouched alone, and `Tunnels` chooses those. The certificate of an upstream is
    # looked at when a request needs it, and not before.
    master.options.update(connection_strategy="lazy", http2=False, rawtcp=False, upstream_cert=False)
    # What a client says in Host decides whether its request is taken; `Recorder` puts the upstream there.
    master.options.update(keep_host_header=True)
    # Its page for installing a certificate on a phone is not for here: this authority is for one environment.
    master.options.update(onboarding=False)
    # A request is held until it is whole, so that one which fails is answered in full; past this it is passed on as it
    # comes, and nothing of it is kept.
    master.options.update(stream_large_bodies=str(MAX_REQUEST_BYTES))
    if "tcp_timeout" in options:  # before mitmproxy 12 it is a constant, and a matter of `repair`
        master.options.update(tcp_timeout=wanted.idle)
    if trusted is not None:
        master.options.update(ssl_verify_upstream_trusted_ca=trusted)
    return master


def _with_addons(master: Any, tunnels: Tunnels, via: Via) -> asyncio.Event:
    """Add the other addons; the event that is set when mitmproxy has its listeners up, or could not bring them up."""
    started = asyncio.Event()
    master.addons.add(tunnels, via, _Started(started))
    # They come before mitmproxy's own addons: the first one that chooses a layer has chosen it.
    master.addons.chain.remove(tunnels)
    master.addons.chain.insert(0, tunnels)
    return started


@contextlib.contextmanager
def _authorities(private: Path | None) -> Iterator[str | None]:
    """A file of the public authorities and the private one, for as long as the block runs; None without a private one.

    mitmproxy trusts one file only, and other upstreams of the same run are public. Where the system has files without a
    name it is one of those, since a process that is killed removes nothing.
    """
    if private is None:
        yield None
        return
    public: Any = tls
    data = Path(public.certifi.where()).read_bytes() + b"\n" + private.read_bytes()
    if sys.platform == "linux":
        with open(os.memfd_create("toolreel-authorities"), "wb", buffering=0) as file:  # noqa: PTH123 - a descriptor
            file.write(data)
            yield f"/proc/self/fd/{file.fileno()}"
        return
    with tempfile.NamedTemporaryFile(prefix="toolreel-") as file:
        file.write(data)
        file.flush()
        yield file.name


# Key and certificate of the authority that mitmproxy makes where it finds none.
_AUTHORITY_FILE: Final = "mitmproxy-ca.pem"


def made_authority() -> bytes:
    """The authority that mitmproxy would make for itself, and nothing uses: made once, where several serve."""
    with tempfile.TemporaryDirectory(prefix="toolreel-") as folder:
        certs.CertStore.from_store(folder, "mitmproxy", 2048)
        return (Path(folder) / _AUTHORITY_FILE).read_bytes()


def _forget_authority(folder: Path) -> None:
    """Remove the folder of mitmproxy's own authority, which it has read: a process that is killed removes nothing."""
    for path in folder.glob("mitmproxy-*"):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _listening_port(master: Any, wanted: RecordOptions) -> int:
    proxyserver = master.addons.get("proxyserver")
    addresses = proxyserver.listen_addrs()
    if addresses:
        return wanted.port if wanted.access.socket else int(addresses[0][1])
    errors = [instance.last_exception for instance in proxyserver.servers]
    raise cannot_listen(wanted.host, wanted.port, next((error for error in errors if error is not None), None))


async def _end_connections() -> None:
    """Cut the connections that are still open. `asyncio.run` would do so only once the queue is empty."""
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_LAST_CONNECTION_SECONDS)
