"""The root command: what it lists, what it loads, and what it says where an extra is missing."""

import importlib.metadata
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner
from support.builders import verdicts
from support.processes import privileges
from support.processes.here import toolreel

from replay import cli, help_groups
from replay.errors import ToolreelError

ROOT: Final = Path(__file__).resolve().parents[3]

# The command in an interpreter where mitmproxy cannot be found, as where the extra is not installed.
WITHOUT_MITMPROXY: Final = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] == "mitmproxy" else find(name, *rest)
from replay.cli import main
main()
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-c", WITHOUT_MITMPROXY, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_is_listed_with_its_help_where_mitmproxy_is_missing() -> None:
    found = run("--help")
    assert found.returncode == 0
    groups = dict(re.findall(r"^(\w+):\n((?:  .*\n)+)", found.stdout, re.MULTILINE))
    assert [*groups][1:] == [*help_groups.GROUPS]
    listed = {title: re.findall(r"^  (\w+)  +\w", lines, re.MULTILINE) for title, lines in groups.items()}
    assert {title: tuple(names) for title, names in listed.items() if title != "Options"} == help_groups.GROUPS
    assert {name for names in help_groups.GROUPS.values() for name in names} == {*cli.root.commands, *cli.ELSEWHERE}
    # Nothing is cut: each help is there to its last word, and no line is too long for a terminal.
    said = " ".join(found.stdout.split())
    assert all(one.help in said for one in cli.ELSEWHERE.values())
    assert "..." not in said.partition("Record:")[2]
    assert max(map(len, found.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", sorted({*cli.root.commands, *cli.ELSEWHERE}))
def test_the_help_of_a_command_ends_with_an_example_that_its_options_take(name: str) -> None:
    found = toolreel(name, "--help")
    example = found.output.splitlines()[-1].strip()
    assert (found.output.splitlines()[-2], example) == ("  Example:", help_groups.EXAMPLES[name])
    words = shlex.split(example.removeprefix('eval "$(').removesuffix(')"'))
    assert words[:2] == ["toolreel", name]
    assert max(map(len, found.output.splitlines())) <= 80
    top = click.Context(cli.root)
    deferred = cli.root.get_command(top, name)
    assert deferred is not None
    context = deferred.make_context(name, [], parent=top, resilient_parsing=True)
    context.resilient_parsing = False
    context.command.make_parser(context).parse_args(words[2:])  # raises where an option is not known


@pytest.mark.parametrize("command", ["record", "demo"])
def test_a_command_that_needs_mitmproxy_says_how_to_install_it(command: str) -> None:
    found = run(command)
    assert found.returncode == 2
    assert found.stdout == ""
    [line] = found.stderr.splitlines()
    assert "mitmproxy is not installed" in line
    assert line.endswith("pip install 'toolreel[record]'")


def elsewhere(monkeypatch: pytest.MonkeyPatch, folder: Path, source: str) -> None:
    """A command `greet` in a module of its own, in place of those of the other packages."""
    (folder / "greeting.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "greeting", raising=False)
    entry = cli.Elsewhere(target="greeting:greet", help="Greets.", needs="absent_package", extra="record")
    monkeypatch.setattr(cli, "ELSEWHERE", {"greet": entry})


def test_a_command_whose_module_needs_what_is_missing_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere(monkeypatch, tmp_path, "import absent_package")
    found = toolreel("greet", "--help")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == (
        "Error: toolreel greet: absent_package is not installed; install it with: pip install 'toolreel[record]'\n"
    )
    assert "Greets." in toolreel("--help").output


def test_another_missing_module_is_not_explained_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere(monkeypatch, tmp_path, "import absent_package.inner_module, another_one")
    (tmp_path / "absent_package.py").touch()
    found = CliRunner().invoke(cli.root, ["greet"])
    assert isinstance(found.exception, ModuleNotFoundError)


def test_a_command_from_elsewhere_runs_with_its_own_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = """
import click
@click.command()
@click.option("--times", default=1)
def greet(times):
    click.echo("hello " * times)
"""
    elsewhere(monkeypatch, tmp_path, source)
    assert toolreel("greet", "--times", "2").output == "hello hello \n"
    assert "--times" in toolreel("greet", "--help").output
    assert toolreel("greet", "--time", "x").exit_code == 2


def test_an_error_of_the_user_is_one_printable_line_and_exit_2() -> None:
    @cli.root.command("fail-for-a-test")
    def fail() -> None:
        raise ToolreelError("a\x1b\nb: wrong")

    try:
        found = toolreel("fail-for-a-test")
    finally:
        del cli.root.commands["fail-for-a-test"]
    assert (found.exit_code, found.stdout, found.stderr) == (2, "", "Error: a\\x1b\\x0ab: wrong\n")


def test_an_unknown_command_is_a_usage_error() -> None:
    found = toolreel("replai")
    assert found.exit_code == 2
    assert "replai" in found.stderr


def test_the_version_is_that_of_the_installed_package() -> None:
    found = toolreel("--version")
    assert found.exit_code == 0
    try:
        version = importlib.metadata.version("toolreel")
    except importlib.metadata.PackageNotFoundError:
        version = "not installed: run from a checkout"
    assert found.output == f"toolreel {version}\n"


def shell(redirection: str, source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command through a shell that redirects its output."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-B", "-c", source, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )


MAIN: Final = "from replay.cli import main; main()"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [("schema", "fixture"), ("validate", "pass.json"), ("replay", "pass.json")])
def test_output_that_cannot_be_written_is_one_line_and_exit_2(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pass.json").write_bytes(verdicts.PASS)
    found = shell("> /dev/full", MAIN, *arguments)
    assert found.returncode == 2
    assert re.fullmatch(
        r"Error: cannot write the (output|report): [^\n]+; see where (it|the output) goes\n", found.stderr
    )


@pytest.mark.parametrize(("command", "code"), [("validate", 0), ("replay", 1)])
def test_output_that_was_closed_from_the_start_leaves_the_exit_code(
    command: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pass.json").write_bytes(verdicts.PASS)
    found = shell(">&-", MAIN, command, "pass.json")
    assert (found.returncode, found.stderr) == (code, "")
    assert shell("2>&-", MAIN, command, "pass.json").returncode == code


@pytest.mark.parametrize("command", ["replay", "coverage", "schema"])
def test_a_working_folder_that_is_gone_is_one_line(command: str, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    found = subprocess.run(
        ["/bin/sh", "-c", 'cd gone && rmdir ../gone && "$@"', "sh", sys.executable, "-B", "-c", MAIN, command, "/tmp"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "Error: the working folder is gone, or may not be entered; change to another one\n"


def test_an_interrupt_is_no_difference() -> None:
    source = "from replay import cli, schemas\ndef text(kind): raise KeyboardInterrupt\nschemas.text = text\ncli.main()"
    found = shell("", source, "schema", "fixture")
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "")


@pytest.mark.parametrize("arguments", [["replay", ""], ["replay", "--update", ""], ["scan", ""], ["validate", "a", ""]])
def test_an_empty_argument_is_not_the_working_folder(arguments: list[str]) -> None:
    found = CliRunner().invoke(cli.root, arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == "Error: an argument is empty; if it is a variable of the shell, set it\n"


@pytest.mark.parametrize("command", ["replay", "validate", "scan", "import"])
def test_a_file_that_is_closed_to_us_is_one_line(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("closed.json").write_bytes(verdicts.PASS)
    Path("closed.json").chmod(0)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    monkeypatch.setattr(os, "access", lambda *_arguments, **_options: False)  # click asks it, for the real user
    toolreel(command, "--help")  # imported while everything is open
    with privileges.given_up():
        found = toolreel(command, "closed.json")
    assert found.exit_code == 2
    assert "closed.json" in found.stderr
    assert "ermission denied" in found.stderr
    assert len(found.stderr.splitlines()) == 1
