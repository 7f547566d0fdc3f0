"""`toolreel.toml` and `[tool.toolreel]`: where they are found, what they say, and what is said where they are wrong."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.builders import verdicts
from support.processes.here import put

from replay import config
from replay.cli import root
from replay.errors import ToolreelError
from replay.validator import Allowance

pytestmark = pytest.mark.usefixtures("folder")


def toolreel(*arguments: str) -> Result:
    return CliRunner().invoke(root, arguments)


def settings(text: str, name: str = "toolreel.toml") -> None:
    put(name, text.encode())


def test_without_a_path_replay_scan_and_coverage_take_those_of_the_settings() -> None:
    settings('[replay]\npaths = ["reels", "more/*.json"]\n')
    put("reels/a.json")
    put("more/b.json")
    assert toolreel("replay", "--update").stdout.endswith(
        "2 fixtures: 2 pinned. Verdicts: 2 executable, 0 blocked, 0 not applicable, 0 invalid.\n"
    )
    assert toolreel("replay").exit_code == 0
    assert toolreel("coverage").exit_code == 0
    assert "more/b.json" in toolreel("scan", "--report", "json").stdout


def test_a_path_of_the_command_counts_instead_of_those_of_the_settings() -> None:
    settings('[replay]\npaths = ["none"]\n')
    put("reels/a.json")
    assert toolreel("replay", "--update", "reels").exit_code == 0


def test_paths_are_relative_to_the_file_and_it_is_found_from_a_folder_below() -> None:
    settings('[replay]\npaths = ["reels"]\n')
    put("reels/a.json")
    put("deep/er/note.txt")
    os.chdir("deep/er")
    found = toolreel("replay")
    assert found.stdout.splitlines()[0] == "unpinned: ../../reels/a.json"


@pytest.mark.parametrize(("name", "section"), [("toolreel.toml", "replay"), ("pyproject.toml", "tool.toolreel.replay")])
def test_what_the_settings_accept_and_limit_counts_as_if_the_command_said_it(name: str, section: str) -> None:
    settings(f'[{section}]\naccept = ["repeated_terminal"]\n[{section}.limits]\nmax_slots = 1\n', name)
    put("a.json", verdicts.REPEATED)
    put("b.json", verdicts.TWO_CALLS)
    found = toolreel("replay", ".")
    assert "+ pass, executable" in found.stdout
    assert "+ finding limit_exceeded" in found.stdout
    # The command that pins it need not say what the settings say.
    assert "to pin this verdict: toolreel replay --update a.json\n" in found.stdout


def test_a_limit_of_the_command_counts_before_that_of_the_settings() -> None:
    settings("[replay.limits]\nmax_slots = 1\n")
    put("b.json", verdicts.TWO_CALLS)
    found = toolreel("replay", ".", "--limit", "max_slots=2")
    assert "+ pass, executable" in found.stdout
    assert "toolreel replay --update --limit max_slots=2 b.json" in found.stdout


def test_what_the_settings_accept_and_no_fixture_needs_is_told_where_they_name_the_fixtures() -> None:
    settings('[replay]\npaths = ["reels"]\naccept = ["message_mirror"]\n')
    put("reels/a.json")
    toolreel("replay", "--update")
    line = "toolreel.toml: accept in [replay] names message_mirror, which changes nothing: no fixture needs it; "
    assert toolreel("replay").stderr == f"{line}remove it there\n"
    assert toolreel("replay", "reels/a.json").stderr == ""


def test_the_nearest_file_counts_alone() -> None:
    settings('[replay]\naccept = ["message_mirror"]\n')
    settings("[replay]\n", "inner/toolreel.toml")
    assert config.replay_settings(Path("inner")).accept == frozenset()
    assert config.replay_settings(Path("inner/../")).accept == {Allowance.MESSAGE_MIRROR}
    settings("[project]\nname = 'toolreel-user'\n", "other/pyproject.toml")
    assert config.replay_settings(Path("other")).accept == {Allowance.MESSAGE_MIRROR}


def test_two_files_side_by_side_are_an_error() -> None:
    settings("[replay]\n")
    settings("[tool.toolreel.replay]\n", "pyproject.toml")
    found = toolreel("replay", ".")
    assert found.exit_code == 2
    assert found.stderr == (
        "Error: toolreel.toml and pyproject.toml both have settings of toolreel; keep one: "
        "move what is in [tool.toolreel] of pyproject.toml to toolreel.toml, or delete toolreel.toml\n"
    )


@pytest.mark.parametrize("command", ["replay", "scan", "coverage"])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[replay\n", "toolreel.toml: not TOML: "),
        ("[replay]\nacept = []\n", "toolreel.toml: [replay] has the unknown member 'acept'; known are accept, limits"),
        ("[replays]\n", "toolreel.toml: unknown section 'replays'; known are [record], [replay]"),
        ("replay = 1\n", "toolreel.toml: [replay] must be a table"),
        ('[replay]\naccept = "message_mirror"\n', "[replay] accept must be a list of texts"),
        ('[replay]\naccept = ["everything"]\n', "[replay] accept: unknown allowance 'everything'; known are"),
        ("[replay]\npaths = [1]\n", "[replay] paths must be a list of texts"),
        ('[replay]\npaths = [""]\n', "[replay] paths must be a list of texts"),
        ("[replay.limits]\nslots = 1\n", "[replay.limits] must be a table of limits; names are max_events"),
        ("[replay.limits]\nmax_slots = true\n", "[replay.limits] max_slots must be an integer of 0 or more"),
        ("[replay.limits]\nmax_slots = -1\n", "[replay.limits] max_slots must be an integer of 0 or more"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_the_place(command: str, text: str, says: str) -> None:
    settings(text)
    found = toolreel(command)
    assert (found.exit_code, found.stdout) == (2, "")
    assert says in found.stderr
    assert found.stderr.count("\n") == 1


def test_bytes_that_are_no_text_are_not_quoted() -> None:
    put("toolreel.toml", b"[replay]\npaths = ['sk-secret\xff']\n")
    assert toolreel("replay").stderr == "Error: toolreel.toml: not UTF-8; mend it\n"


@pytest.mark.parametrize("command", ["replay", "scan", "coverage"])
def test_without_path_and_settings_the_command_says_what_may_be_named(command: str) -> None:
    found = toolreel(command)
    assert found.exit_code == 2
    assert "Missing argument 'PATH...'; or name paths in [replay] of toolreel.toml" in found.stderr


def test_a_file_that_is_named_is_read_by_itself() -> None:
    settings("[tool.toolreel.replay]\n[tool.toolreel.record]\nport = 1\n", "pyproject.toml")
    settings("[project]\n", "other/pyproject.toml")
    assert config.read(Path("pyproject.toml")).section("record", ("port",)) == {"port": 1}
    for path in ("none.toml", "other/pyproject.toml"):
        with pytest.raises(ToolreelError, match=path):
            config.read(Path(path))
