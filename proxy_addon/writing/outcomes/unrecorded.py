"""The kinds of exchange that are not recorded: what each is called, why it is not recorded, and what to do about it.

Closed words alone, so that a kind can be counted, printed and logged. Example: `openai: embeddings: not recorded, path
or method not recognised; it holds no turn, so there is nothing to do`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from proxy_addon.writing.outcomes.settled import Passed


class Sort(Enum):
    """What can be expected of what was asked for; the value says what to do where its path is not recognised."""

    TURN = "send it as the API has it: a POST, or a GET that asks for a stream"
    UNSTREAMED = "only streams are recorded; have the client ask for one"
    OTHER_TURN = "turns of this API are not known; where its payloads are of a known one, add ,path=END:PROFILE to the "
    OTHER_STREAM = "if it is a turn of a known API at another path, add ,path=END:PROFILE to the "
    NO_TURN = "it holds no turn, so there is nothing to do"
    OTHER = "if it is a turn, have the client stream it, and add ,path=END:PROFILE to the "


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """What was asked for: the name of an API, or a closed word, and what can be expected of it."""

    name: str
    sort: Sort = Sort.OTHER


REQUEST: Final = What(name="another request")
OTHER_STREAM: Final = What(name="a stream at another path", sort=Sort.OTHER_STREAM)
TUNNEL: Final = What(name="a tunnel", sort=Sort.NO_TURN)
HANDSHAKE: Final = What(name="a connection in TLS", sort=Sort.NO_TURN)

# What to do, by the reason. Where the path is not recognised, what was asked for says it.
_DO: Final[Mapping[Passed, str]] = {
    Passed.NOT_A_STREAM: "only streams are recorded; have the client ask for one",
    Passed.OTHER_FRAMING: "check the path, and the content type that the provider sends",
    Passed.OTHER_PATH: "",
    Passed.OTHER_STATUS: "the provider declined it; look at what the client says",
    Passed.NO_RESPONSE: "one side left before the answer began",
    Passed.BAD_RESPONSE: "look at what stands behind the upstream's URL",
    Passed.UNREACHABLE: "check the URL of its --upstream and the network with: toolreel doctor",
    Passed.TLS_FAILED: "--upstream-ca PEM adds a private authority",
    Passed.PROXY_UNREACHABLE: "check --upstream-proxy, or HTTPS_PROXY of the recorder, with: toolreel doctor",
    Passed.PROXY_REFUSED: "give it the user and password that it wants, or ask who runs it; try with: toolreel doctor",
    Passed.PROXY_FAILED: "check the URL of the --upstream; NO_PROXY of the recorder connects to it directly",
    Passed.UNKNOWN_PREFIX: "set the client's base URL to one of those that the recorder printed at its start",
    Passed.PROXY_REQUEST: "set the client's base URL to one of those that the recorder printed at its start",
    Passed.OTHER_HOST: "to record a host, name it with --upstream NAME=URL",
    Passed.REFUSED_HOST: "--other pass lets it through, --upstream NAME=URL records it, NO_PROXY keeps it away",
    Passed.FOREIGN_HOST: "--allow-host NAME takes requests for another name",
    Passed.FOREIGN_PAGE: "--allow-origin ORIGIN takes the pages of a site",
    Passed.UNKNOWN_CLIENT: "have the client send X-Toolreel-Token, or put the token into the URL of its proxy",
    Passed.CLIENT_TLS: "have the client use https, trust the certificate of --tls-cert, and show one of --client-ca",
    Passed.NO_AUTHORITY: "run: toolreel env",
    Passed.OTHER_NAME: "have the client ask for the host of its tunnel",
    Passed.UNTRUSTED: 'start the client with the variables of: eval "$(toolreel env)"',
    Passed.HTTP_2: "have the client use HTTP/1.1",
    Passed.MALFORMED: "look at what the client sends",
    Passed.IDLE: "--idle SECONDS lets a connection be silent for longer",
    Passed.STOPPED: "--drain SECONDS waits for longer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of exchange that is not recorded. `upstream` is its name in this run, or says what is in its place."""

    upstream: str
    what: What
    why: Passed

    @property
    def do(self) -> str:
        """What to do about it."""
        said = _DO[self.why] or self.what.sort.value
        return f"{said}--upstream {self.upstream}=URL" if said.endswith(" ") else said

    def text(self) -> str:
        """The line about the first exchange of this kind, for people."""
        return f"{self.upstream}: {self.what.name}: not recorded, {self.why.value}; {self.do}"

    def as_dict(self) -> dict[str, object]:
        """The line for programs."""
        return {"event": "not_recorded", **self.named(), "do": self.do}

    def named(self) -> dict[str, object]:
        """What names the kind, for programs."""
        return {"upstream": self.upstream, "what": self.what.name, "why": self.why.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRecorded:
    """The line that comes at intervals: how many exchanges of each kind there were so far."""

    counts: tuple[tuple[Kind, int], ...]

    def text(self) -> str:
        """The line for people. Example: `not recorded so far: openai, embeddings, response is no event stream: 12`."""
        each = (f"{kind.upstream}, {kind.what.name}, {kind.why.value}: {count}" for kind, count in self.counts)
        return f"not recorded so far: {'; '.join(each)}"

    def as_dict(self) -> dict[str, object]:
        """The line for programs."""
        return {"event": "not_recorded_counts", "kinds": counted(self.counts)}


def counted(counts: Iterable[tuple[Kind, int]]) -> list[dict[str, object]]:
    """The kinds with their counts, for programs."""
    return [{**kind.named(), "count": count} for kind, count in counts]
