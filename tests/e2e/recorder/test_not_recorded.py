"""What a recorder says of what it does not record: a line for the first of each kind, counts, and the summary."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import run
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Framing, Provider, Request
from support.sockets.wire import ask, post

CHAT: Final = "/v1/chat/completions"
JSON: Final = (("Content-Type", "application/json"),)
TURN: Final = (*call("{}"), DONE)
STREAMED: Final = ("/v1/chat/completions", "/v1/threads/CANARY/runs", "/v2/CANARY/agent")

# By a path under the prefix and what is sent there: what the recorder calls it, why, and what it says to do.
KINDS: Final = {
    "/v1/embeddings": ("embeddings", "path or method not recognised", "nothing to do"),
    "/v1/files/CANARY/content": ("files", "path or method not recognised", "nothing to do"),
    "/v1/threads/CANARY/runs": (
        "threads",
        "path or method not recognised",
        ",path=END:PROFILE to the --upstream gw=URL",
    ),
    "/v2/CANARY/agent": ("a stream at another path", "path or method not recognised", "--upstream gw=URL"),
    "/v2/CANARY": ("another request", "path or method not recognised", "--upstream gw=URL"),
    "/v1/chat/completions?whole": ("chat.completions", "response is no event stream", "have the client ask for one"),
    "/v1beta/models/CANARY:generateContent": ("generateContent", "response is no event stream", "only streams"),
    "/v1/chat/completions?429": ("chat.completions (429)", "status other than 200", "declined"),
    "/v1/messages?529": ("messages (5xx)", "status other than 200", "declined"),
}


def gateway(seen: Request) -> Answer:
    path, _, query = seen.target.partition("?")
    if path in STREAMED and not query:
        return Answer(pieces=TURN)
    status = int(query) if query.isdigit() else 200
    return Answer(pieces=(b'{"CANARY": 1}',), headers=JSON, framing=Framing.LENGTH, status=status)


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider(gateway) as found:
        yield found


def recorder(tmp_path: Path, provider: Provider, *options: str) -> Recorder:
    return Recorder(tmp_path / "out", "--upstream", f"gw={provider.url}", *options)


def send(found: Recorder, target: str) -> None:
    ask(found.port, post(f"/gw{target}", request()))


def test_the_first_exchange_of_each_kind_is_a_line_at_once_and_the_next_ones_are_counted(
    tmp_path: Path, provider: Provider
) -> None:
    with recorder(tmp_path, provider, "--log", "json", "--count-every", "1") as found:
        for count, (target, (what, why, do)) in enumerate(KINDS.items()):
            send(found, target)
            line: dict[str, Any] = found.not_recorded(count + 1)[-1]
            assert (line["event"], line["upstream"], line["what"], line["why"]) == ("not_recorded", "gw", what, why)
            assert do in line["do"]
        for _ in range(2):
            send(found, "/v1/embeddings")
        counted: dict[str, Any] = found.not_recorded(len(KINDS) + 1)[-1]
        assert counted["event"] == "not_recorded_counts"
        assert {kind["what"] for kind in counted["kinds"]} == {what for what, _, _ in KINDS.values()}
        summary: dict[str, Any] = found.stop()
    assert {kind["what"]: kind["count"] for kind in summary["not_recorded"]} == {
        what: 3 if what == "embeddings" else 1 for what, _, _ in KINDS.values()
    }
    assert sum(summary["passed"].values()) == len(KINDS) + 2
    assert "CANARY" not in found.errors + found.output


def test_three_streams_of_an_api_that_is_not_known_are_one_line_and_stand_in_the_summary(
    tmp_path: Path, provider: Provider
) -> None:
    with recorder(tmp_path, provider, "--report", "text") as found:
        for _ in range(3):
            send(found, "/v2/CANARY/agent")
        found.signal()
        assert found.ended() == 0
    assert found.errors == (
        "toolreel: gw: a stream at another path: not recorded, path or method not recognised; "
        "if it is a turn of a known API at another path, add ,path=END:PROFILE to the --upstream gw=URL\n"
    )
    assert "  path or method not recognised: 3\n    gw, a stream at another path: 3\n" in found.output


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        (("any",), 0),
        (("gw",), 0),
        (("openai",), 0),  # the family
        (("gw/openai", "any"), 0),
        (("gw/anthropic",), 1),
        (("any", "mistral"), 1),
    ],
)
def test_a_run_without_what_was_required_ends_with_1(
    tmp_path: Path, provider: Provider, kinds: tuple[str, ...], code: int
) -> None:
    options = [word for kind in kinds for word in ("--require-recorded", kind)]
    with recorder(tmp_path, provider, *options) as found:
        for _ in range(2):
            send(found, CHAT)
        found.signal()
        assert found.ended() == code
    summary = found.summary()
    assert summary["recorded"] == [{"upstream": "gw", "profile": "openai", "count": 2}]
    assert (f"toolreel: nothing of {kinds[-1]} was recorded" in found.errors) is (code == 1)


def test_a_kind_that_cannot_be_recorded_is_an_error_with_the_nearest_name(tmp_path: Path) -> None:
    done = run("record", "--out", tmp_path / "out", "--port", "0", "--require-recorded", "antropic")
    assert done.returncode == 2
    assert "did you mean anthropic?" in done.stderr
    assert json.dumps(done.stdout) == '""'
