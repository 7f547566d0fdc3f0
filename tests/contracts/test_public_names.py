"""The kernels' public names: the page lists them, the modules export them, and the project imports no others."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest
from support.shared import ROOT

PAGE: Final = (ROOT / "docs" / "embedding.md").read_text("utf-8")
KERNELS: Final = ("replay/validator", "replay/wire")
# Modules of single wire families: `replay.validator.profiles` has a row for each, and nobody else needs them.
PROFILES: Final = ROOT / "replay" / "validator" / "profiles"
OF_FAMILIES: Final = frozenset(
    f"replay.validator.profiles.{path.stem}" for path in PROFILES.glob("*.py") if not path.stem.startswith("_")
)
PUBLIC: Final = {
    row[1]: re.findall(r"`(\w+)`", row[2])
    for row in re.finditer(r"^\| `(replay\.(?:validator|wire)[\w.]*)` \| (.+) \|$", PAGE, re.MULTILINE)
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_page_lists_every_module_without_an_underscore() -> None:
    modules = {module_name(path) for kernel in KERNELS for path in (ROOT / kernel).rglob("*.py")}
    named = {module for module in modules - OF_FAMILIES if "._" not in module} - {"replay.wire"}
    assert PUBLIC.keys() == named
    assert modules >= OF_FAMILIES


@pytest.mark.parametrize("name", PUBLIC)
def test_the_page_lists_what_a_module_exports(name: str) -> None:
    module = import_module(name)
    assert sorted(PUBLIC[name]) == sorted(module.__all__)
    assert all(hasattr(module, public) for public in module.__all__)


def private(path: Path, source: str) -> list[str]:
    """What a module outside the kernels uses of them that is not public."""
    tree = ast.parse(source)
    package = module_name(path).split(".")[: None if path.name == "__init__.py" else -1]
    known: dict[str, str] = {}  # names in the module that stand for a module of a kernel
    found = []
    for node in ast.walk(tree):
        for base, name, alias in imported(node, package):
            whole = f"{base}.{name}" if name else base
            if whole in PUBLIC:
                known[alias] = whole
            elif is_of_a_kernel(base) and name not in PUBLIC.get(base, ()):
                found.append(whole)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            module = known[node.value.id]
            if not (node.attr.startswith("__") or node.attr in PUBLIC[module]):
                found.append(f"{module}.{node.attr}")
    return found


def is_of_a_kernel(module: str) -> bool:
    return module.startswith(tuple(kernel.replace("/", ".") for kernel in KERNELS))


def imported(node: ast.AST, package: list[str]) -> Iterator[tuple[str, str, str]]:
    """What a statement imports: from where, which name ("" for a whole module), and as what."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, "", alias.asname or alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*above, *([node.module] if node.module else [])])
        yield from ((base, alias.name, alias.asname or alias.name) for alias in node.names)


def test_the_rest_of_the_project_uses_public_names_alone() -> None:
    outside = [
        path
        for folder in ("proxy_addon", "redaction", "replay", "scripts")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not path.relative_to(ROOT).as_posix().startswith(KERNELS)
    ]
    found = {path.name: private(path, path.read_text("utf-8")) for path in outside}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from replay.validator._machine.turn import Turn",
        "from replay.validator.profiles.chunks import read_chunk",
        "from replay.validator.profiles import OF_STARTS",
        "from replay.validator import _turn",
        "import replay.validator._machine.turn",
        "from replay.validator import strict_json\nstrict_json.STRIDE",
        "from .validator.schema._check import Compiled",
        "from .wire import sse\nsse.collect",
    ],
)
def test_what_is_not_public_is_seen(source: str) -> None:
    assert private(ROOT / "replay" / "cli.py", source) != []


@pytest.mark.parametrize(
    "source",
    [
        "from replay.validator import Turn, command\ncommand.run",
        "from .validator.strict_json import parse",
        "from replay import validator\nvalidator.__file__",
        "import json\njson.scanner",
    ],
)
def test_what_is_public_is_not_reported(source: str) -> None:
    assert private(ROOT / "replay" / "cli.py", source) == []
