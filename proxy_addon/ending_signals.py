"""The signals that end a process of the recorder: which they are, and how to go on without them."""

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """SIGINT, SIGTERM and SIGHUP; the last one only where there is one and the process is to end with its terminal."""
    found = [signal.SIGINT, signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)  # not on every system
    if hang_up is not None and signal.getsignal(hang_up) is not signal.SIG_IGN:  # as `nohup` sets it
        found.append(hang_up)
    return tuple(found)


def ignore_ending_signals() -> None:
    """Let no signal end this process any more, or change how it ends."""
    for number in ending_signals():
        signal.signal(number, signal.SIG_IGN)
