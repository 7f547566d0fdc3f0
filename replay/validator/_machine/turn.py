"""One turn, from payloads to report. Feed it, look at it, close it; it reads no file and keeps no clock."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from replay.validator._machine.arguments import (
    NO_ARGUMENTS,
    ArgumentFinding,
    Tools,
    check,
    check_value,
    found,
    is_empty,
)
from replay.validator._machine.ledger import Ledger
from replay.validator._machine.slots import Position, Slot, Slots
from replay.validator._messages import Reason
from replay.validator._printed import PLAIN_DEPTH
from replay.validator.codes import Allowance, Code, State, Status
from replay.validator.envelope import Envelope, InvalidFixture, read_envelope
from replay.validator.findings import Call, Finding, Place, Report
from replay.validator.limits import DEFAULT_LIMITS, Limits
from replay.validator.listener import Listener
from replay.validator.profiles import PROFILES, Empty
from replay.validator.strict_json import WHITE_SPACE

# How the transport may end without saying anything about the turn.
COMPLETE: Final = "complete"
# The tool choice of a request that wants no call.
NO_TOOLS: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One call while the stream runs: never its arguments, and never `validated`."""

    choice: int
    slot: int
    id: str | None = field(repr=False)
    name: str | None = field(repr=False)
    size: int  # bytes of argument text so far
    state: State
    ended: bool = False  # whether its terminal came, also where it is blocked


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Where a turn stands: the payloads fed, the calls in ascending order, the findings so far."""

    events: int
    calls: tuple[Progress, ...]
    findings: tuple[Finding, ...]


class Turn:
    """One assistant turn under judgement. `feed` each payload in wire order, then `close`."""

    def __init__(
        self,
        *,
        profile: str,
        tool_schemas: Mapping[str, object],
        allow: Collection[Allowance] = (),
        accept: Collection[Allowance] = (),
        stream_end: str | None = None,
        tool_choice: str | None = None,
        parallel_tool_calls: bool | None = None,
        limits: Limits = DEFAULT_LIMITS,
        listener: Listener | None = None,
    ) -> None:
        """A turn that has not begun. `allow` is what the fixture names, `accept` what the caller accepts of it.

        `listener` is called with each text of a call while its payload is fed.
        """
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {', '.join(PROFILES)}")
        self._profile: Final = profile
        self._empty: Final = PROFILES[profile].empty
        self._tools: Final = Tools(tool_schemas)
        self._limits: Final = limits
        self._stream_end: Final = stream_end
        self._forbidden: Final = tool_choice == NO_TOOLS
        self._one_a_choice: Final = parallel_tool_calls is False
        self._ledger: Final = Ledger(frozenset(allow) & frozenset(accept))
        self._slots: Final = Slots(self._ledger, limits)
        self._machine: Final = PROFILES[profile].machine(
            self._slots, self._ledger, tool_choice=tool_choice, listener=listener
        )
        # The short cut of `take` tells nobody, so with a listener every payload goes the whole way.
        self._take: Final = self._machine.take if listener is None else self._machine.take_whole
        self._events = 0
        self._report: Report | None = None

    def feed(self, payload: object) -> None:
        """Take one decoded payload. Any JSON value may come: one of no good shape becomes a finding."""
        if self._report is not None:
            raise ValueError("the turn is closed; start another one")
        event = self._events
        if event < self._limits.max_events:
            self._events = event + 1
            self._take(payload, event)
            return
        self._ledger.report(Reason.TOO_MANY_EVENTS, Place(event=event), limit=self._limits.max_events)

    def feed_all(self, payloads: Sequence[object]) -> None:
        """Take payloads one after the other, as `feed` would each."""
        whole = self._report is None and self._events + len(payloads) <= self._limits.max_events
        if not whole:
            for payload in payloads:
                self.feed(payload)
            return
        take = self._take
        for event, payload in enumerate(payloads, start=self._events):
            take(payload, event)
        self._events += len(payloads)

    def snapshot(self) -> Snapshot:
        """Where the turn stands now. Nothing is parsed, and nothing is said about what is still to come."""
        return Snapshot(
            events=self._events,
            calls=tuple(self._progress(slot) for slot in self._slots.ascending()),
            findings=tuple(self._ledger.findings),
        )

    def close(self) -> Report:
        """The verdict. Arguments are parsed here, once; closing again gives the same report."""
        if self._report is None:
            self._machine.end()
            self._check_stream_end()
            self._check_request()
            calls = tuple(self._call(slot) for slot in self._slots.ascending())
            self._report = Report(
                status=self._status(),
                profile=self._profile,
                calls=calls,
                findings=tuple(self._ledger.findings),
                allowances=tuple(self._ledger.uses),
            )
        return self._report

    def _status(self) -> Status:
        if self._ledger.findings:
            return Status.BLOCKED
        return Status.PASS if self._slots.any_tool_slot else Status.NOT_APPLICABLE

    def _progress(self, slot: Slot) -> Progress:
        ended = slot.position is Position.TERMINAL
        state = State.TERMINAL if ended else State.ACCUMULATING
        return Progress(
            choice=slot.choice,
            slot=slot.index,
            id=slot.id,
            name=slot.name,
            size=slot.size,
            state=State.BLOCKED if self._slots.is_blocked(slot) else state,
            ended=ended,
        )

    def _check_stream_end(self) -> None:
        """How the transport ended is never evidence that a call is complete, but it can be evidence that one is not.

        It is where the family has a terminal of the whole message and the cut came before it: more could have followed.
        Elsewhere a call that has its own terminal is complete, and one without it is found already.
        """
        cut = self._stream_end is not None and self._stream_end != COMPLETE and self._machine.lacks_terminal()
        if cut and self._slots.any_tool_slot and not self._ledger.has(Code.MISSING_TERMINAL):
            self._ledger.report(Reason.CUT_TRANSPORT, Place())

    def _check_request(self) -> None:
        """What the request forbade, and came all the same."""
        if self._forbidden and self._slots.any_tool_slot:
            self._ledger.report(Reason.NO_CALL_WANTED, Place())
        for choice in self._slots.with_several() if self._one_a_choice else ():
            self._ledger.report(Reason.ONE_CALL_WANTED, Place(choice))

    def _call(self, slot: Slot) -> Call:
        text = slot.text()
        no_bytes = not slot.size and not slot.lost and slot.position is Position.TERMINAL
        if no_bytes and self._empty is Empty.STANDS_FOR_NO_ARGUMENTS:
            text = NO_ARGUMENTS
        blocked = self._slots.is_blocked(slot)
        if not blocked:
            text = self._validated_free_text(slot, text) if slot.is_free_text else self._validated(slot, text)
            blocked = self._slots.is_blocked(slot)
        return Call(
            choice=slot.choice,
            slot=slot.index,
            id=slot.id,
            name=slot.name,
            arguments=text,
            state=State.BLOCKED if blocked else State.VALIDATED,
        )

    def _validated(self, slot: Slot, text: str) -> str:
        """The arguments as they are reported, once they are judged."""
        assert slot.name, "a slot that reached its terminal without a name is blocked"
        schema = self._tools.schema(slot.name)
        if isinstance(schema, ArgumentFinding):
            self._keep(slot, schema)
            return text
        if slot.is_misfit:
            self._keep(slot, found(Reason.PIECES_DO_NOT_FIT))
            return text
        if is_empty(text, self._empty):
            if not self._may_stand_for_none(slot, text):
                self._keep(slot, found(Reason.EMPTY_ARGUMENTS))
                return text
            text = NO_ARGUMENTS
        if slot.value is not None and self._limits.max_nesting >= PLAIN_DEPTH:
            self._keep(slot, check_value(slot.value, schema))
        else:
            self._keep(slot, check(text, schema, max_nesting=self._limits.max_nesting))
        return text

    def _validated_free_text(self, slot: Slot, text: str) -> str:
        """The text as it is reported, once it is judged: one string, and no JSON."""
        assert slot.name, "a slot that reached its terminal without a name is blocked"
        schema = self._tools.schema(slot.name)
        unchecked = (
            isinstance(schema, ArgumentFinding)
            and self._tools.has_grammar(slot.name)
            and self._ledger.use(Allowance.UNCHECKED_GRAMMAR, slot.place())
        )
        if isinstance(schema, ArgumentFinding) and not unchecked:
            self._keep(slot, schema)
        elif WHITE_SPACE.fullmatch(text):
            self._keep(slot, found(Reason.EMPTY_TEXT))
        elif not isinstance(schema, ArgumentFinding):
            self._keep(slot, check_value(text, schema))
        return text

    def _may_stand_for_none(self, slot: Slot, text: str) -> bool:
        return (
            not text
            and slot.name is not None
            and self._tools.declares_no_properties(slot.name)
            and self._ledger.use(Allowance.EMPTY_ARGUMENTS, slot.place())
        )

    def _keep(self, slot: Slot, finding: ArgumentFinding | None) -> None:
        if finding is not None:
            self._ledger.keep(finding.code, finding.message, slot.place(), finding.path)


def turn_of(
    envelope: Envelope,
    *,
    accept: Collection[Allowance] = (),
    limits: Limits = DEFAULT_LIMITS,
    listener: Listener | None = None,
) -> Turn:
    """A turn that has not begun, with all that an envelope says of it but its payloads."""
    return Turn(
        profile=envelope.profile,
        tool_schemas=envelope.tool_schemas,
        allow=envelope.allow,
        accept=accept,
        stream_end=envelope.stream_end,
        tool_choice=envelope.tool_choice,
        parallel_tool_calls=envelope.parallel_tool_calls,
        limits=limits,
        listener=listener,
    )


def judge(envelope: Envelope, *, accept: Collection[Allowance] = (), limits: Limits = DEFAULT_LIMITS) -> Report:
    """The verdict on one envelope. An allowance counts only if the fixture names it and the caller accepts it."""
    turn = turn_of(envelope, accept=accept, limits=limits)
    turn.feed_all(envelope.payloads)
    return turn.close()


def validate(data: bytes, *, accept: Collection[Allowance] = (), limits: Limits = DEFAULT_LIMITS) -> Report:
    """The verdict on a fixture's bytes; an `invalid` report where they are no envelope."""
    envelope = read_envelope(data)
    if isinstance(envelope, InvalidFixture):
        return invalid_report(envelope)
    return judge(envelope, accept=accept, limits=limits)


def invalid_report(invalid: InvalidFixture) -> Report:
    """The report on what is no envelope: one finding, nothing else."""
    finding = Finding(code=Code.INVALID_FIXTURE, message=invalid.message)
    return Report(status=Status.INVALID, profile=invalid.profile, findings=(finding,))
