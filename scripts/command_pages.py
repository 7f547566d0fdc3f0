"""Writes docs/commands/: a page for each command, made from its help.

    python scripts/command_pages.py            writes the pages, and removes those of commands that are gone
    python scripts/command_pages.py --check    exits 1, with the difference, if a page says anything else

Needs the extra `record`: a page shows the help that the command itself gives.
"""

import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGES: Final = ROOT / "docs" / "commands"
sys.path.insert(0, str(ROOT))

import click  # noqa: E402

from replay.cli import root  # noqa: E402

WIDTH: Final = 78  # as click prints it on a terminal that is wide enough
AFTERWORD: Final = (
    "Every command ends with 0 where all is as expected, 1 where something differs or was found, 2 for wrong usage or",
    "unreadable input, unless its page says otherwise. `toolreel COMMAND --help` shows the same as the page.",
    "",
    'The shell completes commands and options: `eval "$(_TOOLREEL_COMPLETE=bash_source toolreel)"` in `~/.bashrc`,',
    '`eval "$(_TOOLREEL_COMPLETE=zsh_source toolreel)"` in `~/.zshrc`, and for fish',
    "`_TOOLREEL_COMPLETE=fish_source toolreel > ~/.config/fish/completions/toolreel.fish`.",
)
MADE: Final = "<!-- Made from the command's help by scripts/command_pages.py: change the help, then run it. -->"


def pages() -> dict[str, str]:
    """File name -> text, for every command and the list of them."""
    top = click.Context(root, info_name="toolreel", terminal_width=WIDTH, **root.context_settings)
    found = {}
    listed = []
    for name in root.list_commands(top):
        deferred = root.get_command(top, name)
        assert deferred is not None
        text = "\n".join(_sections(deferred, name, top, level=1))
        found[f"{name}.md"] = f"{MADE}\n\n{text}"
        listed.append(f"| [`toolreel {name}`]({name}.md) | {deferred.get_short_help_str(limit=200)} |")
    table = ["| command | does |", "|---|---|", *listed]
    found["README.md"] = "\n".join([MADE, "", "# Commands", "", *table, "", *AFTERWORD, ""])
    return found


def _sections(command: click.Command, name: str, parent: click.Context, *, level: int) -> Iterator[str]:
    """The help of a command, and of the commands under it."""
    # Parsing nothing makes the context of the real command, which may stand in another package.
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    real = context.command
    yield f"{'#' * level} {context.command_path}"
    yield ""
    yield "```text"
    yield from (line.rstrip() for line in real.get_help(context).splitlines())
    yield "```"
    yield ""
    if isinstance(real, click.Group):
        for inner in real.list_commands(context):
            under = real.get_command(context, inner)
            assert under is not None
            yield from _sections(under, inner, context, level=level + 1)


def main() -> int:
    """The exit code, after the pages are written, or with `--check` only compared."""
    os.environ.pop("NO_COLOR", None)
    new = pages()
    old = {path.name: path.read_text("utf-8") for path in sorted(PAGES.glob("*.md"))}
    if sys.argv[1:] == ["--check"]:
        for name in sorted({*old, *new}):
            before, after = old.get(name, "").splitlines(keepends=True), new.get(name, "").splitlines(keepends=True)
            sys.stdout.writelines(difflib.unified_diff(before, after, f"docs/commands/{name}", "its help"))
        return 1 if old != new else 0
    PAGES.mkdir(parents=True, exist_ok=True)
    for name in old.keys() - new.keys():
        (PAGES / name).unlink()
    for name, text in new.items():
        (PAGES / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
