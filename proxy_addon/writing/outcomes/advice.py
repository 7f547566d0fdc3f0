"""What to do about a capture that was not written: the next step, by the reason. Closed words alone.

Example: a response over `--max-body` was dropped, and `--max-body BYTES raises the bound` is the step.
"""

from collections.abc import Mapping
from typing import Final

from proxy_addon.writing.outcomes.settled import Dropped, How, Settled, Why
from redaction.captured.exchange import Reason

_REPORT: Final = "that is a bug of toolreel: please report it with this line, which holds nothing of the capture"
_STEPS: Final[Mapping[Why, str]] = {
    Reason.CODING: "have the client accept gzip, deflate, br or zstd, or nothing",
    Reason.BODY_LIMIT: "record a shorter turn",
    Reason.EVENT_LIMIT: "record a shorter turn",
    Reason.REQUEST: "its body must be a request of the API that the profile names; check the profile",
    Reason.PROFILE: "`toolreel record --help` lists the profiles",
    Reason.NO_EVENTS: "look at what the client got; an error or an empty answer is no turn",
    Reason.FRAMING: "check the profile, and the content type that the provider sends",
    Reason.CARRIED: "there is nothing to record in it",
    Reason.VERDICT: "a mask changes the verdict; please report the place, or leave the turn out",
    Reason.VOCABULARY: "the value at the place has no placeholder; please report the place, or leave the turn out",
    Reason.RAW_TEXT: "the text at the place was also said in the turn; record it with other texts",
    Reason.TRIPWIRE: "look for a secret in the names and enum values of the declared tools",
    Dropped.BODY_LIMIT: "--max-body BYTES raises the bound",
    Dropped.REQUEST_LIMIT: "record a turn with a shorter conversation",
    Dropped.REQUEST_CODING: "have the client send its request without a content coding",
    Dropped.MEMORY: "--max-memory BYTES raises the bound",
    Dropped.QUEUE_FULL: "the newest is given up where those that wait hold half of --max-memory; "
    "raise it, add --redactors, or record fewer turns with --sample",
    Dropped.TAP: _REPORT,
    Dropped.REDACTION: _REPORT,
    Dropped.FOLDER_LIMIT: "--max-fixtures N raises the bound",
    Dropped.BYTES_LIMIT: "--max-bytes BYTES raises the bound",
    Dropped.FOLDER_FULL: "move fixtures elsewhere, have the oldest go (--when-full oldest), or raise the bound",
    Dropped.STORE: "see that the store runs, and what the credentials in the environment may do there",
    Dropped.WRITE: "look at the folder: its disk, and who may write there",
    Dropped.WORKER: "look whether the system ended it for its memory; if not, that is a bug of toolreel",
    Dropped.STOPPED: "end the recorder with one Ctrl-C, and let it finish",
}
_SAME: Final = "events, tools and transport are those of that file; a case of its own keeps both"


def step(settled: Settled) -> str:
    """The next step; "" where nothing is to be done, or where the reason says it."""
    if settled.how is How.SAME_SHAPE:
        return _SAME
    return _STEPS.get(settled.why, "") if settled.why is not None else ""


def line(settled: Settled) -> str:
    """What a line says of a capture, with the next step behind it."""
    said = step(settled)
    return f"{settled.text()}; {said}" if said else settled.text()
