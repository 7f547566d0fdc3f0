"""Every bound of the kernel, with its reason. Passing one is a finding, never an exception."""

from dataclasses import dataclass, fields
from typing import Final

__all__ = [
    "DEFAULT_LIMITS",
    "MAX_FIXTURE_BYTES",
    "MAX_FIXTURE_NESTING",
    "MAX_INDEX",
    "Limits",
]

# Payloads of one turn. The longest recorded turns have some ten thousand.
MAX_EVENTS: Final = 100_000
# Tool-call slots of one turn. Providers cap parallel calls at 128; twice that is a runaway.
MAX_SLOTS: Final = 256
# UTF-8 bytes of one slot's argument text. Real calls are a few KiB; past this it is a finding, not a MemoryError.
MAX_SLOT_BYTES: Final = 4 * 1024 * 1024
# UTF-8 bytes of all argument text of one turn.
MAX_TURN_BYTES: Final = 16 * 1024 * 1024
# Levels of nesting in arguments, the outermost being 1. Schemas of real tools stay under ten.
MAX_NESTING: Final = 64
# Levels of nesting in a fixture file. A payload may nest 510: the fixture and its array are two levels.
MAX_FIXTURE_NESTING: Final = 512
# Bytes of a fixture file. A turn at every limit fits many times; a device file that never ends does not.
MAX_FIXTURE_BYTES: Final = 256 * 1024 * 1024
# An index is a 32-bit count, as the providers' own types have it.
MAX_INDEX: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits a caller can set (section 3). The value in force is in the message of its finding."""

    max_events: int = MAX_EVENTS
    max_slots: int = MAX_SLOTS
    max_slot_bytes: int = MAX_SLOT_BYTES
    max_turn_bytes: int = MAX_TURN_BYTES
    max_nesting: int = MAX_NESTING

    def __post_init__(self) -> None:
        """Refuse what is no limit: a caller's mistake, not the traffic's."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise ValueError(f"{field.name} must be an integer of 0 or more")


DEFAULT_LIMITS: Final = Limits()
