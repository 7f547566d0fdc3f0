"""The options that say how much a fixture may tell of the declared tools; `record` and `import` have both.

`--rename-contract` may stand alone or before `values`, and never takes what follows it for a value else:
`import --rename-contract a.sse` imports `a.sse`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import click

from redaction.captured.exchange import Contract, Uncalled, Words

_RENAME: Final = "--rename-contract"
_NAMED: Final = (Words.NONE.value, Words.NO_VALUES.value)

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


class ContractCommand(click.Command):
    """A command with these options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments as click does, once it is said what `--rename-contract` renames."""
        return super().parse_args(ctx, [*_spelled_out(args)])


def contract_options(command: _Decorated) -> _Decorated:
    """Gives a command both options."""
    rename = click.option(
        _RENAME,
        type=click.Choice(_NAMED),
        metavar="[values]",
        help="Tool and property names and listed values become ordinals (tool_1, field_1, value_1); with `values` "
        "listed values alone. The same declaration has the same ordinals in every fixture.",
    )
    all_tools = click.option(
        "--all-tools",
        is_flag=True,
        help="Keep the words of every declared tool. By default one that a turn does not name is `tool_N`, by shape.",
    )
    return rename(all_tools(command))


def contract(rename_contract: str | None, all_tools: bool) -> Contract:  # noqa: FBT001
    """What the two options say."""
    return Contract(
        words=Words(rename_contract or ""),
        uncalled=Uncalled.AS_CALLED if all_tools else Uncalled.BY_SHAPE,
    )


def _spelled_out(args: Sequence[str]) -> Iterator[str]:
    """The arguments, each `--rename-contract` with its value."""
    open_ = True
    for at, arg in enumerate(args):
        open_ = open_ and arg != "--"
        alone = open_ and arg == _RENAME and (at + 1 == len(args) or args[at + 1] not in _NAMED)
        yield f"{_RENAME}={Words.NONE.value}" if alone else arg
