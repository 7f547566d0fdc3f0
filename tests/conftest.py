"""What holds for every test."""

import os
import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_ci_job() -> Iterator[None]:
    """Commands that the tests run write pins, which `toolreel replay` refuses in a CI job unless told."""
    before = os.environ.pop("CI", None)
    yield
    if before is not None:
        os.environ["CI"] = before


@pytest.fixture(scope="session", autouse=True)
def signals_as_at_a_terminal() -> Iterator[None]:
    """`nohup`, and a shell that runs the tests in the background, have signals ignored in all that the tests start."""
    before = {}
    for name, usual in (("SIGHUP", signal.SIG_DFL), ("SIGINT", signal.default_int_handler)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            before[number] = signal.signal(number, usual)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
