"""Who may import whom: read from the source of every module, and seen once more in processes of their own."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from support.processes.command import printed_by

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("proxy_addon", "redaction", "replay", "toolreel")
KERNELS: Final = frozenset({"replay.validator", "replay.wire"})
# What any rim may use: errors, what is printed, how a file is written, how often garbage is collected.
RIM: Final = frozenset({"replay.atomic", "replay.errors", "replay.garbage", "replay.processes", "replay.terminal"})

# Owner -> what its modules may import beside the standard library. The longest owner that a module's name starts with
# counts. An owner is not repeated in its own list: a package may always import itself.
MAY_IMPORT: Final = {
    "replay.validator": frozenset[str](),
    "replay.wire": frozenset[str](),
    "replay.families": KERNELS,
    "replay.atomic": frozenset[str](),
    "replay.errors": frozenset[str](),
    "replay.garbage": frozenset[str](),
    "replay.processes": frozenset({"replay.errors", "replay.garbage"}),
    "replay.terminal": frozenset[str](),
    # Each runs in its own client's interpreter, where toolreel need not be.
    "replay.adapters": frozenset(
        {
            "agent_framework",
            "agents",
            "anthropic",
            "boto3",
            "botocore",
            "cohere",
            "crewai",
            "dspy",
            "google",
            "haystack",
            "instructor",
            "langchain",
            "langchain_anthropic",
            "langchain_aws",
            "langchain_core",
            "langchain_google_genai",
            "langchain_openai",
            "litellm",
            "llama_index",
            "mistralai",
            "ollama",
            "openai",
            "pydantic",
            "pydantic_ai",
            "semantic_kernel",
            "smolagents",
            "strands",
            "toolreel_adapters",
            "typing_extensions",
        }
    ),
    "replay.derived": frozenset[str](),
    "replay.search": frozenset({"replay"}),
    "replay.store": frozenset({"replay.errors"}),
    "replay.derive": frozenset({"redaction", "replay"}),
    "replay.pytest_plugin": frozenset({"pytest", "replay"}),
    "replay": frozenset({"orjson", "replay.adapters", "replay.store"}),
    "redaction": KERNELS | {"orjson", "replay.derived", "replay.families"},
    "proxy_addon.importing": KERNELS
    | {"replay.store", "proxy_addon", "redaction", "replay.errors", "replay.families", "replay.processes"},
    "proxy_addon": KERNELS
    | RIM
    | {"mitmproxy", "redaction", "replay.families", "replay.local_clients", "replay.store"},
    # The facade: public names, and the start of the command.
    "toolreel": frozenset(
        {
            "redaction.captured.exchange",
            "redaction.redactor",
            "replay.api",
            "replay.errors",
            "replay.validator",
            "toolreel.shadowed",
        }
    ),
}
# A command line is the rim of its package: it may also parse options, read files and print.
IN_CLI: Final = RIM | {"click", "replay.config", "replay.corpus.elsewhere", "replay.corpus.files"}
# What a single module may import besides.
ALONE: Final = {
    "redaction.proof.tripwire": frozenset({"kingfisher_sdk"}),
    # All four come with mitmproxy. An error of h11 ends a connection.
    "proxy_addon.writing.redacting.decoders": frozenset({"backports", "brotli", "zstandard"}),
    "proxy_addon.recorder.patches.bounds": frozenset({"h11"}),
    "proxy_addon.recorder.settings.access": frozenset({"cryptography"}),
    "proxy_addon.watching.prometheus": frozenset({"prometheus_client"}),
    "proxy_addon.setup.authority": frozenset({"certifi", "cryptography"}),  # so do they
    "proxy_addon.setup.constraints": frozenset({"cryptography"}),
    "proxy_addon.importing.readers.flows": frozenset({"mitmproxy"}),
    "proxy_addon.importing.readers.yaml_items": frozenset({"yaml"}),
    "replay.judging.cluster": frozenset({"distributed"}),
    "replay.reports.parquet_report": frozenset({"pyarrow"}),
    "replay.store.objects": frozenset({"obstore"}),
    "replay.search.looking": frozenset({"hypothesis"}),
    "replay.search.cli": frozenset({"hypothesis"}),
    "toolreel.__main__": frozenset({"replay.cli"}),
    "toolreel.pytest_plugin": frozenset({"pytest", "replay.pytest_plugin"}),
}
# The modules that import by name: other packages' commands when they are called, and an adapter in its own interpreter.
IMPORTS_BY_NAME: Final = frozenset({"replay.cli", "replay.adapters.driver", "replay.adapters.starting", "toolreel"})
BY_NAME: Final = frozenset(
    {"__import__", "import_module", "run_module", "run_path", "exec_module", "load_module", "spec_from_file_location"}
)


# The rooms of a package, uppermost first: a room imports those below it and none above.
FLOORS: Final = (
    (
        "redaction.redactor",
        "redaction.proof",
        "redaction.fixture",
        "redaction.masks",
        "redaction.captured",
        "redaction.witnesses",
        "redaction.placeholders",
        "redaction.applicable",
        "redaction.families",
    ),
    ("proxy_addon.recorder", "proxy_addon.watching", "proxy_addon.writing", "proxy_addon.upstreams"),
)


def within(name: str, owner: str) -> bool:
    return name == owner or name.startswith(owner + ".")


def owner_of(module: str) -> str:
    return max((owner for owner in MAY_IMPORT if within(module, owner)), key=len)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(source)))


def imported(module: str, path: Path, source: str) -> Iterator[str]:
    """The full names that a module imports, wherever in it: in functions and under TYPE_CHECKING too."""
    known = modules()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in nodes(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in known else base


def breaches(module: str, path: Path, source: str) -> list[str]:
    owner = owner_of(module)
    allowed = MAY_IMPORT[owner] | ALONE.get(module, frozenset())
    if path.name == "cli.py":
        allowed |= IN_CLI
    found = []
    for name in imported(module, path, source):
        if within(name, owner) and owner_of(name) == owner:
            continue
        if name.partition(".")[0] in sys.stdlib_module_names:
            continue
        if owner == "replay" and any(within(name, inner) for inner in KERNELS | RIM | {"replay.families"}):
            continue
        if not any(within(name, other) for other in allowed):
            found.append(f"{module} imports {name}")
    if module not in IMPORTS_BY_NAME:
        found += [f"{module} imports by name: {word}" for word in sorted(BY_NAME & words(source))]
    return found


def words(source: str) -> set[str]:
    """Every name that the code uses, imports, or looks up in something."""
    found = set()
    for node in nodes(source):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found.add(node.name)
    return found


def test_every_module_imports_only_what_its_package_may() -> None:
    found = [breach for module, path in modules().items() for breach in breaches(module, path, path.read_text("utf-8"))]
    assert found == []
    assert {module.partition(".")[0] for module in modules()} == set(PACKAGES)


def climbs(module: str, path: Path, source: str) -> list[str]:
    """What a module imports from a room above its own."""
    found = []
    for floors in FLOORS:
        own = next((floor for floor, room in enumerate(floors) if within(module, room)), 0)
        above = floors[:own]
        found += [name for name in imported(module, path, source) if any(within(name, room) for room in above)]
    return [f"{module} imports {name}" for name in found]


def test_arrows_between_rooms_run_one_way() -> None:
    sources = {module: (path, path.read_text("utf-8")) for module, path in modules().items()}
    assert [climb for module, (path, source) in sources.items() for climb in climbs(module, path, source)] == []
    rooms = [room for floors in FLOORS for room in floors]
    assert [room for room in rooms if not any(within(module, room) for module in sources)] == []


def test_an_arrow_that_runs_upwards_is_seen() -> None:
    path = ROOT / "redaction/masks/mask.py"
    assert climbs(module_name(path), path, "from redaction.proof import gate") != []
    assert climbs(module_name(path), path, "from redaction.captured import payloads") == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("replay/validator/_machine/turn.py", "import orjson"),
        ("replay/validator/_machine/turn.py", "import replay.wire.sse"),
        ("replay/validator/envelope.py", "from ..wire import sse"),
        ("replay/validator/envelope.py", "from .. import wire"),
        ("replay/validator/_machine/turn.py", "from replay import errors"),
        ("replay/validator/_machine/turn.py", "import click"),
        ("replay/wire/sse.py", "from replay.validator import Code"),
        ("replay/wire/sse.py", "from replay.terminal import printable"),
        ("replay/atomic.py", "from replay.errors import ToolreelError"),
        ("replay/errors.py", "import orjson"),
        ("replay/errors.py", "from .runner import run"),
        ("replay/garbage.py", "import orjson"),
        ("replay/terminal.py", "import click"),
        ("replay/validator/_machine/turn.py", "from replay import garbage"),
        ("replay/judging/runner.py", "import click"),
        ("replay/judging/runner.py", "def f():\n    import redaction.masks.mask"),
        ("replay/judging/runner.py", "from proxy_addon import addon"),
        ("replay/judging/runner.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import mitmproxy.http"),
        ("replay/judging/runner.py", "import importlib\nimportlib.import_module('proxy_addon')"),
        ("replay/judging/runner.py", "from importlib import import_module"),
        ("replay/judging/runner.py", "__import__('proxy_addon')"),
        ("replay/cli.py", "import proxy_addon.cli"),
        ("redaction/masks/mask.py", "import mitmproxy"),
        ("redaction/masks/mask.py", "from replay import runner"),
        ("redaction/masks/mask.py", "from replay.errors import ToolreelError"),
        ("redaction/masks/mask.py", "import click"),
        ("redaction/redactor.py", "from replay import garbage"),
        ("redaction/masks/mask.py", "import kingfisher_sdk"),
        ("redaction/cli.py", "from replay import runner"),
        ("redaction/masks/mask.py", "from proxy_addon import addon"),
        ("proxy_addon/recorder/addon.py", "import click"),
        ("proxy_addon/recorder/addon.py", "import replay.judging.runner"),
        ("proxy_addon/recorder/addon.py", "import requests"),
        ("proxy_addon/cli.py", "from replay.cli import root"),
        ("proxy_addon/recorder/addon.py", "import yaml"),
        ("proxy_addon/importing/sources.py", "import mitmproxy"),
        ("proxy_addon/importing/readers/cassettes.py", "import yaml"),
        ("toolreel/__init__.py", "from replay.cli import main"),
        ("toolreel/__main__.py", "import redaction"),
        ("replay/cli.py", "import toolreel"),
        ("proxy_addon/cli.py", "from toolreel import Turn"),
    ],
)
def test_a_breach_is_seen(path: str, source: str) -> None:
    assert breaches(module_name(ROOT / path), ROOT / path, source) != []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("replay/validator/_machine/turn.py", "import json\nfrom .slots import Slot\nfrom . import codes"),
        ("replay/validator/schema/_check.py", "from ..codes import Code\nfrom replay.validator import strict_json"),
        (
            "replay/judging/runner.py",
            "import orjson\nfrom replay.validator import judge\nfrom .errors import ToolreelError",
        ),
        ("replay/cli.py", "import click\nimport importlib\nfrom . import runner"),
        (
            "replay/judging/runner.py",
            "from importlib import resources\nimport importlib.util\nimportlib.util.find_spec('x')",
        ),
        ("redaction/masks/mask.py", "import orjson\nfrom replay.wire import sse\nfrom replay.validator import judge"),
        ("redaction/cli.py", "import click\nfrom replay.corpus import files\nfrom replay.errors import ToolreelError"),
        ("proxy_addon/recorder/addon.py", "from mitmproxy import http\nfrom redaction.redactor import redact"),
        ("proxy_addon/importing/bodies.py", "from replay.errors import translated"),
        (
            "proxy_addon/demo/cli.py",
            "import click\nfrom replay.errors import ToolreelError\nfrom replay import terminal",
        ),
    ],
)
def test_what_is_allowed_is_no_breach(path: str, source: str) -> None:
    assert breaches(module_name(ROOT / path), ROOT / path, source) == []


@pytest.mark.parametrize("package", sorted(set(PACKAGES) - {"toolreel"}))
def test_a_top_package_holds_a_docstring_and_nothing_else(package: str) -> None:
    tree = ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))
    assert ast.get_docstring(tree)
    assert len(tree.body) == 1


FORBID: Final = """
import sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {allowed!r}:
            raise ImportError(f"{{name}} is out of bounds here")
sys.meta_path.insert(0, Forbid())
import importlib, pkgutil
package = importlib.import_module({package!r})
for module in pkgutil.walk_packages(package.__path__, {package!r} + "."):
    importlib.import_module(module.name)
    print(module.name)
"""


@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_a_kernel_is_importable_where_nothing_third_party_is(kernel: str) -> None:
    names = printed_by(FORBID.format(allowed=["replay"], package=kernel)).split()
    assert set(names) == {module for module in modules() if module.startswith(kernel + ".")}


def imported_by(room: str) -> set[str]:
    """The modules of redaction that the modules of a room import from other rooms."""
    found = set()
    for module, path in modules().items():
        if within(module, room):
            found.update(imported(module, path, path.read_text("utf-8")))
    return {name for name in found if within(name, "redaction") and not within(name, room)}


def test_the_proof_imports_no_mask_and_shares_with_them_what_the_security_page_lists() -> None:
    masks, proof = imported_by("redaction.masks"), imported_by("redaction.proof")
    assert not [name for name in proof if within(name, "redaction.masks")]
    page = (ROOT / "SECURITY.md").read_text("utf-8")
    page = page.partition("## What the masks and the gate share\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(redaction/[\w/.]+)`", page, re.MULTILINE)
    assert sorted(module_name(ROOT / name) for name in listed) == sorted(masks & proof)


def test_the_proof_works_where_no_mask_is() -> None:
    code = """
import sys
import redaction.proof.gate, redaction.proof.scan
print(sorted(name for name in sys.modules if name.startswith("redaction.masks")))
"""
    assert printed_by(code).splitlines() == ["[]"]


def test_redaction_is_importable_without_the_proxy() -> None:
    printed_by(FORBID.format(allowed=["redaction", "replay", "orjson", "click", "kingfisher_sdk"], package="redaction"))


@pytest.mark.parametrize("arguments", [["replay", "--help"], ["validate", "--help"], ["--help"], ["--version"]])
def test_replaying_loads_neither_the_proxy_nor_redaction(arguments: list[str]) -> None:
    code = f"""
import sys
from replay.cli import root
try:
    root.main({arguments!r}, standalone_mode=True)
except SystemExit as end:
    assert not end.code, end.code
print(sorted({{name.partition(".")[0] for name in sys.modules}} & {{"mitmproxy", "redaction", "proxy_addon"}}))
"""
    assert printed_by(code).splitlines()[-1] == "[]"
