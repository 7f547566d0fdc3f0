"""Judges thousands of damaged fixtures and tells a digest of all reports: two kernels that agree have the same one.

`python -P -m support.made.judged_mutants SEED COUNT`, with `tests` on the path; prints the digest, and where the kernel
comes from. Example: the compiled kernel against the sources it was made of.
"""

import hashlib
import json
import sys

from support.made.mutations import CARRIED, load, mutants
from support.readings import streams

from replay.validator import Allowance, feedback_on, judge
from replay.validator.envelope import Envelope, envelope_from
from replay.validator.profiles import PROFILES, chunks

# Events of a recorded turn that are damaged: a few of each kind say as much as all of them.
SHORT = 40


def recorded() -> list[dict[str, object]]:
    """The recorded turns as fixtures, cut to their first and last events."""
    turns = ((stream.profile, streams.envelope(stream)) for stream in streams.read(streams.BUNDLED))
    return [
        {
            "profile": profile,
            "tool_schemas": turn.tool_schemas,
            PROFILES[profile].array: [*turn.payloads[:SHORT], *turn.payloads[SHORT:][-SHORT:]],
        }
        for profile, turn in turns
    ]


def digest(seed: int, count: int) -> str:
    """One digest over what is said of `count` damaged cases and recorded turns."""
    found = hashlib.sha256()
    for mutant in mutants(load(CARRIED) + recorded(), seed=seed, count=count):
        envelope = envelope_from(mutant)
        if not isinstance(envelope, Envelope):
            found.update(envelope.message.encode())
            continue
        report = judge(envelope, accept=list(Allowance))
        said = [report.as_dict(), {key: one.text for key, one in feedback_on(report).items()}]
        found.update(json.dumps(said, sort_keys=True).encode())
    return found.hexdigest()


if __name__ == "__main__":
    print(json.dumps({"digest": digest(int(sys.argv[1]), int(sys.argv[2])), "kernel": chunks.__file__}))
