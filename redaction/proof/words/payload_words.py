"""What a payload may say, by key name: the words of its wire family, names of declared tools, and placeholders.

In: a payload of a finished file. Out: the class of each place in it that holds anything else. The list of words is that
of the family for the proof (`Spoken`), which is written apart from the table that the masks follow, and goes by key and
not by position. Of `{"id": "c1", "choices": [{"index": 0, "note": "hi"}]}` the id is no ordinal, so it is "text of id";
`note` is no key of the family and no `unknown_1`, so it is "key in choices". Argument text is not judged here.
"""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final

from redaction.captured.faults import read_faulty, written
from redaction.captured.payloads import Break, as_clients_read
from redaction.families.tables.family import Spoken
from redaction.proof.words.argument_tokens import unescaped
from redaction.proof.words.declared import Declared
from redaction.proof.words.known_facts import MODELS
from replay.validator.strict_json import printed

OTHER: Final = re.compile(r"other_[0-9]{1,6}(?:_tool_result)?")
UNDECLARED: Final = re.compile(r"undeclared_[0-9]{1,6}")
# What may stand for text of a conversation, where its length is not told and where it is.
SHORT_TEXT: Final = re.compile(r"x?")
WIDE_TEXT: Final = re.compile(r"x*")
BREAKS: Final = frozenset(kind.value for kind in Break)
_INDEX_LIMIT: Final = 2 * 4096
_COUNTER_LIMIT: Final = 4 * 1_000_000
# A step of a path: a name in one of three spellings, or an index, a small one or the largest there is.
_STEP: Final = re.compile(
    r"""\.(?P<plain>[^.\[\]*'"\s]+)|\[(?P<quote>['"])(?P<quoted>(?:[^\\]|\\.)*?)(?P=quote)\]"""
    r"""|\[(?:[0-9]{1,4}|2147483647)\]"""
)
_FRACTION: Final = re.compile(r"0\.5|[0-9]{1,4}\.0")
_DIGITS: Final = re.compile(r"[0-9]{1,4}")
_COUNTER: Final = re.compile(r"[0-9]{1,7}")


class PayloadWords:
    """The words of the payloads of one fixture. `text` matches what may stand for text of the conversation.

    `is_member` says whether a member of arguments may have a name.

    `words` are the words of the family, whatever their key. `indices` are the numbers that a choice or slot can have:
    those that the payloads say, and places in a list of calls.
    """

    def __init__(
        self, spoken: Spoken, declared: Declared, text: re.Pattern[str], is_member: Callable[[str], bool]
    ) -> None:
        self._spoken = spoken
        self._declared = declared
        self._text = text
        # Of a value of another type it is told whether it was empty or 0.
        self._of_calls = spoken.names | spoken.identifier_keys | spoken.arguments | spoken.whole_arguments
        self._is_member = is_member
        self.words = frozenset().union(spoken.keys, *spoken.words.values())
        self.indices: set[int] = {0}
        self._calls: dict[int, int] = {}  # by payload, where calls are numbered over all of them

    def leaks(self, payload: object) -> Iterator[str]:
        """The class of each place of a payload that holds what may not stand there."""
        if isinstance(payload, str) and payload in BREAKS:
            return
        if isinstance(payload, str):
            faulty = read_faulty(payload)
            if faulty is None or written(faulty.value, faulty.faults) != payload:
                yield "payload that is no JSON"
                return
            payload = faulty.value
        waiting: list[tuple[str, object]] = [("", payload)]
        while waiting:
            key, value = waiting.pop()
            if isinstance(value, dict):
                yield from self._in_members(key, value)
                waiting += [(name, inner) for name, inner in value.items() if not self._is_argument(name, inner)]
            elif isinstance(value, list):
                waiting += [(key, inner) for inner in value]
                if key in self._spoken.calls:
                    self.indices.update(range(len(value)))
            elif isinstance(value, str):
                if not self.may_say(key, value):
                    yield f"text of {self._said(key)}"
            elif not self._may_count(key, value):
                yield f"value of {self._said(key)}"

    def count(self, payload: object) -> None:
        """Count the calls of a payload, where their numbers run over all payloads; equal payloads may be one object."""
        if not self._spoken.counted:
            return
        if id(payload) not in self._calls:
            self._calls[id(payload)] = self._calls_in(as_clients_read(payload))
        self.indices.update(range(len(self.indices), len(self.indices) + self._calls[id(payload)]))

    def _calls_in(self, payload: object) -> int:
        found, waiting = 0, [payload]
        while waiting:
            here = waiting.pop()
            if isinstance(here, list):
                waiting += here
            elif isinstance(here, dict):
                waiting += here.values()
                lists = [here[key] for key in self._spoken.calls & here.keys()]
                found += sum(len(one) if isinstance(one, list) else 1 for one in lists)
        return found

    def _in_members(self, key: str, members: dict[str, object]) -> Iterator[str]:
        """The leaks of one object beside its values: in its keys, and in how the numbers of arguments are spelled."""
        for name, inner in members.items():
            if name not in self._spoken.keys and not self._spoken.unlisted.fullmatch(name):
                yield f"key in {self._said(key)}"
            if self._is_argument(name, inner) and not _is_plainly_spelled(inner):
                yield "argument number"
            if name in self._spoken.slots and isinstance(inner, int) and 0 <= inner <= _INDEX_LIMIT:
                self.indices.add(inner)

    def may_say(self, key: str, text: str) -> bool:
        """Whether a payload may have `text` under `key`."""
        spoken = self._spoken
        if self._text.fullmatch(text):
            return True
        if key in spoken.words and (text in spoken.words[key] or OTHER.fullmatch(text)):
            return True
        if key in spoken.models:
            return text in MODELS
        if (key in spoken.indices or key in spoken.counters) and _DIGITS.fullmatch(text):
            return True
        if key in spoken.flags and text in ("true", "false"):
            return True
        if key in spoken.paths:
            return self._is_path(text)
        if key in spoken.names:
            return self._is_name(text)
        return key in spoken.identifier_keys and spoken.identifier.fullmatch(text) is not None

    def has_form(self, word: str) -> bool:
        """Whether `word` has the form of an id, of a tool's name or of a counter, which are words of no list."""
        return (
            self._spoken.identifier.fullmatch(word) is not None
            or self._is_name(word)
            or (bool(self._spoken.counters) and _COUNTER.fullmatch(word) is not None)
            or (bool(self._spoken.paths) and self._is_path(word))
        )

    def _is_name(self, text: str) -> bool:
        """Whether this is the name of a declared tool or a piece of it, or stands for one that is not; or parts."""
        if UNDECLARED.fullmatch(text) or any(text in tool for tool in self._declared.tools):
            return True
        if not self._spoken.parted_names:
            return False
        return all(not part or part in self._declared.parts or UNDECLARED.fullmatch(part) for part in text.split("."))

    def _is_path(self, text: str) -> bool:
        """Whether this is a path of declared names and of placeholders for names; or what stands for a broken one."""
        if not text.startswith("$"):
            return text in ("", "x")
        at, end = 1, len(text.removesuffix("[]"))
        while at < end:
            match = _STEP.match(text, at, end)
            if match is None:
                return False
            name = match["plain"] if match["quoted"] is None else unescaped(match["quoted"])
            if name is not None and not self._is_member(name):
                return False
            at = match.end()
        return True

    def _may_count(self, key: str, value: object) -> bool:
        """Whether a payload may have `value`, which is no text, under `key`."""
        called = key in self._of_calls
        if isinstance(value, bool):
            return not value or key in self._spoken.flags or key in self._spoken.indices or called
        if value is None:
            return True
        counts = key in self._spoken.counters
        if (counts or key in self._spoken.indices) and isinstance(value, Decimal):
            return _FRACTION.fullmatch(str(value)) is not None
        if type(value) is not int:
            return False  # a zero may be written with any exponent, and with any number of digits
        if counts and 0 <= value <= _COUNTER_LIMIT:
            return True
        is_index = counts or key in self._spoken.indices
        if key in self._spoken.identifier_keys and 0 <= value < _COUNTER_LIMIT:
            return True
        return value == 0 or (called and value == 1) or (is_index and (-1 <= value <= _INDEX_LIMIT or value == 2**31))

    def _is_argument(self, key: str, value: object) -> bool:
        """Whether a value is argument text or an object of arguments, which are judged assembled and printed."""
        if isinstance(value, (str, dict)):
            return key in self._spoken.arguments or key in self._spoken.whole_arguments
        return key in self._spoken.argument_numbers and not isinstance(value, bool | list | None)

    def _said(self, key: str) -> str:
        """The key as a place may name it; one that is no word of the family is not quoted."""
        return "payload" if not key else key if key in self._spoken.keys else "an unknown key"


def _is_plainly_spelled(arguments: object) -> bool:
    """Whether each number of an argument value is spelled as it is printed: its zeros and its exponent say nothing."""
    waiting: list[object] = [arguments]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list):
            waiting += here
        elif isinstance(here, int | Decimal) and not isinstance(here, bool) and str(here).lower() != printed(here):
            return False
    return True
