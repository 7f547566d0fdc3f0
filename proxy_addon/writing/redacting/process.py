"""Redaction in a process of its own: exchanges go in through one pipe, results come out of another.

In a thread beside the event loop the same work would hold the interpreter lock, and every stream would wait for it (the
benchmark shows how long). A process can also be ended: a redaction that takes too long, or dies, costs one capture.
Raw data is in the memory of both processes and in the pipe between them, and nowhere else.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Collection
from functools import partial
from multiprocessing.connection import Connection
from typing import Final

from proxy_addon.ending_signals import ignore_ending_signals
from proxy_addon.silence import silence_process
from proxy_addon.writing.outcomes.settled import NoResultError
from redaction.captured.exchange import (
    CALLED_TOOLS,
    RUNGS,
    Contract,
    Exchange,
    Kept,
    Pieces,
    Proved,
    Refused,
    Uncalled,
    Widths,
    Words,
)
from redaction.redactor import MAX_BODY_BYTES
from replay import garbage
from replay.errors import translated

# A turn takes milliseconds, one at the limits of the validator some seconds. What takes longer is a bug of ours.
MAX_SECONDS: Final = 120.0

# The streams that pass are worth more than the fixtures that are made of them.
_NICENESS: Final = 10

_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[8:]; "
    "from proxy_addon.writing.redacting.process import main; main(*sys.argv[1:8])"
)


class RedactionProcess:
    """Calls `redact` in another process: one call at a time, from one thread.

    The first process is started at once, so that the first capture does not wait for it; another takes the place of one
    that died. `max_body` bounds a decoded body, in bytes.
    """

    def __init__(
        self,
        *,
        max_body: int = MAX_BODY_BYTES,
        max_seconds: float = MAX_SECONDS,
        widths: Widths = Widths.DROPPED,
        pieces: Pieces = Pieces.ROUNDED,
        last: str = RUNGS[-1],
        contract: Contract = CALLED_TOOLS,
        kept: Collection[Kept] = (),
    ) -> None:
        words = (contract.words.value, contract.uncalled.value)
        names = "+".join(sorted(one.value for one in kept))
        self._settings: Final = (str(max_body), widths.value, pieces.value, last, *words, names)
        self._max_seconds: Final = max_seconds
        self._ended = False
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, and code of ours)
            [sys.executable, "-c", _BOOT, *self._settings, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # nothing that it might say may be read
            start_new_session=True,  # Ctrl-C is for the recorder, which needs this process until its queue is empty
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._process.stdin as requests, self._process.stdout as replies:
            self._requests = Connection(os.dup(requests.fileno()), readable=False)
            self._replies = Connection(os.dup(replies.fileno()), writable=False)

    @property
    def pid(self) -> int:
        """The id of the process that runs now."""
        return self._process.pid

    def __call__(self, exchange: Exchange) -> Proved | Refused:
        """The result of `redact` for this exchange; a `NoResultError` where it has none."""
        with translated((EOFError, OSError), lambda _: self._replaced("process ended")):
            self._requests.send(exchange)
            reply: object = self._replies.recv() if self._replies.poll(self._max_seconds) else None
        if isinstance(reply, Proved | Refused):
            return reply
        if reply is None:
            raise self._replaced("took too long")
        raise NoResultError(str(reply))

    def _replaced(self, why: str) -> NoResultError:
        """The error about a process that is of no use any more. Ends it, and starts another one unless all ends."""
        self._process.kill()
        self._process.wait()
        self._requests.close()
        self._replies.close()
        if not self._ended:
            self._start()
        return NoResultError(why)

    def end(self) -> None:
        """End the process for good, at once. A call in progress, on another thread, has no result then."""
        self._ended = True
        self._process.kill()
        self._process.wait()


def main(max_body: str, widths: str, pieces: str, last: str, words: str, uncalled: str, kept: str) -> None:
    """Run the process: read exchanges and write results, until the recorder closes the pipe."""
    silence_process()
    ignore_ending_signals()  # the recorder ends this process, once its captures are settled
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    from proxy_addon.writing.redacting.decoders import decoder
    from redaction.proof.tripwire import load
    from redaction.redactor import redact

    garbage.relax()
    decide = partial(
        redact,
        limit=int(max_body),
        undo=decoder,
        tripwire=load(),
        widths=Widths(widths),
        pieces=Pieces(pieces),
        last=last,
        contract=Contract(words=Words(words), uncalled=Uncalled(uncalled)),
        kept=tuple(Kept(one) for one in kept.split("+") if one),
    )
    requests = Connection(os.dup(sys.stdin.fileno()), writable=False)
    replies = Connection(os.dup(sys.stdout.fileno()), readable=False)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), sys.stdout.fileno())  # a stray print must not stand between two replies
    with contextlib.suppress(EOFError, OSError):
        while True:
            reply: object
            exchange = requests.recv()
            try:
                reply = decide(exchange)
            except Exception as error:
                reply = type(error).__name__  # and nothing else of it: its text and its frames hold the capture
            del exchange
            replies.send(reply)
            del reply
