"""Nothing raw, ever: every write of the recorder and of its redaction, seen by the kernel, searched for canaries.

Raw bytes may go to the two sides of the traffic (sockets) and to the redaction (the pipe that is its standard input).
They may go nowhere else: to no file, no terminal, no other pipe.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request, text
from support.processes.command import TOOLREEL, Process, environment
from support.processes.recorder import Recorder
from support.shared import ROOT
from support.sockets.provider import EVENT_STREAM, Answer, End, Provider, Request
from support.sockets.wire import Client, ask, post

TARGET: Final = "/openai/v1/chat/completions"
CANARY: Final = "zq7f3vkCANARY"
PIECES: Final = (*text(["It is ", CANARY])[:-1], *call('{"ci', f'ty": "{CANARY}"}}'), DONE)

# What writes, and what could: every call that takes bytes, or makes a file from elsewhere.
CALLS: Final = (
    "write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,sendmmsg,open,openat,openat2,creat,"
    "rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,memfd_create,"
    "sendfile,splice,tee,vmsplice,copy_file_range,mmap"
)

# A call of the trace, with the file behind its first argument: `write(7</tmp/x>, "...`.
WRITE: Final = re.compile(
    r"^(?:\[pid +\d+\] |\d+ +)?(write|writev|pwrite\w*|pwritev2?)\((\d+)<([^>]*)>(?:\(deleted\))?, (.*)"
)
OPENED: Final = re.compile(r'(?:openat2?|open|creat)\((?:AT_FDCWD(?:<[^>]*>)?, )?"([^"]*)", ([^)\n]*)')

# The recorder's loggers at their loudest, in case that silence is all that keeps them.
LOUD: Final = """
import logging
logging.basicConfig(level=logging.DEBUG, force=True)
for name in ("mitmproxy", "asyncio", "hpack", "h11", "wsproto", "toolreel"):
    logging.getLogger(name).setLevel(logging.DEBUG)
"""
CRASHING: Final = (
    LOUD
    + """
import proxy_addon.recorder.addon
import proxy_addon.recorder.capture
def broken(*values, **named):
    raise RuntimeError("zq7f3vkCANARY", values, named)
proxy_addon.recorder.addon.Recorder._close = broken
proxy_addon.recorder.capture.Capture.feed = broken
"""
)


class Traced(Recorder):
    """A recorder under a trace of its system calls, children included."""

    def __init__(self, folder: Path, *options: str, source: str) -> None:
        (folder / "patch").mkdir()
        (folder / "patch" / "sitecustomize.py").write_text(source)
        (folder / "tmp").mkdir()
        variables = {
            "PYTHONPATH": os.pathsep.join([str(folder / "patch"), os.environ.get("PYTHONPATH", ""), str(ROOT)]),
            "TMPDIR": str(folder / "tmp"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        super().__init__(folder / "out", *options, variables=variables)
        self.trace = folder / "trace"
        self._traced = (
            *("strace", "-f", "-y", "-qq", "-s", "10000000", "-e", f"trace={CALLS}", "-o", str(self.trace)),
            *(*TOOLREEL, *self._words),
        )

    def _started(self) -> tuple[Process, IO[str], IO[str]]:
        process = subprocess.Popen(
            self._traced,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(), **self._variables},
            cwd=self.out.parent,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        return process, process.stdout, process.stderr

    def recorder_pid(self) -> int:
        """The recorder itself, which is the child of the tracer."""
        return self.redaction


def working_strace() -> bool:
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], check=False, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not working_strace(), reason="needs strace, and the right to trace")


def answer(seen: Request) -> Answer:
    headers = (*EVENT_STREAM, ("X-Request-Id", CANARY))
    if seen.header("x-how") == ["held"]:
        return Answer(pieces=PIECES[:-3], headers=headers, end=End.HOLD)
    if seen.header("x-how") == ["broken"]:
        return Answer(raw_head=f"HTTP/1.1 200 OK\r\n{CANARY}\r\n\r\n".encode())
    return Answer(pieces=PIECES, headers=headers)


SECRETS: Final = (f"Authorization: Bearer {CANARY}", f"X-Toolreel-Case: {CANARY} ", f"Cookie: a={CANARY}")
MALFORMED: Final = (
    f"POST {TARGET} HTTP/1.1\r\nHost: x\r\nAuthorization Bearer {CANARY}\r\n\r\n",
    f"POST {TARGET} HTTP/1.1\r\nHost: x\r\nContent-Length: {CANARY}\r\n\r\n",
    f"{CANARY}\r\n\r\n",
    f"CONNECT {CANARY}:443 HTTP/1.1\r\nHost: {CANARY}\r\n\r\n",
    f"GET http://{CANARY.lower()}.invalid/ HTTP/1.1\r\nHost: {CANARY}\r\n\r\n",
    f"POST {TARGET} HTTP/1.1\r\nAuthorization: Bearer {CANARY}\r\n",  # and then it leaves
)


def everything(recorder: Traced) -> None:
    """Turns, broken answers and malformed requests, each with canaries in all places."""
    target = f"{TARGET}?key={CANARY}"
    for how in ("whole", "broken", "whole"):
        ask(recorder.port, post(target, request(content=CANARY), f"X-How: {how}", *SECRETS))
    for raw in MALFORMED:
        with Client(recorder.port) as client:
            client.send(raw.encode())
            client.half_close()
            client.read_all()


def written_elsewhere(trace: Path) -> Iterator[str]:
    """The writes that went neither to a socket nor through a pipe between the two processes, with where they went."""
    for line in trace.read_text("utf-8", "replace").splitlines():
        found = WRITE.match(line)
        if found and (found[2] in ("1", "2") or not found[3].startswith(("socket:", "pipe:", "anon_inode:"))):
            yield f"{found[3]}: {found[4]}"


def files_opened_to_write(trace: Path) -> set[str]:
    found = OPENED.findall(trace.read_text("utf-8", "replace"))
    return {name for name, flags in found if re.search(r"O_WRONLY|O_RDWR|O_CREAT", flags)}


def check(recorder: Traced, folder: Path) -> None:
    """What was written, by file, by trace and by line."""
    trace = recorder.trace.read_text("utf-8", "replace")
    assert trace.count(CANARY) > 10  # it sees the traffic, so it would see a leak
    assert [line for line in written_elsewhere(recorder.trace) if CANARY in line] == []
    strangers = {
        name
        for name in files_opened_to_write(recorder.trace)
        if not name.startswith((str(folder / "out"), str(folder / "tmp"), "/dev/", "/proc/self/"))
    }
    assert strangers == set()
    for path in [*(folder / "out").rglob("*"), *(folder / "tmp").rglob("*")]:
        assert CANARY not in str(path)
        assert not path.is_file() or CANARY.encode() not in path.read_bytes()
    assert CANARY not in recorder.output + recorder.errors


def test_all_that_the_recorder_writes_is_free_of_canaries(tmp_path: Path) -> None:
    with (
        Provider(answer) as provider,
        Traced(tmp_path, "--upstream", f"openai={provider.url}", source=LOUD) as recorder,
    ):
        everything(recorder)
        os.kill(recorder.recorder_pid(), signal.SIGINT)
        assert recorder.ended() == 0
        summary = recorder.summary()
        assert (summary["written"], summary["same_shape"], summary["bugs"]) == (1, 1, {})
        check(recorder, tmp_path)
        assert any(str(tmp_path / "out") in line for line in written_elsewhere(recorder.trace))


def test_so_it_is_when_it_is_killed_in_the_middle(tmp_path: Path) -> None:
    with (
        Provider(answer) as provider,
        Traced(tmp_path, "--upstream", f"openai={provider.url}", "--log", "json", source=LOUD) as recorder,
    ):
        everything(recorder)
        with Client(recorder.port) as client:
            client.send(post(TARGET, request(content=CANARY), "X-How: held", *SECRETS))
            client.read_until(PIECES[-4])
            os.kill(recorder.recorder_pid(), signal.SIGKILL)
            recorder.ended()
        check(recorder, tmp_path)
        assert [path for path in (tmp_path / "out").iterdir() if path.suffix != ".json"] == []


def test_so_it_is_when_its_hooks_crash(tmp_path: Path) -> None:
    with (
        Provider(answer) as provider,
        Traced(tmp_path, "--upstream", f"openai={provider.url}", "--drain", "0", source=CRASHING) as recorder,
    ):
        everything(recorder)
        os.kill(recorder.recorder_pid(), signal.SIGINT)
        assert recorder.ended() == 0
        bugs = recorder.summary()["bugs"]
        assert isinstance(bugs, dict)
        assert set(bugs) == {"RuntimeError"}
        check(recorder, tmp_path)
