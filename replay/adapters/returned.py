"""What an adapter returned, read as calls. Standard library only, Python 3.10 or newer.

For example `{"name": "say", "arguments": "{}"}` is one call where a list of calls is wanted. Read as "no calls", it
would let a gate pass, so it is said to be no list.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from typing import Any


class NoCallsError(Exception):
    """An adapter returned something that is no list of calls; `kind` is its type."""

    def __init__(self, value: object) -> None:
        super().__init__(f"an adapter returns a list of calls, or None; this is of the type {type(value).__name__}")
        self.kind = type(value).__name__


def calls(handed: object) -> Iterator[Mapping[str, Any]]:
    """The calls, each a mapping with `name` and `arguments`; of what is no list of them, `NoCallsError`.

    An `async def` is run to its end, a generator is read to its end, and `dict.values()` is as good as a list.
    """
    if inspect.isawaitable(handed):
        handed = asyncio.run(_awaited(handed))
    if isinstance(handed, AsyncIterable):
        handed = asyncio.run(_collected(handed))
    if handed is None:
        return
    if isinstance(handed, (str, bytes, bytearray, Mapping)) or not isinstance(handed, Iterable):
        raise NoCallsError(handed)
    for call in handed:
        if not isinstance(call, Mapping) or "name" not in call or "arguments" not in call:
            raise NoCallsError(call)
        yield call


async def _awaited(handed: Any) -> object:
    return await handed


async def _collected(handed: AsyncIterable[object]) -> list[object]:
    return [call async for call in handed]
