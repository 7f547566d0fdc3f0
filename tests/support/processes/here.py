"""The working folder of a test, which the fixture `folder` makes, and `toolreel` run in it, in this process."""

from pathlib import Path

from click.testing import CliRunner, Result
from support.builders import verdicts

from replay.cli import root


def put(name: str, data: bytes = verdicts.PASS) -> Path:
    """Write a file, and the folders above it."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def toolreel(*words: str, **options: object) -> Result:
    """What the command printed and how it ended; an exception that is no exit is an error of the test."""
    found = CliRunner().invoke(root, list(words), **options)  # type: ignore[arg-type]
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found
