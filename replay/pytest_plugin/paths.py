"""The paths of the plugin: where it looks for one that somebody wrote, and how it names one in a message."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from replay.store import names


def of_option(config: pytest.Config, named: str) -> Path:
    """A path or pattern of the command line: below the working folder, or else below the root folder.

    The second is for `addopts`, which mean the same path wherever pytest is started; pytest does not say what came
    from there.
    """
    if _is_there(named):
        return Path(named)
    below = below_root(config, named)
    return below if _is_there(str(below)) else Path(named)


def below_root(config: pytest.Config, named: str | os.PathLike[str]) -> Path:
    """A path that is relative to the root folder, as `shown`: then no character of a folder above is of a pattern."""
    return Path(shown(config, config.rootpath / named))


def on_this_machine(path: str | os.PathLike[str]) -> Path:
    """A path of the settings; a usage error where it names an object store."""
    if names.is_stored(path):
        raise pytest.UsageError(f"{path}: pytest collects files; judge what is in a store with toolreel replay")
    return Path(path)


def shown(config: pytest.Config, path: Path) -> str:
    """A whole path as a message has it, which can also be read: relative to the working folder.

    Whole again where a test has gone to another folder: what is relative to that one helps nobody.
    """
    try:
        moved = Path.cwd() != config.invocation_params.dir
    except FileNotFoundError:  # the folder that it has gone to is no more
        moved = True
    return str(path) if moved else os.path.relpath(path)


def _is_there(path: str) -> bool:
    return os.path.lexists(path) or any(glob.iglob(path, recursive=True))  # noqa: PTH207 - as `discovery` matches it
