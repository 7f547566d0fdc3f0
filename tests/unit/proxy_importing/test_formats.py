"""The formats of other tools: one exchange in each of them gives the fixture of its bare body."""

import base64
import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.processes.here import toolreel

from proxy_addon.demo.bundled import bundled
from proxy_addon.importing.paths import name_after
from proxy_addon.importing.readers import formats
from proxy_addon.importing.readers.formats import Format

pytestmark = pytest.mark.usefixtures("folder")

TURN = next(turn for turn in bundled() if turn.case == "openai-interleaved")
URL = f"https://api.openai.com{TURN.path}"
BODY = TURN.response_body()
TEXT = BODY.decode()
REQUEST = json.loads(TURN.request_body())
STREAM = {"Content-Type": "text/event-stream"}
LISTED = [{"name": name, "value": value} for name, value in STREAM.items()]
PAIR = {
    "request": {"method": "POST", "url": URL, "headers": {}, "body": json.dumps(REQUEST)},
    "response": {"status": {"code": 200, "message": "OK"}, "headers": STREAM, "body": TEXT},
}


def har(content: dict[str, Any], **more: Any) -> dict[str, Any]:
    request = {"method": "POST", "url": URL, "headers": [], "postData": {"text": json.dumps(REQUEST)}}
    response = {"status": 200, "headers": LISTED, "content": content}
    return {"log": {"entries": [{"request": request, "response": response, **more}]}}


def messages() -> list[dict[str, Any]]:
    data = [part.removeprefix("data: ") for part in TEXT.split("\n\n") if part]
    return [{"time": at, "eventName": "message", "eventId": "", "data": one} for at, one in enumerate(data)]


PACKED = gzip.compress(BODY, mtime=0)
THIRDS = [PACKED[at : at + 100] for at in range(0, len(PACKED), 100)]
NOCK = {"scope": "https://api.openai.com:443", "method": "POST", "path": TURN.path, "body": REQUEST, "status": 200}
AZURE = {
    "RequestUri": URL,
    "RequestMethod": "POST",
    "RequestHeaders": {},
    "RequestBody": REQUEST,
    "StatusCode": 200,
    "ResponseHeaders": STREAM,
}
STUB = {
    "request": {"method": "POST", "urlPath": TURN.path, "bodyPatterns": [{"equalToJson": json.dumps(REQUEST)}]},
    "response": {"status": 200, "headers": STREAM},
}


def stub(**response: Any) -> dict[str, Any]:
    return {**STUB, "response": {**STUB["response"], **response}}


# What a file holds, by the tool that wrote it.
FILES: dict[str, Any] = {
    "one exchange": PAIR,
    "php-vcr": [{**PAIR, "index": 0}],
    "two lists": {"requests": [PAIR["request"]], "responses": [PAIR["response"]]},
    "two lists, the other way": {"responses": [PAIR["response"]], "requests": [PAIR["request"]]},
    "nock": [{**NOCK, "response": TEXT, "rawHeaders": STREAM}],
    "nock, headers in turns": [{**NOCK, "response": TEXT, "rawHeaders": ["Content-Type", "text/event-stream"]}],
    "azure, text": {"Entries": [{**AZURE, "ResponseBody": TEXT}], "Variables": {}},
    "azure, lines": {"Entries": [{**AZURE, "ResponseBody": TEXT.splitlines(keepends=True)}]},
    "wiremock, one stub": stub(body=TEXT),
    "wiremock, a list": {"mappings": [stub(base64Body=base64.b64encode(BODY).decode())]},
    "polly, base64": har({"encoding": "base64", "text": json.dumps([base64.b64encode(BODY).decode()])}),
    "chrome, messages": har({"mimeType": "text/event-stream"}, _eventSourceMessages=messages()),
    "chrome, messages beside an empty text": har({"text": ""}, _eventSourceMessages=messages()),
}
# The same, where the body is still coded, so that the fixture says gzip.
CODED: dict[str, Any] = {
    "nock, hexadecimal": [
        {**NOCK, "response": [one.hex() for one in THIRDS], "rawHeaders": {**STREAM, "content-encoding": "gzip"}}
    ],
    "polly, base64 pieces": har(
        {"encoding": "base64", "text": json.dumps([base64.b64encode(one).decode() for one in THIRDS])}
    ),
    "polly, hexadecimal pieces": har({"text": json.dumps([one.hex() for one in THIRDS])}),
}


def imported(*arguments: str, code: int = 0) -> str:
    done = toolreel("import", *arguments)
    assert done.exit_code == code, done.output
    return done.output


def fixture(path: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Path(path).read_bytes())
    return value


def bare(*more: str) -> dict[str, Any]:
    """The fixture of the bare body."""
    Path("body.sse").write_bytes(BODY)
    Path("request.json").write_text(json.dumps(REQUEST))
    imported("body.sse", "--profile", "openai", "--request", "request.json", "--out", "bare", *more)
    return fixture("bare/body.json")


def same(found: dict[str, Any], expected: dict[str, Any], *, but: tuple[str, ...] = ()) -> None:
    for name in ("profile", "tool_schemas", "chunks"):
        assert found[name] == expected[name]
    for one in (found, expected):
        for name in but:
            one["transport"].pop(name, None)
    assert found["transport"] == expected["transport"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzipped"])
def test_an_exchange_gives_the_fixture_of_its_bare_body(name: str, pack: Callable[[bytes], bytes]) -> None:
    Path("Any Name.txt").write_bytes(pack(json.dumps(FILES[name], indent=1).encode()))
    line = imported("Any Name.txt")
    assert line.startswith("Any Name.txt, entry 1: written any-name.json, openai pass, no finding, calls: 2\n")
    same(fixture("reels/any-name.json"), bare("--content-type", "text/event-stream"))


@pytest.mark.parametrize("name", CODED)
def test_an_exchange_whose_body_is_still_coded_says_so(name: str) -> None:
    Path("a.json").write_text(json.dumps(CODED[name]))
    assert "written a.json, openai pass" in imported("a.json")
    found = fixture("reels/a.json")
    assert found["transport"]["content_coding"] == "gzip"
    same(found, bare("--content-type", "text/event-stream"), but=("content_coding",))


def test_yaml_is_read_in_the_same_shapes() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for number, name in enumerate(("one exchange", "php-vcr", "two lists", "two lists, the other way")):
        Path(f"{number}.yaml").write_text(yaml.safe_dump(FILES[name]))
    Path("4.yaml.gz").write_bytes(gzip.compress(yaml.safe_dump({"interactions": [PAIR]}).encode()))
    lines = imported("0.yaml", "1.yaml", "2.yaml", "3.yaml", "4.yaml.gz", "--case-from", "file").splitlines()
    for number, line in enumerate(lines[:5]):
        assert f": written {number}.json, openai pass" in line


def test_exchanges_one_a_line_are_read_one_by_one() -> None:
    Path("log.jsonl").write_text("\n".join(json.dumps(PAIR) for _ in range(2)))
    lines = imported("log.jsonl").splitlines()
    assert lines[0].startswith("log.jsonl, entry 1: written openai-")
    assert lines[1].startswith("log.jsonl, entry 2: same shape as openai-")


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda payloads: "\n".join(map(json.dumps, payloads)),
        lambda payloads: json.dumps(payloads, indent=2),
    ],
    ids=["lines", "list"],
)
def test_payloads_are_the_events_that_they_were(lay_out: Callable[[list[object]], str]) -> None:
    Path("payloads").write_text(lay_out(list(TURN.events)))
    imported("payloads", "--profile", "openai", "--request", str(Path("request.json")), code=2)
    Path("request.json").write_text(json.dumps(REQUEST))
    assert "written payloads.json, openai pass" in imported(
        "payloads", "--profile", "openai", "--request", "request.json"
    )
    found = fixture("reels/payloads.json")
    assert found["chunks"] == bare()["chunks"]
    assert found["transport"]["done"] == 0  # nothing says that a marker came


@pytest.mark.parametrize(
    "dump",
    [
        {
            "model": "gpt-4o",
            "messages": [],
            "optional_params": {"tools": REQUEST["tools"]},
            "streaming_chunks": list(TURN.events),
        },
        {"id": "trace", "input": json.dumps(REQUEST), "output": list(TURN.events)},
        {"observations": [{"input": REQUEST, "metadata": {"chunks": list(TURN.events)}}]},
    ],
    ids=["litellm", "langfuse, input as text", "langfuse, deeper"],
)
def test_a_dump_is_the_stream_whose_payloads_it_keeps(dump: object) -> None:
    Path("dump.json").write_text(json.dumps(dump))
    assert "dump.json, entry 1: written dump.json, openai pass, no finding, calls: 2" in imported("dump.json")
    assert fixture("reels/dump.json")["chunks"] == bare()["chunks"]


def test_a_body_that_stands_beside_its_file_is_read_from_there_and_from_nowhere_else() -> None:
    for name in ("inner/har", "inner/mappings", "inner/__files"):
        Path(name).mkdir(parents=True)
    Path("inner/har/abc.dat").write_bytes(BODY)
    Path("inner/__files/b.txt").write_bytes(BODY)
    Path("outside.txt").write_bytes(BODY)
    Path("inner/har/a.har").write_text(json.dumps(har({"_file": "abc.dat"})))
    Path("inner/mappings/stub.json").write_text(json.dumps(stub(bodyFileName="b.txt")))
    Path("inner/har/out.har").write_text(json.dumps(har({"_file": "../../outside.txt"})))
    Path("inner/har/gone.har").write_text(json.dumps(har({"_file": "gone.dat"})))
    assert "written a.json, openai pass" in imported("inner/har/a.har")
    assert "written stub.json, openai pass" in imported("inner/mappings/stub.json", "--case-from", "file")
    for name in ("out", "gone"):
        assert "not usable: the response body is not in the source" in imported(f"inner/har/{name}.har", code=1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '{"id": "x", "choices": [{"message": {"content": "Ms Miller"}}]}',
            "it is a whole response in JSON, and no stream",
        ),
        (
            '{\n "type": "message",\n "content": [{"type": "text", "text": "Ms Miller"}]\n}',
            "it is a whole response in JSON",
        ),
        ('{"output": [], "error": null, "object": "response"}\n', "it is a whole response in JSON"),
        ('{"error": {"message": "Ms Miller"}}', "it is an error response in JSON"),
        ('data: {"a": "Ms Miller"}\ndata: {"b": 1}\n', "a line-wise capture"),
        (" \n", "no event in the body"),
    ],
)
@pytest.mark.parametrize("option", [[], ["--profile", "openai"], ["--profile", "anthropic"]])
def test_what_holds_no_stream_is_called_what_it_is_whatever_is_said_of_it(
    text: str, says: str, option: list[str]
) -> None:
    Path("saved.txt").write_text(text)
    said = imported("saved.txt", *option, code=1 if option else 2)
    assert says in said.splitlines()[0]
    assert "Miller" not in said
    Path("in").mkdir()
    Path("in/saved.txt").write_text(text)
    lines = imported("in", *option, code=1 if option else 0).splitlines()
    assert lines[0].startswith("in/saved.txt: " + ("not usable: " if option else "passed over, "))


def test_folders_and_patterns_give_what_is_in_them_and_pass_over_the_rest() -> None:
    Path("in/deep/.hidden").mkdir(parents=True)
    Path("in/a.har").write_text(json.dumps(FILES["one exchange"]))
    Path("in/deep/b.json").write_text(json.dumps(FILES["nock"]))
    Path("in/deep/.hidden/c.json").write_text(json.dumps(FILES["nock"]))
    Path("in/notes.md").write_text("# notes")
    Path("in/package.json").write_text('{"name": "x"}')
    Path("in/body.sse").write_bytes(BODY)
    lines = imported("in").splitlines()
    named = "name its family with --profile openai|mistral, which its payloads look like"
    assert lines[0] == f"in/body.sse: passed over, a response body; {named}"
    assert lines[1].startswith("in/a.har, entry 1: written a.json,")
    assert lines[2] == "in/package.json: passed over, no exchange or stream in it"
    assert lines[3].startswith("in/deep/b.json, entry 1: same shape as a.json,")
    assert len([line for line in imported("in/**/*.json", "--out", "other").splitlines() if "entry" in line]) == 1
    # A second run over the fixtures themselves takes none of them for traffic.
    assert "entry" not in imported("reels")
    assert (
        imported("in/*.none", code=2)
        == "Error: in/*.none: no source here: no file that holds exchanges or streams; check the path\n"
    )


def test_a_fixture_is_named_after_its_source_where_that_gives_one_turn() -> None:
    other = {
        **PAIR,
        "response": {
            **PAIR["response"],
            "body": BODY.decode().replace("call_", "cal_", 1).replace('tool_calls"}', 'stop"}'),
        },
    }
    embedding = {**PAIR, "request": {**PAIR["request"], "url": "https://api.openai.com/v1/embeddings"}}
    Path("One Turn.json").write_text(json.dumps({"interactions": [embedding, PAIR, embedding]}))
    Path("two.json").write_text(json.dumps({"interactions": [PAIR, other]}))
    lines = imported("One Turn.json").splitlines()
    assert [line.partition(": ")[2][:21] for line in lines[:3]] == [
        "passed over, path or ",
        "written one-turn.json",
        "passed over, path or ",
    ]
    assert "entry 1: same shape as one-turn.json" in imported("two.json")
    named = imported("two.json", "--case-from", "file", "--out", "named")
    assert "entry 1: written two.json" in named
    assert "written openai-" in imported("One Turn.json", "--case-from", "shape", "--out", "shapes")
    assert imported("two.json", "--case", "a", "--case-from", "file", code=2).startswith(
        "Error: --case and --case-from"
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/Chat (1).yaml.gz", "chat-1"),
        ("x.har", "x"),
        ("a.b.json", "a.b"),
        ("...", None),
        ("a.expected.json", None),
        ("é.har", None),
        ("y" * 80 + ".har", "y" * 64),
    ],
)
def test_a_name_after_a_source_is_one_that_a_fixture_can_have(path: str, name: str | None) -> None:
    assert name_after(Path(path)) == name


@pytest.mark.parametrize(
    ("start", "found"),
    [
        (b'[{"scope":"x","path":"/","response":""}]', Format.JSON),
        (b'[{"choices":[]}]', Format.PAYLOADS),
        (b'[{"candidates":[]}]', Format.BODY),
        (b'{"choices":[]}\n{"choices":[]}\n', Format.PAYLOADS),
        (b'{"done":false}\n{"done":true}\n', Format.BODY),
        (b'{"request":{},"response":{}}\n{"request":{},"response":{}}\n', Format.LINES),
        (b'{"request":{},"response":{}}', Format.JSON),
        (b"requests:\n- a\n", Format.YAML),
        (b"- request:\n    method: POST\n", Format.YAML),
        (b"# a note\n", None),
        (b"[]", None),
        (b"", None),
    ],
)
def test_a_format_is_seen_by_what_a_file_holds(start: bytes, found: Format | None) -> None:
    assert formats.guess(start) is found


@pytest.mark.parametrize("name", [*FILES, *CODED])
@pytest.mark.parametrize("at", range(0, 100, 7))
def test_a_damaged_file_gives_lines_and_never_anything_else(name: str, at: int) -> None:
    data = json.dumps({**FILES, **CODED}[name]).encode()
    cut = len(data) * at // 100
    for damaged in (data[:cut], data[:cut] + b"x" + data[cut + 1 :], data[:cut] + b"[" + data[cut:]):
        Path("a").write_bytes(damaged)
        done = toolreel("import", "a", "--profile", "openai")
        assert done.exit_code in (0, 1, 2)
        assert done.exception is None or isinstance(done.exception, SystemExit)


def zipped(path: str, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_an_archive_of_playwright_has_its_bodies_beside_the_log() -> None:
    log = json.dumps(har({"_file": "1f0c.dat"})).encode()
    zipped("session.zip", {"1f0c.dat": BODY, "har.har": log})
    assert "written session.json, openai pass" in imported("session.zip", "--case-from", "file")
    assert fixture("reels/session.json")["chunks"] == bare()["chunks"]
    zipped("gone.zip", {"har.har": log})
    assert "not usable: the response body is not in the source" in imported("gone.zip", code=1)


def test_an_archive_that_is_no_har_or_is_damaged_is_one_line() -> None:
    zipped("other.zip", {"a.txt": b"hello"})
    assert "other.zip: is an archive without one HAR in it; unpack it" in imported("other.zip", code=2)
    log = json.dumps(har({"_file": "1f0c.dat"})).encode()
    zipped("cut.zip", {"har.har": log * 50})
    data = bytearray(Path("cut.zip").read_bytes())
    data[60:200] = b"\0" * 140
    Path("cut.zip").write_bytes(data)
    assert "cut.zip: whole file: its zip cannot be undone; mend the file" in imported("cut.zip", code=2)
