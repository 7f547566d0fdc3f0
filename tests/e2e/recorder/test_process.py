"""The command `toolreel record` as a process: what it prints, what it refuses, and how it fails before it starts."""

import json
import socket
from pathlib import Path

import pytest
from support.builders.turns import DONE, call, request
from support.processes.command import run
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, post

pytest.importorskip("mitmproxy")

TARGET = "/openai/v1/chat/completions"


def fails(folder: Path, *options: str) -> str:
    """Run the command with options that cannot be right; its one line."""
    done = run("record", "--out", folder / "out", "--port", "0", *options)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert "Traceback" not in done.stderr
    return line


def test_it_says_where_to_point_the_clients(tmp_path: Path) -> None:
    options = ("--upstream", "groq=https://api.groq.com/openai")
    with Recorder(tmp_path / "out", *options) as recorder:
        port = recorder.port
        recorder.stop()
        said = recorder.output
    assert f"export OPENAI_BASE_URL=http://127.0.0.1:{port}/openai/v1\n" in said
    assert f"export ANTHROPIC_BASE_URL=http://127.0.0.1:{port}/anthropic\n" in said
    assert f'Mistral(server_url="http://127.0.0.1:{port}/mistral")' in said
    assert f"http://127.0.0.1:{port}/groq  ->  https://api.groq.com/openai" in said
    ready = json.loads(next(line for line in said.splitlines() if line.startswith("ready ")).removeprefix("ready "))
    assert ready["port"] == port
    assert ready["base_urls"]["groq"] == f"http://127.0.0.1:{port}/groq"


def test_stopping_an_idle_recorder_prints_the_summary_and_nothing_else(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out") as recorder:
        summary = recorder.stop()
        assert summary == {
            "captured": 0,
            "written": 0,
            "same_shape": 0,
            "left_out": {},
            "refused": {},
            "dropped": {},
            "passed": {},
            "bad_case_names": 0,
            "bugs": {},
            "removed": 0,
            "lines_lost": 0,
            "rungs": {},
            "not_recorded": [],
            "recorded": [],
            "cases_changed": 0,
        }
        assert recorder.errors == ""


def test_a_decision_is_one_line_of_closed_words(tmp_path: Path) -> None:
    with (
        Provider(Answer(pieces=(*call("{}"), DONE))) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        ask(recorder.port, post(TARGET, request(), "X-Toolreel-Case: no-city"))
        recorder.stop()
        (line,) = recorder.errors.splitlines()
        assert line.startswith("toolreel: no-city.json: written, openai ")
        assert line.endswith("calls: 1")


def test_an_occupied_port_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = fails(tmp_path, "--port", str(port))
    assert line == f"Error: --port {port}: 127.0.0.1 port {port} is in use; name another, or 0 for any free one"


@pytest.mark.parametrize(("inner", "why"), [("", "it is a file"), ("/reels", "Not a directory")])
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path, inner: str, why: str) -> None:
    (tmp_path / "file").write_text("a file")
    out = f"{tmp_path}/file{inner}"
    line = fails(tmp_path, "--out", out)
    assert line == f"Error: {out}: cannot write fixtures here ({why}); name another folder with --out DIR"
    assert (tmp_path / "file").read_text() == "a file"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--host", "0.0.0.0"), "only a loopback address"),
        (("--host", "example.com"), "only a loopback address"),
        (("--upstream", "openai"), "expected NAME=URL"),
        (("--upstream", "Bad Name=http://x"), "expected NAME=URL"),
        (("--upstream", "openai=ftp://x"), "expected an http or https URL"),
        (("--upstream", "openai=http://"), "expected an http or https URL"),
        (("--upstream", "openai=http://x:99999"), "expected an http or https URL"),
        (("--upstream", "openai=http://x?key=1"), "no query"),
        (("--upstream", "openai=http://x,provider=me"), "unknown provider"),
        (("--upstream", "openai=http://x,profile=palm"), "unknown profile"),
        (("--upstream", "openai=http://x,allow=anything"), "unknown allowance"),
        (("--upstream", "openai=http://x,colour=red"), "only ,provider=NAME ,profile=PROFILE"),
        (("--upstream", "openai=http://x,path=/a:palm"), "unknown profile behind the colon"),
        (("--upstream", "openai=http://x,path=completions"), "path= takes the end of a path"),
        (("--drain", "nan"), "expected a number of seconds"),
        (("--drain", "inf"), "is not in the range"),
        (("--drain", "-1"), "is not in the range"),
        (("--idle", "nan"), "is not a valid integer range"),
        (("--max-memory", "-1"), "is not in the range"),
        (("--when-full", "oldest"), "add --max-folder MIB"),
        (("--max-fixtures", "0"), "is not in the range"),
        (("--max-bytes", "inf"), "is not a valid integer range"),
        (("--sample", "-1"), "expected N, 1/N or UPSTREAM=N"),
        (("--sample", "opnai=2"), "no upstream has this name"),
        (("--sample-by", "X Session"), "expected the name of a header"),
        (("--schemas", "missing.json"), "cannot be read"),
        (("--upstream-ca", "missing.pem"), "cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_option_is_one_line_that_says_what_is_right(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    line = fails(tmp_path, *options)
    assert options[0] in line
    assert said in line
    assert not (tmp_path / "out").exists()


def test_credentials_in_an_upstream_are_refused_and_not_repeated(tmp_path: Path) -> None:
    line = fails(tmp_path, "--upstream", "openai=http://user:CANARY7f3@127.0.0.1:1")
    assert "take the credentials out" in line
    assert "CANARY7f3" not in line


def test_a_query_in_an_upstream_is_refused_and_not_repeated(tmp_path: Path) -> None:
    line = fails(tmp_path, "--upstream", "openai=http://127.0.0.1:1/v1?key=CANARY7f3")
    assert "no query" in line
    assert "CANARY7f3" not in line


def test_control_characters_of_an_option_come_out_escaped(tmp_path: Path) -> None:
    assert "\\x1b[31m" in fails(tmp_path, "--schemas", "\x1b[31mred")


@pytest.mark.parametrize(
    ("content", "said"),
    [("[]", "expected a JSON object"), ('{"a": 1}', "is no JSON object"), ('{"a": {}, "a": {}}', "no strict JSON")],
)
def test_a_schemas_file_of_another_shape_is_one_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "schemas.json"
    path.write_text(content)
    assert said in fails(tmp_path, "--schemas", str(path))


def test_tools_that_a_request_lacks_come_from_the_schemas_file(tmp_path: Path) -> None:
    path = tmp_path / "schemas.json"
    path.write_text('{"get_weather": {"type": "object"}}')
    with (
        Provider(Answer(pieces=(*call("{}"), DONE))) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--schemas", str(path)) as recorder,
    ):
        ask(recorder.port, post(TARGET, b'{"model": "gpt-4o-mini", "messages": [], "stream": true}'))
        assert recorder.stop()["written"] == 1
        (fixture,) = [json.loads(data) for data in recorder.files().values()]
        assert fixture["tool_schemas"] == {"get_weather": {"type": "object"}}


def test_a_second_run_knows_the_shapes_of_the_first(tmp_path: Path) -> None:
    with Provider(Answer(pieces=(*call("{}"), DONE))) as provider:
        summaries = []
        for _ in range(2):
            with Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder:
                ask(recorder.port, post(TARGET, request()))
                summaries.append(recorder.stop())
                files = recorder.files()
    assert [(found["written"], found["same_shape"]) for found in summaries] == [(1, 0), (0, 1)]
    assert len(files) == 1
