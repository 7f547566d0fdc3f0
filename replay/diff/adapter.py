"""The name of an adapter to the command that runs it. Imports no adapter."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay import adapters
from replay.adapters.table import ADAPTERS, Runtime
from replay.errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GROUP: Final = "toolreel.adapters"
_FOLDER: Final = Path(adapters.__file__).parent
_TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One adapter to be run. `needs` is how to install what it drives; empty where that is not known."""

    name: str
    command: tuple[str, ...]
    needs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreters:
    """Where adapters run: the interpreters by adapter name, "" for all others, and the folder of node_modules."""

    python: Mapping[str, str]
    node_folder: Path


def find(name: str, interpreters: Interpreters) -> Adapter:
    """The adapter of that name: one that comes with toolreel, an entry point, or `module:callable`."""
    chosen = interpreters.python.get(name, interpreters.python.get("", sys.executable))
    known = ADAPTERS.get(name)
    if known is not None and known.runtime is Runtime.NODE:
        node = interpreters.python.get(name) or shutil.which("node")
        if node is None:
            raise ToolreelError(f"--adapter {name}: node is not installed; install Node.js 20 or newer")
        driver = str(_FOLDER / "node" / "driver.cjs")
        return Adapter(
            name=name, command=(node, driver, known.target, str(interpreters.node_folder)), needs=known.needs
        )
    if known is not None:
        return Adapter(name=name, command=_python(chosen, known.target), needs=known.needs)
    if _TARGET.match(name):
        return Adapter(name=name, command=_python(chosen, name))
    # An entry point of the chosen interpreter is found there; one of this interpreter is passed by its value.
    for entry in importlib.metadata.entry_points(group=GROUP, name=name):
        return Adapter(name=name, command=_python(chosen, entry.value))
    if name in interpreters.python:
        return Adapter(name=name, command=_python(chosen, name))
    raise ToolreelError(
        f"--adapter {name}: no such adapter; known are {', '.join(ADAPTERS)}, entry points of the group {GROUP}, "
        "and module:callable"
    )


def interpreters(settings: Sequence[str], node_folder: Path) -> Interpreters:
    """What `--python NAME=PATH` and `--python PATH` say."""
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, path = setting.rpartition("=")
        if not path or (equals and not name):
            raise ToolreelError(f"--python {setting}: must be NAME=PATH, or PATH for all adapters")
        where = shutil.which(path)
        if where is None:
            raise ToolreelError(f"--python {setting}: {path} is no program that can be run; check the path")
        found[name] = where
    return Interpreters(python=found, node_folder=node_folder)


def _python(interpreter: str, target: str) -> tuple[str, ...]:
    return interpreter, str(_FOLDER / "driver.py"), target
