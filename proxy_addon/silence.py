"""Nothing speaks but us: loggers, warnings and tracebacks of the recorder's process are silenced for good.

mitmproxy logs whole request heads at INFO and exception texts at ERROR, and Python prints what nobody caught. Any of
these can hold captured text, so in the process of `toolreel record` none of them has a way out.
"""

import contextlib
import logging
import sys
import threading
import warnings
from types import TracebackType


def silence_process() -> None:
    """Close every way out but our own lines. Never undone: call it only in a process that is ours alone."""
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


def _type_only(kind: type[BaseException], _error: BaseException, _frames: TracebackType | None) -> None:
    """The end of a process that met a bug of ours: what kind, and nothing of what it held."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.stderr.write(f"toolreel: internal error ({kind.__name__}); the recorder ends. Please report it.\n")


def _nothing(_: object) -> None:
    """Say nothing."""
