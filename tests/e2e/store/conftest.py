"""One store with one bucket for all tests of the session, a prefix for each test."""

import itertools
from collections.abc import Iterator

import pytest
from support.processes.object_store import ObjectStore, missing, object_store

_numbers = itertools.count()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    why = missing()
    if why:
        pytest.skip(why)
    with object_store(tmp_path_factory.mktemp("store")) as started:
        started.make_bucket("corpus")
        yield started


@pytest.fixture
def prefix(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> str:
    """A prefix of the test's own, as a path; the environment says where the store is."""
    for name, value in store.variables.items():
        monkeypatch.setenv(name, value)
    return f"s3://corpus/test-{next(_numbers)}"
