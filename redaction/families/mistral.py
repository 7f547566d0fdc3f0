"""Mistral's dialect of chat completions: ids of its own, one of which says "none"."""

import re
from typing import Final

from redaction.families.openai import KEYS, WORDS, family
from redaction.families.tables.family import Spoken

FAMILY: Final = family(
    identifiers={"completion": "cmpl-{:08d}", "call": "call{:05d}", "item": "item_{:08d}"},
    verbatim_ids=frozenset({"null"}),  # the four letters
    spoken=Spoken(
        keys=KEYS,
        words=WORDS,
        identifier=re.compile(r"(?:cmpl-|item_)[0-9]{8}|call[0-9]{5}|null"),
        identifier_keys=frozenset({"id"}),
        arguments=frozenset({"arguments"}),
    ),
)
