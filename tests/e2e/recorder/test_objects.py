"""Gemini and Ollama through the recorder: every framing of theirs, the model's name in a path, and bodies that lie."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.processes import clients
from support.processes.command import toolreel
from support.processes.recorder import Recorder
from support.shared import ROOT
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, body_of, post, status_of

TOOL: Final = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
# What no fixture may hold: an API key in the query, a Cloud project and a deployment in the path.
SECRETS: Final = ("AIzaSyKeyOfNobody7712", "project-of-nobody-31", "deployment-of-nobody")
CALL: Final = {"functionCall": {"name": "get_weather", "args": {"city": "Reykjavik"}}}


def chunk(*parts: object, reason: str | None = None) -> dict[str, Any]:
    candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
    return {"candidates": [candidate if reason is None else {**candidate, "finishReason": reason}], "responseId": "r1"}


CHUNKS: Final = (chunk({"text": "I look."}), chunk(CALL), chunk({"text": ""}, reason="STOP"))
EVENTS: Final = tuple(f"data: {json.dumps(one)}\r\n\r\n".encode() for one in CHUNKS)
ARRAY: Final = (
    b"[" + json.dumps(CHUNKS[0], indent=2).encode(),
    *(b"\n,\r\n" + json.dumps(one, indent=2).encode() for one in CHUNKS[1:]),
    b"\n]\n",
)


def line(**members: Any) -> bytes:
    return json.dumps({"model": "llama3", "created_at": "2026-11-30T20:00:00Z", **members}).encode() + b"\n"


LINES: Final = (
    line(message={"role": "assistant", "content": "I look."}, done=False),
    line(
        message={
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Reykjavik"}}}],
        },
        done=False,
    ),
    line(message={"role": "assistant", "content": ""}, done=True, done_reason="stop"),
)
# What another API streams, in the framings of these.
CLAUDE: Final = ({"type": "message_start", "message": {"id": "msg_1"}}, {"type": "message_stop"})
EVENTS_AS_LINES: Final = tuple(json.dumps(one).encode() + b"\n" for one in CLAUDE)
LISTED: Final = (json.dumps(CLAUDE).encode(),)
FUNCTION: Final = {"name": "get_weather", "parametersJsonSchema": TOOL}
ASKED: Final[dict[str, dict[str, Any]]] = {
    "gemini": {"contents": [{"parts": [{"text": "Weather?"}]}], "tools": [{"functionDeclarations": [FUNCTION]}]},
    "ollama": {
        "model": "llama3",
        "messages": [{"role": "user", "content": "Weather?"}],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": TOOL}}],
    },
}
SSE: Final = "text/event-stream"
JSON: Final = "application/json; charset=UTF-8"
NDJSON: Final = "application/x-ndjson"
MODELS: Final = f"/v1beta/models/gemini-2.5-flash:streamGenerateContent?key={SECRETS[0]}"
VERTEX: Final = f"/v1/projects/{SECRETS[1]}/publishers/google/models/gemini-2.5-flash:streamGenerateContent"
TUNED: Final = f"/v1/projects/{SECRETS[1]}/locations/us/endpoints/{SECRETS[2]}:streamGenerateContent"
KINDS: Final = {
    "sse": ("gemini", MODELS + "&alt=sse", SSE, EVENTS, "sse", "gemini-2.5-flash"),
    "array": ("gemini", MODELS, JSON, ARRAY, "json", "gemini-2.5-flash"),
    "vertex": ("gemini", VERTEX, JSON, ARRAY, "json", "gemini-2.5-flash"),
    "tuned": ("gemini", TUNED + "?alt=sse", SSE, EVENTS, "sse", "unknown-model"),
    "error": ("gemini", MODELS + "&x=1", JSON, (b'{"error": {"message": "no"}}',), "json-object", "gemini-2.5-flash"),
    "lines": ("ollama", "/api/chat", NDJSON, LINES, "ndjson", "llama"),
}


def test_a_stream_passes_as_it_is_and_is_a_fixture_in_its_framing(tmp_path: Path) -> None:
    served = {
        target: Answer(pieces=pieces, headers=(("Content-Type", kind),))
        for _, target, kind, pieces, *_ in KINDS.values()
    }
    with (
        Provider(lambda seen: served[seen.target]) as provider,
        Recorder(tmp_path / "out", *(f"--upstream={one}={provider.url}" for one in ("gemini", "ollama"))) as recorder,
    ):
        for case, (family, target, _, pieces, *_) in KINDS.items():
            asked = json.dumps(ASKED[family]).encode()
            answered = ask(recorder.port, post(f"/{family}{target}", asked, f"X-Toolreel-Case: {case}"))
            assert status_of(answered) == 200
            assert b"".join(pieces) in answered or _unchunked(body_of(answered)) == b"".join(pieces)
        assert recorder.stop()["written"] == len(KINDS)
        files = recorder.files()
    found = {name.removesuffix(".json"): json.loads(data) for name, data in files.items()}
    for case, (family, _, _, _, framing, model) in KINDS.items():
        fixture = found[case]
        assert (fixture["profile"], fixture["transport"]["framing"]) == (family, framing)
        assert fixture["capture"]["model"] == model
        assert case == "error" or list(fixture["tool_schemas"]) == ["get_weather"]
    said = b"\n".join(files.values())
    assert not [secret for secret in (*SECRETS, "Reykjavik") if secret.encode() in said]
    toolreel("replay", str(tmp_path / "out"), "--update")


def _unchunked(body: bytes) -> bytes:
    found, at = b"", 0
    while at < len(body):
        end = body.index(b"\r\n", at)
        size = int(body[at:end], 16)
        found, at = found + body[end + 2 : end + 2 + size], end + 4 + size
    return found


@pytest.mark.parametrize(
    ("family", "target", "kind", "pieces"),
    [
        ("ollama", "/api/chat", NDJSON, EVENTS),
        ("ollama", "/api/chat", NDJSON, ARRAY),
        ("gemini", MODELS, SSE, (b"\x00\x00\x00\x10\x00\x00\x00\x00",)),
    ],
)
def test_a_body_of_another_framing_is_refused_in_one_line_and_passes_all_the_same(
    tmp_path: Path, family: str, target: str, kind: str, pieces: tuple[bytes, ...]
) -> None:
    answer = Answer(pieces=pieces, headers=(("Content-Type", kind),))
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", f"--upstream={family}={provider.url}") as recorder,
    ):
        answered = ask(recorder.port, post(f"/{family}{target}", json.dumps(ASKED[family]).encode()))
        summary = recorder.stop()
    assert _unchunked(body_of(answered)) == answer.body
    assert (summary["written"], summary["refused"]) == (
        0,
        {"the body is of another framing than its content type says": 1},
    )


@pytest.mark.parametrize(
    ("family", "target", "kind", "pieces"),
    [("ollama", "/api/chat", SSE, EVENTS), ("gemini", MODELS, NDJSON, LINES)],
)
def test_a_stream_of_a_type_that_its_path_does_not_have_is_said_and_counted_and_passes_all_the_same(
    tmp_path: Path, family: str, target: str, kind: str, pieces: tuple[bytes, ...]
) -> None:
    answer = Answer(pieces=pieces, headers=(("Content-Type", kind),))
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", f"--upstream={family}={provider.url}") as recorder,
    ):
        answered = ask(recorder.port, post(f"/{family}{target}", json.dumps(ASKED[family]).encode()))
        summary = recorder.stop()
    assert _unchunked(body_of(answered)) == answer.body
    assert (summary["written"], summary["passed"]) == (0, {"stream of another framing than the path's": 1})
    said = "stream of another framing than the path's; check the path, and the content type that the provider sends"
    assert recorder.errors.count(said) == 1


@pytest.mark.parametrize(
    ("family", "target", "kind", "pieces"),
    [("ollama", "/api/chat", NDJSON, EVENTS_AS_LINES), ("gemini", MODELS, JSON, LISTED)],
)
def test_a_stream_of_another_api_at_this_path_is_a_turn_that_is_blocked(
    tmp_path: Path, family: str, target: str, kind: str, pieces: tuple[bytes, ...]
) -> None:
    """A path that lies: the payloads are judged by the path's family, and the line says what is found."""
    answer = Answer(pieces=pieces, headers=(("Content-Type", kind),))
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", f"--upstream={family}={provider.url}") as recorder,
    ):
        answered = ask(recorder.port, post(f"/{family}{target}", json.dumps(ASKED[family]).encode()))
        summary = recorder.stop()
    assert _unchunked(body_of(answered)) == answer.body
    assert summary["written"] == 1
    assert f"written, {family} blocked, unsupported_event" in recorder.errors
    assert recorder.errors.count("\n") == 1


@pytest.mark.clients
@pytest.mark.parametrize(
    ("family", "package", "answer"),
    [
        ("gemini", "google.genai", Answer(pieces=EVENTS)),
        ("ollama", "ollama", Answer(pieces=LINES, headers=(("Content-Type", NDJSON),))),
    ],
)
def test_a_client_reads_the_same_through_the_recorder(
    tmp_path: Path, family: str, package: str, answer: Answer
) -> None:
    python = clients.python_with(package)
    with (
        Provider(answer) as provider,
        Recorder(tmp_path / "out", f"--upstream={family}={provider.url}") as recorder,
    ):
        alone = _read(python, family, provider.url)
        through = _read(python, family, f"http://127.0.0.1:{recorder.port}/{family}")
        assert recorder.stop()["written"] == 1
        (data,) = recorder.files().values()
    assert alone == through
    assert len(alone["chunks"]) == 3
    fixture = json.loads(data)
    assert fixture["capture"]["adapter"]["name"] == {"gemini": "google-genai-python", "ollama": "ollama-python"}[family]
    assert list(fixture["tool_schemas"]) == ["get_weather"]


def _read(python: Path, family: str, url: str) -> dict[str, Any]:
    done = subprocess.run(
        [python, ROOT / "tests" / "clients" / "google_and_ollama.py", family, url],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found
