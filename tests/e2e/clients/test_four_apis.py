"""Clients for Node read from Gemini, Bedrock, Cohere and Ollama the same through the recorder, whichever way."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.nightly import nightly
from support.processes import clients
from support.processes.command import environment, toolreel
from support.processes.recorder import Recorder
from support.recorded import event_messages
from support.shared import ROOT
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Provider, Request
from support.streamed import bedrock, cohere, gemini

pytestmark = pytest.mark.clients

SCRIPT: Final = ROOT / "tests" / "clients" / "four_apis.mjs"
PATIENCE: Final = 120
NAME: Final = "get_weather"
PIECES: Final = ('{"city": ', '"Oslo"}')


def lines() -> Iterator[bytes]:
    called = {"function": {"name": NAME, "arguments": {"city": "Oslo"}}}
    for message, more in (
        ({"role": "assistant", "content": "I look.", "tool_calls": [called]}, {"done": False}),
        ({"role": "assistant", "content": ""}, {"done": True, "done_reason": "stop"}),
    ):
        made = {"model": "llama3", "created_at": "2026-11-30T20:00:00Z", "message": message, **more}
        yield json.dumps(made).encode() + b"\n"


def events() -> Iterator[bytes]:
    chunks = (
        gemini.chunk({"text": "I look."}, responseId="r1"),
        gemini.chunk(gemini.call(name=NAME, args={"city": "Oslo"}), responseId="r1"),
        gemini.chunk({"text": ""}, reason="STOP", responseId="r1"),
    )
    yield from (f"data: {json.dumps(one)}\r\n\r\n".encode() for one in chunks)


def named_events() -> Iterator[bytes]:
    grown = [cohere.grow(0, piece) for piece in PIECES]
    turn = [cohere.begin(), cohere.start(0, name=NAME, arguments=""), *grown, cohere.stop(0), cohere.end()]
    yield from (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in turn)
    yield b"data: [DONE]\n\n"


def frames() -> Iterator[bytes]:
    grown = [bedrock.grow(0, piece) for piece in PIECES]
    body = event_messages.event_body(
        [bedrock.BEGIN, bedrock.start(0, name=NAME), *grown, bedrock.stop(0), bedrock.end()]
    )
    yield from (body[at : at + 7] for at in range(0, len(body), 7))  # no cut is where a message ends


SSE: Final = "text/event-stream"
ANSWERS: Final = {
    "gemini": (events, SSE),
    "ollama": (lines, "application/x-ndjson"),
    "cohere": (named_events, SSE),
    "bedrock": (frames, "application/vnd.amazon.eventstream"),
}


def answer(seen: Request) -> Answer:
    """What the provider in the first step of the path streams."""
    pieces, kind = ANSWERS[seen.target.split("/")[1]]
    return Answer(pieces=tuple(pieces()), headers=(("Content-Type", kind),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A recorder in front of one TLS server that stands for four providers."""

    recorder: Recorder
    provider: Provider
    by_proxy: dict[str, str]
    past_it: dict[str, str]

    def read(self, client: str, upstream: str, way: str) -> dict[str, Any]:
        """What a client reads that comes this way: by the recorder's URL, by it as a proxy, or past it."""
        url = self.recorder.url(upstream) if way == "url" else f"https://localhost:{self.provider.port}/{upstream}"
        variables = self.by_proxy if way == "proxy" else self.past_it
        proxy = [variables["HTTPS_PROXY"]] if way == "proxy" else []
        node = {"TOOLREEL_CLIENTS_NODE": str(clients.node_folder())}
        done = subprocess.run(
            ["node", str(SCRIPT), client, url, *proxy],
            capture_output=True,
            text=True,
            env={**environment(), **variables, **node},
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("four")
    root, context = authority(folder)
    data = {"TOOLREEL_DATA": str(folder / "data")}
    with Provider(answer, tls=context) as provider:
        options = ["--upstream-ca", str(root), "--log", "json"]
        for name in ANSWERS:
            options += ["--upstream", f"{name}=https://localhost:{provider.port}/{name}"]
        with Recorder(folder / "out", *options, variables=data) as recorder:
            arguments = ("env", "--shell", "dotenv", "--port", str(recorder.port), "--way", "proxy")
            said = dict(line.partition("=")[::2] for line in toolreel(*arguments, variables=data).splitlines())
            past_it = {"NODE_EXTRA_CA_CERTS": str(root)}
            yield Bench(recorder=recorder, provider=provider, by_proxy=said, past_it=past_it)


@pytest.mark.parametrize(
    ("client", "package", "upstream", "way"),
    [
        ("google-genai", "@google/genai", "gemini", "url"),
        pytest.param("google-genai", "@google/genai", "gemini", "proxy", marks=nightly),
        pytest.param("ollama", "ollama", "ollama", "url", marks=nightly),
        ("ollama", "ollama", "ollama", "proxy"),
        pytest.param("ai-google", "@ai-sdk/google", "gemini", "url", marks=nightly),
        pytest.param("ai-google", "@ai-sdk/google", "gemini", "proxy", marks=nightly),
        pytest.param("ai-cohere", "@ai-sdk/cohere", "cohere", "url", marks=nightly),
        pytest.param("ai-cohere", "@ai-sdk/cohere", "cohere", "proxy", marks=nightly),
        ("ai-bedrock", "@ai-sdk/amazon-bedrock", "bedrock", "proxy"),
    ],
)
def test_a_client_reads_the_same_with_and_without_the_recorder_and_is_recorded(
    bench: Bench, client: str, package: str, upstream: str, way: str
) -> None:
    clients.node_with(package)
    pieces, _ = ANSWERS[upstream]
    before = bench.recorder.errors.count("\n")
    through = bench.read(client, upstream, way)
    assert through["wire"] == hashlib.sha256(b"".join(pieces())).hexdigest()
    assert through == bench.read(client, upstream, "past it")
    assert "Oslo" in json.dumps(through["events"])
    decision = bench.recorder.decisions(before + 1)[-1]
    assert decision["event"] in ("written", "same_shape")
    assert (decision["upstream"], decision["status"], decision["calls"]) == (upstream, "pass", 1)
