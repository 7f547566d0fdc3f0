"""Names of adapters to commands, and the interpreters that are chosen."""

import sys
from pathlib import Path

import pytest

from replay.adapters.table import ADAPTERS, Runtime
from replay.diff.processes.adapter_command import Interpreters, find, interpreters
from replay.errors import ToolreelError

NONE = Interpreters(python={}, node_folder=Path())
HERE = Path(find("openai", NONE).command[1]).parent


@pytest.mark.parametrize("name", [name for name, known in ADAPTERS.items() if known.runtime is Runtime.PYTHON])
def test_every_python_adapter_is_a_function_of_a_module_that_is_there(name: str) -> None:
    adapter = find(name, NONE)
    module, _, function = adapter.command[2].removeprefix("toolreel_adapters.").partition(":")
    assert adapter.command[:2] == (sys.executable, str(HERE / "driver.py"))
    assert f"def {function}(" in (HERE / "clients" / f"{module.replace('.', '/')}.py").read_text("utf-8")
    assert adapter.needs.startswith("pip install ")


@pytest.mark.parametrize("name", [name for name, known in ADAPTERS.items() if known.runtime is Runtime.NODE])
def test_every_node_adapter_is_a_module_that_is_there(name: str) -> None:
    known = ADAPTERS[name]
    assert (HERE / "node" / f"{known.target}.cjs").is_file()
    assert known.needs.startswith("npm install ")
    found = find(name, Interpreters(python={name: "/bin/node"}, node_folder=Path("f")))
    assert found.command == ("/bin/node", str(HERE / "node" / "driver.cjs"), known.target, "f")


def test_a_module_and_a_callable_are_an_adapter() -> None:
    assert find("my.gateway:drive", NONE).command[2] == "my.gateway:drive"


def test_an_interpreter_is_chosen_by_name_or_for_all() -> None:
    both = interpreters(["sh", f"openai={sys.executable}"], Path(), names=["openai", "anthropic"])
    assert find("openai", both).command[0] == sys.executable
    assert Path(find("anthropic", both).command[0]).name == "sh"
    named = interpreters([f"a:b={sys.executable}"], Path(), names=["a:b"])
    assert find("a:b", named).command[0] == sys.executable


@pytest.mark.parametrize("setting", ["=x", "openai=", "openai=/nowhere/python", ""])
def test_an_interpreter_that_is_none_is_said(setting: str) -> None:
    with pytest.raises(ToolreelError, match="--python"):
        interpreters([setting], Path(), names=["openai"])


def test_an_interpreter_for_no_adapter_of_the_run_is_said_with_those_that_are() -> None:
    with pytest.raises(ToolreelError, match=r"no --adapter is named opnai; given are openai, a:b$"):
        interpreters([f"opnai={sys.executable}"], Path(), names=["openai", "a:b", "openai"])


def test_a_missing_client_is_installed_where_it_was_looked_for() -> None:
    node = find("node-openai", Interpreters(python={"node-openai": "/bin/node"}, node_folder=Path("f")))
    assert node.without == (
        f"in {Path('f', 'node_modules')}; install it there: npm install openai; or name another folder: "
        "--node-folder PATH"
    )
    python = find("openai", Interpreters(python={"": "/bin/py"}, node_folder=Path()))
    assert python.without == (
        "by /bin/py; install it there: pip install openai; or name another interpreter: --python openai=PATH"
    )


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(ToolreelError, match="known are openai, openai-stream, openai-responses, "):
        find("openia", NONE)
