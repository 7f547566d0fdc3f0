"""The words of one family for the machine of blocks (`blocks`), and what follows from them: data, and no code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from replay.validator._machine.signals import BlockEvent, PayloadFinding
from replay.validator.listener import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one family calls the parts of a message, and what follows from its words.

    Example: `fits["input_json_delta"]` has the kinds of block that a delta of this kind can be a piece of.
    """

    read: Callable[[object], BlockEvent | PayloadFinding]
    call: str  # the kind of block that is a tool call
    fits: Mapping[str, frozenset[str]]  # of each known kind of delta, the kinds of block it fits
    begins: Mapping[str, str] = field(
        default_factory=dict
    )  # of a delta that needs no start, the kind of block it begins
    takeovers: frozenset[str] = frozenset()  # blocks with which another context or another model takes over
    complete: str  # the one stop reason that completes calls
    claims: frozenset[str]  # the stop reasons that say there is a call
    start_path: Path  # to a text that a start has
    fragment_path: Path  # to that of a delta
    # For messages: what the family calls these things.
    index: str
    block_stop: str
    message_start: str
    message_stop: str
