"""What holds for every test."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_ci_job() -> Iterator[None]:
    """Commands that the tests run write pins, which `toolreel replay` refuses in a CI job unless told."""
    before = os.environ.pop("CI", None)
    yield
    if before is not None:
        os.environ["CI"] = before
