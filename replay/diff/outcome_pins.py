"""The file `NAME.adapters.json`: the outcomes of a fixture, by adapter and version. Judges nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replay.corpus.discovery import FIXTURE_SUFFIX, OUTCOMES_SUFFIX
from replay.corpus.pins import document
from replay.terminal import printable_json

from .outcomes import COUNTING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .outcomes import Outcome

FORMAT: Final = 1

# Adapter to version to outcome; of one adapter the version pinned last stands last.
Pinned = dict[str, dict[str, "Outcome"]]


class OutcomePinError(Exception):
    """The bytes are no file of outcomes. It names the member, and what was expected there."""


def path_of(fixture: str) -> str:
    """Where the outcomes of a fixture are pinned."""
    return fixture.removesuffix(FIXTURE_SUFFIX) + OUTCOMES_SUFFIX


def read(data: bytes) -> Pinned:
    """The outcomes in `data`; `OutcomePinError` where it is no such file."""
    value = document(data, OutcomePinError)
    if not isinstance(value, dict) or set(value) != {"format", "adapters"}:
        raise OutcomePinError("the file must be an object with format and adapters")
    if value["format"] != FORMAT or type(value["format"]) is not int:
        raise OutcomePinError(f"format must be {FORMAT}; upgrade toolreel where it is a later one")
    adapters = value["adapters"]
    if not isinstance(adapters, dict):
        raise OutcomePinError("adapters must be an object: adapter to version to outcome")
    known = {outcome.value: outcome for outcome in COUNTING}
    found: Pinned = {}
    for name, versions in adapters.items():
        if not isinstance(versions, dict) or not versions:
            raise OutcomePinError("adapters: each must be an object with a version or more")
        if any(not isinstance(word, str) or word not in known for word in versions.values()):
            raise OutcomePinError(f"adapters: each outcome must be one of {', '.join(known)}")
        found[name] = {version: known[word] for version, word in versions.items()}
    return found


def write(pinned: Mapping[str, Mapping[str, Outcome]]) -> bytes:
    """The bytes of the file: one order, one adapter a line, a final newline."""
    lines = [
        f"  {printable_json(name)}: {printable_json({version: outcome.value for version, outcome in versions.items()})}"
        for name, versions in sorted(pinned.items())
    ]
    return ("{\n" + f' "format": {FORMAT},\n "adapters": {{\n' + ",\n".join(lines) + "\n }\n}\n").encode("ascii")


def compared_with(versions: Mapping[str, Outcome], version: str) -> tuple[str, Outcome] | None:
    """The pinned version that a run of `version` is compared with: the same one, else the one pinned last."""
    if version in versions:
        return version, versions[version]
    for last in reversed(list(versions)):
        return last, versions[last]
    return None
