"""Real clients come to the recorder both ways, by the variables of `toolreel env` alone; upstreams speak TLS."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support import clients
from support.certificates import authority
from support.command import toolreel
from support.provider import Answer, Provider, Request
from support.recorder import Recorder, environment
from support.shared import ROOT
from support.turns import DONE, call, event, request

pytestmark = pytest.mark.clients

SCRIPT: Final = ROOT / "tests" / "clients" / "both_ways.py"
ARGUMENTS: Final = '{"city": "Oslo"}'
PATIENCE: Final = 120


def chat() -> Iterator[bytes]:
    yield from call('{"city": ', '"Oslo"}')
    yield DONE


def whole_call() -> Iterator[bytes]:
    """The same call as Mistral streams it: in one piece."""
    function = {"name": "get_weather", "arguments": ARGUMENTS}
    delta = {"role": "assistant", "content": "", "tool_calls": [{"id": "AbCdEf012", "function": function, "index": 0}]}
    yield event(delta, finish="tool_calls")
    yield DONE


def messages() -> Iterator[bytes]:
    """The same call as Anthropic streams it."""
    block = {"type": "tool_use", "id": "toolu_01AbCdEf0123456789AbCdEf", "name": "get_weather", "input": {}}
    message = {
        "id": "msg_01AbCdEf0123456789AbCdEf",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    pieces = ('{"city": ', '"Oslo"}')
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in pieces
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    for one in events:
        yield f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode()


def answer(seen: Request) -> Answer:
    streams = {"openai": chat, "mistral": whole_call, "anthropic": messages}
    return Answer(pieces=streams[seen.target.split("/")[1]]())


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
        for name in ("openai", "anthropic", "mistral"):
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


@WAYS
@pytest.mark.parametrize(
    ("client", "upstream"),
    [("openai", "openai"), ("anthropic", "anthropic"), ("mistralai", "mistral"), ("requests", "openai")],
)
def test_a_python_client_is_recorded(bench: Bench, way: str, client: str, upstream: str) -> None:
    python = str(clients.python())
    recorded(bench, way, [python, str(SCRIPT), client, bench.url(way, upstream)], upstream)


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
    """Each turn once, whichever way and client it came by; the last test of this module."""
    summary = bench.recorder.stop()
    assert summary["faults"] == summary["dropped"] == summary["refused"] == {}
    assert summary["captured"] == len(bench.provider.requests)
    assert summary["passed"] == {"client that does not trust the certificate authority": 1}
    files = [json.loads(data) for data in bench.recorder.files().values()]
    assert len({json.dumps(found.get("chunks") or found["events"]) for found in files}) == len(files)
