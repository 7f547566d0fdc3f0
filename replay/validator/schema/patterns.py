r"""ECMAScript regular expressions, a documented subset with the meaning of the `u` flag, in time linear in the text.

In the subset: literals, `.`, classes, `\d \D \w \W \s \S`, `\t \n \v \f \r \0 \cX \xHH \uHHHH \u{H...}`, escaped
pairs of surrogates, `\p{...}` and `\P{...}` for general categories and `Any`, `ASCII`, `Assigned`; groups (capturing,
named, non-capturing; what they capture is never used); `|`; `* + ? {n} {n,} {n,m}`, greedy or lazy, which decide the
same; `^ $ \b \B`. Outside it, and refused: look-ahead and look-behind, back-references, inline flags, other
properties, whatever the `u` flag makes a syntax error, and expressions past the bounds below.

`parse` gives the tree, `compile_pattern` the matcher: a simulation of the automaton that remembers the transitions it
has seen, so each character costs at most one walk over the states, whatever the expression.
"""

from collections.abc import Iterable
from enum import Enum, unique
from functools import lru_cache
from typing import Final, TypeAlias

from replay.validator.schema._pattern_tree import (
    WORD,
    Anchor,
    Characters,
    Choice,
    PatternError,
    Repeat,
    Sequence,
    Tree,
    parse,
)

__all__ = [
    "Anchor",
    "Characters",
    "Choice",
    "Pattern",
    "PatternError",
    "Repeat",
    "Sequence",
    "Settled",
    "State",
    "Tree",
    "compile_pattern",
    "parse",
]

# Instructions of one compiled expression: a step of the simulation walks over each at most once.
MAX_INSTRUCTIONS: Final = 2_000
# Remembered transitions, and remembered characters, of one expression: dropped and begun anew past this.
MAX_REMEMBERED: Final = 20_000

# One instruction: take a character of the set and go on to the next one, go on to the next one where the anchor holds,
# or go on to each of the targets.
_Instruction: TypeAlias = Characters | Anchor | tuple[int, ...]


class _Assembler:
    """A program that grows as the parts of a tree are added; running past its last instruction is a match."""

    def __init__(self) -> None:
        self.program: Final[list[_Instruction]] = []

    def _emit(self, instruction: _Instruction) -> int:
        if len(self.program) >= MAX_INSTRUCTIONS:
            raise PatternError(f"an expression of more than {MAX_INSTRUCTIONS} instructions", 0)
        self.program.append(instruction)
        return len(self.program) - 1

    def add(self, part: Tree) -> None:
        if isinstance(part, (Characters, Anchor)):
            self._emit(part)
        elif isinstance(part, Sequence):
            for inner in part.parts:
                self.add(inner)
        elif isinstance(part, Choice):
            self._choose(part)
        else:
            self._repeat(part)

    def _choose(self, part: Choice) -> None:
        fork = self._emit(())
        starts, leaves = [], []
        for option in part.options:
            starts.append(len(self.program))
            self.add(option)
            leaves.append(self._emit(()))
        self.program[fork] = tuple(starts)
        for leave in leaves:
            self.program[leave] = (len(self.program),)

    def _repeat(self, part: Repeat) -> None:
        for _ in range(part.least):
            before = len(self.program)
            self.add(part.body)
            if len(self.program) == before:
                break  # a body of nothing: the same however often, and it must not cost that often
        if part.most is None:
            fork = self._emit(())
            self.add(part.body)
            self._emit((fork,))
            self.program[fork] = (fork + 1, len(self.program))
            return
        skips = []
        for _ in range(part.most - part.least):
            skips.append(self._emit(()))
            self.add(part.body)
        for skip in skips:
            self.program[skip] = (skip + 1, len(self.program))


def _assemble(tree: Tree) -> list[_Instruction]:
    """The tree as a program."""
    assembler = _Assembler()
    assembler.add(tree)
    return assembler.program


@unique
class _Side(Enum):
    """What stands on one side of a place in the text."""

    NOTHING = 0
    WORD = 1
    OTHER = 2


# A set of counters into the program, one bit each.
_Counters: TypeAlias = int


class _Moment:
    """The counters alive at a place, before anchors and forks are followed: one state of the automaton."""

    __slots__ = ("before", "counters", "next")

    def __init__(self, counters: _Counters, before: _Side) -> None:
        self.counters = counters
        self.before = before
        self.next: dict[int, _Moment | None] = {}  # by symbol; None: the expression has matched


class _Closure:
    """Where anchors and forks lead from any set of counters, given what stands on both sides.

    Unions are kept by it, so it is looked up byte by byte of the set, and each byte is worked out once.
    """

    __slots__ = ("_after", "_before", "_bytes", "_program")

    def __init__(self, program: list[_Instruction], before: _Side, after: _Side) -> None:
        self._program = program
        self._before = before
        self._after = after
        self._bytes: dict[tuple[int, int], _Counters] = {}

    def of(self, counters: _Counters) -> _Counters:
        """All counters reached that wait for a character, and the one past the end where it is reached."""
        reached = 0
        for place, byte in enumerate(counters.to_bytes(len(self._program) // 8 + 1, "little")):
            if byte:
                found = self._bytes.get((place, byte))
                if found is None:
                    found = self._bytes[place, byte] = self._follow(place * 8, byte)
                reached |= found
        return reached

    def _follow(self, base: int, byte: int) -> _Counters:
        onward = [base + bit for bit in range(8) if byte >> bit & 1]
        seen = set(onward)
        reached = 0
        while onward:
            counter = onward.pop()
            what = self._program[counter] if counter < len(self._program) else None
            targets: tuple[int, ...] = ()
            if what is None or isinstance(what, Characters):
                reached |= 1 << counter
            elif isinstance(what, tuple):
                targets = what
            elif _holds(what, self._before, self._after):
                targets = (counter + 1,)
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    onward.append(target)
        return reached


def _holds(anchor: Anchor, before: _Side, after: _Side) -> bool:
    if anchor is Anchor.START:
        return before is _Side.NOTHING
    if anchor is Anchor.END:
        return after is _Side.NOTHING
    boundary = (before is _Side.WORD) is not (after is _Side.WORD)
    return boundary is (anchor is Anchor.WORD_BOUNDARY)


@unique
class Settled(Enum):
    """The state of a matcher that no further character can change."""

    MATCHED = 0
    BARRED = 1  # no match is left, whatever comes


# Where a matcher is, between two characters of a text.
State: TypeAlias = tuple[_Counters, _Side] | Settled


class Pattern:
    """A compiled expression; making one raises PatternError. `tree` is what it was.

    `found_in` asks about a whole text. `begin`, `after` and `ends` go through a text one character at a time, for who
    looks for a text that several expressions accept.
    """

    def __init__(self, source: str) -> None:
        self.tree: Final = parse(source)
        program = _assemble(self.tree)
        self._end: Final[_Counters] = 1 << len(program)
        self._closures: Final = {
            (before, after): _Closure(program, before, after) for before in _Side for after in _Side
        }
        # The counters that wait for each distinct set. The symbol of a character tells the sets that hold it.
        self._takers: Final[dict[Characters, _Counters]] = {}
        for counter, what in enumerate(program):
            if isinstance(what, Characters):
                self._takers[what] = self._takers.get(what, 0) | 1 << counter
        self._symbols: dict[str, int] = {}
        self._moments: dict[tuple[_Counters, _Side], _Moment] = {}
        self._remembered = 0
        self._begin: Final = _Moment(1, _Side.NOTHING)
        # Where `^` bars every way in, no match begins behind the first character.
        inside = [self._closures[before, after].of(1) for before in (_Side.WORD, _Side.OTHER) for after in _Side]
        self._restart: Final[_Counters] = 1 if any(inside) else 0

    def found_in(self, text: str) -> bool:
        """Whether the expression matches somewhere in the text."""
        begin = moment = self._begin
        symbols = self._symbols
        for character in text:
            symbol = symbols.get(character)
            if symbol is None:
                symbol = self._symbol(character)
            following = moment.next.get(symbol, begin)
            if following is begin:  # nothing ever leads back to the beginning, so: not seen yet
                following = self._step(moment, symbol)
            if following is None:
                return True
            if not following.counters:
                return False
            moment = following
        return bool(self._closures[moment.before, _Side.NOTHING].of(moment.counters) & self._end)

    @property
    def size(self) -> int:
        """How many instructions the expression has."""
        return self._end.bit_length() - 1

    @property
    def begin(self) -> State:
        """The state before the first character."""
        return (self._begin.counters, self._begin.before)

    @property
    def sets(self) -> Iterable[Characters]:
        """The sets of characters that the expression tells apart, beside that of the characters of words."""
        return self._takers.keys()

    def symbol(self, character: str) -> int:
        """What the expression sees of a character: those with one symbol lead to the same states."""
        found = self._symbols.get(character)
        return self._symbol(character) if found is None else found

    def after(self, state: State, symbol: int) -> State:
        """The state behind a character that has this symbol."""
        if isinstance(state, Settled):
            return state
        side = _Side.WORD if symbol & 1 else _Side.OTHER
        waiting = self._closures[state[1], side].of(state[0])
        if waiting & self._end:
            return Settled.MATCHED
        counters = (waiting & symbol >> 1) << 1 | self._restart
        return (counters, side) if counters else Settled.BARRED

    def ends(self, state: State) -> bool:
        """Whether the expression matches in a text that ends in this state."""
        if isinstance(state, Settled):
            return state is Settled.MATCHED
        return bool(self._closures[state[1], _Side.NOTHING].of(state[0]) & self._end)

    def _symbol(self, character: str) -> int:
        """The counters that may take the character, above one bit for a word character."""
        if len(self._symbols) >= MAX_REMEMBERED:
            self._symbols.clear()
        symbol = 0
        for found, counters in self._takers.items():
            if found.holds(character):
                symbol |= counters
        symbol = symbol << 1 | WORD.holds(character)
        self._symbols[character] = symbol
        return symbol

    def _step(self, moment: _Moment, symbol: int) -> _Moment | None:
        """Where a symbol leads; None where the expression has matched before it."""
        self._remembered += 1
        if self._remembered > MAX_REMEMBERED:
            self._remembered = 0
            self._moments.clear()
            self._begin.next.clear()
            moment.next.clear()
        side = _Side.WORD if symbol & 1 else _Side.OTHER
        waiting = self._closures[moment.before, side].of(moment.counters)
        following: _Moment | None = None
        if not waiting & self._end:
            # A counter that takes the character goes on to the next: one place to the left.
            key = (waiting & symbol >> 1) << 1 | self._restart, side
            following = self._moments.get(key)
            if following is None:
                following = self._moments[key] = _Moment(*key)
        moment.next[symbol] = following
        return following


# Compiled expressions that are kept: more than the large schemas have that were seen, some 300.
@lru_cache(maxsize=1024)
def compile_pattern(source: str) -> Pattern:
    """The matcher of an expression; PatternError where it is outside the subset."""
    return Pattern(source)
