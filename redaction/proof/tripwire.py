"""A second net: a secret scanner over finished fixtures, where the extra `scan` is installed.

It proves nothing and is asked last: what it found in a closed vocabulary would be a bug of toolreel. It runs in this
process, asks nothing over the network, and reads no marker inside the data. In: a fixture's bytes and its reassembled
texts. Out: the names of the rules that fired, never what they found.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

# Where Kingfisher keeps its compiled rules from one process to the next, if its user names a folder for them.
RULE_CACHE: Final = "KF_RULE_CACHE_DIR"


class Tripwire(Protocol):
    """Anything that knows what secrets look like."""

    def rules(self, views: Iterable[str]) -> Iterator[str]:
        """The name of each rule that fires in any of the texts."""
        ...


class _Finding(Protocol):
    @property
    def rule_id(self) -> str: ...


class _Scanner(Protocol):
    def scan(self, data: str) -> Iterable[_Finding]: ...


class _Kingfisher:
    """The plain scanner of the Kingfisher package; the one with detection policies reads `ignore` markers."""

    def __init__(self, scanner: _Scanner) -> None:
        self._scanner = scanner

    def rules(self, views: Iterable[str]) -> Iterator[str]:
        for view in views:
            for finding in self._scanner.scan(view):
                yield finding.rule_id


def load() -> Tripwire | None:
    """The scanner of the extra `scan`, or None where it is not installed. It compiles its rules, for some seconds.

    By itself Kingfisher would keep the compiled rules in the home of the user. A process that handles raw data writes
    nothing but fixtures, so nothing is kept, unless the environment names a folder for it.
    """
    try:
        from kingfisher_sdk import Rules, Scanner
    except ImportError:
        return None
    return _Kingfisher(Scanner(Rules(cache=RULE_CACHE in os.environ)))


def views(data: bytes, texts: Iterable[str]) -> list[str]:
    """The file, and each reassembled text as an assignment: scanners look for keys beside their names."""
    return [data.decode("utf-8", "replace"), *(f'value = "{text}"' for text in texts)]
