"""The measured figures as tables of a page, and whether they meet the targets."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from support.evaluation.anonymity import MAY_BE_ALONE, TARGETS, VIEWS, Crowds
from support.evaluation.contracts import SETTINGS, Contracts, Site
from support.evaluation.demanding import Demands
from support.evaluation.leaks import Tally
from support.evaluation.network_times import Told
from support.evaluation.verdicts import CLEAN, Judged, Verdicts

# Canaries of each wire family: with fewer a zero says too little.
MINIMUM: Final = 10_000
FAULTY_REFUSED: Final = 0.005


@dataclass(frozen=True, slots=True)
class Target:
    """What was aimed at, what was measured, and whether it is met."""

    aim: str
    measured: str
    met: bool


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A table in Markdown."""
    names = list(head)
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"
    yield ""


def share(part: float, whole: float) -> str:
    """A percentage that does not round a miss away."""
    if not whole:
        return "-"
    exact = 100 * part / whole
    text = f"{exact:.1f}"
    return (
        f"{'<' if exact else ''}0.1 %"
        if exact and text == "0.0"
        else ">99.9 %"
        if exact < 100 and text == "100.0"
        else f"{text} %"
    )


def at_most(found: int, planted: int) -> str:
    """The bound on a rate of which nothing was seen, at 95 %: the rule of three."""
    return "-" if found or not planted else f"{300 / planted:.2g} %"


def targets_of_canaries(leaks: Tally, *, minimum: int = MINIMUM) -> list[Target]:
    """Every target of the canaries, and where it stands."""
    planted, found = leaks.planted["all"]["all"], leaks.found["all"]["all"]
    fewest = min(leaks.planted["family"].values(), default=0)
    return [
        Target("no canary found", f"{found} of {planted:,}", not found and bool(planted)),
        Target(f"of each wire family at least {minimum:,} planted", f"{fewest:,} or more", fewest >= minimum),
        Target("no exchange refused", f"{leaks.refused} of {leaks.exchanges}", not leaks.refused),
    ]


def targets_of_verdicts(verdicts: Verdicts) -> list[Target]:
    """Every target of the verdicts, and where it stands."""
    clean, faulty = verdicts.kinds[CLEAN], _faulty(verdicts)
    written = clean.turns + faulty.turns - clean.refused - faulty.refused
    equal = clean.equal + faulty.equal
    return [
        Target("the verdict of all that is written is the raw one", f"{equal:,} of {written:,}", equal == written),
        Target("no healthy turn refused", f"{clean.refused} of {clean.turns:,}", not clean.refused),
        Target(
            "under 0.5 % of the faulty ones refused",
            f"{faulty.refused} of {faulty.turns:,}",
            faulty.refused < FAULTY_REFUSED * faulty.turns,
        ),
    ]


def targets_of_texts(crowds: dict[str, Crowds]) -> list[Target]:
    """Every target of short texts, and where it stands."""
    return [
        Target(
            f"{name}: identified no better than by the number of fragments",
            f"{share(alone['fixture'], 1)} against {share(alone['number of fragments'], 1)}",
            alone["fixture"] <= alone["number of fragments"],
        )
        for name in TARGETS
        for alone in (crowds[name].alone,)
    ]


def _aims(rows: Iterable[Target]) -> Iterator[str]:
    """The table of targets."""
    return table(
        ("target", "measured", ""), ((row.aim, row.measured, "met" if row.met else "**missed**") for row in rows)
    )


def _faulty(verdicts: Verdicts) -> Judged:
    return _sum(kind for code, kind in verdicts.kinds.items() if code != CLEAN)


def _sum(kinds: Iterable[Judged]) -> Judged:
    whole = Judged()
    for kind in kinds:
        for name in Judged.__slots__:
            setattr(whole, name, getattr(whole, name) + getattr(kind, name))
    return whole


# What the canaries are counted by, and the head of the table that says it.
COUNTED_BY: Final = (
    ("family", "wire family"),
    ("position", "position"),
    ("material", "material or form"),
    ("cut", "cut of the arguments"),
)


def rendered_canaries(leaks: Tally, *, minimum: int = MINIMUM) -> str:
    """The tables about canaries, and what other ways to mask leave of them."""
    lines = [
        *_aims(targets_of_canaries(leaks, minimum=minimum)),
        f"{leaks.exchanges} exchanges, {leaks.refused} refused; {leaks.written} fixtures written by `toolreel import`.",
        "Searched for any eight characters of a canary: each file, stdout, stderr and log record of `toolreel import`",
        "and `toolreel replay`, and what the engine returns; as it stands, decoded and reassembled.",
        "",
    ]
    for name, title in COUNTED_BY:
        lines += table(
            (title, "planted", "found", "rate at most (95 %)"),
            (
                (key, f"{count:,}", leaks.found[name][key], at_most(leaks.found[name][key], count))
                for key, count in sorted(leaks.planted[name].items(), key=lambda pair: (-pair[1], pair[0]))
            ),
        )
    body = [
        (name, share(found["leaking"], found["exchanges"]), share(found["found"], found["canaries"]))
        for name, found in leaks.baselines.items()
    ]
    ours = share(leaks.found["all"]["all"], leaks.planted["all"]["all"])
    lines += table(("way to mask", "exchanges that leak", "canaries left"), [*body, ("toolreel", ours, ours)])
    return "\n".join(lines)


def rendered_verdicts(verdicts: Verdicts) -> str:
    """The tables about verdicts, and how other ways to mask change them."""
    lines = [*_aims(targets_of_verdicts(verdicts))]
    lines += table(
        ("turn", "turns", "refused", "same verdict of those written", "findings lost", "findings added"),
        (
            (
                f"`{code}`" if code != CLEAN else code,
                kind.turns,
                kind.refused,
                share(kind.equal, kind.turns - kind.refused),
                f"{kind.lost} of {kind.findings}",
                kind.added,
            )
            for code, kind in verdicts.kinds.items()
        ),
    )
    rungs = ", ".join(f"`{rung}` {count:,}" for rung, count in verdicts.rungs.most_common())
    reasons = ", ".join(f"{reason} {count}" for reason, count in verdicts.reasons.most_common()) or "none"
    lines += [f"Rungs: {rungs}. Refusals: {reasons}.", ""]
    ways = {name: (judged[True], judged[False]) for name, judged in verdicts.baselines.items()}
    ways["toolreel"] = (verdicts.kinds[CLEAN], _faulty(verdicts))
    lines += table(
        ("way to mask", "same verdict, healthy", "same verdict, faulty"),
        ((name, *(share(kind.equal, kind.turns) for kind in kinds)) for name, kinds in ways.items()),
    )
    return "\n".join(lines)


def rendered_texts(crowds: dict[str, Crowds]) -> str:
    """The tables about short texts."""
    lines = [*_aims(targets_of_texts(crowds))]
    lines += table(
        ("short texts, all different", "texts", *(f"alone by {view}" for view in VIEWS), "different fixtures"),
        (
            (name, f"{crowd.texts:,}", *(share(crowd.alone[view], 1) for view in VIEWS), crowd.crowds["fixture"])
            for name, crowd in crowds.items()
        ),
    )
    return "\n".join(lines)


CANONICAL: Final = 0.999


def targets_of_schemas(demands: Demands) -> list[Target]:
    """Every target of the calls that several rules judge, and where it stands."""
    rows = demands.rows.values()
    turns, canonical = sum(row.turns for row in rows), sum(row.canonical for row in rows)
    refused = sum(row.refused for row in rows)
    return [
        Target("at least 200 schemas", str(demands.schemas), demands.schemas >= 200),
        Target("99.9 % on the rung `canonical`", f"{canonical:,} of {turns:,}", canonical >= CANONICAL * turns),
        Target("no turn refused", f"{refused} of {turns:,}", not refused),
    ]


def rendered_schemas(demands: Demands) -> str:
    """The tables about schemas that ask several things of one value."""
    aims = targets_of_schemas(demands)
    lines = [
        *_aims(aims),
        *table(
            ("calls", "turns", "`canonical`", "further rungs", "refused"),
            (
                (name, f"{row.turns:,}", f"{row.canonical:,}", row.further, row.refused)
                for name, row in demands.rows.items()
            ),
        ),
    ]
    return "\n".join(lines)


def rendered_network(told: dict[str, Told]) -> str:
    """The table about times and reads."""
    rows = ((name, one.answers, share(one.alone, 1), one.crowds) for name, one in told.items())
    return "\n".join(table(("setting", "answers", "alone by fixture", "different fixtures"), rows))


def targets_of_answers(crowds: dict[str, Crowds]) -> list[Target]:
    """Every target of ordinary answers, and where it stands."""
    return [
        Target(f"{name}: at most 1 % alone", share(crowd.alone["fixture"], 1), crowd.alone["fixture"] <= MAY_BE_ALONE)
        for name, crowd in crowds.items()
    ]


def rendered_answers(crowds: dict[str, Crowds]) -> str:
    """The tables about ordinary answers."""
    aims = targets_of_answers(crowds)
    views = ("number of fragments", "fixture")
    lines = [
        *_aims(aims),
        *table(
            ("ordinary answers", "answers", *(f"alone by {view}" for view in views), "different fixtures"),
            (
                (name, f"{crowd.texts:,}", *(share(crowd.alone[view], 1) for view in views), crowd.crowds["fixture"])
                for name, crowd in crowds.items()
            ),
        ),
    ]
    return "\n".join(lines)


def targets_of_contracts(found: Contracts) -> list[Target]:
    """Every target of canaries in contracts, and where it stands."""
    planted = sum(counts.total() for counts in found.planted.values())
    seen = sum(counts.total() for counts in found.found.values())
    turns = found.turns.total()
    return [
        Target("no canary found", f"{seen} of {planted:,}", not seen),
        Target("no turn refused", f"{found.refused.total()} of {turns:,}", not found.refused.total()),
        Target("`scan` finds nothing", f"{found.scanned.total()} of {turns:,}", not found.scanned.total()),
    ]


def rendered_contracts(found: Contracts) -> str:
    """The tables about canaries in the words of contracts."""
    aims = targets_of_contracts(found)
    lines = [
        *_aims(aims),
        *table(
            ("recorded", "turns", *(f"{site.value}: planted, found" for site in Site)),
            (
                (
                    setting if setting.startswith("by") else f"with `{setting}`",
                    f"{found.turns[setting]:,}",
                    *(f"{found.planted[setting][site]:,}, {found.found[setting][site]}" for site in Site),
                )
                for setting in SETTINGS
            ),
        ),
    ]
    return "\n".join(lines)
