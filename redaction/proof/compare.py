"""Whether two reports say the same of a raw turn and of its masked form. Knows reports; knows no payload.

They may differ only in what masking renames. If the raw report has a finding in slot 70000 at the path `/ssn/0`, and
the masks made `key_1` of `ssn` and 4097 of the slot, then the masked report must have it in slot 4097 at `/key_1/0`.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from replay.validator import Call, Finding, Report
from replay.validator.schema import NOWHERE, pointer_of, step, tokens_of
from replay.validator.strict_json import parse

Rename: TypeAlias = Callable[[int], object]

# Arguments that reach the schema nest this deep at most, whatever the caller's limit.
_NESTING: Final = 512


def same_verdict(raw: Report, masked: Report, rename: Rename) -> bool:
    """Whether both have the same status, findings, calls and allowances, in the same order.

    `rename` gives the masked number of a choice or slot. A path is followed through the raw and the masked arguments at
    once, by position: masked arguments have the members of the raw ones, in their order.
    """
    if raw.status is not masked.status or len(raw.calls) != len(masked.calls):
        return False
    if len(raw.findings) != len(masked.findings) or len(raw.allowances) != len(masked.allowances):
        return False
    calls = {(call.choice, call.slot): (call, masked.calls[at]) for at, call in enumerate(raw.calls)}
    return (
        all(_same_call(left, right, rename) for left, right in zip(raw.calls, masked.calls, strict=True))
        and all(
            _same_finding(left, right, rename, calls) for left, right in zip(raw.findings, masked.findings, strict=True)
        )
        and all(
            (left.name, left.event) == (right.name, right.event)
            and _place(left.choice, left.slot, rename) == (right.choice, right.slot)
            for left, right in zip(raw.allowances, masked.allowances, strict=True)
        )
    )


def _place(choice: int | None, slot: int | None, rename: Rename) -> tuple[object, object]:
    return (None if choice is None else rename(choice), None if slot is None else rename(slot))


def _same_call(raw: Call, masked: Call, rename: Rename) -> bool:
    return (
        _place(raw.choice, raw.slot, rename) == (masked.choice, masked.slot)
        and raw.state is masked.state
        and (raw.id is None) is (masked.id is None)
        and (raw.name is None) is (masked.name is None)
        and bool(raw.arguments) is bool(masked.arguments)
    )


def _same_finding(
    raw: Finding, masked: Finding, rename: Rename, calls: Mapping[tuple[int, int], tuple[Call, Call]]
) -> bool:
    if raw.code is not masked.code or raw.event != masked.event:
        return False
    if _place(raw.choice, raw.slot, rename) != (masked.choice, masked.slot):
        return False
    if raw.path is None or masked.path is None:
        return raw.path == masked.path
    if raw.choice is None or raw.slot is None:
        return False
    left, right = calls[raw.choice, raw.slot]
    return _renamed(raw.path, left.arguments, right.arguments) == masked.path


def _renamed(path: str, raw: str, masked: str) -> str | None:
    """The JSON Pointer `path` into the text `raw`, as it reads in `masked`; None where the shapes differ."""
    left = parse(raw, max_nesting=_NESTING).value
    right = parse(masked, max_nesting=_NESTING).value
    tokens = []
    for token in tokens_of(path):
        name = token
        if isinstance(left, dict) and isinstance(right, dict) and token in left and len(left) == len(right):
            name = list(right)[list(left).index(token)]
        elif not (isinstance(left, list) and isinstance(right, list) and len(left) == len(right)):
            return None
        left, right = step(left, token), step(right, name)
        if left is NOWHERE:
            return None
        tokens.append(name)
    return pointer_of(tokens)
