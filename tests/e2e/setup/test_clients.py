"""Real clients come to the recorder both ways, by the variables of `toolreel env` alone; upstreams speak TLS."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, event, messages, request, responses
from support.nightly import nightly
from support.processes import clients
from support.processes.command import environment, toolreel
from support.processes.recorder import Recorder
from support.shared import ROOT
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Provider, Request
from support.streamed import cohere, gemini

pytestmark = pytest.mark.clients

SCRIPT: Final = ROOT / "tests" / "clients" / "both_ways.py"
PIECES: Final = ('{"city": ', '"Oslo"}')
ARGUMENTS: Final = "".join(PIECES)
PATIENCE: Final = 120


def chat() -> Iterator[bytes]:
    yield from call(*PIECES)
    yield DONE


def whole_call() -> Iterator[bytes]:
    """The same call as Mistral streams it: in one piece."""
    function = {"name": "get_weather", "arguments": ARGUMENTS}
    delta = {"role": "assistant", "content": "", "tool_calls": [{"id": "AbCdEf012", "function": function, "index": 0}]}
    yield event(delta, finish="tool_calls")
    yield DONE


def cohere_call() -> Iterator[bytes]:
    """The same call as Cohere streams it."""
    grown = [cohere.grow(0, piece) for piece in PIECES]
    events = [cohere.begin(), cohere.start(0, name="get_weather", arguments=""), *grown, cohere.stop(0), cohere.end()]
    yield from (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)
    yield DONE


def gemini_call() -> Iterator[bytes]:
    """The same call as Gemini streams it: whole, as an object."""
    called = gemini.call(name="get_weather", args=json.loads(ARGUMENTS))
    for chunk in (gemini.chunk(called), gemini.chunk({"text": ""}, reason="STOP")):
        yield f"data: {json.dumps(chunk)}\r\n\r\n".encode()


def ollama_call() -> Iterator[bytes]:
    """The same call as Ollama streams it."""
    called = {"function": {"name": "get_weather", "arguments": json.loads(ARGUMENTS)}}
    for message, more in (({"tool_calls": [called]}, {"done": False}), ({}, {"done": True, "done_reason": "stop"})):
        said = {"role": "assistant", "content": "", **message}
        yield json.dumps({"model": "llama3", "created_at": "2026-11-30T20:00:00Z", "message": said, **more}).encode()
        yield b"\n"


def answer(seen: Request) -> Answer:
    if "/v1/responses" in seen.target:
        return Answer(pieces=responses(*PIECES))
    streams = {
        "openai": chat,
        "mistral": whole_call,
        "anthropic": partial(messages, *PIECES),
        "cohere": cohere_call,
        "gemini": gemini_call,
        "ollama": ollama_call,
    }
    name = seen.target.split("/")[1]
    kind = "application/x-ndjson" if name == "ollama" else "text/event-stream"
    return Answer(pieces=streams[name](), headers=(("Content-Type", kind),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One recorder in front of one TLS server that stands for three providers, and the two sets of variables."""

    recorder: Recorder
    provider: Provider
    by_url: dict[str, str]
    by_proxy: dict[str, str]

    def url(self, way: str, upstream: str) -> str:
        """The base URL of a client that comes this way: the recorder's, or as if there were none."""
        return self.recorder.url(upstream) if way == "url" else f"https://localhost:{self.provider.port}/{upstream}"

    def variables(self, way: str) -> dict[str, str]:
        return {**environment(), **(self.by_url if way == "url" else self.by_proxy)}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("clients")
    root, context = authority(folder)
    data = {"TOOLREEL_DATA": str(folder / "data")}
    with Provider(answer, tls=context) as provider:
        options = ["--upstream-ca", str(root), "--log", "json"]
        for name in ("openai", "anthropic", "mistral", "cohere", "gemini", "ollama"):
            options += ["--upstream", f"{name}=https://localhost:{provider.port}/{name}"]
        with Recorder(folder / "out", *options, variables=data) as recorder:

            def variables(way: str) -> dict[str, str]:
                arguments = ("env", "--shell", "dotenv", "--port", str(recorder.port), "--way", way)
                lines = toolreel(*arguments, variables=data).splitlines()
                return dict(line.partition("=")[::2] for line in lines)

            yield Bench(recorder=recorder, provider=provider, by_url=variables("url"), by_proxy=variables("proxy"))


def recorded(bench: Bench, way: str, command: list[str], upstream: str) -> None:
    """The client has read the call, and the turn is decided, with the mode that says how it came."""
    before = bench.recorder.errors.count("\n")
    done = subprocess.run(
        command, capture_output=True, text=True, env=bench.variables(way), timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == json.loads(ARGUMENTS)
    decision = bench.recorder.decisions(before + 1)[-1]
    assert decision["event"] in ("written", "same_shape")
    assert (decision["upstream"], decision["status"], decision["calls"]) == (upstream, "pass", 1)


WAYS: Final = pytest.mark.parametrize("way", ["url", "proxy"])


@pytest.mark.parametrize(
    ("client", "upstream", "way"),
    [
        ("openai", "openai", "url"),
        ("openai-responses", "openai", "proxy"),
        ("anthropic", "anthropic", "url"),
        ("mistralai", "mistral", "url"),
        ("requests", "openai", "proxy"),
        pytest.param("openai", "openai", "proxy", marks=nightly),
        pytest.param("openai-responses", "openai", "url", marks=nightly),
        pytest.param("openai-retrieval", "openai", "url", marks=nightly),
        pytest.param("openai-retrieval", "openai", "proxy", marks=nightly),
        pytest.param("anthropic", "anthropic", "proxy", marks=nightly),
        pytest.param("mistralai", "mistral", "proxy", marks=nightly),
        pytest.param("requests", "openai", "url", marks=nightly),
    ],
)
def test_a_python_client_is_recorded(bench: Bench, client: str, upstream: str, way: str) -> None:
    python = str(clients.python())
    recorded(bench, way, [python, str(SCRIPT), client, bench.url(way, upstream)], upstream)


ONE_PROVIDER: Final = (("cohere", "cohere"), ("gemini", "google.genai"), ("ollama", "ollama"))


@nightly
@WAYS
@pytest.mark.parametrize(("upstream", "package"), ONE_PROVIDER)
def test_a_client_of_one_provider_is_recorded(bench: Bench, upstream: str, package: str, way: str) -> None:
    python = str(clients.python_with(package))
    recorded(bench, way, [python, str(SCRIPT), upstream, bench.url(way, upstream)], upstream)


# The arguments of the call, out of the stream on standard input.
JOIN: Final = (
    "import json, sys; lines = [line[6:] for line in sys.stdin if line.startswith('data: {')]; "
    "deltas = [json.loads(line)['choices'][0]['delta'] for line in lines]; "
    "print(''.join(call['function']['arguments'] for delta in deltas for call in delta.get('tool_calls') or ()))"
)


@WAYS
def test_curl_is_recorded(bench: Bench, way: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("not installed: curl")
    url = f"{bench.url(way, 'openai')}/v1/chat/completions"
    asked = f"curl -sSfN -H 'Content-Type: application/json' -d '{request().decode()}' {url} | python3 -c \"{JOIN}\""
    recorded(bench, way, ["sh", "-c", asked], "openai")


NODE: Final = """
const [url, body] = process.argv.slice(1);
const response = await fetch(url + "/v1/chat/completions", { method: "POST", body });
const text = await response.text();
const lines = text.split("\\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)));
console.log(lines.flatMap((l) => l.choices[0].delta.tool_calls ?? []).map((c) => c.function.arguments).join(""));
"""


def test_nodes_fetch_is_recorded_by_its_base_url(bench: Bench) -> None:
    if shutil.which("node") is None:
        pytest.skip("not installed: Node")
    arguments = ["node", "--input-type=module", "-e", NODE, bench.url("url", "openai"), request().decode()]
    recorded(bench, "url", arguments, "openai")


def test_without_the_variables_a_client_does_not_trust_the_recorder(bench: Bench) -> None:
    if shutil.which("curl") is None:
        pytest.skip("not installed: curl")
    asked = ["curl", "-sS", "--proxy", f"http://127.0.0.1:{bench.recorder.port}", bench.url("proxy", "openai")]
    done = subprocess.run(asked, capture_output=True, text=True, env=dict(os.environ), timeout=PATIENCE, check=False)
    assert done.returncode == 60  # curl: the certificate of the peer cannot be authenticated


def test_both_ways_gave_the_same_shapes(bench: Bench) -> None:
    """Each turn once, whichever way and client it came by; the last test of this module, or of its part in a worker."""
    summary = bench.recorder.stop()
    assert summary["bugs"] == summary["dropped"] == summary["refused"] == {}
    assert summary["captured"] == len(bench.provider.requests)
    assert summary["passed"].keys() <= {"client that does not trust the certificate authority"}
    files = [json.loads(data) for data in bench.recorder.files().values()]
    assert len({json.dumps(found.get("chunks") or found["events"]) for found in files}) == len(files)
