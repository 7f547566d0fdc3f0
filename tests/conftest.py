"""What holds for every test."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import hypothesis
import pytest
from support.nightly import NIGHTLY, examples

# A property says what holds, not how long it takes: on a busy machine any example can take a second. Where it does not
# say how many examples it tries, they are as many as usual at night, and a third of them else.
hypothesis.settings.register_profile("ours", deadline=None, max_examples=examples(100, part=3))
hypothesis.settings.load_profile("ours")


# Whether `scripts/test` has just run the tests that need nothing installed, which stand in this folder itself.
BARE_PASSED: Final = os.environ.get("TOOLREEL_BARE") == "passed"
HERE: Final = Path(__file__).resolve().parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave nightly tests out, and those that just ran; have those that wait for processes come first.

    None is left out in the nightly run, nor where its file or its folder is named: who asks, gets.
    """
    items.sort(key=lambda item: "e2e" not in item.path.parts)
    if NIGHTLY:
        return
    named = {(config.invocation_params.dir / word.partition("::")[0]).resolve() for word in config.args}
    kept, left_out = [], []
    for item in items:
        just_ran = BARE_PASSED and item.path.parent == HERE
        asked = named.intersection((item.path,) if just_ran else (item.path, item.path.parent))
        (left_out if not asked and (just_ran or item.get_closest_marker("nightly")) else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder: paths in results are as they were given, so tests give relative ones."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
