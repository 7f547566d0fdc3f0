"""The text of the demo, as lines of at most 80 columns. Pure functions from values to lines.

It shows the raw side of its own made-up turns. That is for the demo alone: nothing else prints captured text.
"""

import json
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proxy_addon.demo.bundled import BundledTurn
from replay.families import array
from replay.terminal import printable
from replay.validator import Report, Status, Turn
from replay.validator.listener import Form, Heard

WIDTH: Final = 80

# Which turns may execute, in the words of the demo.
_MAY: Final[Mapping[Status, str]] = {
    Status.PASS: "yes",
    Status.BLOCKED: "no",
    Status.NOT_APPLICABLE: "no call",
    Status.INVALID: "no",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A turn, and the fixture that was written of it: the bytes of the file and its verdict."""

    turn: BundledTurn
    data: bytes
    report: Report


def heading(number: int, title: str) -> list[str]:
    """The heading of a step of the story."""
    return ["", f"{number}. {title}", "-" * (len(title) + len(str(number)) + 2)]


def paragraph(text: str) -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(text, WIDTH)


def indented(text: str) -> list[str]:
    """The output of a command, indented and safe to print again."""
    return textwrap.wrap(printable(text), WIDTH, initial_indent="  ", subsequent_indent="  ")


def excerpt(label: str, text: str) -> list[str]:
    """A labelled piece of data, wrapped under its label and safe to print."""
    return textwrap.wrap(
        printable(text), WIDTH, initial_indent=f"  {label:9} ", subsequent_indent=" " * 12, break_on_hyphens=False
    )


def before_and_after(kept: Kept, *, api_key: str) -> Iterator[str]:
    """One turn as it went over the wire, then what its fixture holds in the same places."""
    turn = kept.turn
    fixture = json.loads(kept.data)
    yield from paragraph(f"On the wire ({turn.case}):")
    yield from excerpt("header", f"Authorization: Bearer {api_key}")
    for message in _messages(turn):
        yield from excerpt(message["role"], message["content"])
    yield from excerpt("arguments", " | ".join(fragments(turn.profile, turn.events)))
    yield ""
    yield from paragraph(f"In the fixture ({turn.case}.json, {len(kept.data)} bytes):")
    yield from excerpt("header", "(no header is kept)")
    yield from excerpt("messages", "(no message is kept)")
    yield from excerpt("arguments", " | ".join(fragments(turn.profile, fixture[array(turn.profile)])))


def _messages(turn: BundledTurn) -> Iterator[Mapping[str, str]]:
    request: Mapping[str, Any] = turn.request
    if "system" in request:
        yield {"role": "system", "content": request["system"]}
    yield from request["messages"]


def fragments(profile: str, payloads: Sequence[object]) -> list[str]:
    """The pieces in which arguments came, all slots together, in order; without their full copies."""
    heard: list[Heard] = []
    Turn(profile=profile, tool_schemas={}, listener=heard.append).feed_all(payloads)
    return [piece.text for piece in heard if piece.text and piece.form is not Form.COPY]


def verdicts(all_kept: Sequence[Kept]) -> Iterator[str]:
    """One line for each kind of turn: whether its calls may execute, in how many APIs, and the findings."""
    apis: Counter[tuple[str, str, str]] = Counter()
    for kept in all_kept:
        codes = ", ".join(dict.fromkeys(finding.code.value for finding in kept.report.findings))
        apis[kept.turn.says, _MAY[kept.report.status], codes] += 1
    yield f"  {'':45}may"
    yield f"  {'turn':45}execute APIs  why not"
    for (says, may, codes), count in apis.items():
        told = f"  {says:45}{may:8}{count:4}  "
        yield from textwrap.wrap(codes, WIDTH, initial_indent=told, subsequent_indent=" " * len(told)) or [
            told.rstrip()
        ]
