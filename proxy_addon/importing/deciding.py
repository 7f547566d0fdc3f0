"""What is decided about an entry by itself: whether it is a turn, what its exchange is, and what redaction makes of it.

It recognises turns by the recorder's table, and has the same exchanges and the same redaction. Knows no folder and no
other entry, so entries can be decided in several processes at a time.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol

from proxy_addon.importing import bodies, contents, recognition
from proxy_addon.importing.entries import Entry, Item, Unusable
from proxy_addon.importing.recognition import Claim, Recognised
from proxy_addon.writing.cases import Turn
from proxy_addon.writing.finished import Finished, Head, Headers
from proxy_addon.writing.outcomes.settled import Dropped, Passed, Settled, unwritten
from proxy_addon.writing.redacting.exchanges import exchange, streamed
from proxy_addon.writing.sampling import Only
from proxy_addon.writing.settling import Redact, Wanted, redacted
from redaction.captured.exchange import Came, Ending, Exchange, Kept, Mode
from replay.families import streams


class _Make(Protocol):
    """The type of what makes the exchange of a capture: `exchange`, or `streamed` where it may turn out to be none."""

    def __call__(self, finished: Finished, *, schemas: Mapping[str, object]) -> Exchange | Dropped | Passed: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """An entry that is a turn, with what its URL says beside that. `make` makes its exchange."""

    entry: Entry
    recognised: Recognised
    make: _Make = field(default=exchange, repr=False)
    query: str = field(default="", repr=False)
    path: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What an entry is, by itself: a fixture that is wanted, what else became of it, or why it cannot be used.

    `note` says more of the last. `takes_place`: it counts as a turn of its case, though it cannot be used. `lacks` is
    what its source does not have of what is to be kept.
    """

    found: Wanted | Settled | Unusable
    is_turn: bool
    note: str = ""
    takes_place: bool = False
    lacks: str = ""


class Decider:
    """Decides entries, each by itself.

    `claim`, `ending` and `content_type` stand over what the sources say.
    """

    def __init__(
        self,
        *,
        redact: Redact,
        schemas: Mapping[str, object],
        claim: Claim,
        ending: Ending | None,
        content_type: str | None = None,
        kept: Collection[Kept] = (),
    ) -> None:
        self._redact: Final = redact
        self._schemas: Final = schemas
        self._claim: Final = claim
        self._ending: Final = ending
        self._content_type: Final = content_type
        self._kept: Final = kept

    def decide(self, item: Item | Ready, case: str | None) -> Decided:
        """What an entry is. `case` is the name that its turns have, which must not repeat what the request says."""
        found = self._recognised(item)
        if isinstance(found, Unusable | Settled):
            return Decided(found=found, is_turn=False)
        if found.entry.body is None:  # the client had it, so the next one does not take its place
            return Decided(found=found.entry.no_body, is_turn=True, takes_place=True)
        why = contents.unusable(found.recognised.turn.profile, found.entry.response_headers, found.entry.body)
        if why is not None and not _may_be_asked_for(found.entry, why.why):
            return Decided(found=why.why, note=why.note, is_turn=True)
        read, place = partial(self._exchange, found, case), None if case is None else Turn(case=case)
        settled = redacted(read, redact=self._redact, turn=place, only=Only.ALL)
        return Decided(found=settled, is_turn=True, lacks=_lacks(found.entry, self._kept))

    def _recognised(self, item: Item | Ready) -> Ready | Settled | Unusable:
        """The turn that an entry is, or what it is instead."""
        if isinstance(item, Ready):
            return replace(item, entry=self._typed(item.entry))
        if isinstance(item, Unusable):
            return item
        if isinstance(item, Passed):
            return unwritten(item)
        item = self._typed(item)
        if item.profile is not None:
            declared = recognition.declared(replace(self._claim, profile=self._claim.profile or item.profile))
            assert declared is not None, "the claim has a profile"
            return Ready(entry=item, recognised=declared)
        return self._by_url(item)

    def _by_url(self, entry: Entry) -> Ready | Settled | Unusable:
        parts = recognition.split(entry.url)
        if parts is None:
            return Unusable.NO_EXCHANGE
        found = recognition.turn(entry.method, parts, self._claim)
        if found is None:
            return unwritten(Passed.OTHER_PATH)
        if entry.status != 200:
            return unwritten(Passed.OTHER_STATUS)
        if not streams(found.turn.profile, _header(entry, "content-type")):
            return unwritten(Passed.NOT_A_STREAM)
        return Ready(
            entry=entry,
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

    def _exchange(self, turn: Ready, case: str | None) -> Exchange | Dropped | Passed:
        """The exchange of an entry, made as a recording makes it, or why there is none."""
        entry = turn.entry
        headers, body = bodies.agreeing(entry.response_headers, entry.body or b"")
        request_headers, request = bodies.agreeing_request(entry.request_headers, entry.request_body or b"")
        head = Head(
            upstream=turn.recognised.provider,
            turn=turn.recognised.turn,
            case=case,
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
