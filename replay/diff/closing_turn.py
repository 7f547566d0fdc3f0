"""The turn that follows a fixture: a plain answer in text, so that an agent that ran its tools comes to an end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from replay.corpus.loading import load
from replay.families import FAMILIES, array

if TYPE_CHECKING:
    from replay.corpus.loading import Loaded


def turn(profile: str) -> Loaded:
    """The closing turn of a profile."""
    fixture = {"profile": profile, "tool_schemas": {}, array(profile): FAMILIES[profile].answer}
    return load(json.dumps(fixture).encode("ascii"))
