"""The signals that end a process of ours, whichever part of it takes them."""

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """The signals that end this process."""
    found = [signal.SIGINT, signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)  # not on every system
    if hang_up is not None and signal.getsignal(hang_up) is not signal.SIG_IGN:
        found.append(hang_up)
    return tuple(found)


def ignore_signals() -> None:
    """Everything is done and said: what still comes must not change how the process ends."""
    for number in ending_signals():
        signal.signal(number, signal.SIG_IGN)
