"""Findings and allowance uses of one turn, as they arise. Knows places; knows no provider, no slot, no JSON."""

from replay.validator._messages import Reason
from replay.validator.codes import Allowance, Code
from replay.validator.findings import Finding, Place, Use


class Ledger:
    """What was found so far: once each, in order, and what that blocks (sections 2 and 3)."""

    __slots__ = ("_allowed", "_blocked", "_ended_short", "_known", "_named", "findings", "uses")

    def __init__(self, allowed: frozenset[Allowance]) -> None:
        self.findings: list[Finding] = []
        self.uses: list[Use] = []
        self._allowed = allowed  # what the fixture names and the caller accepts
        self._known: set[tuple[Code, int | None, int | None]] = set()
        self._named: set[int] = set()
        self._blocked: set[tuple[int, int]] = set()
        self._ended_short: set[int] = set()  # choices that ended for a reason which does not complete their calls

    def report(self, reason: Reason, place: Place, **values: object) -> None:
        """Keep the finding of a reason; `values` fill in what its message has in braces."""
        self.keep(reason.code, reason.message.format(**values), place)

    def keep(self, code: Code, message: str, place: Place, path: str | None = None) -> None:
        """Keep a finding, unless its code was already found at its place: the first stays."""
        choice, slot = place.choice, place.slot
        known = (code, choice, slot)
        if known in self._known:
            return
        self._known.add(known)
        self.findings.append(
            Finding(code=code, message=message, choice=choice, slot=slot, event=place.event, path=path)
        )
        if choice is not None:
            self._named.add(choice)
            if slot is not None:
                self._blocked.add((choice, slot))
            elif code is Code.WRONG_TERMINAL:
                self._ended_short.add(choice)

    def use(self, name: Allowance, place: Place) -> bool:
        """Use an allowance where a finding would arise; whether it is in force."""
        if name not in self._allowed:
            return False
        self.uses.append(Use(name=name, choice=place.choice, slot=place.slot, event=place.event))
        return True

    def allows(self, name: Allowance) -> bool:
        """Whether an allowance is in force."""
        return name in self._allowed

    def names(self, choice: int) -> bool:
        """Whether a finding names the choice, at its own level or at one of its slots."""
        return choice in self._named

    def blocks(self, choice: int, slot: int) -> bool:
        """Whether a finding names the slot, or its choice ended for a reason that does not complete its calls."""
        return bool(self.findings) and ((choice, slot) in self._blocked or choice in self._ended_short)

    def has(self, code: Code) -> bool:
        """Whether a code was found anywhere."""
        return any(finding.code is code for finding in self.findings)
