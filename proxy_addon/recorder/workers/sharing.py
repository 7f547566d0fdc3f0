"""What workers share with the process that writes, made before it has a thread: port, template, counts."""

import contextlib
import mmap
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from proxy_addon.recorder.settings.options import RecordOptions
from proxy_addon.recorder.workers.listener import listener
from proxy_addon.recorder.workers.template import Template
from proxy_addon.silence import drop_key_logs, silence_process


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The listener, the process that makes workers, and for each worker its turns by upstream."""

    listener: socket.socket
    template: Template
    seen_here: "tuple[memoryview[int], ...]"

    @property
    def port(self) -> int:
        """The port; 0 for a Unix socket."""
        address = self.listener.getsockname()
        return int(address[1]) if isinstance(address, tuple) else 0

    def close(self) -> None:
        """Have new connections be refused.

        The template and the workers have the same listener open, until the last stream has ended. Where it is closed
        here alone, the system goes on connecting clients, whom nobody serves.
        """
        with contextlib.suppress(OSError):  # some systems shut down no listener
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@contextlib.contextmanager
def shared(checked: RecordOptions) -> Iterator[Shared]:
    """What `--workers` of the options ask for; it is gone after the block."""
    width = len(checked.routes.upstreams)
    memory = memoryview(mmap.mmap(-1, 8 * width * checked.workers)).cast("Q")
    seen_here = tuple(memory[width * number : width * (number + 1)] for number in range(checked.workers))
    with listener(checked) as listening:
        template = Template(prepare=_prepare, work=partial(_work, checked, listening, seen_here))
        try:
            yield Shared(listener=listening, template=template, seen_here=seen_here)
        finally:
            template.end()


def _prepare() -> None:
    """Import in the template what a worker needs."""
    silence_process()
    drop_key_logs()
    import proxy_addon.recorder.workers.working  # noqa: F401


def _work(
    checked: RecordOptions,
    listening: socket.socket,
    seen_here: "tuple[memoryview[int], ...]",
    channel: socket.socket,
    number: int,
) -> None:
    from proxy_addon.recorder.workers.working import work

    work(checked, listening, seen_here, channel, number)
