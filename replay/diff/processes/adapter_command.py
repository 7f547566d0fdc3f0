"""The command that runs an adapter, found by its name. Imports no adapter."""

from __future__ import annotations

import importlib.metadata
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from replay import adapters
from replay.adapters.table import ADAPTERS, Runtime
from replay.diff.box.lacks import Lack
from replay.errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

GROUP: Final = "toolreel.adapters"
_FOLDER: Final = Path(adapters.__file__).parent
_TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*\Z")
_NODE_FILE: Final = re.compile(r".*\.(mjs|cjs|js|mts|cts|ts)\Z", re.DOTALL)
# What a driver keeps its client from, in its own interpreter, whatever the system has means for.
GUARDED: Final = frozenset({Lack.NETWORK, Lack.DATAGRAMS, Lack.SOCKETS, Lack.PROGRAMS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One adapter to be run. `needs` is how to install what it drives; empty where that is not known."""

    name: str
    command: tuple[str, ...]
    needs: str = ""
    modules: Path | None = None  # of a Node adapter: the folder whose node_modules hold its client
    option: str = "--adapter"  # the option that names it
    guarded: frozenset[Lack] = GUARDED
    lacks: frozenset[Lack] = frozenset()  # what its box lacks on every system

    @property
    def called(self) -> str:
        """How the command line names it, at the beginning of a message."""
        return f"{self.option} {self.name}"

    @property
    def without(self) -> str:
        """Where its client was looked for, and what to do where it is not there; the end of a sentence."""
        install = f"install it there: {self.needs}; or " if self.needs else ""
        if self.modules is not None:
            return f"in {self.modules / 'node_modules'}; {install}name another folder: --node-folder PATH"
        return f"by {self.command[0]}; {install}name another interpreter: --python {self.name}=PATH"


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
        folder = interpreters.node_folder
        command = (*_node(name, interpreters), known.target, str(folder))
        return Adapter(name=name, command=command, needs=known.needs, modules=folder)
    if _NODE_FILE.match(name):
        return _of_node_file(name, interpreters)
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
        "module:callable, and a module of Node such as ./house.mjs"
    )


def of_command(text: str) -> Adapter:
    """The adapter that a command line starts, a program in any language; its name is the command line."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        reason = str(error).lower()
    else:
        reason = "it is empty" if not words else ""
    if reason:
        raise ToolreelError(f"--adapter-command {text!r}: {reason}; write it as for a shell")
    program = shutil.which(words[0])
    if program is None:
        raise ToolreelError(f"--adapter-command {text}: {words[0]} is no program that can be run; check the path")
    command = (str(Path(program).absolute()), *words[1:])
    lacks = frozenset({Lack.PROGRAMS})
    return Adapter(name=text, command=command, option="--adapter-command", guarded=frozenset(), lacks=lacks)


def _of_node_file(name: str, interpreters: Interpreters) -> Adapter:
    file = Path(name).absolute()
    if not file.is_file():
        raise ToolreelError(f"--adapter {name}: there is no such file; name a module of Node, as in ./house.mjs")
    return Adapter(name=name, command=(*_node(name, interpreters), str(file), str(file.parent)), modules=file.parent)


def _node(name: str, interpreters: Interpreters) -> tuple[str, str]:
    node = interpreters.python.get(name) or shutil.which("node")
    if node is None:
        raise ToolreelError(f"--adapter {name}: node is not installed; install Node.js 20 or newer")
    return node, str(_FOLDER / "node" / "driver.cjs")


def interpreters(settings: Sequence[str], node_folder: Path, *, names: Collection[str]) -> Interpreters:
    """The interpreters that `--python NAME=PATH` and `--python PATH` name; `names` are the adapters of the run."""
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, path = setting.rpartition("=")
        if not path or (equals and not name):
            raise ToolreelError(f"--python {setting}: must be NAME=PATH, or PATH for all adapters")
        if name and name not in names:
            given = ", ".join(dict.fromkeys(names))
            raise ToolreelError(f"--python {setting}: no --adapter is named {name}; given are {given}")
        where = shutil.which(path)
        if where is None:
            raise ToolreelError(f"--python {setting}: {path} is no program that can be run; check the path")
        found[name] = where
    return Interpreters(python=found, node_folder=node_folder)


def _python(interpreter: str, target: str) -> tuple[str, ...]:
    return interpreter, str(_FOLDER / "driver.py"), target
