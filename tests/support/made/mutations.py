"""Fixtures damaged at random, from a seed: the same seed gives the same fixtures. And what holds of any report."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from support.shared import ROOT

from replay.validator import Report, State, Status, feedback_on
from replay.validator.findings import EXIT_CODES
from replay.validator.strict_json import parse

CARRIED: Final = ROOT / "tests" / "data" / "cases"

# What is put in the place of something: values of every type, and the words and numbers on which rules turn.
STRANGE: Final = (
    *(None, True, False, 0, 1, 2, -1, 2**31 - 1, 2**31, 10**400, 0.5, 1.0, [], {}, [[]], {"": {}}),
    *("", "null", "function", "tool_calls", "stop", "tool_use", "end_turn", "error", "input_json_delta", "\ud800"),
    *("{", "}", "{}", '{"a":1}', '{"a":1,"a":2}', "NaN", " ", "\ufeff{}", "[DONE]", "[" * 70, "é"),
    *({"$ref": "#"}, {"type": "object"}, {"pattern": "("}, {"error": 1}, {"index": 0}),
)


def load(folder: Path) -> list[dict[str, Any]]:
    """The fixtures of a folder of cases that are JSON objects."""
    read = (
        parse(path.read_bytes().decode("utf-8", "replace"), max_nesting=512).value
        for path in sorted(folder.glob("*.json"))
        if not path.name.endswith(".expected.json")
    )
    return [value for value in read if isinstance(value, dict)]


def places(value: object) -> list[tuple[Any, Any]]:
    """Every container and key in a value."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            found.extend((item, key) for key in item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            found.extend((item, index) for index in range(len(item)))
            waiting.extend(item)
    return found


def copied(value: Any) -> Any:
    """Containers anew, scalars as they are; quicker than `copy.deepcopy`, which counts here."""
    if isinstance(value, dict):
        return {name: copied(member) for name, member in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def mutants(fixtures: list[dict[str, Any]], *, seed: int, count: int) -> Iterator[dict[str, Any]]:
    """`count` fixtures, each with one to four things replaced, removed, doubled, moved, cut or transplanted."""
    chance = random.Random(seed)
    donors = [member for fixture in fixtures for container, key in places(fixture) for member in [container[key]]]
    for _ in range(count):
        fixture = copied(chance.choice(fixtures))
        for _ in range(chance.randint(1, 4)):
            spots = places(fixture)
            if not spots:
                break
            _mutate(*chance.choice(spots), chance, donors)
        yield fixture


def _mutate(container: Any, key: Any, chance: random.Random, donors: list[Any]) -> None:
    action = chance.choice(("replace", "transplant", "remove", "double", "shuffle", "cut", "cut"))
    value = container[key]
    if action == "replace":
        container[key] = copied(chance.choice(STRANGE))
    elif action == "transplant":
        container[key] = copied(chance.choice(donors))
    elif action == "remove":
        del container[key]
    elif action == "cut" and isinstance(value, str):
        middle = chance.randint(0, len(value))
        container[key] = chance.choice((value[:middle], value[middle:], value + value[middle:]))
    elif isinstance(container, list) and action == "double":
        container.insert(chance.randint(0, len(container)), copied(value))
    elif isinstance(container, list):
        chance.shuffle(container)


def hangs_together(report: Report) -> None:
    """What holds of every report; an AssertionError where it does not."""
    found = [(finding.code, finding.choice, finding.slot) for finding in report.findings]
    assert len(set(found)) == len(found), "once each"
    events = [finding.event for finding in report.findings]
    seen = [event for event in events if event is not None]
    assert seen == sorted(seen), "by event"
    assert events[: len(seen)] == seen, "the end comes last"
    assert report.executable is (bool(report.calls) and not report.findings)
    assert report.applicable is (report.status in (Status.PASS, Status.BLOCKED))
    assert report.exit_code == EXIT_CODES[report.status]
    assert all(call.state in (State.VALIDATED, State.BLOCKED) for call in report.calls)
    named = {(finding.choice, finding.slot) for finding in report.findings}
    assert all(call.state is State.BLOCKED for call in report.calls if (call.choice, call.slot) in named)
    order = [(call.choice, call.slot) for call in report.calls]
    assert order == sorted(set(order)), "ascending"
    feedback = feedback_on(report)
    assert set(feedback) == ({call.id for call in report.calls if call.id} if report.findings else set())
    assert all(finding.message for finding in report.findings)
    json.dumps(report.as_dict())
