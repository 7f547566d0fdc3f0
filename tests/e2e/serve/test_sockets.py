"""Fixtures over real sockets: to curl, to Node's fetch, to the official clients, and byte by byte to a plain socket."""

import contextlib
import gzip
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from support import shared
from support.builders import blocks, items
from support.processes import clients

from replay.body.rendering import render
from replay.corpus.loading import load
from replay.families import array
from replay.serve.answers import Answers, Cut
from replay.serve.cutting import Cuts, Mode
from replay.serve.http1 import MAX_BODY_BYTES
from replay.serve.matching import FixtureMatcher, ServedFixture
from replay.serve.server import Pace, Server

PROFILES: Final = ("openai", "mistral", "anthropic", "openai-responses")
PATHS: Final = {
    "openai-responses": "/v1/responses",
    "openai": "/v1/chat/completions",
    "mistral": "/v1/chat/completions",
    "anthropic": "/v1/messages",
}
ASK: Final = b'{"stream":true}'


def chunks() -> list[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}

    call = {"index": 0, "id": "call_00000", "type": "function", "function": {"name": "say", "arguments": '{"te'}}
    rest = {"index": 0, "function": {"arguments": 'xt":"ü€😀 \\"x\\""}'}}
    # The client of Mistral takes an id and a name on every entry.
    return [chunk({"role": "assistant", "content": ""}), chunk({"tool_calls": [call]}), *_rest(chunk, call, rest)]


def _rest(chunk: Any, call: dict[str, Any], rest: dict[str, Any]) -> list[dict[str, Any]]:
    whole = {**call, "function": {"name": "", **rest["function"]}}
    return [chunk({"tool_calls": [whole]}), chunk({"content": ""}, "tool_calls")]


def events() -> list[dict[str, Any]]:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": None}
    message |= {"stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    return blocks.turn(*blocks.grown(0, ['{"text":"ü', '€"}'], name="say"), **message)


def response() -> list[dict[str, Any]]:
    call = items.grown(0, items.call(1, name="say"), ['{"text":"ü', '€"}'])
    return items.turn(*call, object="response", created_at=0, model="m")


def payloads(profile: str) -> list[dict[str, Any]]:
    return {"anthropic": events, "openai-responses": response}.get(profile, chunks)()


def fixture(profile: str, **members: object) -> bytes:
    found = {array(profile): payloads(profile)}
    return json.dumps({"profile": profile, "tool_schemas": {}, **members, **found}, ensure_ascii=False).encode()


def reel(name: str, profile: str, **members: object) -> ServedFixture:
    return ServedFixture(name=name, profile=profile, upstream=profile, loaded=load(fixture(profile, **members)))


def body(profile: str, **members: object) -> bytes:
    return b"".join(render(reel("x", profile, **members).loaded).frames)


def curl(*arguments: str) -> bytes:
    program = shutil.which("curl")
    if program is None:
        pytest.skip("curl is not installed")
    return subprocess.run(
        [program, "-sS", "--noproxy", "*", *arguments], check=True, capture_output=True, timeout=60
    ).stdout


@pytest.mark.parametrize(
    "cuts", [Cuts(), Cuts(mode=Mode.ALL), Cuts(mode=Mode.SOME, number=20)], ids=lambda c: c.mode.name
)
@pytest.mark.parametrize("profile", PROFILES)
def test_curl_receives_the_body_however_it_is_torn(profile: str, cuts: Cuts) -> None:
    with Server(Answers(FixtureMatcher([reel("one", profile)]), cuts=cuts)) as server:
        found = curl("-d", ASK.decode(), server.url_of("one") + PATHS[profile])
    assert found == body(profile)


def test_a_response_that_is_retrieved_comes_as_the_one_that_was_asked_for() -> None:
    with Server(Answers(FixtureMatcher([reel("one", "openai-responses")]))) as server:
        url = f"{server.url_of('one')}/v1/responses/resp_1"
        assert curl(f"{url}?stream=true") == body("openai-responses")
        assert json.loads(curl(url))["error"]["type"] == "toolreel_no_fixture"


def test_the_events_of_a_response_are_named_and_no_marker_ends_them() -> None:
    lines = body("openai-responses").decode().splitlines()
    assert [line for line in lines if line.startswith("event: ")] == [f"event: {one['type']}" for one in response()]
    assert "data: [DONE]" not in lines


def test_a_recorded_coding_is_sent_and_curl_undoes_it() -> None:
    told = {"content_coding": "gzip"}
    with Server(Answers(FixtureMatcher([reel("one", "openai", transport=told)]))) as server:
        url = server.url_of("one") + PATHS["openai"]
        assert curl("--compressed", "-d", ASK.decode(), url) == body("openai")
        raw = curl("-d", ASK.decode(), url)
    assert gzip.decompress(raw) == body("openai")


def test_a_request_that_fits_none_is_refused_by_status() -> None:
    with Server(Answers(FixtureMatcher([reel("one", "openai")]))) as server:
        found = curl("-i", "-H", "X-Toolreel-Case: onne", "-d", ASK.decode(), server.url + PATHS["openai"])
    head, _, text = found.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 599 ")
    assert json.loads(text)["error"]["nearest"] == ["one"]


def test_a_request_for_the_head_alone_gets_no_body() -> None:
    with Server(Answers(FixtureMatcher([reel("one", "openai")]))) as server:
        assert curl("-I", server.url + PATHS["openai"]).startswith(b"HTTP/1.1 599 ")


def test_nodes_fetch_reads_every_piece() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    script = """
    (async () => {
      const response = await fetch(process.argv[1], {method: "POST", body: '{"stream":true}'});
      const pieces = [];
      for await (const piece of response.body) pieces.push(Buffer.from(piece));
      process.stdout.write(Buffer.concat(pieces));
    })();
    """
    with Server(Answers(FixtureMatcher([reel("one", "anthropic")]), cuts=Cuts(mode=Mode.ALL))) as server:
        url = server.url_of("one") + PATHS["anthropic"]
        found = subprocess.run([node, "-e", script, url], check=True, capture_output=True, timeout=60).stdout
    assert found == body("anthropic")


@pytest.mark.clients
@pytest.mark.parametrize(
    "cuts", [Cuts(), pytest.param(Cuts(mode=Mode.ALL), marks=pytest.mark.nightly)], ids=["frames", "all"]
)
def test_the_official_clients_read_it_by_base_url(cuts: Cuts) -> None:
    interpreter = clients.python()
    apis = {"openai": "openai.chat", "mistral": "mistral.chat", "anthropic": "anthropic.messages"}
    with Server(Answers(FixtureMatcher([reel(profile, profile) for profile in apis]), cuts=cuts)) as server:
        calls = [
            clients.Call(
                name=profile,
                api=apis[profile],
                url=server.url_of(profile),
                path=PATHS[profile],
                model="m",
                request=json.dumps(
                    {"model": "m", "stream": True, "messages": [{"role": "user", "content": "x"}], "max_tokens": 9}
                ),
                headers={},
                drain=True,
            )
            for profile in apis
        ]
        found = clients.drive(interpreter, calls)
    for profile in apis:
        result = found[profile]
        assert (result.status, result.error) == (200, None), asdict(result)
        assert result.sha256 == sha256(body(profile)).hexdigest()
        assert result.events == len(payloads(profile))


# What follows looks at the bytes themselves.


@contextlib.contextmanager
def asked(server: Server, target: str, *, data: bytes = ASK) -> Iterator[socket.socket]:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(b"POST %b HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (target.encode(), len(data), data))
        yield connection


def everything(connection: socket.socket) -> tuple[bytes, str]:
    """All that comes, and how it ends."""
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionResetError:
        return found, "reset"
    return found, "closed"


@pytest.mark.parametrize(("cut", "ends"), [(Cut.FIN, "closed"), (Cut.RST, "reset")])
def test_a_stream_that_the_provider_cut_ends_in_the_middle_of_the_message(cut: Cut, ends: str) -> None:
    capture = {"stream_end": "upstream_disconnected"}
    with (
        Server(Answers(FixtureMatcher([reel("one", "openai", capture=capture)]), cut=cut)) as server,
        asked(server, PATHS["openai"]) as connection,
    ):
        found, how = everything(connection)
    assert how == ends
    assert not found.endswith(b"0\r\n\r\n")
    assert found.count(b"data: ") == len(chunks())


def test_a_stream_that_the_client_left_is_held_until_the_client_leaves() -> None:
    capture = {"stream_end": "client_disconnected"}
    with Server(Answers(FixtureMatcher([reel("one", "openai", capture=capture)]))) as server:
        with asked(server, PATHS["openai"]) as connection:
            found = b""
            while found.count(b"data: ") < len(chunks()):
                found += connection.recv(65536)
            connection.settimeout(0.3)
            with pytest.raises(TimeoutError):
                connection.recv(1)
            assert server.served == []
        until = time.monotonic() + 30
        while not server.served and time.monotonic() < until:
            time.sleep(0.01)
    assert server.served[0].fixture == "one"


def test_patience_with_a_client_that_does_not_leave_has_an_end() -> None:
    capture = {"stream_end": "client_disconnected"}
    with (
        Server(Answers(FixtureMatcher([reel("one", "openai", capture=capture)])), pace=Pace(patience=0.1)) as server,
        asked(server, PATHS["openai"]) as connection,
    ):
        assert everything(connection)[1] == "closed"


def test_each_piece_is_a_write_and_a_chunk_of_its_own() -> None:
    with (
        Server(Answers(FixtureMatcher([reel("one", "openai")]))) as server,
        asked(server, PATHS["openai"]) as connection,
    ):
        connection.shutdown(socket.SHUT_WR)
        found, _ = everything(connection)
    frames = render(reel("one", "openai").loaded).frames
    assert found.partition(b"\r\n\r\n")[2] == b"".join(
        b"%x\r\n%b\r\n" % (len(frame), frame) for frame in (*frames, b"")
    )
    assert server.served[0].writes == len(frames)


def test_recorded_times_are_kept_when_asked_for() -> None:
    count = len(chunks()) + 1
    told = {"milliseconds": [100 * at for at in range(count)]}
    took = {}
    for speed in (0.0, 1.0, 4.0):
        with Server(Answers(FixtureMatcher([reel("one", "openai", transport=told)])), pace=Pace(speed=speed)) as server:
            start = time.monotonic()
            curl("-d", ASK.decode(), server.url_of("one") + PATHS["openai"])
            took[speed] = time.monotonic() - start
    last = 0.1 * (count - 1)
    assert took[1.0] >= last
    assert last / 4 <= took[4.0]
    assert took[0.0] < took[1.0]


def test_one_connection_carries_many_requests_and_a_broken_one_is_told_so() -> None:
    with Server(Answers(FixtureMatcher([reel("one", "openai")]))) as server:
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            request = b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 15\r\n\r\n" + ASK
            connection.sendall(request * 2 + b"NONSENSE\r\n\r\n")
            found, _ = everything(connection)
    assert found.count(b"HTTP/1.1 200 ") == 2
    assert found.count(b"HTTP/1.1 599 ") == 1
    assert b"NONSENSE" not in found


@pytest.mark.parametrize("status", [204, 205, 304])
def test_a_status_without_a_body_leaves_the_connection_as_it_was(status: int) -> None:
    told = {"status": status}
    with Server(Answers(FixtureMatcher([reel("bare", "openai", transport=told), reel("one", "openai")]))) as server:
        client = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=30)
        with contextlib.closing(client):
            for method, case, expected in (
                ("POST", "bare", (status, b"")),
                ("HEAD", "one", (599, b"")),
                ("POST", "one", (200, body("openai"))),
            ):
                client.request(method, f"/case/{case}/v1/chat/completions", body=ASK)
                answer = client.getresponse()
                assert (answer.status, answer.read()) == expected
                assert answer.getheader("Connection") is None
                opened = client.sock
                assert opened is not None
            assert client.sock is opened


def test_an_answer_behind_which_the_server_closes_says_so() -> None:
    with Server(Answers(FixtureMatcher([reel("one", "openai")]))) as server:
        for request in (
            b"POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\nContent-Length: 15\r\n\r\n" + ASK,
            b"HEAD / HTTP/1.0\r\n\r\n",
            b"NONSENSE\r\n\r\n",
        ):
            host, port = server.url.removeprefix("http://").split(":")
            with socket.create_connection((host, int(port)), timeout=30) as connection:
                connection.sendall(request)
                found, how = everything(connection)
            assert how == "closed"
            assert b"\r\nConnection: close\r\n" in found.partition(b"\r\n\r\n")[0] + b"\r\n"


@pytest.mark.parametrize("chunked", [False, True], ids=["sized", "chunked"])
def test_a_client_that_sends_too_much_comes_to_read_why_it_is_refused(chunked: bool) -> None:
    piece = b"x" * 1024 * 1024
    with Server(Answers(FixtureMatcher([reel("one", "openai")]))) as server:
        client = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
        with contextlib.closing(client):
            headers = {} if chunked else {"Content-Length": str(70 * len(piece))}
            client.request("POST", "/v1/chat/completions", (piece for _ in range(70)), headers, encode_chunked=chunked)
            answer = client.getresponse()
            assert answer.status == 599
            assert str(MAX_BODY_BYTES) in json.loads(answer.read())["error"]["message"]


# The command itself.

NO_CONNECTION: Final = """
import sys
def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen"):
        print("REACHED OUT", event, flush=True)
sys.addaudithook(hook)
from replay.cli import main
sys.argv = ["toolreel", *sys.argv[1:]]
main()
"""


def test_the_command_serves_until_it_is_stopped_and_reaches_out_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(fixture("openai"))
    (tmp_path / "broken.json").write_bytes(b"{}")
    process = subprocess.Popen(
        [sys.executable, "-c", NO_CONNECTION, "serve", str(tmp_path), "--port", "0"],
        cwd=shared.ROOT,
        env={**os.environ, "PYTHONPATH": str(shared.ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        shown = []
        for line in process.stdout:
            shown.append(line)
            if line.startswith("ready "):
                break
        ready = json.loads(shown[-1].removeprefix("ready "))
        url = ready["base_urls"]["openai"]
        assert url == f"http://127.0.0.1:{ready['port']}/openai/v1"
        assert curl("-d", ASK.decode(), url + "/chat/completions") == body("openai")
        curl("-d", ASK.decode(), url + "/nothing")
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0, errors
    assert "one.json: " not in rest
    assert rest.splitlines() == [
        f"one: 200, {len(chunks()) + 1} writes",
        (
            "599: no fixture is for a request to '/openai/v1/nothing'; there are fixtures for openai: "
            ".../chat/completions or .../v1/chat"
        ),
    ]
    assert "broken.json: `profile` must be one of" in errors


@contextlib.contextmanager
def started(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The command, as soon as it says that it is ready, and what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "replay.cli", "serve", str(folder), "--port", "0", *arguments],
        cwd=shared.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if line.startswith("ready "))
        yield process, json.loads(line.removeprefix("ready "))
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_from_the_moment_in_which_it_is_ready(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "one.json").write_bytes(fixture("openai"))
    for _ in range(2):
        with started(tmp_path) as (process, _ready):
            process.send_signal(number)
            assert process.wait(60) == 0


def test_it_serves_and_ends_though_nobody_reads_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(fixture("openai"))
    with started(tmp_path) as (process, ready):
        with socket.create_connection(("127.0.0.1", ready["port"]), timeout=30) as connection:
            # Lines of 10,000 characters: more than any pipe holds.
            for at in range(200):
                connection.sendall(
                    b"POST /case/%b%d HTTP/1.1\r\nContent-Length: 15\r\n\r\n" % (b"x" * 10_000, at) + ASK
                )
                found = b""
                while not found.endswith(b"0\r\n\r\n"):
                    found += connection.recv(65536)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_a_reader_of_its_lines_who_goes_away_takes_no_connection_with_him(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(fixture("openai"))
    with started(tmp_path) as (process, ready):
        assert process.stdout is not None
        process.stdout.close()
        with socket.create_connection(("127.0.0.1", ready["port"]), timeout=30) as connection:
            for _ in range(3):
                connection.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 15\r\n\r\n" + ASK)
                found = b""
                while not found.endswith(b"0\r\n\r\n"):
                    piece = connection.recv(65536)
                    assert piece, "closed"
                    found += piece
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--host", "0.0.0.0"], "must be a loopback address"),
        (["--host", "example.org"], "must be a loopback address"),
        (["--cuts", "0"], "must be all, reads, frames, a number"),
        (["--cuts", "some"], "must be all, reads, frames, a number"),
        *((["--patience", number], f"--patience {number}: must be a finite number") for number in ("nan", "inf")),
        *((["--speed", number], f"--speed {number}: must be a finite number") for number in ("nan", "inf")),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str], says: str) -> None:
    (tmp_path / "one.json").write_bytes(fixture("openai"))
    done = subprocess.run(
        [sys.executable, "-m", "replay.cli", "serve", str(tmp_path), *arguments],
        cwd=shared.ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_server_that_is_stopped_at_once_leaves_nothing_open() -> None:
    script = """
import gc, warnings
from replay.serve.answers import Answers
from replay.serve.matching import FixtureMatcher
from replay.serve.server import Server
warnings.simplefilter("error")
for _ in range(50):
    with Server(Answers(FixtureMatcher([]))):
        pass
gc.collect()
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", script],
        env={**os.environ, "PYTHONPATH": str(shared.ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
