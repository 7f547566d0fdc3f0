"""What times and reads tell of answers that are alike in everything else: one family, one number of deltas, no call.

The times are made as those of a provider are: between two tokens some 20 milliseconds, now and then a pause, and reads
that hold one to four deltas, of which one in ten is torn. A fixture that is alone in its crowd is identified by whoever
has seen the traffic go by, though nothing that was said is in it.
"""

import collections
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from support.evaluation.anonymity import corpus, ordinary

from redaction.captured.exchange import Arrivals, Exchange, Kept, Proved
from redaction.redactor import redact

DELTAS: Final = 370
SETTINGS: Final[Mapping[str, Sequence[Kept]]] = {
    "default": (),
    "`--keep-timing`": (Kept.TIMES,),
    "`--keep-reads`": (Kept.READS,),
    "both": (Kept.TIMES, Kept.READS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Of one setting: answers, the share that is alone in its crowd, and the number of crowds."""

    answers: int
    alone: float
    crowds: int


def measure(seed: int, size: int, *, say: Callable[[str], None] = lambda _: None) -> dict[str, Told]:
    """What each setting tells of so many answers."""
    chance = random.Random(seed)
    answers = [_as_it_came(ordinary("openai", text, DELTAS), chance) for text in corpus(seed, size)]
    found = {}
    for name, kept in SETTINGS.items():
        crowds: collections.Counter[bytes] = collections.Counter()
        for answer in answers:
            result = redact(answer, kept=kept)
            assert isinstance(result, Proved)
            crowds[result.fixture.data] += 1
        alone = sum(count == 1 for count in crowds.values())
        found[name] = Told(answers=size, alone=alone / size, crowds=len(crowds))
        say(f"times and reads: {name}")
    return found


def _as_it_came(answer: Exchange, chance: random.Random) -> Exchange:
    events = [event + b"\n\n" for event in answer.body.split(b"\n\n")[:-1]]
    ends, at, waiting = [], 0, 0
    for event in events:
        at += len(event)
        waiting -= 1
        if waiting < 0:
            ends.append(at - chance.randrange(1, 20) if chance.random() < 0.1 else at)
            waiting = chance.randrange(4)
    ends = [*ends[:-1], len(answer.body)]
    gaps = [chance.lognormvariate(3.0, 0.8) + (400 if chance.random() < 0.01 else 0) for _ in ends]
    return replace(answer, arrivals=Arrivals(ends=tuple(ends), times=tuple(int(time) for time in accumulate(gaps))))
