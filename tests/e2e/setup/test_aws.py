"""The SDK of AWS streams from an endpoint that speaks TLS, through the recorder as its HTTPS proxy, and is recorded."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")
pytest.importorskip("botocore")

from support.nightly import nightly
from support.processes.command import environment, toolreel
from support.processes.recorder import Recorder
from support.recorded import event_messages
from support.shared import ROOT
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Provider, Request

SCRIPT: Final = ROOT / "tests" / "clients" / "aws.py"
CONTENT_TYPE: Final = (("Content-Type", "application/vnd.amazon.eventstream"),)
ACCOUNT: Final = "481516234299"
PROFILE: Final = f"arn:aws:bedrock:us-east-1:{ACCOUNT}:application-inference-profile/zk81hx0q4vtr"
PATIENCE: Final = 120

HALF_WAY: Final = event_messages.event_body(
    [
        {"messageStart": {"role": "assistant"}},
        {
            "contentBlockStart": {
                "contentBlockIndex": 0,
                "start": {"toolUse": {"toolUseId": "a", "name": "get_weather"}},
            }
        },
    ]
) + event_messages.message(
    {":message-type": "exception", ":exception-type": "throttlingException", ":content-type": "application/json"},
    json.dumps({"message": f"account {ACCOUNT} has too many requests"}).encode(),
)
CONVERSED: Final = event_messages.event_body(
    [
        {"messageStart": {"role": "assistant"}},
        {
            "contentBlockStart": {
                "contentBlockIndex": 0,
                "start": {"toolUse": {"toolUseId": "a", "name": "get_weather"}},
            }
        },
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"city": '}}, "p": "abcdef"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '"Oslo"}'}}, "p": "ab"}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {"messageStop": {"stopReason": "tool_use"}},
        {"metadata": {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 9}}},
    ]
)
CLAUDE: Final = b"".join(
    event_messages.carried(json.dumps(payload).encode(), p="abc")
    for payload in (
        {"type": "message_start", "message": {"id": "msg_bdrk_1", "role": "assistant", "content": []}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "t", "name": "get_weather", "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"city":"Oslo"}'},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 9}},
    )
)
TITAN: Final = event_messages.carried(b'{"outputText":"Hello","index":0,"completionReason":"FINISH"}')
BODIES: Final = {
    "broken": CONVERSED[:-1] + b"\x00",
    "throttled": HALF_WAY,
    "anthropic.claude": CLAUDE,
    "amazon.titan": TITAN,
    "amazon.nova": b"".join(
        event_messages.carried(json.dumps(payload).encode())
        for payload in ({"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "end_turn"}})
    ),
}


def answer(seen: Request) -> Answer:
    """The body of the first name that stands in the path, in pieces of seven bytes: no cut is where a message ends."""
    body = next((body for name, body in BODIES.items() if f"{name}-" in seen.target), CONVERSED)
    return Answer(
        pieces=[body[at:to] for at, to in pairwise([*range(0, len(body), 7), len(body)])], headers=CONTENT_TYPE
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A recorder in front of a TLS server that stands for Bedrock, and what a client needs to come by it or past it."""

    recorder: Recorder
    endpoint: str
    by_proxy: dict[str, str]
    past_it: dict[str, str]

    def streamed(self, operation: str, model: str, variables: dict[str, str]) -> dict[str, Any]:
        """What the client read."""
        done = subprocess.run(
            [sys.executable, str(SCRIPT), operation, self.endpoint, model],
            capture_output=True,
            text=True,
            env={**environment(), **variables},
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("aws")
    root, context = authority(folder)
    data = {"TOOLREEL_DATA": str(folder / "data")}
    with Provider(answer, tls=context) as provider:
        endpoint = f"https://localhost:{provider.port}"
        options = ("--upstream-ca", str(root), "--log", "json", "--upstream", f"bedrock={endpoint}")
        with Recorder(folder / "out", *options, variables=data) as recorder:
            arguments = ("env", "--shell", "dotenv", "--port", str(recorder.port), "--way", "proxy")
            lines = toolreel(*arguments, variables=data).splitlines()
            yield Bench(
                recorder=recorder,
                endpoint=endpoint,
                by_proxy=dict(line.partition("=")[::2] for line in lines),
                past_it={"AWS_CA_BUNDLE": str(root)},
            )


@pytest.mark.parametrize(
    ("operation", "model", "profile", "status"),
    [
        ("converse", "converse-1", "bedrock-converse", "pass"),
        pytest.param("converse", PROFILE, "bedrock-converse", "pass", marks=nightly),
        pytest.param("converse", "throttled-1", "bedrock-converse", "blocked", marks=nightly),
        pytest.param("invoke", "anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic", "pass", marks=nightly),
        pytest.param("invoke", "amazon.nova-micro-v1:0", "bedrock-converse", "not_applicable", marks=nightly),
    ],
)
def test_what_the_client_reads_is_the_same_with_and_without_the_recorder_and_is_recorded(
    bench: Bench, operation: str, model: str, profile: str, status: str
) -> None:
    without = bench.streamed(operation, model, bench.past_it)
    before = set(bench.recorder.files())
    lines = bench.recorder.errors.count("\n")
    assert bench.streamed(operation, model, bench.by_proxy) == without
    body = next((body for name, body in BODIES.items() if f"{name}-" in model), CONVERSED)
    assert without["wire"] == hashlib.sha256(body).hexdigest()
    decision = bench.recorder.decisions(lines + 1)[-1]
    assert decision["event"] in ("written", "same_shape")
    assert (decision["profile"], decision["status"]) == (profile, status)
    for name in set(bench.recorder.files()) - before:
        data = bench.recorder.files()[name]
        fixture = json.loads(data)
        assert (fixture["capture"]["mode"], fixture["capture"]["provider"]) == ("forward", "bedrock")
        assert fixture["capture"]["adapter"]["name"] == "botocore-python"
        assert ACCOUNT.encode() not in data
        assert b"zk81hx0q4vtr" not in data


@nightly
def test_a_frame_that_fails_ends_the_reading_and_the_traffic_is_untouched(bench: Bench) -> None:
    lines = bench.recorder.errors.count("\n")
    with pytest.raises(AssertionError, match="ChecksumMismatch"):
        bench.streamed("converse", "broken-1", bench.by_proxy)
    decision = bench.recorder.decisions(lines + 1)[-1]
    assert decision["event"] == "written"
    assert decision["status"] == "blocked"


@nightly
def test_a_model_without_tools_is_counted_and_said_once(bench: Bench) -> None:
    lines = bench.recorder.errors.count("\n")
    found = bench.streamed("invoke", "amazon.titan-text-1", bench.by_proxy)
    assert len(found["events"]) == 1
    decision = bench.recorder.decisions(lines + 1)[-1]
    assert decision["event"] == "refused"
    assert "no tools" in json.dumps(decision)


def test_no_prefix_leads_to_bedrock_by_itself(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out") as recorder:
        assert "bedrock    (as HTTPS proxy alone)  ->  https://bedrock-runtime.*.amazonaws.com" in recorder.output
        assert "/bedrock" not in recorder.output.partition("ready ")[2]
