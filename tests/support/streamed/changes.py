"""Faults of what is called and of what was asked for: the turn is changed, and then told as its family tells one."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from support.streamed.family import Fault
from support.streamed.pieces import KINDS, Call, Payload, Turn, prose, retold, word, written

Change: TypeAlias = Callable[[Turn], None]


def told(changes: Mapping[str, Change], tell: Callable[[Turn], list[Payload]]) -> dict[str, Fault]:
    """These changes as operators of a family that tells turns so."""
    return {code: partial(_changed, change, tell) for code, change in changes.items()}


def _changed(change: Change, tell: Callable[[Turn], list[Payload]], one: Turn) -> list[Payload]:
    change(one)
    return tell(one)


def _json_calls(one: Turn) -> list[int]:
    """The calls whose text is JSON; the first always is."""
    return [at for at, call in enumerate(one.calls) if not call.free]


def _with_text(make: Callable[[Turn], str]) -> Change:
    def apply(one: Turn) -> None:
        retold(one, one.chance.choice(_json_calls(one)), make(one))

    return apply


def _blank(one: Turn) -> None:
    retold(one, one.chance.randrange(len(one.calls)), one.chance.choice(("", " ", "\n\t ")))


def _inside(one: Turn, number: str) -> str:
    """The arguments of a call with one more member, of which this is the value."""
    call = one.calls[0]
    return call.text.rstrip()[:-1] + f', "{word(one.chance)}": {number}}}'


def _broken(one: Turn) -> str:
    """A text that is no JSON: not by what follows it alone, and not by chance JSON after all."""
    while True:
        text = _damaged(one)
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                return text


def _damaged(one: Turn) -> str:
    text, chance = one.calls[0].text, one.chance
    at = chance.randrange(1, len(text))
    return chance.choice(
        (
            text[:at],
            text[:at] + chance.choice(("\\q", "}}", '"', "'", ",,", "\x01", "x", "0", ":")) + text[at:],
            "```json\n" + text + "\n```",
            prose(chance),
            text.replace(":", "=", 1),
            text.replace('"', "'"),
            text[:-1] + ",}",
            "{" + word(chance) + ": 1}",
            text[:at] + "\\u12",
        )
    )


def _deep(one: Turn) -> str:
    levels = 64 + one.chance.randrange(1, 30)
    return '{"anything": ' + "[" * levels + json.dumps(prose(one.chance)) + "]" * levels + "}"


def _twice(one: Turn) -> str:
    key = json.dumps(one.chance.choice((prose(one.chance), sorted(one.calls[0].value)[0])))
    return f"{{{key}: {json.dumps(prose(one.chance))}, {key}: {one.chance.randrange(99)}}}"


def _lone(one: Turn) -> str:
    half = f"\\u{one.chance.choice(('d83d', 'dc00', 'DBFF'))}"
    secret = json.dumps(prose(one.chance))[1:-1]
    return f'{{"{secret}": "{secret}{half} {secret}"}}'


def _violation(one: Turn) -> None:
    chance = one.chance
    at = chance.choice(_json_calls(one))
    call = one.calls[at]
    kinds = [kind for kind in call.value if kind in KINDS and KINDS[kind].bad is not None]
    value = dict(call.value)
    if not kinds or chance.random() < 0.15:
        first = next(iter(value))
        del value[first]  # the one that is required
    else:
        kind = chance.choice(kinds)
        bad = KINDS[kind].bad
        assert bad is not None
        value[kind] = bad(chance)
    retold(one, at, written(value, chance))


def _unsupported_schema(one: Turn) -> None:
    schema = one.schemas[one.calls[0].name]
    extra: dict[str, object] = one.chance.choice(
        ({"unevaluatedProperties": False}, {"$id": word(one.chance)}, {"pattern": f"(?={word(one.chance)})"})
    )
    schema.update(extra)


def _unknown_tool(one: Turn) -> None:
    one.calls[0].name = f"{word(one.chance)}_tool"


def _forbidden(one: Turn) -> None:
    """The request wants no call at all."""
    one.tool_choice = "none"


def _unrequested(one: Turn) -> None:
    if len(one.calls) > 1 and one.chance.random() < 0.5:
        one.parallel = False
    else:
        _forbidden(one)


def _same_id(one: Turn) -> None:
    first = one.calls[0]
    one.calls.append(Call(first.name, first.value, first.text, list(first.pieces), call_id=first.call_id))


# A second call with the id of the first, where no slot says another one.
DUPLICATE: Final[Mapping[str, Change]] = {"duplicate_id": _same_id}
# What is left of a call that nobody asked for where no request can limit the calls to one.
FORBIDDEN: Final[Mapping[str, Change]] = {"unrequested_call": _forbidden}
# Empty arguments, which only some families do not take for none.
EMPTY: Final[Mapping[str, Change]] = {"empty_arguments": _blank}
CHANGES: Final[Mapping[str, Change]] = {
    "limit_exceeded": _with_text(_deep),
    "unrequested_call": _unrequested,
    "unknown_tool": _unknown_tool,
    "unsupported_schema": _unsupported_schema,
    "malformed_arguments": _with_text(_broken),
    "trailing_data": _with_text(
        lambda one: one.calls[0].text + one.chance.choice(("{}", " x", " 1", prose(one.chance), "]"))
    ),
    "non_finite_number": _with_text(
        lambda one: _inside(one, one.chance.choice(("NaN", "-Infinity", "1e999", "9" * 400)))
    ),
    "duplicate_key": _with_text(_twice),
    "invalid_unicode": _with_text(_lone),
    "non_object_arguments": _with_text(
        lambda one: written(
            one.chance.choice(([prose(one.chance)], prose(one.chance), one.chance.randrange(10**9), None, True)),
            one.chance,
        )
    ),
    "schema_violation": _violation,
}
