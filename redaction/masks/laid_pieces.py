"""The pieces of a call's object, masked as the object that they make and laid back over the same pieces.

    in      $.city "Os"…    $.city "lo"    $.note "hi Mara"     $.days[0] 3
    out     $.city "x"…     $.city "x"     $.key_1 "x"          $.days[0] 0

Here the schema declares `city` and `days`.
The object is printed as one text, `{"city":"Oslo","note":"hi Mara","days":[3]}`, with a cut on either side of each
piece of a string. `masks.arguments` masks that text as any other, and each string of it is laid over its pieces, one
character at least in each. An empty piece stays empty. A piece that does not fit is no part of the object: its value
is emptied, and its path is renamed as the paths are that do fit, so that it is out of place again.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, TypeAlias

from redaction.captured.laid_pieces import Laid, has_leaf, lay, piece_of, said
from redaction.masks.layout import spread
from replay.validator.limits import MAX_INDEX
from replay.validator.listener import Heard, Path
from replay.validator.paths import ARRAY, Piece, spelled_step
from replay.validator.strict_json import parse, printed

_NESTING: Final = 1024
# Indices up to here are kept even in a path that leads nowhere: real ones are small.
_KEPT_INDEX: Final = 4096
# The members of a piece.
PATH: Final = "jsonPath"
STRING: Final = "stringValue"
NUMBER: Final = "numberValue"
PLACEHOLDER: Final = "x"

_Steps: TypeAlias = tuple[str | int, ...]
_Mask: TypeAlias = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True, slots=True)
class _Names:
    """What each name is called in the masked object, by the path to what it names a member of."""

    declared: frozenset[str]
    _by_parent: dict[_Steps, dict[str, str]] = field(default_factory=dict, repr=False)

    def keep(self, parent: _Steps, raw: str, masked: str) -> None:
        self._by_parent.setdefault(parent, {})[raw] = masked

    def of(self, parent: _Steps, raw: str) -> str:
        """The masked name; of a member that no piece brought, a new one."""
        known = self._by_parent.setdefault(parent, {})
        if raw not in known:
            number = len(known) + 1
            while f"key_{number}" in known.values():
                number += 1
            known[raw] = raw if raw in self.declared else f"key_{number}"
        return known[raw]


def masked_pieces(heard: Sequence[Heard], names: frozenset[str], mask: _Mask) -> Iterator[tuple[int, Path, object]]:
    """What stands for each path and value: the event, the place in its payload, the masked text or number.

    `names` are the property names that the tool declares; `mask` masks an argument text that comes in fragments.
    """
    laid = lay(heard)
    parts, owners = fragments(laid)
    texts = mask(parts)
    known = _Names(names)
    values = _walked(laid.value, parse("".join(texts), max_nesting=_NESTING).value, known)
    between = {id(owner): _unescaped(text) for text, owner in zip(texts, owners, strict=True) if owner is not None}
    strings = dict(_strings(laid, values, between))
    misfits = {id(one) for one in laid.misfits}
    for one in heard:
        piece = piece_of(one)
        yield one.event, (*one.path, PATH), _path(piece, known, _KEPT_INDEX if id(one) in misfits else MAX_INDEX)
        if not has_leaf(piece):
            continue
        if isinstance(piece.value, str):
            yield one.event, (*one.path, STRING), strings.get(id(one), PLACEHOLDER if piece.value else "")
        else:
            yield one.event, (*one.path, NUMBER), values.get(piece.path, 0) if id(one) not in misfits else 0


def _strings(laid: Laid, values: Mapping[_Steps, object], between: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """What each piece of a string says, by its identity.

    What stands between its two cuts, where that is all of the string; else a character each, and the rest in the last.
    """
    for path, pieces in laid.leaves.items():
        value = values.get(path)
        if not isinstance(value, str):
            continue
        filled = [one for one in pieces if said(piece_of(one))]
        texts = [between[id(one)] for one in filled]
        texts = texts if "".join(texts) == value or not filled else spread(value, len(filled))
        yield from ((id(one), text) for one, text in zip(filled, texts, strict=True))


class _Sign(str):
    """A piece of text that is printed already."""

    __slots__ = ()


def fragments(laid: Laid) -> tuple[list[str], list[Heard | None]]:
    """The printed object, cut around each piece of a string; and which piece a fragment is, if it is one."""
    texts: list[str] = []
    owners: list[Heard | None] = []
    for text, owner in _parts(laid):
        if owner is None and owners and owners[-1] is None:
            texts[-1] += text
        else:
            texts.append(text)
            owners.append(owner)
    return texts, owners


def _parts(laid: Laid) -> Iterator[tuple[str, Heard | None]]:
    """The printed object in order: signs and names, and the pieces of its strings."""
    waiting: list[tuple[_Steps, object]] = [((), laid.value)] if laid.text else []
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, _Sign):
            yield item, None
        elif isinstance(item, dict):
            members = [((*path, name), _Sign(f"{_quoted(name)}:"), inner) for name, inner in item.items()]
            waiting += reversed([((), _Sign("{")), *_listed(members), ((), _Sign("}"))])
        elif isinstance(item, list):
            elements = [((*path, at), _Sign(""), inner) for at, inner in enumerate(item)]
            waiting += reversed([((), _Sign("[")), *_listed(elements), ((), _Sign("]"))])
        elif isinstance(item, str):
            yield '"', None
            yield from ((_quoted(said(piece_of(one)))[1:-1], one) for one in laid.leaves[path])
            yield '"', None
        else:
            yield printed(item) or "", None


def _listed(members: Sequence[tuple[_Steps, _Sign, object]]) -> list[tuple[_Steps, object]]:
    """Members with their names before them and commas between them."""
    found: list[tuple[_Steps, object]] = []
    for path, name, inner in members:
        found += [((), _Sign("," if found else "")), ((), name), (path, inner)]
    return found


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _unescaped(fragment: str) -> str:
    return str(json.loads(f'"{fragment}"'))


def _walked(raw: object, masked: object, names: _Names) -> dict[_Steps, object]:
    """The masked strings and numbers by the raw path to each; what every member is called is kept in `names`."""
    leaves: dict[_Steps, object] = {}
    waiting: list[tuple[_Steps, object, object]] = [((), raw, masked)]
    while waiting:
        path, left, right = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            for (name, inner), (new, other) in zip(left.items(), right.items(), strict=True):
                names.keep(path, name, new)
                waiting.append(((*path, name), inner, other))
        elif isinstance(left, list) and isinstance(right, list):
            waiting += (((*path, at), *pair) for at, pair in enumerate(zip(left, right, strict=True)))
        elif isinstance(left, int | Decimal) and not isinstance(left, bool):
            leaves[path] = parse(printed(right) or "0", max_nesting=1).value  # in the one spelling that is printed
        elif isinstance(left, str):
            leaves[path] = right
    return leaves


def _path(piece: Piece, names: _Names, most: int) -> str:
    """The path with masked names, spelled as it was; of a path that leads nowhere, only a small index is told."""
    steps: list[str] = []
    for at, step in enumerate(piece.path):
        new = names.of(piece.path[:at], step) if isinstance(step, str) else step if step <= most else MAX_INDEX
        steps.append(spelled_step(new, piece.spelling[at]))
    return "$" + "".join(steps) + (ARRAY if piece.array else "")
