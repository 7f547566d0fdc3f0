"""How much a benchmark does: all of it where the benchmarks are asked for, a sample of it in a run of all tests."""

import pytest


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether the command line names the benchmarks (`pytest tests/benchmarks -s`)."""
    return any("benchmarks" in argument for argument in request.config.args)
