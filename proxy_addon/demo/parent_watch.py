"""Ties a process to its parent: it is asked to end when nobody holds the other end of its standard input any more.

A parent that is gone holds nothing, even if it was killed. Standard library only.
"""

import os
import signal
import threading
import time
from typing import Final

# The recorder takes the first request for one to end, and the second, that much later, for one to end at once.
_REQUESTS: Final = 2
_PATIENCE: Final = 5.0


def watch() -> None:
    """Watch from now on, beside whatever this process does."""
    threading.Thread(target=_until_alone, daemon=True).start()


def _until_alone() -> None:
    while os.read(0, 1):
        pass  # nobody writes; what is read is the end
    for _ in range(_REQUESTS):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE)
