"""The options that name clients: the same ones for each command that runs some.

A command that is decorated with `client_options` takes `--adapter`, `--adapter-command`, `--python` and
`--node-folder`, and gets what they say as one value, `clients`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from replay.adapters.table import ADAPTERS
from replay.errors import ToolreelError

from . import adapter_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from .adapter_command import Adapter

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The clients that a command line names, and where their interpreters and modules are."""

    names: tuple[str, ...]
    commands: tuple[str, ...]
    pythons: tuple[str, ...]
    node_folder: Path

    def adapters(self) -> list[Adapter]:
        """The adapter of each, in order and once."""
        where = adapter_command.interpreters(self.pythons, self.node_folder, names=self.names)
        found = [adapter_command.find(name, where) for name in dict.fromkeys(self.names)]
        return found + [adapter_command.of_command(text) for text in dict.fromkeys(self.commands)]

    def one(self) -> Adapter | None:
        """The adapter, for a command that takes one; None where none is named."""
        found = self.adapters()
        if len(found) > 1:
            raise ToolreelError("name one client: --adapter NAME or --adapter-command COMMAND")
        return found[0] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Helps:
    """What the help of a command says of each of the options."""

    adapter: str
    program: str
    python: str
    node_folder: str


MANY: Final = Helps(
    adapter=f"What to run: {', '.join(ADAPTERS)}; an entry point; module:callable; or a module of Node, ./house.mjs. "
    "Repeatable.",
    program="A program in any language that speaks the protocol of docs/adapters.md, as 'go run ./adapter'. "
    "Repeatable.",
    python="The interpreter of one adapter, or of all. Repeatable.",
    node_folder="The folder whose node_modules hold the Node clients.  [default: the working folder]",
)
ONE: Final = Helps(
    adapter="A client, as in `toolreel diff`.",
    program="A program in any language, as in `toolreel diff`.",
    python="The interpreter of the adapter.",
    node_folder="As in `toolreel diff`.",
)


def client_options(helps: Helps) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command the options, with these texts in its help."""
    options = (
        click.option("--adapter", "names", metavar="NAME", multiple=True, help=helps.adapter),
        click.option("--adapter-command", "commands", metavar="COMMAND", multiple=True, help=helps.program),
        click.option("--python", "pythons", metavar="[NAME=]PATH", multiple=True, help=helps.python),
        click.option(
            "--node-folder", type=click.Path(path_type=Path), default=Path(), metavar="PATH", help=helps.node_folder
        ),
    )

    def decorated(command: Callable[..., Result]) -> Callable[..., Result]:
        @wraps(command)
        def called(*args: Any, **given: Any) -> Result:
            clients = Clients(**{name: given.pop(name) for name in ("names", "commands", "pythons", "node_folder")})
            return command(*args, clients=clients, **given)

        found: Callable[..., Result] = called
        for option in reversed(options):
            found = option(found)
        return found

    return decorated
