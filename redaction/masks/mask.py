"""Payloads masked by position: what the table of the family names is treated as it says, everything else is emptied.

In: a payload as a JSON value, and the masked argument fragments by their path in it. Out: a new value that shares
nothing with the raw one. Of `{"id": "chatcmpl-A9xK", "note": "to Mara", "created": 1764460800}` the table of `openai`
names `id` as an identifier and `created` as emptied, and it does not know `note`: the masked payload is
`{"id": "chatcmpl-00000001", "unknown_1": "x", "created": 0}`. One `Mask` serves one capture, so that equal ids, names
and keys stay equal over all its payloads, and different ones different. Knows no bytes and no verdict.
"""

import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from typing import Final, NewType

from redaction.captured.exchange import Widths
from redaction.captured.faults import Faulty, has, written
from redaction.captured.payloads import Broken
from redaction.families import FAMILIES
from redaction.families.models import model
from redaction.families.tables.treatments import TEXT, ByType, Formed, Rule, Table, Treatment, Unlisted
from redaction.masks.layout import utf8_width
from replay.validator.listener import Path
from replay.validator.paths import ARRAY, read_path

MaskedPayload = NewType("MaskedPayload", object)  # minted here and nowhere else

# Indices up to here are kept: real ones are small, and a number this small tells nothing.
KEPT_INDEX: Final = 4096
# The largest index that is one (`docs/conformance.md`, Slots).
MAX_INDEX: Final = 2**31 - 1
# A number of a sequence up to here is kept: a stream has no more events than that.
KEPT_COUNTER: Final = 999_999
PLACEHOLDER: Final = "x"
ENCODED: Final = "xxxx"  # is base64 as well
# A text that is an index to a client that converts it, and the words for a boolean that one takes so.
_INDEX_TEXT: Final = re.compile(r"[0-9]{1,4}")
_TRUE: Final = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE: Final = frozenset({"false", "f", "no", "n", "off", "0"})
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2}==|[A-Za-z0-9+/_-]{3}=)?")
TOOL_RESULT: Final = "_tool_result"
UNLISTED: Final = "unknown_{}"
# Where arguments stand, which are masked beforehand and put in their place.
_ARGUMENTS: Final = frozenset({Treatment.FRAGMENT, Treatment.WHOLE, Treatment.PATH, Treatment.PIECE})


class Ordinals:
    """The numbers of raw values by their first appearance, from 1; equal values have one number."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def __getitem__(self, raw: str) -> int:
        return self._seen.setdefault(raw, len(self._seen) + 1)


class Mask:
    """The masks of one capture, which remember which ids, names, words and keys were the same.

    `tools` has what stands for each declared name that the turn has, and for the pieces that make one. `numbers` are
    the choice and slot numbers that the raw report names.
    """

    def __init__(
        self,
        profile: str,
        tools: Mapping[str, str],
        numbers: Collection[int],
        widths: Widths = Widths.DROPPED,
    ) -> None:
        family = FAMILIES[profile]
        self._table = family.table
        self._shapes = family.identifiers
        self._verbatim = family.verbatim_ids
        self._tools = tools
        parts = (pair for raw, name in tools.items() for pair in zip(raw.split("."), name.split("."), strict=False))
        self._parts = dict(parts) if family.spoken.parted_names else None
        self._last: tuple[int, int] | None = None  # the last number of a sequence, raw and masked
        self._largest = KEPT_COUNTER
        self.moved = False  # whether a fault of a payload stands elsewhere than it stood
        self._ids = {site: Ordinals() for site in self._shapes}
        self._numeric_ids = Ordinals()
        self._names = Ordinals()
        self._words = Ordinals()
        self._keys = Ordinals()
        large = sorted({number for number in numbers if number > KEPT_INDEX})
        self._indices = {number: KEPT_INDEX + 1 + at for at, number in enumerate(large)}
        self._treat: Final[Mapping[Treatment, Callable[[object, Rule], object]]] = {
            Treatment.WORD: self._word,
            Treatment.INDEX: self.index,
            Treatment.COUNTER: self._counter,
            Treatment.IDENTIFIER: self._identifier,
            Treatment.TOOL_NAME: self._tool_name,
            Treatment.FRAGMENT: _argument,
            Treatment.WHOLE: _argument,
            Treatment.TEXT: _emptied if widths is Widths.DROPPED else _as_wide,
            Treatment.ENCODED: _encoded if widths is Widths.DROPPED else _as_wide,
            Treatment.MODEL: _model,
            Treatment.EMPTY: _emptied,
            Treatment.FLAG: _flag,
            Treatment.PATH: _path,
            Treatment.PIECE: _emptied,
            Treatment.NULL: _null,
            Treatment.REASON: self._reason,
        }

    def payload(self, value: object, fragments: Mapping[Path, object]) -> MaskedPayload:
        """The masked payload; `fragments` has what stands for arguments, text or object, by the path to them."""
        if isinstance(value, Broken):
            return MaskedPayload(value.kind.value if value.faulty is None else self._faulty(value.faulty, fragments))
        return MaskedPayload(self._walk(value, self._table, () if fragments else None, fragments))

    def _faulty(self, raw: Faulty, fragments: Mapping[Path, object]) -> str:
        """The text of the masked value with the faults of the raw one."""
        value = self.payload(raw.value, fragments)
        self.moved = self.moved or not all(has(value, place) for place in raw.faults)
        return written(value, raw.faults)

    def _walk(self, value: object, table: Table, path: Path | None, fragments: Mapping[Path, object]) -> object:
        """The masked value; `path` leads to it, or is None where no fragment is waiting for its place."""
        if isinstance(table, Rule):
            if table.treatment in _ARGUMENTS and path is not None and path in fragments:
                return fragments[path]
            return None if value is None else self._treat[table.treatment](value, table)
        if isinstance(table, list):
            if isinstance(value, dict):
                return _hollow(value)
            if not isinstance(value, list):  # where parts may stand, so may the text itself
                return self._treat[Treatment.TEXT](value, TEXT)
            return [self._walk(item, table[0], _step(path, at), fragments) for at, item in enumerate(value)]
        if isinstance(table, (ByType, Formed)):
            return self._walk(value, _chosen(table, value), path, fragments)
        table, unlisted = (table.table, table) if isinstance(table, Unlisted) else (table, None)
        if not isinstance(value, dict):
            # A list where an object belongs: whether it bears a call depends on whether something is in it.
            return [None] if isinstance(value, list) and value else _emptied(value, None)
        return {
            key if key in table else self._unlisted(key, unlisted): (
                self._walk(inner, table[key], _step(path, key), fragments) if key in table else _emptied(inner, None)
            )
            for key, inner in value.items()
        }

    def _unlisted(self, key: str, decides: Unlisted | None) -> str:
        """What a key is called that no table names."""
        named = decides.name.search(key) if decides is not None else None
        if decides is None or named is None:
            return UNLISTED.format(self._keys[key])
        return decides.shape.format(self._keys[key], **named.groupdict(""))

    def index(self, value: object, _: object = None) -> object:
        """An index as a fixture shows it; what is no index keeps the way in which it is none."""
        if isinstance(value, Decimal):
            return Decimal(f"{int(value)}.0") if is_whole_index(value) else Decimal("0.5")
        if isinstance(value, str):
            return value if is_index_text(value) else _emptied(value, None)
        if not isinstance(value, int) or isinstance(value, bool):
            return value if isinstance(value, bool) else _emptied(value, None)
        if value < 0:
            return -1
        if value <= KEPT_INDEX:
            return value
        if value > MAX_INDEX:
            return MAX_INDEX + 1
        return self._indices.setdefault(value, KEPT_INDEX + 1 + len(self._indices))

    def _counter(self, value: object, _: object) -> object:
        """A number of a sequence. Of a large one only this may be told: whether it is the last one plus 1."""
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_INDEX:
            return self.index(value)
        masked = value
        if value > KEPT_COUNTER:
            # Two past the largest one so far, unless it follows the last one.
            masked = self._largest + 2
            if self._last is not None and value == self._last[0] + 1:
                masked = self._last[1] + 1
        self._last = (value, masked)
        self._largest = max(self._largest, masked)
        return masked

    def _word(self, value: object, rule: Rule) -> object:
        if not isinstance(value, str):
            return _emptied(value, None)
        if value in rule.words or not value:
            return value
        # Any `…_tool_result` is a block that the profile knows, so the ending decides.
        return f"other_{self._words[value]}" + (TOOL_RESULT if value.endswith(TOOL_RESULT) else "")

    def _reason(self, value: object, rule: Rule) -> object:
        return self._word(value, rule) if isinstance(value, str) else self.index(value)

    def _identifier(self, value: object, rule: Rule) -> object:
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
            return self._numeric_ids[str(Decimal(value).normalize())] if value else 0
        return self.identifier(value, rule.site) if isinstance(value, str) else _hollow(value)

    def identifier(self, raw: str, site: str) -> str:
        """What stands for an id: its ordinal, in the shape that ids have at this site. One that says "none" is kept."""
        if not raw or raw in self._verbatim:
            return raw
        return self._shapes[site].format(self._ids[site][raw])

    def _tool_name(self, value: object, _: Rule) -> object:
        return self.tool_name(value) if isinstance(value, str) else _hollow(value)

    def tool_name(self, raw: str) -> str:
        """What stands for a declared name, and `undeclared_N` for any other one."""
        if not raw or raw in self._tools:
            return self._tools.get(raw, raw)
        if self._parts is None:
            return f"undeclared_{self._names[raw]}"
        # `crm.find` may come as the name `find` beside the namespace `crm`.
        return ".".join(
            self._parts.get(part, part) if not part or part in self._parts else f"undeclared_{self._names[part]}"
            for part in raw.split(".")
        )


def _chosen(table: ByType | Formed, value: object) -> Table:
    if isinstance(table, Formed):
        return table.table if isinstance(value, dict) else table.other
    kind = value.get("type") if isinstance(value, dict) else None
    return table.tables.get(kind, table.other) if isinstance(kind, str) else table.other


def _step(path: Path | None, to: str | int) -> Path | None:
    return None if path is None else (*path, to)


def _emptied(value: object, _: object) -> object:
    """The value emptied to its JSON type; a text that is not empty becomes `x`."""
    if isinstance(value, str):
        return PLACEHOLDER if value else ""
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float, Decimal)):
        return 0
    return None if value is None else [] if isinstance(value, list) else {}


def is_base64(text: str) -> bool:
    """Whether a text is base64, of either alphabet."""
    return _BASE64.fullmatch(text) is not None


def _encoded(value: object, _: object) -> object:
    """Bytes emptied: clients that decode them must be able to, where they were."""
    return ENCODED if isinstance(value, str) and value and is_base64(value) else _emptied(value, None)


def _as_wide(value: object, _: object) -> object:
    """Text as placeholders of its width; anything else emptied."""
    if isinstance(value, str):
        return PLACEHOLDER * utf8_width(value)
    return _emptied(value, None)


def _hollow(value: object) -> object:
    """The value emptied, but a client that asks whether there is anything in it finds the same."""
    if isinstance(value, (int, Decimal)):
        return (value if isinstance(value, bool) else 1) if value else _emptied(value, None)
    if isinstance(value, dict) and value:
        return {UNLISTED.format(1): None}
    return [None] if isinstance(value, list) and value else _emptied(value, None)


def _argument(value: object, _: object) -> object:
    """What stands in the place of arguments and is none, or empty."""
    if isinstance(value, dict) and value:
        return {"key_1": PLACEHOLDER}
    return _emptied(value, None) if isinstance(value, str) else _hollow(value)


def is_index_text(text: str) -> bool:
    """Whether a text reads as an index that is kept."""
    return _INDEX_TEXT.fullmatch(text) is not None and int(text) <= KEPT_INDEX


def is_whole_index(value: Decimal) -> bool:
    """Whether a number with a fraction or an exponent is whole, and an index that would be kept."""
    return 0 <= value <= KEPT_INDEX and value == value.to_integral_value()


def _flag(value: object, _: object) -> object:
    if isinstance(value, str):
        return said_boolean(value) or _emptied(value, None)
    return value if isinstance(value, bool) else _emptied(value, None)


def said_boolean(text: str) -> str | None:
    """The word for a boolean that stands for all that clients take for the same one; None where it is none."""
    word = text.lower()
    return "true" if word in _TRUE else "false" if word in _FALSE else None


def _path(value: object, _: object) -> object:
    """A path that belongs to no call; what is none is none afterwards, and one of an array still is."""
    if not isinstance(value, str) or read_path(value) is None:
        return _emptied(value, None)
    return "$.key_1" + (ARRAY if value.endswith(ARRAY) else "")


def _null(value: object, rule: Rule) -> object:
    """A word for null. Any other string or number is none afterwards, too."""
    if isinstance(value, str):
        return value if value in rule.words else PLACEHOLDER
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return _emptied(value, None)
    return Decimal("0.5") if value else 0


def _model(value: object, _: object) -> object:
    return model(value) if isinstance(value, str) else _emptied(value, None)
