"""A fixture to the frames of its body, in the form that its `transport` recorded. Knows fixtures; knows no HTTP.

The text of a payload is taken from the file as it stands, never written anew: escapes, number forms and member order
survive, and the file's layout does not.

What the recording says only of itself is written in a fixed form: a comment is empty, an id is the position of its
event, a retry is `RETRY`, and an event half received is `HALF_EVENT`. None of them ever matters to the verdict; all of
them are in `forms`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from replay.corpus.loading import spans
from replay.families import FAMILIES, framing_of
from replay.validator import InvalidFixture

from .forms import Told, framed
from .transport import COMPLETE, Transport, Usual

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replay.corpus.loading import Loaded
    from replay.wire.framing import Framing

# A line end in a payload and the indent beside it: the file's layout, not the wire's. No string holds a raw one.
_BETWEEN_TOKENS: Final = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A response before it is cut and framed. Holds captured data, so its repr shows none of it.

    `frames` joined are the body before its content coding: one frame an event, the byte order mark with the first, an
    event half received as the last. `done` is how many end markers are among them.
    """

    status: int
    content_type: str | None
    coding: str  # one of `packing.CODINGS`
    framing: Framing = field(repr=False)
    frames: tuple[bytes, ...] = field(repr=False)
    stream_end: str = COMPLETE
    done: int = 0
    half: bool = False


def render(loaded: Loaded, form: str | None = None) -> Rendered:
    """The response of a fixture that is one. What `transport` leaves out is as providers do it.

    `form` stands in the place of the recorded form of the framing; of another one nothing else of the framing is kept.
    """
    envelope = loaded.envelope
    assert not isinstance(envelope, InvalidFixture), "no envelope, no response"
    family = FAMILIES[envelope.profile]
    end = envelope.stream_end or COMPLETE
    transport = Transport(
        _told(loaded.value.get("transport"), form),
        Usual(
            # A recording that names no event had no names: SDKs that go by them got nothing of it.
            named=family.named and not _is_recorded(loaded.value.get("transport"), form),
            done=int(family.done and end == COMPLETE),
            whole=end == COMPLETE,
        ),
    )
    framing = framing_of(envelope.profile, transport.form)
    rendered = str(transport.form) if transport.form in framing.forms else framing.forms[0]
    return Rendered(
        status=transport.status,
        content_type=transport.content_type(framing.content_type),
        coding=transport.coding,
        framing=framing,
        frames=tuple(
            framed(rendered, Told(payloads=envelope.payloads, texts=_texts(loaded.text), transport=transport))
        ),
        stream_end=end,
        done=transport.done if framing.end_marker() else 0,
        half=transport.half,
    )


def _is_recorded(transport: object, form: str | None) -> bool:
    """Whether it is known how the events came in this form: what is not said then was not there."""
    return isinstance(transport, dict) and form in (None, transport.get("framing"))


def _told(transport: object, form: str | None) -> Mapping[str, object]:
    """What `transport` says, as far as it holds in this form."""
    told = transport if isinstance(transport, dict) else {}
    if form is None or form == told.get("framing"):
        return told
    kept = {name: told[name] for name in ("status", "content_coding") if name in told}
    return {**kept, "framing": form}


def _texts(file: str) -> list[str]:
    """The JSON text of each payload in the file of a fixture, without the layout of the file."""
    return [_BETWEEN_TOKENS.sub("", file[start:end]) for start, end in spans(file)]
