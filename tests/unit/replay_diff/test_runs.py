"""The command that a result advises."""

import shlex
from pathlib import Path

import pytest

from replay.diff.processes.adapter_command import Adapter, of_command
from replay.diff.runs import Options
from replay.serve.cutting import Cuts, Mode
from replay.validator import Allowance

OPENAI = Adapter(name="openai", command=("python",))


def test_the_command_that_pins_an_outcome_is_short_where_nothing_was_given() -> None:
    assert Options().update_command(OPENAI, "a.json") == "toolreel diff --update --adapter openai a.json"


@pytest.mark.parametrize("name", ["sp ace/it's.json", "-x.json", "a\nb.json", "$HOME.json"])
def test_it_names_the_fixture_as_one_word_of_a_shell(name: str) -> None:
    said = Options().update_command(OPENAI, name)
    assert said.isprintable()
    if name.isprintable():
        assert shlex.split(said)[-1] == name
    else:
        assert said.endswith(r" $'a\x0ab.json'")


def test_it_runs_the_adapter_as_the_run_did() -> None:
    options = Options(
        accept=frozenset({Allowance.EMPTY_ARGUMENTS}),
        seconds=1.5,
        cuts=Cuts(mode=Mode.SOME, number=40),
        python=("all py", "openai=one", "litellm=other"),
        node_folder=Path("clients"),
    )
    assert options.update_command(OPENAI, "a.json") == (
        "toolreel diff --update --adapter openai --python 'all py' --python openai=one --node-folder clients "
        "--accept empty_arguments --timeout 1.5 --cuts 40 a.json"
    )
    assert "--cuts reads" in Options(cuts=Cuts(mode=Mode.READS)).update_command(OPENAI, "a.json")


def test_it_names_a_command_as_one_word_of_a_shell() -> None:
    said = Options().update_command(of_command("sh -c 'exit 1'"), "a.json")
    assert shlex.split(said)[3:5] == ["--adapter-command", "sh -c 'exit 1'"]
