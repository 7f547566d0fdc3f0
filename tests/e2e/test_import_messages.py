"""`toolreel import` reads the binary streams of Bedrock out of each kind of file that keeps them as base64."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("yaml")
pytest.importorskip("mitmproxy", reason="mitmproxy is not installed")

import yaml
from support.builders import blocks
from support.processes.command import toolreel
from support.recorded import event_messages, packed
from support.streamed import bedrock

HOST = "https://bedrock-runtime.eu-west-1.amazonaws.com"
KIND = "application/vnd.amazon.eventstream"
BODY = event_messages.event_body(
    [
        bedrock.BEGIN,
        bedrock.start(0, name="weather"),
        bedrock.grow(0, '{"city":'),
        bedrock.grow(0, '"Mara Lindqvist"}'),
        bedrock.stop(0),
        bedrock.end(),
        {"metadata": {"usage": {"inputTokens": 4711}}},
    ]
)
REQUEST = json.dumps({"toolConfig": {"tools": [{"toolSpec": {"name": "weather", "inputSchema": {"json": {}}}}]}})
MODEL = "arn%3Aaws%3Abedrock%3Aeu-west-1%3A481516234299%3Ainference-profile%2Feu.amazon.nova-lite-v1%3A0"


CLAUDE = json.dumps({"tools": [{"name": "weather", "input_schema": {}}], "messages": []})


def har(url: str, body: bytes, request: str = REQUEST) -> str:
    content = {"mimeType": KIND, "encoding": "base64", "text": base64.b64encode(body).decode(), "size": len(body)}
    response = {"status": 200, "headers": [{"name": "Content-Type", "value": KIND}], "content": content}
    asked = {"method": "POST", "url": url, "headers": [], "postData": {"text": request}}
    return json.dumps({"log": {"version": "1.2", "entries": [{"request": asked, "response": response}]}})


def cassette(url: str, body: object, request: str) -> dict[str, Any]:
    response = {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": [KIND]}, "body": body}
    asked = {"method": "POST", "uri": url, "headers": {}, "body": request}
    return {"version": 1, "interactions": [{"request": asked, "response": response}]}


def saved(folder: Path, url: str, body: bytes, request: str) -> list[str]:
    """The files in which the exchange is kept, one of each kind."""
    (folder / "a.har").write_text(har(url, body, request))
    (folder / "b.yaml").write_text(yaml.dump(cassette(url, {"string": body}, request)))
    coded = {"base64_string": base64.b64encode(body).decode()}
    (folder / "c.json").write_text(json.dumps(cassette(url, coded, request)))
    one = packed.Exchange(
        url=url,
        request=request.encode(),
        request_headers=(("content-type", "application/json"),),
        response_headers=(("content-type", KIND),),
        body=body,
    )
    (folder / "d.flow").write_bytes(packed.flows([one]))
    return [str(folder / name) for name in ("a.har", "b.yaml", "c.json", "d.flow")]


def test_each_kind_of_file_gives_the_same_fixture(tmp_path: Path) -> None:
    url = f"{HOST}/model/{MODEL}/converse-stream"
    said = toolreel("import", "--out", str(tmp_path / "out"), *saved(tmp_path, url, BODY, REQUEST))
    assert "captured 4: 1 written, 3 same shape as one already there, 0 refused, 0 dropped" in said
    [fixture] = (tmp_path / "out").iterdir()
    value = json.loads(fixture.read_bytes())
    assert (value["profile"], value["capture"]["model"]) == ("bedrock-converse", "nova-lite")
    assert value["transport"]["framing"] == "eventstream"
    for secret in (b"Mara", b"Lindqvist", b"481516234299", b"4711", b'tooluse_0"'):
        assert secret not in fixture.read_bytes()


def test_what_invoke_model_carries_is_of_its_vendor(tmp_path: Path) -> None:
    stop = {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 1}}
    bodies = {
        "claude": event_messages.carried(json.dumps(stop).encode(), p="abc"),
        "titan": event_messages.carried(b'{"outputText":"Hello"}'),
    }
    for name, body in bodies.items():
        (tmp_path / f"{name}.har").write_text(har(f"{HOST}/model/{name}/invoke-with-response-stream", body))
    said = toolreel(
        "import", "--out", str(tmp_path / "out"), *(str(tmp_path / f"{name}.har") for name in bodies), code=1
    )
    assert "anthropic not_applicable" in said
    assert "what the body carries is of an API that has no tools" in said
    assert "1 written, 0 same shape as one already there, 1 refused" in said


def test_a_call_that_invoke_model_carries_comes_out_of_each_kind_of_file(tmp_path: Path) -> None:
    turn = blocks.turn(*blocks.grown(0, ['{"city":', '"Mara Lindqvist"}'], name="weather"))
    body = b"".join(event_messages.carried(json.dumps(payload).encode(), p="abc") for payload in turn)
    url = f"{HOST}/model/{MODEL}/invoke-with-response-stream"
    said = toolreel("import", "--out", str(tmp_path / "out"), *saved(tmp_path, url, body, CLAUDE))
    assert "captured 4: 1 written, 3 same shape as one already there, 0 refused, 0 dropped" in said
    [fixture] = (tmp_path / "out").iterdir()
    value = json.loads(fixture.read_bytes())
    assert (value["profile"], value["transport"]["framing"]) == ("anthropic", "eventstream-chunks")
    for secret in (b"Mara", b"Lindqvist", b"481516234299"):
        assert secret not in fixture.read_bytes()


def test_a_bare_body_of_invoke_model_says_which_option_it_wants(tmp_path: Path) -> None:
    body = tmp_path / "body.bin"
    payloads = blocks.turn(*blocks.grown(0, ["{}"], name="weather"))
    body.write_bytes(b"".join(event_messages.carried(json.dumps(payload).encode()) for payload in payloads))
    wants = "body.bin: a response body; name its family with --profile bedrock-converse"
    assert wants in toolreel("import", "--out", str(tmp_path / "out"), str(body), code=2)
    other = toolreel("import", "--out", str(tmp_path / "out"), str(body), "--profile", "anthropic", code=1)
    assert "they look like bedrock-converse" in other
    said = toolreel("import", "--out", str(tmp_path / "out"), str(body), "--profile", "bedrock-converse")
    assert "written body.json, anthropic" in said
