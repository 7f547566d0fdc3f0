"""Argument texts of which the machine of the verdict tells nothing, found by their position, and told as it would.

    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": "1", "id": "a", "function": {"arguments": "{}"}}]}}]}

For the verdict this is `malformed_event`, since an index is no text, and nothing in it belongs to a call. A client that
does not look so closely has a call here. So the text is heard as one that belongs to no other, with the name and the id
beside it, and with the index where there is one. A text *goes on* if it stands in a delta: then it may be a piece of
what came before it. Any other one is whole. Knows the tables of positions; masks nothing.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from redaction.families import FAMILIES
from redaction.families.tables.treatments import FREE_TEXT, Treatment
from redaction.families.tables.ways import Found, follow, ways
from replay.validator.listener import Fate, Form, Heard, Path
from replay.validator.strict_json import parse, printed

_TEXTS: Final = frozenset({Treatment.FRAGMENT, Treatment.WHOLE})
_DELTA: Final = "delta"
_CHOICES: Final = "choices"
# An object that came whole nests no deeper than its payload, which was read.
_NESTING: Final = 512


class Untold:
    """Finds such texts in the payloads of one family."""

    def __init__(self, profile: str) -> None:
        self._ways = ways(profile, _TEXTS)
        self._slots = FAMILIES[profile].spoken.slots
        self._id = FAMILIES[profile].call_id

    def texts(self, event: int, payload: object, told: Collection[Path]) -> Iterator[Heard]:
        """The texts of a payload at other places than those in `told`."""
        for found in follow(payload, self._ways):
            if found.value and found.path not in told and isinstance(found.value, (str, dict)):
                yield self._heard(event, found)

    def _heard(self, event: int, found: Found) -> Heard:
        is_object = isinstance(found.value, dict)
        in_choice = found.path[0] == _CHOICES
        return Heard(
            event=event,
            choice=self._number(found.around[1:2]) or 0 if in_choice else 0,
            slot=self._number(found.around[2:] if in_choice else found.around),
            fate=Fate.ALONE,
            form=Form.OBJECT if is_object else Form.FRAGMENT,
            name=_innermost(found.around, "name"),
            id=_innermost(found.around[1:], self._id),
            text=(printed(found.value) or "") if is_object else str(found.value),
            path=found.path,
            is_free_text=found.rule is FREE_TEXT,
        )

    def _number(self, around: Sequence[dict[str, object]]) -> int | None:
        """The index of the innermost of these objects that has one; `true` is 1 to a client that counts with it."""
        for holder in reversed(around):
            for key in self._slots & holder.keys():
                number = holder[key]
                if isinstance(number, int):
                    return int(number)
        return None


def stands_alone(heard: Heard) -> bool:
    """Whether a text that belongs to no other is whole, and no piece of what came before it: one in a delta may be."""
    goes_on = _DELTA in heard.path and heard.form is Form.FRAGMENT and not heard.is_free_text
    return heard.fate is Fate.ALONE and not goes_on


def says_as(heard: Heard, form: Form, text: str) -> bool:
    """Whether a text says what another one says: the same text, or where one of them is an object the same object."""
    if heard.text == text or (heard.form is Form.OBJECT) is (form is Form.OBJECT):
        return heard.text == text
    return _as_printed(heard.form, heard.text) == _as_printed(form, text)


def _as_printed(form: Form, text: str) -> str | None:
    """The text as an object is printed; None where it is broken."""
    if form is Form.OBJECT:
        return text
    parsed = parse(text, max_nesting=_NESTING)
    return printed(parsed.value) if parsed.code is None else None


def _innermost(around: Sequence[dict[str, object]], key: str) -> str | None:
    """The first text under this key, in the innermost of the objects that has one."""
    texts = (holder.get(key) for holder in reversed(around))
    return next((text for text in texts if isinstance(text, str) and text), None)
