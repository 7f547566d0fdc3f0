"""Silences a process that holds captured text: its loggers, warnings and tracebacks get no way out, for good.

mitmproxy logs whole request heads at INFO and the texts of exceptions at ERROR, and Python prints what nobody caught.
Any of these can hold captured text. What is left are the lines that toolreel itself writes.
"""

import contextlib
import logging
import os
import sys
import threading
import warnings
from collections.abc import MutableMapping
from types import TracebackType
from typing import Final

# The variables that have TLS write the secrets of its connections to a file, with which recorded traffic can be read.
KEY_LOGS: Final = ("SSLKEYLOGFILE", "MITMPROXY_SSLKEYLOGFILE")

# Of prctl on Linux: whether a process can be dumped, and its memory be read by other processes of its user.
_PR_SET_DUMPABLE: Final = 4


def silence_process() -> None:
    """Close every way out but our own lines. It is never undone: call it only in a process that is ours alone."""
    logging.disable(logging.CRITICAL)
    logging.raiseExceptions = False
    warnings.simplefilter("ignore")
    sys.excepthook = _type_only
    sys.unraisablehook = _nothing
    threading.excepthook = _nothing
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        # A core file would hold the raw traffic.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            # A limit does not hold for core files that a handler takes, and no debugger is to attach.
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def drop_key_logs(environment: MutableMapping[str, str] = os.environ) -> list[str]:
    """Take the variables out that have TLS write its secrets, and return their names. Before mitmproxy is imported."""
    return [name for name in KEY_LOGS if environment.pop(name, None) is not None]


def _type_only(kind: type[BaseException], _error: BaseException, _frames: TracebackType | None) -> None:
    """Say that a process ends by a bug: of what type the exception is, and nothing of what it holds."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.stderr.write(f"toolreel: internal error ({kind.__name__}); the recorder ends. Please report it.\n")


def _nothing(_: object) -> None:
    """Say nothing of what nobody caught."""
