"""The signals that end a command."""

import signal
import subprocess
import sys

import pytest
from support.shared import ROOT

SWALLOWED = """
import os, signal, sys
from replay.ending import Ending
ending = Ending()
ending.install()
ending.check()
try:
    os.kill(os.getpid(), signal.{signal})
    signal.pause()
except SystemExit:
    pass  # as an import may do that looks for what can be loaded
print("swallowed", flush=True)
ending.check()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_an_end_that_was_swallowed_comes_all_the_same(name: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", SWALLOWED.format(signal=name)], cwd=ROOT, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, b"swallowed\n", b"")


def test_a_signal_that_is_ignored_stays_so() -> None:
    code = (
        "import os, signal\nfrom replay.ending import Ending\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nEnding().install()\nos.kill(os.getpid(), signal.SIGHUP)\n"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
