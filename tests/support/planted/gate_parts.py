"""The two parts of the gate, each switched off in turn, so that the other one shows what it catches by itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from redaction.proof import gate
from redaction.proof.words.vocabulary import Vocabulary, vocabulary_of


class _Deaf(Vocabulary):
    """The vocabulary of a fixture, which finds nothing in its arguments."""

    def leaks_in_arguments(self, texts: Any, tool: str = "") -> Iterator[Any]:
        return iter(())


def without_vocabulary(patch: pytest.MonkeyPatch) -> None:
    """Leave the n-grams alone."""

    def of(data: bytes) -> Vocabulary:
        whole = vocabulary_of(data)
        parts = {name: getattr(whole, name) for name in ("_spoken", "_declared", "_payloads", "_arguments", "_undone")}
        return _Deaf(leaks=(), **parts)

    patch.setattr(gate, "vocabulary_of", of)


def without_grams(patch: pytest.MonkeyPatch) -> None:
    """Leave the vocabulary alone."""
    patch.setattr(gate.Index, "holds", lambda *_: False)
