"""The settings file of a project: `toolreel.toml`, or `[tool.toolreel]` in `pyproject.toml`. Found, read, and checked.

    [replay]
    paths = ["tests/reels"]
    accept = ["repeated_terminal"]

    [replay.limits]
    max_slots = 16

`replay`, `scan`, `coverage` and the pytest plugin take the nearest one at or above the working folder. A file that is
named by an option is read by `read` alone. A word that is not known is an error: a setting that is misspelled must not
be passed over.
"""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .corpus import files
from .errors import ToolreelError, nearest_word, translated
from .store import names
from .validator import command

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from .corpus.files import StrPath
    from .validator import Allowance

FILE: Final = "toolreel.toml"
PROJECT: Final = "pyproject.toml"
# The sections of the file, each read by those whom it concerns.
SECTIONS: Final = ("record", "replay")
# A project file without these bytes has no section of ours, and need not be parsed.
_OURS: Final = b"toolreel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one file. `name` is its path, as a message has it; `prefix` is what its sections stand under."""

    name: str
    prefix: str = ""
    sections: Mapping[str, object]

    def section(self, name: str, known: Collection[str]) -> Mapping[str, object]:
        """The members of a section, empty where there is none; a `ToolreelError` where one is not known."""
        members = self.sections.get(name, {})
        if not isinstance(members, dict):
            raise self.error(name, "must be a table")
        unknown = sorted(members.keys() - set(known))
        if unknown:
            near = nearest_word(unknown[0], known)
            raise self.error(name, f"has the unknown member {unknown[0]!r}; known are {', '.join(known)}{near}")
        return members

    def texts(self, section: str, members: Mapping[str, object], name: str) -> tuple[str, ...]:
        """The texts of one member of a section; none where it is not there."""
        value = members.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.error(section, f'{name} must be a list of texts, for example {name} = ["…"]')
        return tuple(value)

    def error(self, section: str, expected: str) -> ToolreelError:
        """The error of a section: which file, which place, what was expected."""
        return ToolreelError(f"{self.name}: [{self.prefix}{section}] {expected}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySettings:
    """What `[replay]` says, for whoever judges fixtures. `name` is that of the file; "" where there is none."""

    name: str = ""
    paths: tuple[StrPath, ...] = ()
    accept: frozenset[Allowance] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)


def replay_settings(folder: Path | None = None) -> ReplaySettings:
    """The settings of the nearest file, at or above the folder; without a folder, the working folder."""
    start = Path.cwd() if folder is None else folder
    found = nearest(start)
    if found is None:
        return ReplaySettings()
    where, config = found
    members = config.section("replay", ("accept", "limits", "paths"))
    with translated(command.UsageError, lambda error: config.error("replay", f"accept: {error}")):
        accept = command.allowances(config.texts("replay", members, "accept"))
    # Relative, so that no character of a folder above is one of a pattern.
    named = config.texts("replay", members, "paths")
    paths = (path if names.is_stored(path) else Path(os.path.relpath(where / path)) for path in named)
    return ReplaySettings(name=config.name, paths=tuple(paths), accept=accept, limits=_limits(config, members))


def _limits(config: Config, members: Mapping[str, object]) -> dict[str, int]:
    value = members.get("limits", {})
    names = ", ".join(command.LIMIT_NAMES)
    if not isinstance(value, dict) or not value.keys() <= set(command.LIMIT_NAMES):
        raise config.error("replay.limits", f"must be a table of limits; names are {names}")
    for name, number in value.items():
        if type(number) is not int or number < 0:
            raise config.error("replay.limits", f"{name} must be an integer of 0 or more")
    return dict(value)


def matched(path: StrPath) -> tuple[Path, ...]:
    """What a path of the settings stands for where it is a pattern, in the order of the names; none where it is not."""
    if files.exists(path):
        return ()
    return tuple(map(Path, sorted(glob.glob(str(path), recursive=True))))  # noqa: PTH207 - as `discovery` matches it


def nearest(folder: Path) -> tuple[Path, Config] | None:
    """The nearest settings at or above a folder, and the folder that they are in; None where there are none."""
    start = folder.absolute()
    for one in (start, *start.parents):
        own, project = _read(one / FILE), _read(one / PROJECT)
        if own is not None and project is not None:
            raise ToolreelError(
                f"{own.name} and {project.name} both have settings of toolreel; keep one: move what is in "
                f"[tool.toolreel] of {PROJECT} to {FILE}, or delete {FILE}"
            )
        if own is not None or project is not None:
            found = own or project
            assert found is not None
            return one, found
    return None


def read(path: Path) -> Config:
    """The settings of a file that was named; a `ToolreelError` where it is not there or has none."""
    config = _read(path)
    if config is not None:
        return config
    if os.path.lexists(path):
        raise ToolreelError(f"{path}: no [tool.toolreel] in it; name a {FILE}, or write the section")
    raise ToolreelError(f"{path}: no such file; check the path")


def _read(path: Path) -> Config | None:
    """The settings of a file; None where it is not there, or is a project's file without ours."""
    if not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where a folder above is closed
        return None
    name = os.path.relpath(path)
    data = files.read(path)
    if path.name == PROJECT and _OURS not in data:
        return None
    import tomllib  # only a run with settings pays for it

    with translated(
        (tomllib.TOMLDecodeError, UnicodeDecodeError), lambda error: ToolreelError(f"{name}: {_reason(error)}; mend it")
    ):
        value: Mapping[str, object] = tomllib.loads(data.decode("utf-8"))
    if path.name == PROJECT:
        tool = value.get("tool")
        ours = tool.get("toolreel") if isinstance(tool, dict) else None
        if ours is None:
            return None
        return _checked(Config(name=name, prefix="tool.toolreel.", sections=ours if isinstance(ours, dict) else {}))
    return _checked(Config(name=name, sections=value))


def _reason(error: Exception) -> str:
    """Why a file is no TOML, without the bytes that a decode error would quote."""
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else f"not TOML: {error}"


def _checked(config: Config) -> Config:
    unknown = sorted(config.sections.keys() - set(SECTIONS))
    if unknown:
        known = ", ".join(f"[{config.prefix}{one}]" for one in SECTIONS)
        raise ToolreelError(f"{config.name}: unknown section {unknown[0]!r}; known are {known}")
    return config
