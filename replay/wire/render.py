"""Payload texts to the bytes of an event stream: the inverse of `sse`.

Reading what this writes gives back the same frames, in each style of line end. One thing has no form on the wire: a CR
in a payload, which every reader takes for a line end. It is refused, not changed.
"""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING

from .payloads import DONE
from .sse import Frame, LineEnd

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class RenderError(ValueError):
    """A text that no event stream can carry as this field. Names the field, and shows nothing of the text."""

    def __init__(self, field: str) -> None:
        """`field` is the field of the standard that cannot carry it."""
        super().__init__(f"no event stream can carry this text as {field}")


def frame(event: Frame, *, line_end: LineEnd = LineEnd.LF) -> bytes:
    """The bytes of one event, its blank line included: comments, id, event name, retry, data lines."""
    lines = [":"] * event.comments
    if event.id is not None:
        lines.append("id: " + _plain(event.id, "id", never="\r\n\0"))
    if event.event:
        lines.append("event: " + _plain(event.event, "event", never="\r\n"))
    if event.retry is not None:
        lines.append("retry: " + _digits(event.retry))
    lines += ["data: " + line for line in _plain(event.data, "data", never="\r").split("\n")]
    lines += ["", ""]
    return line_end.raw.decode("ascii").join(lines).encode("utf-8")


def sse(
    texts: Iterable[str],
    *,
    event_names: Iterable[str] = (),
    line_end: LineEnd = LineEnd.LF,
    done: int = 0,
) -> Iterator[bytes]:
    """One block of bytes for each text, then `done` end markers; joined they are the body.

    `event_names` go with the texts in order; "" stands for none, and so does a name that is missing at the end.
    """
    for text, name in zip(texts, chain(event_names, repeat("")), strict=False):
        yield frame(Frame(data=text, event=name), line_end=line_end)
    for _ in range(done):
        yield frame(Frame(data=DONE), line_end=line_end)


def _plain(text: str, field: str, *, never: str) -> str:
    # Lone surrogates are looked for here: the codec's own error would hold the whole text.
    if any(character in never or "\ud800" <= character <= "\udfff" for character in text):
        raise RenderError(field)
    return text


def _digits(text: str) -> str:
    if not (text.isascii() and text.isdigit()):
        raise RenderError("retry")
    return text
