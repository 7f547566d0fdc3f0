#!/usr/bin/env python3
"""Judge recorded tool-call streams. Runs from a bare checkout with nothing installed, on Python 3.10 and newer.

Exit codes: 0 every fixture passes, 1 one is blocked, 2 one is invalid or not applicable, or the command line is wrong.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from replay import garbage
from replay.validator import Allowance
from replay.validator.command import LIMIT_NAMES, Style, UsageError, allowances, deliver, limits, run

# As shells say it of what SIGINT has ended: 128 and its number.
INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The command line."""
    options = argparse.ArgumentParser(
        description="Judge recorded tool-call streams: whether the tool calls of each turn may be executed.",
        epilog="Exit codes: 0, every turn passes; 1, one is blocked; else 2, one is invalid or not applicable. "
        "An argument that is wrong or a path that cannot be read is 2, without a report.",
        allow_abbrev=False,
    )
    options.add_argument("fixtures", nargs="+", metavar="FIXTURE", help="a fixture file")
    options.add_argument(
        "--report", choices=[style.value for style in Style], default=Style.TEXT.value, help="how reports are written"
    )
    options.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="NAME",
        help=f"accept an allowance that a fixture names: {', '.join(allowance.value for allowance in Allowance)}",
    )
    options.add_argument(
        "--limit", action="append", default=[], metavar="NAME=N", help=f"set a limit: {', '.join(LIMIT_NAMES)}"
    )
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse, judge, print; the exit code."""
    options = parser().parse_args(arguments)
    try:
        with garbage.relaxed():
            outcome = run(
                options.fixtures,
                style=Style(options.report),
                accept=allowances(options.accept),
                limits=limits(options.limit),
            )
        return deliver(outcome, sys.stdout)
    except UsageError as error:
        print(f"validate_tool_stream: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
