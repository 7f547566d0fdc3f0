"""What was accepted and changes nothing: the line that says so, and how it is removed.

For example, `--accept repeated_terminal` of a gateway that has been mended. A list that nobody shortens accepts one day
what nobody meant to accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replay.corpus.pins import Pin
    from replay.validator import Allowance, Report


def of_option(name: Allowance) -> str:
    """The line on an allowance that the run accepted and no fixture of it needed."""
    return f"--accept {name.value} changes nothing: no fixture here is judged otherwise without it; leave it out"


def of_settings(file: str, name: Allowance) -> str:
    """The line on an allowance that the project's settings accept and none of the project's fixtures needed."""
    return f"{file}: accept in [replay] names {name.value}, which changes nothing: no fixture needs it; remove it there"


def of_pin(pin: Pin, found: Report, update: str) -> str:
    """The line on what a pin accepts and its fixture does not need; "" where all of it is needed."""
    used = {use.name for use in found.allowances}
    names = ", ".join(sorted(name.value for name in pin.accept - used))
    return f"accept in its pin names {names}, which changes nothing; to remove it: {update}" if names else ""
