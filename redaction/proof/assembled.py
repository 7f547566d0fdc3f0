"""The argument texts of a finished file, put together from its fragments, and the leaks in them.

Fragments can be put together in two ways: as the verdict does, each slot by itself, and as clients do where a stream
is not as it should be (`captured.threads`). A text that was masked as one string reads otherwise if it is torn, since
what was inside its quotes is outside then. So a file has a leak if it has one in both ways: a word of a conversation
would stand in either. Knows the vocabulary of a file; knows no mask.
"""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from redaction.captured.argument_texts import texts_of_tools
from redaction.captured.threads import Threads
from redaction.proof.leak import Leak
from redaction.proof.words.vocabulary import Vocabulary

# Argument texts, each behind the name of its tool.
Texts: TypeAlias = Sequence[tuple[str, str]]


def assembled(
    profile: str, payloads: Sequence[object], tools: Collection[str], threads: Threads | None = None
) -> list[Texts]:
    """The argument texts of a turn as clients join them, and where that differs as the verdict does.

    `tools` are the declared ones; `threads` are those of the turn, where they are known already.
    """
    threads = threads or Threads(profile, payloads)
    ways: list[Texts] = [texts_of_tools(profile, payloads, threads.units(tools))]
    if not threads.simple:
        ways.append(texts_of_tools(profile, payloads, threads.judged))
    return ways


def leaks_in(vocabulary: Vocabulary, ways: Sequence[Texts]) -> tuple[list[Leak], list[str]]:
    """The leaks in the texts, and the texts: put together in the first way that has none, or else in the first."""
    first: list[Leak] | None = None
    for texts in ways:
        found = list(vocabulary.leaks_in_calls(texts))
        if not found:
            return [], [text for _, text in texts]
        first = first or found
    return first or [], [text for _, text in ways[0]]
