r"""Texts that give wanted answers to several assertions at once, found by walking their automata side by side.

    pattern ^10\.  yes      1, 10, 10., 10.0, …      a text is begun here only if both
    format ipv4    yes      1, 10, 10., 10.0, …      can still end as they are wanted to

An assertion that is to answer *yes* bars every beginning from which no match is left; one that is to answer *no* bars
every beginning that has matched already. Of what remains the shortest texts come first, and of those of one length the
plainest: `x` before `0` before `X`. So the texts depend on the question alone, and each text of n characters is also
one of those with at least n characters, which is how the proof finds it again.

The search is bounded. Where the walk takes more than `_WORK` steps there is one text, put together from one text for
each expression, which the caller finds to answer or not.
Lengths are bounds on the walk. What is no expression (`enum`, an odd text of a format) is for the caller to ask. Knows
the keywords of schemas; knows no capture.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import chain, islice
from typing import Final, TypeAlias

from redaction.witnesses.format_expressions import EXPRESSIONS
from replay.validator.schema.patterns import Characters, Pattern, PatternError, Settled, State, compile_pattern

# Keyword, argument, and whether the assertion is to hold.
Wanted: TypeAlias = tuple[str, object, bool]
# The character that a place in the text must have.
Fixed: TypeAlias = Mapping[int, str]

# Steps of one expression, and bytes of its program that they go through, that one search may take.
_WORK: Final = 100_000
# Texts of one length that are looked at. A mask takes none behind them, so the proof need not look there.
PER_LENGTH: Final = 1_024
# Texts that are looked at in all.
_TEXTS: Final = 4_096
# Lengths that are tried of a text that was put together where a search gave up.
_PADDED: Final = 64
# Longer texts are not made to meet a bound of the schema.
_LONGEST: Final = 64 * 1024
# Characters of one kind (no expression tells them apart) that are used; different texts need different ones.
_OF_A_KIND: Final = 8
_PLAIN_FIRST: Final = "x0X-_. /:@a1A"
_PRINTABLE: Final = "".join(map(chr, range(0x20, 0x7F)))
_OTHERS: Final = "\u00e9\n\t\u65e5\U0001f600"
_SURROGATES: Final = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a text: expressions with their answers, and how many characters it may have."""

    expressions: tuple[tuple[str, bool], ...]
    least: int
    most: int


def question(wanted: Sequence[Wanted]) -> Question:
    """The part of the assertions that a search can follow."""
    expressions: dict[tuple[str, bool], None] = {}
    least, most = 0, _LONGEST
    for keyword, argument, holds in wanted:
        if keyword == "pattern" and isinstance(argument, str):
            expressions[argument, holds] = None
        elif keyword == "format" and isinstance(argument, str) and argument in EXPRESSIONS:
            expressions[EXPRESSIONS[argument], holds] = None
        elif keyword in ("minLength", "maxLength") and isinstance(argument, (int, Decimal, float)):
            bound = int(min(argument, _LONGEST + 1))
            if (keyword == "minLength") is holds:
                least = max(least, bound if holds else bound + 1)
            else:
                most = min(most, bound if holds else bound - 1)
    return Question(tuple(expressions), least, most)


def _nothing(_: int) -> Fixed:
    return {}


def texts(wanted: Sequence[Wanted], size: int, demanded: Callable[[int], Fixed] = _nothing) -> Iterator[str]:
    """Texts of at least `size` characters that should answer as wanted, shortest and plainest first.

    `demanded` gives the characters that certain places must have, for each length.
    """
    asked = question(wanted)
    search = _search(asked.expressions)
    if search is None:
        return
    yield from islice(search.texts(asked, size, demanded), _TEXTS)
    if search.gave_up:
        joined = _joined(asked.expressions)
        for length in range(max(size, len(joined)), max(size, len(joined)) + _PADDED):
            yield from _padded(joined, length)


def _joined(expressions: Sequence[tuple[str, bool]]) -> str:
    """One text for each expression that is to match, one behind the other: what is left where a search gives up."""
    matching = [expression for expression, holds in expressions if holds]
    matching.sort(key=lambda one: (not one.startswith("^")) + 2 * one.endswith("$"))
    searches = filter(None, (_search(((expression, True),)) for expression in matching))
    return "".join(next(search.texts(Question((), 0, _LONGEST), 0, _nothing), "") for search in searches)


def _padded(text: str, length: int) -> tuple[str, str]:
    padding = "x" * (length - len(text))
    return text + padding, padding + text


def gives(wanted: Sequence[Wanted], text: str, fixed: Fixed) -> bool:
    """Whether `text` is among the texts of its length; `fixed` are the characters that were demanded of it."""
    asked = question(wanted)
    search = _search(asked.expressions)
    if search is None or not asked.least <= len(text) <= asked.most:
        return False
    if text in search.of_length(len(text), fixed):
        return True
    return search.gave_up and text in _padded(_joined(asked.expressions), len(text))


class _TooMuchWorkError(Exception):
    """The bound of a search was passed. Has no text."""


# The state of each expression that is not decided yet, by its number.
_States: TypeAlias = tuple[tuple[int, State], ...]
# The states that some characters can lead to, by the number of characters; and those of them from which an end can be
# reached in as many as are left.
_Levels: TypeAlias = list[set[_States]]


@dataclass(slots=True)
class _Follower:
    """One expression, the answer that it is to give, and the steps of it that were taken."""

    pattern: Pattern
    holds: bool
    cost: int
    known: dict[tuple[State, int], State] = field(default_factory=dict)


@lru_cache(maxsize=128)
def _search(expressions: tuple[tuple[str, bool], ...]) -> "_Search | None":
    try:
        return _Search([(compile_pattern(expression), holds) for expression, holds in expressions])
    except PatternError:
        return None


class _Search:
    """The product of some automata, walked as far as it was needed."""

    def __init__(self, expressions: Sequence[tuple[Pattern, bool]]) -> None:
        self._followers = [_Follower(pattern, holds, 1 + pattern.size // 64) for pattern, holds in expressions]
        self._start: _States = tuple((at, one.pattern.begin) for at, one in enumerate(self._followers))
        self._kinds: dict[tuple[int, ...], int] = {}  # by what the expressions see of a character
        self._symbols: list[tuple[int, ...]] = []
        self._alphabet = self._characters()
        self._steps: dict[tuple[_States, int], _States | None] = {}
        self._levels: _Levels = [{self._start}]
        self._ends: dict[_States, bool] = {}
        self._work = 0
        self.gave_up = False  # the bound was passed

    def texts(self, asked: Question, size: int, demanded: Callable[[int], Fixed]) -> Iterator[str]:
        """The texts that end as they should, from `size` characters on."""
        length = max(size, asked.least)
        barren = 0
        while length <= asked.most:
            found = False
            fixed = demanded(length)
            for text in self.of_length(length, fixed):
                found = True
                yield text
            barren = 0 if found else barren + 1
            # With more characters than there are states a way goes through one state twice, and could be shorter.
            if barren > len(self._ends) or not (fixed or self._goes_on(length)):
                return
            length += 1

    def _goes_on(self, length: int) -> bool:
        """Whether any text of this length could still become one that ends as it should."""
        return len(self._levels) > length and bool(self._levels[length])

    def of_length(self, length: int, fixed: Fixed) -> Iterator[str]:
        """The texts of so many characters, plainest first; none where looking for them takes too long."""
        if self.gave_up:
            return iter(())
        try:
            levels = self._leading_to_an_end(self._walked(length, fixed), fixed)
        except _TooMuchWorkError:
            self.gave_up = True
            self._steps.clear()
            return iter(())
        return islice(self._spelled(levels, fixed), PER_LENGTH)

    def _characters(self) -> list[tuple[str, int]]:
        """What texts are made of, plainest first: some characters of each kind that the expressions tell apart."""
        found: list[tuple[str, int]] = []
        of_a_kind: dict[int, int] = {}
        sets = dict.fromkeys(one for follower in self._followers for one in follower.pattern.sets)
        for character in dict.fromkeys(chain(_PLAIN_FIRST, _PRINTABLE, _OTHERS, *map(_edges, sets))):
            kind = self._kind(character)
            of_a_kind[kind] = of_a_kind.get(kind, 0) + 1
            if of_a_kind[kind] <= _OF_A_KIND:
                found.append((character, kind))
        return found

    def _kind(self, character: str) -> int:
        symbols = tuple(follower.pattern.symbol(character) for follower in self._followers)
        kind = self._kinds.setdefault(symbols, len(self._kinds))
        if kind == len(self._symbols):
            self._symbols.append(symbols)
        return kind

    def _step(self, states: _States, kind: int) -> _States | None:
        """Where a character of this kind leads; None where some answer could not be given any more."""
        key = (states, kind)
        if key not in self._steps:
            self._steps[key] = self._stepped(states, self._symbols[kind])
        return self._steps[key]

    def _stepped(self, states: _States, symbols: tuple[int, ...]) -> _States | None:
        left = []
        self._work += len(states)
        for at, state in states:
            one = self._followers[at]
            symbol = symbols[at]
            after = one.known.get((state, symbol))
            if after is None:
                self._work += one.cost
                after = one.known[state, symbol] = one.pattern.after(state, symbol)
            if not isinstance(after, Settled):
                left.append((at, after))
            elif (after is Settled.MATCHED) is not one.holds:
                return None
        if self._work > _WORK:
            raise _TooMuchWorkError
        return tuple(left)

    def _ended(self, states: _States) -> bool:
        """Whether a text may end here."""
        if states not in self._ends:
            self._ends[states] = all(
                self._followers[at].pattern.ends(state) is self._followers[at].holds for at, state in states
            )
        return self._ends[states]

    def _walked(self, length: int, fixed: Fixed) -> _Levels:
        """The states that can be reached with each number of characters up to `length`."""
        levels = [{self._start}] if fixed else self._levels
        every = range(len(self._kinds))
        while len(levels) <= length and levels[-1]:
            demanded = fixed.get(len(levels) - 1)
            kinds = every if demanded is None else (self._kind(demanded),)
            reached = {
                after for states in levels[-1] for kind in kinds if (after := self._step(states, kind)) is not None
            }
            for states in reached:
                self._ended(states)
            levels.append(reached)
        return levels[: length + 1]

    def _leading_to_an_end(self, levels: _Levels, fixed: Fixed) -> _Levels:
        """Of these states those from which a text of the full length can end as it should; nothing where none can."""
        good = [{states for states in levels[-1] if self._ended(states)}]
        every = range(len(self._kinds))
        for at in reversed(range(len(levels) - 1)):
            demanded = fixed.get(at)
            kinds = every if demanded is None else (self._kind(demanded),)
            good.append(
                {states for states in levels[at] if any(self._step(states, kind) in good[-1] for kind in kinds)}
            )
        return good[::-1]

    def _spelled(self, levels: _Levels, fixed: Fixed) -> Iterator[str]:
        """The texts that these states lead through, in the order of the alphabet."""
        if not levels[0]:
            return
        text: list[str] = []
        ways = [self._ways(self._start, 0, levels, fixed)]
        if len(levels) == 1:
            yield ""
            return
        while ways:
            step = next(ways[-1], None)
            if step is None:
                ways.pop()
                del text[-1:]
                continue
            character, states = step
            if len(ways) == len(levels) - 1:
                yield "".join(text) + character
            else:
                text.append(character)
                ways.append(self._ways(states, len(ways), levels, fixed))

    def _ways(self, states: _States, at: int, levels: _Levels, fixed: Fixed) -> Iterator[tuple[str, _States]]:
        """Each character that may stand at this place, and where it leads."""
        demanded = fixed.get(at)
        characters = self._alphabet if demanded is None else [(demanded, self._kind(demanded))]
        for character, kind in characters:
            after = self._step(states, kind)
            if after is not None and after in levels[at + 1]:
                yield character, after


def _edges(characters: Characters) -> Iterator[str]:
    """Characters at both edges of the ranges of a set, and one of each category that it speaks of."""
    waiting = [characters]
    while waiting:
        here = waiting.pop()
        waiting += here.sets
        points = [point for low, high in here.ranges for point in (low, high, low - 1, high + 1)]
        yield from (chr(point) for point in points if 0 <= point <= 0x10FFFF and point not in _SURROGATES)
        if here.categories:
            yield from _one_of_each_category()


@lru_cache(maxsize=1)
def _one_of_each_category() -> tuple[str, ...]:
    """The first character of each category in ASCII, beyond it, and beyond the Latin letters."""
    found: dict[tuple[str, int], str] = {}
    for point in chain(range(0xD800), range(0xE000, 0x20000)):
        found.setdefault((unicodedata.category(chr(point)), (point >= 0x80) + (point >= 0x400)), chr(point))
    return tuple(found.values())
