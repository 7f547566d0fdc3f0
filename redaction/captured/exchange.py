"""One exchange as it was recorded, and what redaction makes of it: a proved fixture, or a refusal.

An `Exchange` is raw. It is in memory only, its repr shows nothing of it, and nothing of it reaches a message or a log.
Knows no mitmproxy, no files and no providers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from replay.validator import Report


class Ending(Enum):
    """How the HTTP response ended, as the proxy saw it. Whether the stream is complete is decided from its bytes."""

    WHOLE = "whole"  # as the user says, who knows it: nothing in the bytes is asked
    MESSAGE_END = "message end"  # as its framing says: content length reached, or the last chunk
    CLOSE = "close"  # a body without length or chunks, ended by the connection: a cut looks the same
    CLIENT = "client"
    UPSTREAM = "upstream"
    PROXY = "proxy"

    @property
    def complete(self) -> bool:
        """Whether HTTP, or the user, says that all of the message came."""
        return self in (Ending.MESSAGE_END, Ending.WHOLE)


class Mode(Enum):
    """Where the exchange was seen; the value stands in the fixture."""

    REVERSE = "reverse"  # by the recorder, behind a path prefix
    FORWARD = "forward"  # by the recorder, as the client's HTTPS proxy
    IMPORT = "import"  # by another tool, whose file was imported


class Widths(Enum):
    """Whether the lengths of text and arguments may be seen in a fixture: they identify what was said."""

    DROPPED = "canonical"
    KEPT = "exact"


class Pieces(Enum):
    """How many pieces of text and reasoning stand in the fixture of a turn that calls nothing and has no finding."""

    ROUNDED = "rounded"  # of each run as many as its class says: 1, 2, 4, 8 and so on
    EXACT = "exact"  # all of them


class Words(Enum):
    """Which words of the declared tools stand in a fixture as the application wrote them; others become ordinals.

    The value is what `--rename-contract` says, and "" where it is not given.
    """

    DECLARED = ""
    NO_VALUES = "values"  # names of tools and properties alone
    NONE = "all"


class Uncalled(Enum):
    """What becomes of a tool that the turn does not name."""

    BY_SHAPE = "shape"  # `tool_7`, and a schema without a word of the application
    AS_CALLED = "words"  # as one that is called


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """How much a fixture may say of the tools that its request declares."""

    words: Words = Words.DECLARED
    uncalled: Uncalled = Uncalled.BY_SHAPE


# The words of the tools that a turn names, and the shapes of the others.
CALLED_TOOLS: Final = Contract()


class Kept(Enum):
    """What a fixture may keep of the network if the user asks for it; the value is the member of `capture` about it."""

    TIMES = "timing"
    READS = "reads"


class Each(Enum):
    """What a sample is of; the value stands in the fixture."""

    STREAM = "stream"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """How a turn came into the sample: as one of so many streams, or with its session as one of so many."""

    one_in: int
    of: Each


class Came(Enum):
    """What is known to have come together."""

    READ = "the bytes of one network read"
    EVENT = "the bytes of one event"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """How a body came: where in it each piece ended, and when that was, in milliseconds since the head; no times: [].

    Raw: it tells lengths. `of` says what the pieces are.
    """

    ends: tuple[int, ...] = field(repr=False)
    times: tuple[int, ...] = field(default=(), repr=False)
    of: Came = Came.READ


# The rungs of the ladder where lengths are dropped, and the name of the first one of each ladder.
RUNGS: Final = ("canonical", "needed_lengths", "exact_lengths")
FIRST_RUNGS: Final = frozenset({"canonical", "widths"})


class Reason(Enum):
    """Why a capture is refused, so that nothing of it is written; the value is what the summary says."""

    CODING = "content coding unknown or broken"
    BODY_LIMIT = "over the body limit"
    EVENT_LIMIT = "more events than the validator takes"
    REQUEST = "request not understood"
    PROFILE = "unknown profile"
    NO_EVENTS = "no event in the body"
    FRAMING = "the body is of another framing than its content type says"
    CARRIED = "what the body carries is of an API that has no tools"
    VERDICT = "the masked turn is judged otherwise"
    VOCABULARY = "a value outside the closed vocabulary"
    RAW_TEXT = "raw text in the finished file"
    TRIPWIRE = "a secret scanner's rule fired on the finished file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its streamed response.

    `body` is the wire body with transfer framing removed and content coding still on it; `request_body` is decoded.
    `secrets` are further raw values (header values, query values) that must not be found in the fixture.
    `schemas` adds tools whose schema the request lacks; `allow` names reviewed allowances of a gateway. `model` is the
    name of the model where the path of the request has it. `arrivals` says how `body` came, where that is known, and
    `sampled` how the turn came into the sample of a run that records one of several.
    """

    profile: str
    provider: str
    request_body: bytes | None = field(default=None, repr=False)
    user_agent: str | None = field(default=None, repr=False)
    status: int = 200
    content_type: str | None = field(default=None, repr=False)
    content_coding: str | None = field(default=None, repr=False)
    body: bytes = field(repr=False)
    ending: Ending = Ending.MESSAGE_END
    mode: Mode = Mode.REVERSE
    allow: tuple[str, ...] = ()
    schemas: Mapping[str, object] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    model: str = field(default="", repr=False)
    arrivals: Arrivals | None = field(default=None, repr=False)
    sampled: Sampled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A finished fixture. Once it is proved, it is the only thing of an exchange that may reach a disk.

    `data` is the whole canonical file, `stem` its name where no case names it, `digest` the hex digest over profile,
    schemas, payloads, stream end, allowances and transport by which the same shape is known again.
    """

    data: bytes = field(repr=False)
    stem: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTold:
    """A tool whose words a fixture tells: its name and a digest of its schema there, and what looks like data in it."""

    name: str
    digest: str
    looks_like: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """The fixture that may be written, with the report on the masked turn and the rung of the ladder that it took.

    `unfaithful` are the classes of what clients look at that it does not keep, as `capture.unfaithful` has them;
    `words` says which words of the tools are as declared, and `tools` has those tools that tell any.
    """

    fixture: Fixture
    report: Report
    rung: str
    unfaithful: tuple[str, ...] = ()
    words: Words = Words.DECLARED
    tools: tuple[ToolTold, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A refusal: its reason, and a note on the place, in closed words and those that the application declares.

    `masked_nothing` tells that there was no file to look at, for a value had no placeholder.
    """

    reason: Reason
    note: str = ""
    masked_nothing: bool = False
