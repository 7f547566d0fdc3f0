"""What is said of declared tools that may be built from data, and the options that keep it out of fixtures."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from support.recorded.exchanges import exchange_of
from support.recorded.settling import settle

from proxy_addon.contract.cli import ContractCommand, contract, contract_options
from proxy_addon.writing.outcomes.declared_tools import DeclaredTools
from proxy_addon.writing.outcomes.journal import Line
from proxy_addon.writing.storage.folder import FixtureFolder
from proxy_addon.writing.storage.room import Limits
from redaction.captured.exchange import CALLED_TOOLS, Contract, Uncalled, Words
from redaction.fixture import digest_of
from redaction.masks.contract.looks import looks_like_data
from redaction.redactor import redact


def line(folder: Path, tools: DeclaredTools, schema: object, contract: Contract = CALLED_TOOLS) -> Line:
    """The line of a turn that calls the one tool with this schema."""
    call = {"index": 0, "id": "call_9", "function": {"name": "send_email", "arguments": "{}"}}
    choice = {"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}
    exchange = exchange_of(
        {"profile": "openai", "tool_schemas": {"send_email": schema}, "chunks": [{"id": "c", "choices": [choice]}]}
    )
    out = FixtureFolder(folder, digest_of=digest_of, limits=Limits(files=9))
    settled = settle(
        lambda: exchange, redact=lambda one: redact(one, contract=contract), folder=out, turn=None, tools=tools
    )
    return Line(upstream="openai", case=None, settled=settled)


def to(*addresses: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"to": {"enum": list(addresses)}}}


@pytest.mark.parametrize(
    ("words", "looks"),
    [
        (["Jane Doe <jane.doe@acme.example>"], ("mail addresses",)),
        (["usr_7351123344"], ("long numbers",)),
        (["7351123344"], ("long numbers",)),
        (["Dr. Ahmed, +1 555 0100 22"], ("long numbers",)),
        (["5d0f8f6a-9a3c-4a58-8f0c-2f1d8f0c1a2b"], ("UUIDs",)),
        (["db-1.acme.internal", "10.82.0.19"], ("host names",)),
        (["https://acme.example/x"], ("host names",)),
        (["sign.in", "order.created", "gpt-4.1-mini", "v1.2.3", "2024-10-01", "100000", "file.txt", "celsius"], ()),
    ],
)
def test_what_looks_like_data(words: Sequence[str], looks: tuple[str, ...]) -> None:
    assert looks_like_data(words) == looks


def test_a_declaration_that_looks_like_data_is_said_once_with_what_to_do(tmp_path: Path) -> None:
    tools = DeclaredTools()
    first, again = (line(tmp_path, tools, to("ann@acme.example")) for _ in range(2))
    assert "tool send_email declares what looks like data (mail addresses)" in first.text()
    assert "`toolreel scan --words`" in first.text()
    assert "--rename-contract" in first.text()
    assert "ann@" not in first.text()
    assert len(first.as_dict()["notices"]) == 1  # type: ignore[arg-type]
    assert "looks like data" not in again.text()
    assert "notices" not in again.as_dict()


def test_a_declaration_that_changes_is_said_once(tmp_path: Path) -> None:
    tools = DeclaredTools()
    lines = [line(tmp_path, tools, to(name)).text() for name in ("Ann", "Ann", "Bob", "Cem")]
    assert ["declared otherwise than before" in one for one in lines] == [False, False, True, False]


def test_prose_may_change(tmp_path: Path) -> None:
    tools = DeclaredTools()
    lines = [line(tmp_path, tools, {**to("Ann"), "description": text}).text() for text in ("now 12:01", "now 12:02")]
    assert not any("declared otherwise" in one for one in lines)


def test_of_a_renamed_contract_there_is_nothing_to_say(tmp_path: Path) -> None:
    tools = DeclaredTools()
    lines = [line(tmp_path, tools, to(name), Contract(words=Words.NONE)) for name in ("a@b.example", "c@d.example")]
    assert all("calls: 1, contract renamed" in one.text() for one in lines)
    assert [one.as_dict()["renamed"] for one in lines] == ["contract", "contract"]
    assert [one.settled.how.value for one in lines] == ["written", "same_shape"]


@click.command(cls=ContractCommand)
@click.argument("files", nargs=-1)
@contract_options
def command(files: tuple[str, ...], rename_contract: str | None, all_tools: bool) -> None:
    said = contract(rename_contract, all_tools)
    click.echo(json.dumps([said.words.name, said.uncalled.name, *files]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a"], ["DECLARED", "BY_SHAPE", "a"]),
        (["--rename-contract", "a"], ["NONE", "BY_SHAPE", "a"]),
        (["a", "--rename-contract"], ["NONE", "BY_SHAPE", "a"]),
        (["--rename-contract", "values", "a"], ["NO_VALUES", "BY_SHAPE", "a"]),
        (["--rename-contract=values", "--all-tools", "a"], ["NO_VALUES", "AS_CALLED", "a"]),
        (["--", "--rename-contract"], ["DECLARED", "BY_SHAPE", "--rename-contract"]),
    ],
)
def test_what_is_renamed_is_said_by_the_option_or_left_to_it(arguments: list[str], said: list[str]) -> None:
    found = CliRunner().invoke(command, arguments)
    assert json.loads(found.output) == said


def test_the_default_keeps_words_of_called_tools_alone() -> None:
    assert contract(None, False) == CALLED_TOOLS
    assert CALLED_TOOLS.uncalled is Uncalled.BY_SHAPE
