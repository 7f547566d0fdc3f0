"""An adapter found by its name; where it cannot be, why, in which file and line. Standard library only, Python 3.10+.

For example: `gateway_adapter.py:7: SyntaxError: expected ':'`. No fixture has been served yet, so the text of an error
says nothing of one.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.metadata
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GROUP: Final = "toolreel.adapters"
# Of the functions of a module, so many are named where another one was meant.
NAMED: Final = 8
_OURS: Final = (str(Path(__file__).parent), str(importlib.__file__), "<frozen")


class NoAdapterError(Exception):
    """There is no adapter of that name that can be used; the text says why."""

    @property
    def members(self) -> dict[str, str]:
        """What is said of it on the line that would have greeted."""
        return {"unusable": str(self)}


class MissingModuleError(NoAdapterError):
    """A module is not here: the adapter's own, or one that is imported at `place`."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self.place = place

    @property
    def members(self) -> dict[str, str]:
        """What is missing, and where it is imported."""
        return {"missing": str(self), "place": self.place}


def find(target: str) -> Callable[[Any], object]:
    """The adapter of that name: one of `clients`, a function that can be imported here, or an entry point here."""
    module, colon, attribute = target.partition(":")
    if not colon:
        for entry in importlib.metadata.entry_points(group=GROUP):
            if entry.name == target:
                module, _, attribute = entry.value.partition(":")
    found = imported(module)
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise NoAdapterError(f"{target} is not to be found{_instead(found, name)}")
        found = getattr(found, name)
    if not callable(found):
        raise NoAdapterError(f"{target} is of the type {type(found).__name__}; an adapter is a function")
    return found  # type: ignore[no-any-return]  # whatever is called is called as an adapter


def imported(module: str) -> Any:
    """The module, run; `NoAdapterError` with file and line where that raised."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingModuleError(error.name or module, _place(error)) from error
    except SyntaxError as error:
        place = f"{_shown(error.filename or module)}:{error.lineno or 1}"
        raise NoAdapterError(f"{place}: {type(error).__name__}: {error.msg}") from error
    except BaseException as error:  # whatever a module does while it is imported
        place = _place(error) or module
        text = " ".join(str(error).split())
        raise NoAdapterError(f"{place}: {type(error).__name__}{': ' if text else ''}{text}") from error


def _place(error: BaseException) -> str:
    """File and line where it was raised, or else what called what raised it: the author's own file, if one is there.

    That is the last one below the working folder, else the last one that does not come with Python or toolreel.
    """
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(_OURS)]
    here = [one for one in frames if Path.cwd() in Path(one.filename).parents]
    last = (here or frames)[-1:]
    return "".join(f"{_shown(one.filename)}:{one.lineno}" for one in last)


def _instead(module: Any, name: str) -> str:
    """Where it was looked for, and the functions that are there, the one that reads most like it first."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return ""
    lines = _functions(Path(file))
    near = difflib.get_close_matches(name, lines, n=NAMED, cutoff=0.5)
    order = dict.fromkeys([*near, *lines])
    there = ", ".join(f"{one} (line {lines[one]})" for one in list(order)[:NAMED])
    return f" in {_shown(file)}; its functions are {there}" if there else f" in {_shown(file)}: it has no function"


def _functions(file: Path) -> dict[str, int]:
    try:
        nodes: Iterable[ast.stmt] = ast.parse(file.read_bytes()).body
    except (OSError, ValueError, SyntaxError):
        return {}
    return {
        node.name: node.lineno
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")
    }


def _shown(file: str) -> str:
    """The file as it is named from the working folder."""
    try:
        return str(Path(file).relative_to(Path.cwd()))
    except ValueError:
        return file
