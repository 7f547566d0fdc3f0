"""Every line of what may survive, widened in turn on exchanges full of canaries: the gate refuses whatever leaks.

Patching our own modules is right here alone: what is proved is that the gate catches a policy that lets too much pass.
Printed is the kill rate: of the policies that leak, how many the gate refuses, whole and each part of it by itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final

import pytest
from support.nightly import at_night
from support.planted.canaries import PIECE, canary
from support.planted.gate_parts import without_grams, without_vocabulary
from support.planted.hiding import Hidden, digits, hidden
from support.recorded.exchanges import body_of

import redaction.captured.facts as facts
import redaction.masks.arguments as arguments
import redaction.masks.mask as masks
import redaction.masks.tool_schemas as schemas
import redaction.redactor as redactor
from redaction.captured.argument_texts import argument_texts
from redaction.captured.exchange import Exchange, Proved, Reason, Refused
from redaction.families import FAMILIES, models
from redaction.families.tables.treatments import EMPTY, ByType, Formed, Rule, Table, Treatment, Unlisted
from replay.validator import read_envelope
from replay.validator.envelope import Envelope
from replay.validator.schema import KEYWORDS

Patch = pytest.MonkeyPatch
Widen = Callable[[Patch], None]
PROFILES: Final = tuple(FAMILIES)
KEPT: Final = Rule(Treatment.EMPTY, site="kept")


class _Everything(frozenset[str]):
    def __contains__(self, _: object) -> bool:
        return True


def _inside(table: Table) -> Iterator[tuple[str, Table]]:
    """The steps into a table: a member, `*` for the items of a list, `@kind` for the table of one type of object.

    Where an object is one of several things, `{}` for its members and `~` for all else.

    Of such a table only what the one for all other types says otherwise.
    """
    if isinstance(table, list):
        yield "*", table[0]
    elif isinstance(table, ByType):
        yield "@", table.other
        for kind, inner in table.tables.items():
            assert isinstance(inner, Mapping)
            assert isinstance(table.other, Mapping)
            own = {key: line for key, line in inner.items() if line is not table.other.get(key)}
            yield f"@{kind}", own
    elif isinstance(table, Formed):
        yield "{}", table.table
        yield "~", table.other
    elif isinstance(table, Mapping | Unlisted):
        yield from (table.table if isinstance(table, Unlisted) else table).items()


def _places(table: Table) -> Iterator[tuple[tuple[str, ...], Table]]:
    """Every table and line inside a table with its path; below a choice by type, what stands in several places once."""
    seen: set[int] = set()
    waiting: list[tuple[tuple[str, ...], Table]] = [((), table)]
    while waiting:
        path, here = waiting.pop(0)
        yield path, here
        for step, inner in _inside(here):
            if isinstance(inner, Rule) or id(inner) not in seen:
                waiting.append(((*path, step), inner))
            if not isinstance(inner, Rule) and path and path[0].startswith("@"):
                seen.add(id(inner))


def _leaves(table: Table) -> list[tuple[str, ...]]:
    """The path of every line of a table that says how a value is treated."""
    return [path for path, here in _places(table) if isinstance(here, Rule)]


def _objects(table: Table) -> list[tuple[str, ...]]:
    """The path of every list of members in a table."""
    return [path for path, here in _places(table) if isinstance(here, Mapping | Unlisted)]


def _at(path: tuple[str, ...], value: object) -> object:
    """A payload that has this value at that place, and nothing else."""
    for step in reversed(path):
        if step == "*":
            value = [value]
        elif step.startswith("@"):
            value = {"type": step[1:], **value} if isinstance(value, dict) and step != "@" else value
        elif step not in ("{}", "~"):
            value = {step: value}
    return value


Path = tuple[str, ...]


def _planted_at(profile: str, path: Path) -> tuple[dict[str, str], list[object]]:
    """The canaries of one place of the table, by name, and the payloads that hold them there and nothing else."""
    name = "/".join(path)
    if path in _objects(FAMILIES[profile].table):
        stranger = canary(f"stranger at {name}")
        return {f"stranger at {name}": stranger}, [_at(path, {stranger: 1})]
    text, number = canary(f"text at {name}"), digits(f"number at {name}")
    secrets = {f"text at {name}": text, f"number at {name}": str(number)}
    return secrets, [_at(path, text), _at(path, number)]


# What a body carries is of the family that its first payload is of.
_OPENINGS: Final[Mapping[str, bytes]] = {
    "bedrock-converse": body_of("bedrock-converse", [{"messageStart": {"role": "assistant"}}])
}


@cache
def laden(profile: str) -> Hidden:
    """An exchange with a text and a number at every place that a table names, and a stranger in every object."""
    planted = hidden(profile)
    secrets = dict(planted.canaries)
    payloads: list[object] = []
    for path in (*_leaves(FAMILIES[profile].table), *_objects(FAMILIES[profile].table)):
        found, more = _planted_at(profile, path)
        secrets |= found
        payloads += more
    body = _OPENINGS.get(profile, b"") + body_of(profile, payloads) + planted.exchange.body
    return Hidden(replace(planted.exchange, body=body), secrets)


def holding(profile: str, path: Path | None) -> Exchange:
    """What a widened line is tried on: where it is a line of the table, the payloads that have something there."""
    whole = laden(profile).exchange
    return whole if path is None else replace(whole, body=body_of(profile, _planted_at(profile, path)[1]))


def _changed(table: Table, path: tuple[str, ...], change: Callable[[Table], Table]) -> Table:
    """A copy of the table, changed at one place."""
    if not path:
        return change(table)
    if isinstance(table, list):
        return [_changed(table[0], path[1:], change)]
    if isinstance(table, ByType):
        if path[0] == "@":
            return replace(table, other=_changed(table.other, path[1:], change))
        kind = path[0][1:]
        return replace(table, tables={**table.tables, kind: _changed(table.tables[kind], path[1:], change)})
    if isinstance(table, Formed):
        if path[0] == "~":
            other = _changed(table.other, path[1:], change)
            assert isinstance(other, Rule)
            return replace(table, other=other)
        inner = _changed(table.table, path[1:], change)
        return replace(table, table=inner) if isinstance(inner, Mapping) else inner
    if isinstance(table, Unlisted):
        inner = _changed(table.table, path, change)
        return replace(table, table=inner) if isinstance(inner, Mapping) else inner
    assert isinstance(table, Mapping)
    return {key: _changed(inner, path[1:], change) if key == path[0] else inner for key, inner in table.items()}


def _table(profile: str, path: tuple[str, ...], change: Callable[[Table], Table], patch: Patch) -> None:
    class Wide(masks.Mask):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            empty = self._treat[Treatment.EMPTY]
            self._treat = {
                **self._treat,
                Treatment.EMPTY: lambda value, rule: value if rule is KEPT else empty(value, rule),
            }

    patch.setattr(redactor, "Mask", Wide)
    _family(profile, patch, table=_changed(FAMILIES[profile].table, path, change))


def _family(profile: str, patch: Patch, **changed: Any) -> None:
    patch.setitem(FAMILIES, profile, replace(FAMILIES[profile], **changed))  # type: ignore[arg-type]


def _with_words(rule: Table) -> Table:
    assert isinstance(rule, Rule)
    return Rule(rule.treatment, _Everything(rule.words), rule.site)


def _with_members(secrets: Mapping[str, str], table: Table) -> Table:
    if isinstance(table, Unlisted):
        return replace(table, table={**table.table, **dict.fromkeys(secrets.values(), EMPTY)})
    assert isinstance(table, Mapping)
    return {**table, **dict.fromkeys(secrets.values(), EMPTY)}


def _set(module: Any, name: str, value: object, patch: Patch) -> None:
    patch.setattr(module, name, value)


def _keyword(word: str, patch: Patch) -> None:
    """An annotation that is kept as it is."""
    keep = schemas._Masker._keyword
    patch.setattr(
        schemas._Masker,
        "_keyword",
        lambda self, keyword, value: value if keyword == word else keep(self, keyword, value),
    )


def _supported(patch: Patch) -> None:
    patch.setattr(schemas, "unsupported", lambda _: None)


def _assertion(word: str, patch: Patch) -> None:
    """A keyword that is kept whatever it says."""
    _supported(patch)
    _keyword(word, patch)


def lines(profile: str, secrets: Mapping[str, str]) -> Iterator[tuple[str, Widen, Path | None]]:
    """Every line that says what may survive, how it is widened by one, and its path where it is one of the table."""
    table = FAMILIES[profile].table
    own = profile == "openai" or table is not FAMILIES["openai"].table  # a shared table is widened once
    for path in _leaves(table) if own else ():
        name = "/".join(path)
        yield f"value of {name}", partial(_table, profile, path, lambda _: KEPT), path
        rule: Any = table
        for step in path:
            rule = dict(_inside(rule))[step]
        if rule.treatment is Treatment.WORD:
            yield f"words of {name}", partial(_table, profile, path, _with_words), path
    for path in _objects(table) if own else ():
        yield f"members of {'/'.join(path)}", partial(_table, profile, path, partial(_with_members, secrets)), path
    for place, secret in secrets.items():
        if "id" in place.split():
            yield f"verbatim id: {place}", partial(_family, profile, verbatim_ids=frozenset({secret})), None
    named = partial(_set, facts)
    yield "event names", partial(named, "_EVENT_NAMES", _Everything()), None
    yield "content types", partial(named, "_CONTENT_TYPES", _Everything()), None
    yield "adapters", partial(named, "_ADAPTERS", ((re.compile(r".*?(\w+)\Z", re.DOTALL), "curl"),)), None
    yield "adapter versions", partial(_agents), None
    yield "public models", partial(_models, "PUBLIC_MODELS"), None
    yield "model families", partial(_models, "MODEL_FAMILIES"), None
    yield "small indices", partial(_set, masks, "KEPT_INDEX", 2**60), None
    yield "largest index", partial(_largest), None
    yield "tails", partial(_set, arguments, "_KEPT", _Everything()), None
    yield "declared names", partial(_set, arguments, "declared", lambda *_: True), None
    for word in (*sorted(word for word, keyword in KEYWORDS.items() if not keyword.decides), "x-team"):
        yield f"annotation {word}", partial(_keyword, word), None
    for word in ("type", "format", "pattern", "required", "enum", "$ref", "$id"):
        yield f"keyword {word}", partial(_assertion, word), None


def _agents(patch: Patch) -> None:
    patch.setattr(facts, "_ADAPTERS", ((re.compile(r".*?(\w+)\Z", re.DOTALL), "curl"),))
    patch.setattr(facts, "_VERSION", re.compile("(.*)", re.DOTALL))


def _models(name: str, patch: Patch) -> None:
    patch.setattr(models, name, _Everything() if name == "PUBLIC_MODELS" else ("",))
    if name == "MODEL_FAMILIES":
        whole = lambda raw: raw  # noqa: E731 - the family of every name is the name
        patch.setattr(masks, "model", whole)
        patch.setattr(facts, "model", whole)


def _largest(patch: Patch) -> None:
    patch.setattr(masks, "KEPT_INDEX", 2**60)
    patch.setattr(masks, "MAX_INDEX", 2**60)


def _whole(_: Patch) -> None:
    """The gate as it is."""


PARTS: Final[Mapping[str, Widen]] = {
    "the whole gate": _whole,
    "n-grams alone": without_vocabulary,
    "vocabulary alone": without_grams,
}


@dataclass(slots=True)
class Killed:
    """How many widened policies there were, how many of them leaked, and which of these were not refused."""

    tried: int = 0
    leaking: int = 0
    survivors: list[str] | None = None


def _views(profile: str, finished: list[bytes]) -> list[bytes]:
    seen = list(finished)
    for data in finished:
        envelope = read_envelope(data)
        if isinstance(envelope, Envelope):
            seen += [text.encode("utf-8", "replace") for text in argument_texts(profile, envelope.payloads)]
    return seen


@cache
def _pieces(profile: str) -> frozenset[str]:
    """Every eight characters of every canary."""
    secrets = laden(profile).canaries.values()
    return frozenset(secret[at : at + PIECE] for secret in secrets for at in range(len(secret) - PIECE + 1))


def _leaks(profile: str, finished: list[bytes]) -> bool:
    pieces = _pieces(profile)
    return any(
        text[at : at + PIECE] in pieces
        for text in dict.fromkeys(view.decode("utf-8", "replace") for view in _views(profile, finished))
        for at in range(len(text) - PIECE + 1)
    )


def kill(profile: str, part: Widen, *, at_most: int | None = None) -> Killed:
    """Each line of one profile widened in turn, with the verdict out of the way: what remains is the gate.

    `at_most` takes about so many lines, from everywhere.
    """
    planted = laden(profile)
    killed = Killed(survivors=[])
    found = list(lines(profile, planted.canaries))
    for name, widen, path in found[:: max(1, len(found) // at_most) if at_most else 1]:
        finished: list[bytes] = []
        with pytest.MonkeyPatch.context() as patch:
            finish = redactor.finish

            def watched(draft: Any, finish: Any = finish, finished: list[bytes] = finished) -> Any:
                fixture = finish(draft)
                finished.append(fixture.data)
                return fixture

            patch.setattr(redactor, "finish", watched)
            patch.setattr(redactor, "same_verdict", lambda *_: True)
            part(patch)
            widen(patch)
            result = redactor.redact(holding(profile, path))
        killed.tried += 1
        if not _leaks(profile, finished):
            continue
        killed.leaking += 1
        caught = isinstance(result, Refused) and result.reason in (Reason.VOCABULARY, Reason.RAW_TEXT)
        if not caught:
            assert killed.survivors is not None
            killed.survivors.append(name)
    return killed


@pytest.mark.nightly
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_gate_refuses_every_widened_policy_that_leaks(profile: str, part: str) -> None:
    killed = kill(profile, PARTS[part])
    survivors = killed.survivors or []
    rate = 100 * (killed.leaking - len(survivors)) / killed.leaking
    print(f"{profile}, {part}: {killed.tried} lines widened, {killed.leaking} leak, {rate:.1f} % refused")
    assert killed.leaking > LEAKING[profile]
    assert survivors == []


# At least so many lines of each profile must leak when widened, or the exchange has lost its canaries.
LEAKING: Final = {
    "openai": 200,
    "mistral": 20,
    "anthropic": 150,
    "openai-responses": 300,
    "bedrock-converse": 60,
    "cohere-v2": 30,
    "gemini": 100,
    "ollama": 50,
}


@pytest.mark.parametrize("profile", at_night(PROFILES, but=("openai", "openai-responses", "gemini")))
def test_the_gate_refuses_widened_policies_of_a_sample(profile: str) -> None:
    killed = kill(profile, _whole, at_most=20)
    assert killed.leaking > 2
    assert killed.survivors == []


@pytest.mark.parametrize("profile", PROFILES)
def test_the_policy_as_it_is_leaks_nothing(profile: str) -> None:
    planted = laden(profile)
    result = redactor.redact(planted.exchange)
    assert isinstance(result, Proved)
    assert not _leaks(profile, [result.fixture.data])
