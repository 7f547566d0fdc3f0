"""The importer: settles the entries of sources, as the writer settles captures.

It recognises turns by the recorder's table, and has the same exchanges, the same redaction and the same folder. What is
said of an entry is closed words and the name of a file.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from functools import partial
from typing import Final, Protocol

from proxy_addon.importing import bodies, contents, recognition
from proxy_addon.importing.entries import Entry, Item, Unusable
from proxy_addon.importing.recognition import Claim, Recognised
from proxy_addon.writing.cases import Turn
from proxy_addon.writing.finished import Finished, Head, Headers
from proxy_addon.writing.outcomes import advice
from proxy_addon.writing.outcomes.counts import Counts
from proxy_addon.writing.outcomes.declared_tools import DeclaredTools
from proxy_addon.writing.outcomes.settled import Dropped, How, Passed, Settled, unwritten
from proxy_addon.writing.redacting.exchanges import exchange, streamed
from proxy_addon.writing.settling import Redact, settle
from proxy_addon.writing.storage.sink import Sink
from redaction.captured.exchange import Came, Ending, Exchange, Kept, Mode, Proved, Refused
from replay.families import streams
from replay.validator import Code, Report

# Behind the line of a turn that is blocked because nobody said that all of it came.
END_HINT: Final = "blocked only because nothing says that the stream came to its end: if it did, --end complete"


def lacks_only_its_end(report: Report | None) -> bool:
    """Whether the one finding against a turn is that its transport may have been cut before the message's terminal."""
    if report is None or len(report.findings) != 1:
        return False
    (found,) = report.findings
    return found.code is Code.MISSING_TERMINAL and found.choice is None and found.slot is None


class _Make(Protocol):
    """The type of what makes the exchange of a capture: `exchange`, or `streamed` where it may turn out to be none."""

    def __call__(self, finished: Finished, *, schemas: Mapping[str, object]) -> Exchange | Dropped | Passed: ...


@unique
class Naming(Enum):
    """How fixtures get their names; the value is how the command line says it."""

    FILE = "file"  # after the source, each turn of it
    SHAPE = "shape"  # as the recorder names them: provider, model and digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """An entry that is a turn, with what its URL says beside that. `make` makes its exchange."""

    entry: Entry
    recognised: Recognised
    make: _Make = field(repr=False)
    query: str = field(default="", repr=False)
    path: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def _named(redact: Redact, name: str, found: Exchange) -> Proved | Refused:
    """What redaction makes of an exchange, under this name."""
    result = redact(found)
    if isinstance(result, Refused):
        return result
    return replace(result, fixture=replace(result.fixture, stem=name))


class Importer:
    """Takes the entries of one run, one after the other; each is settled and counted once.

    `claim`, `ending` and `content_type` stand over what the sources say; `case` names what is written.
    """

    def __init__(
        self,
        *,
        redact: Redact,
        folder: Sink,
        schemas: Mapping[str, object],
        claim: Claim,
        ending: Ending | None,
        case: str | None,
        content_type: str | None = None,
        naming: Naming | None = None,
        kept: Collection[Kept] = (),
    ) -> None:
        self._redact: Final = redact
        self._folder: Final = folder
        self._schemas: Final = schemas
        self._claim: Final = claim
        self._ending: Final = ending
        self._case: Final = case
        self._content_type: Final = content_type
        self._naming: Final = naming
        self._kept: Final = kept
        self._counts: Final = Counts()
        self._tools: Final = DeclaredTools()
        self._unusable: Counter[Unusable] = Counter()
        self._turns: Counter[str] = Counter()  # of each case

    def take(self, item: Item, name: str | None = None) -> str:
        """Settle one entry of a source that says for itself what it is; the line about it."""
        found = self.recognise(item)
        return found if isinstance(found, str) else self.settle(found, name)

    def take_body(self, entry: Entry, found: Recognised, name: str | None = None) -> str:
        """Settle a body of which the user says that it is a turn; the line about it."""
        return self.settle(Ready(entry=self._typed(entry), recognised=found, make=exchange), name)

    def recognise(self, item: Item) -> "Ready | str":
        """The turn that an entry is; the line about one that is none, which is counted."""
        if isinstance(item, Unusable):
            return self._cannot(item)
        if isinstance(item, Passed):
            return self._told(unwritten(item))
        item = self._typed(item)
        if item.profile is not None:
            declared = recognition.declared(replace(self._claim, profile=self._claim.profile or item.profile))
            assert declared is not None, "the claim has a profile"
            return Ready(entry=item, recognised=declared, make=exchange)
        parts = recognition.split(item.url)
        if parts is None:
            return self._cannot(Unusable.NO_EXCHANGE)
        found = recognition.turn(item.method, parts, self._claim)
        if found is None:
            return self._told(unwritten(Passed.OTHER_PATH))
        if item.status != 200:
            return self._told(unwritten(Passed.OTHER_STATUS))
        if not streams(found.turn.profile, _header(item, "content-type")):
            return self._told(unwritten(Passed.NOT_A_STREAM))
        return Ready(
            entry=item,
            recognised=found,
            make=streamed,
            query=parts.query,
            path=parts.path,
            secrets=recognition.user_info(parts),
        )

    def _typed(self, entry: Entry) -> Entry:
        """The entry with the content type that the user says."""
        if self._content_type is None:
            return entry
        return replace(entry, response_headers=_with_type(entry.response_headers, self._content_type))

    @property
    def clean(self) -> bool:
        """Whether every turn that was found is in a fixture."""
        summary = self._counts.summary()
        return not (summary.refused or summary.dropped or summary.left_out or self._unusable)

    def lines(self) -> list[str]:
        """End the run; the totals, one to a line."""
        found = [f"{case}: {says}" for case, says in self._folder.end()]
        found += self._counts.summary().lines()
        if self._unusable:
            found.append(f"entries that could not be used: {self._unusable.total()}")
            found += [f"  {why.value}: {count}" for why, count in self._unusable.items()]
        return found

    def settle(self, turn: "Ready", name: str | None = None) -> str:
        """Redact a turn and store it, under `name` where nothing else names it and its shape is new; its line."""
        case = name if self._naming is Naming.FILE else self._case
        if turn.entry.body is None:
            self._turns[case or ""] += 1  # the client had it, so the next one does not take its place
            return self._cannot(turn.entry.no_body)
        found = contents.unusable(turn.recognised.turn.profile, turn.entry.response_headers, turn.entry.body)
        if found is not None and not _may_be_asked_for(turn.entry, found.why):
            return self._cannot(found.why, found.note)
        read = partial(self._exchange, turn)
        redact = partial(_named, self._redact, name) if name is not None else self._redact
        number = self._turns[case or ""] + 1
        place = None if case is None else Turn(case=case, number=number)
        settled = settle(read, redact=redact, folder=self._folder, turn=place, tools=self._tools)
        if settled.how is not How.PASSED:
            self._turns[case or ""] = number
        return self._told(settled) + _lacks(turn.entry, self._kept)

    def _exchange(self, turn: "Ready") -> Exchange | Dropped | Passed:
        """The exchange of an entry, made as a recording makes it, or why there is none."""
        entry = turn.entry
        headers, body = bodies.agreeing(entry.response_headers, entry.body or b"")
        request_headers, request = bodies.agreeing_request(entry.request_headers, entry.request_body or b"")
        head = Head(
            upstream=turn.recognised.provider,
            turn=turn.recognised.turn,
            case=self._case,
            request_headers=request_headers,
            query=turn.query,
            path=turn.path,
            request_body=request,
            status=entry.status,
            response_headers=headers,
        )
        pieces = bodies.as_it_came(entry, body)
        times = entry.arrivals.times if entry.arrivals is not None else ()
        finished = Finished(head=head, pieces=pieces, size=0, ending=self._ending or entry.ending, times=times)
        made = turn.make(finished, schemas=self._schemas)
        if not isinstance(made, Exchange):
            return made
        found = made.arrivals and entry.arrivals and replace(made.arrivals, of=entry.arrivals.of)
        return replace(made, mode=Mode.IMPORT, secrets=(*made.secrets, *turn.secrets), arrivals=found)

    def _told(self, settled: Settled) -> str:
        """Count what became of an entry; the line about it."""
        self._counts.settled(settled)
        hint = f"; {END_HINT}" if self._ending is None and lacks_only_its_end(settled.report) else ""
        return f"{advice.line(settled)}{hint}"

    def _cannot(self, why: Unusable, note: str = "") -> str:
        self._unusable[why] += 1
        return f"not usable: {why.value}{note and f'; {note}'}"


def _lacks(entry: Entry, kept: Collection[Kept]) -> str:
    """What is said where times or reads were asked for that a source does not have."""
    arrivals = entry.arrivals
    there = {
        Kept.TIMES: arrivals is not None and bool(arrivals.times),
        Kept.READS: arrivals is not None and arrivals.of is Came.READ,
    }
    missing = [_CALLED[one] for one in Kept if one in kept and not there[one]]
    return f"; the source has no {' and no '.join(missing)}" if missing else ""


_CALLED: Final = {Kept.TIMES: "times", Kept.READS: "network reads"}


def _with_type(headers: Headers, content_type: str) -> Headers:
    kept = tuple((name, value) for name, value in headers if name.lower() != "content-type")
    return (*kept, ("content-type", content_type))


def _may_be_asked_for(entry: Entry, why: Unusable) -> bool:
    """Whether the request may have asked for a whole response, and got one: then it is no turn, and passed over."""
    return why is Unusable.WHOLE_RESPONSE and bool(entry.url) and _header(entry, "content-type") is None


def _header(entry: Entry, name: str) -> str | None:
    return next((value for key, value in entry.response_headers if key.lower() == name), None)
