"""`toolreel import` as a process: real streams in every format give the same fixtures, and nothing of them gets out."""

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from support import shared
from support.builders.turns import RESPONSE_TOOL, responses
from support.nightly import NIGHTLY, at_night
from support.planted import canaries
from support.processes import command
from support.processes.command import environment
from support.readings import streams
from support.readings.streams import Stream
from support.recorded import packed
from support.recorded.importing import Importing
from support.recorded.packed import Exchange

from proxy_addon.demo.bundled import bundled
from proxy_addon.importing import recognition
from proxy_addon.importing.deciding import Ready
from proxy_addon.importing.entries import Entry
from proxy_addon.importing.recognition import Claim
from proxy_addon.writing.storage.folder import FixtureFolder
from proxy_addon.writing.storage.room import Limits
from redaction.fixture import digest_of
from redaction.proof.scan import scan_fixture
from redaction.redactor import redact
from replay.families import FAMILIES, provider_at
from replay.validator import read_envelope

NEEDS: Final[Mapping[str, str]] = {"cassette.yaml": "yaml", "traffic.flows": "mitmproxy"}
CASSETTES: Final = shared.ROOT / "tests" / "data" / "imports"


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return command.run("import", *arguments, folder=folder)


def run_code(folder: Path, code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The same with code of ours in the place of the command's."""
    return subprocess.run(
        [sys.executable, "-c", code, "import", *map(str, arguments)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def available(name: str) -> str:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    return name


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


@pytest.fixture(scope="module")
def recorded() -> list[Stream]:
    """Every recorded stream of the built APIs: those beside the checkout, else those that the suite carries."""
    return streams.read(shared.beside("streams") or streams.BUNDLED)


def as_bodies(exchanges: Sequence[Exchange], profiles: Sequence[str], folder: Path) -> list[str]:
    """The fixtures of the bare bodies with their requests, as the command makes them one by one.

    A body has no path. Where the model's name stands in the path alone, the fixture is made as one with its path.
    """
    importer = Importing(FixtureFolder(folder, digest_of=digest_of, limits=Limits(files=1000)), redact=redact)
    lines = []
    for one, profile in zip(exchanges, profiles, strict=True):
        parts = recognition.split(one.url)
        assert parts is not None
        found = recognition.declared(Claim(provider=provider_at(parts.hostname or ""), profile=profile))
        assert found is not None
        entry = Entry(
            method="POST",
            url="",
            request_headers=(),
            request_body=one.request,
            status=200,
            response_headers=one.response_headers,
            body=one.body,
        )
        ready = Ready(entry=entry, recognised=found, path=parts.path)
        in_path = FAMILIES[profile].model is not None
        lines.append(importer.take(ready) if in_path else importer.take_body(entry, found))
    return lines


@pytest.fixture(scope="module", params=at_night(["plain", "gzip"], but=["gzip"]))
def bodies(
    request: pytest.FixtureRequest, recorded: list[Stream], tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Exchange], dict[str, bytes]]:
    """The exchanges of the recorded streams, and the fixtures that their bare bodies give."""
    exchanges = [packed.exchange(stream) for stream in recorded]
    if request.param == "gzip":
        exchanges = [packed.zipped(one) for one in exchanges]
    folder = tmp_path_factory.mktemp("bodies")
    lines = as_bodies(exchanges, [stream.profile for stream in recorded], folder)
    assert [line for line in lines if not line.startswith(("written ", "same shape as "))] == []
    return exchanges, content(folder)


@pytest.mark.parametrize("name", at_night(packed.PACKS, but=("traffic.har", "cassette.yaml")))
def test_every_recorded_stream_gives_the_same_fixture_from_every_format(
    name: str, bodies: tuple[list[Exchange], dict[str, bytes]], tmp_path: Path
) -> None:
    exchanges, expected = bodies
    (tmp_path / name).write_bytes(packed.PACKS[available(name)](exchanges))
    done = run(tmp_path, name, "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert content(tmp_path / "out") == expected
    lines = done.stdout.splitlines()
    assert [line.partition(", entry ")[0] for line in lines[: len(exchanges)]] == [name] * len(exchanges)
    again = len(exchanges) - len(expected)
    assert lines[len(exchanges)] == (
        f"captured {len(exchanges)}: {len(expected)} written, {again} same shape as one already there, "
        "0 refused, 0 dropped"
    )
    assert lines[len(exchanges) + 1 :] == ["passed through without capture: 0"]


def test_a_fixture_has_the_verdict_of_its_raw_stream(recorded: list[Stream], tmp_path: Path) -> None:
    exchanges = [packed.exchange(stream) for stream in recorded]
    for stream, one in zip(recorded, exchanges, strict=True):
        folder = tmp_path / stream.name
        (line,) = as_bodies([one], [stream.profile], folder)
        (data,) = content(folder).values()
        envelope = read_envelope(data)
        raw = streams.envelope(streams.as_asked(stream))
        # A bare body has no proof of its end but its marker; the independent reader trusts any whole last event.
        end = getattr(envelope, "stream_end", None)
        assert end in ("complete", "upstream_disconnected"), line
        judged = streams.judge(replace(raw, stream_end=end))
        codes = ", ".join(dict.fromkeys(finding.code.value for finding in judged.findings)) or "no finding"
        said = line.split(", ", 1)[1].partition("; with `--accept")[0]  # what would let it pass is no part of it
        assert said == f"{stream.profile} {judged.status.value}, {codes}, calls: {len(judged.calls)}"
        assert list(scan_fixture(data)) == []


def test_one_body_with_its_request_is_one_command(tmp_path: Path) -> None:
    turn = next(turn for turn in bundled() if turn.case == "anthropic-interleaved")
    (tmp_path / "body.sse").write_bytes(turn.response_body())
    (tmp_path / "request.json").write_bytes(turn.request_body())
    arguments = ("--request", "request.json", "--profile", "anthropic", "--case", "interleaved")
    done = run(tmp_path, "body.sse", *arguments, "--content-type", "text/event-stream")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "body.sse: written interleaved.json, anthropic pass, no finding, calls: 2"
    assert list(content(tmp_path / "reels")) == ["interleaved.json"]


@pytest.mark.parametrize("name", packed.PACKS)
def test_a_response_that_was_retrieved_as_a_stream_is_a_turn_in_every_format(name: str, tmp_path: Path) -> None:
    available(name)
    url = "https://api.openai.com/v1/responses/resp_0123456789abcdef"
    one = Exchange(
        url=f"{url}?stream=true",
        method="GET",
        request=b"",
        request_headers=(("Authorization", "Bearer sk-test-0123456789"),),
        response_headers=(("content-type", "text/event-stream; charset=utf-8"),),
        body=b"".join(responses('{"ci', 'ty": "Oslo"}')),
    )
    whole = replace(one, url=url, response_headers=(("content-type", "application/json"),), body=b"{}")
    (tmp_path / name).write_bytes(packed.PACKS[name]([whole, one]))
    done = run(tmp_path, name, "--case", "retrieved")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == [
        f"{name}, entry 1: passed over, path or method not recognised",
        f"{name}, entry 2: written retrieved.json, openai-responses pass, no finding, calls: 1",
    ]
    found = json.loads(content(tmp_path / "reels")["retrieved.json"])
    assert found["tool_schemas"] == {"get_weather": RESPONSE_TOOL["parameters"]}
    assert (found["capture"]["provider"], found["allow"]) == ("openai", ["builtin_calls", "unchecked_grammar"])


def test_a_body_without_its_request_has_the_tools_that_it_repeats(tmp_path: Path) -> None:
    (tmp_path / "body.sse").write_bytes(b"".join(responses('{"city": "Oslo"}')))
    (tmp_path / "request.json").write_text(
        json.dumps({"model": "gpt-5-mini", "tools": [RESPONSE_TOOL], "parallel_tool_calls": True})
    )
    for case, arguments in (("alone", ()), ("asked", ("--request", "request.json"))):
        done = run(tmp_path, "body.sse", "--profile", "openai-responses", "--case", case, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        line = f"body.sse: written {case}.json, openai-responses pass, no finding, calls: 1"
        assert done.stdout.splitlines()[0] == line
    alone, asked = content(tmp_path / "reels").values()
    assert alone == asked
    assert json.loads(alone)["tool_schemas"] == {"get_weather": RESPONSE_TOOL["parameters"]}


@pytest.mark.parametrize("name", ["vcrpy-requests.yaml", "vcrpy-httpx.json", "betamax.json"])
def test_cassettes_as_libraries_write_them_give_the_fixtures_of_the_bare_bodies(name: str, tmp_path: Path) -> None:
    if name.endswith("yaml"):
        pytest.importorskip("yaml", reason="PyYAML is not installed")
    cases = {turn.case: turn for turn in bundled()}
    found = [cases[case] for case in ("openai-one-call", "openai-colliding", "anthropic-interleaved")]
    exchanges = [
        Exchange(
            url=f"http://127.0.0.1{turn.path}",
            request=turn.request_body(),
            request_headers=(),
            response_headers=(("content-type", "text/event-stream; charset=utf-8"),),
            body=turn.response_body(),
        )
        for turn in found
    ]
    if name != "vcrpy-httpx.json":  # the server sent the last one with gzip
        exchanges[2] = packed.zipped(exchanges[2])
    as_bodies(exchanges, [turn.profile for turn in found], tmp_path / "bodies")
    done = run(tmp_path, CASSETTES / name, "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "entry 1: passed over, path or method not recognised\n" in done.stdout
    expected = content(tmp_path / "bodies")
    assert len(expected) == 3
    # What the recording client was shows in the cassette and is no part of a bare body.
    assert {key: shape(data) for key, data in content(tmp_path / "out").items()} == {
        key: shape(data) for key, data in expected.items()
    }
    said = (done.stdout + done.stderr).encode() + b"".join(content(tmp_path / "out").values())
    for turn in found:
        for secret in (*turn.secrets, "CANARY"):
            assert secret.encode() not in said


@pytest.mark.parametrize("name", ["traffic.flows", "traffic.har"])
def test_turns_of_a_case_are_numbered_by_the_start_of_their_requests(name: str, tmp_path: Path) -> None:
    """The second exchange began first, and ended last: so it stands behind the other one."""
    cases = {turn.case: turn for turn in bundled()}
    found = [cases[case] for case in ("openai-one-call", "openai-text-only")]
    exchanges = [
        Exchange(
            url="https://api.openai.com/v1/chat/completions",
            request=turn.request_body(),
            request_headers=(),
            response_headers=(("content-type", "text/event-stream"),),
            body=turn.response_body(),
        )
        for turn in found
    ]
    (tmp_path / available(name)).write_bytes(BEGUN[name](exchanges, (1_760_000_002.5, 1_760_000_001.5)))
    done = run(tmp_path, name, "--case", "shop", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.splitlines()[:2]
    assert first.startswith(f"{name}, entry 2: written shop.json")
    assert second.startswith(f"{name}, entry 1: written shop+2.json")


def har_begun(exchanges: Sequence[Exchange], began: Sequence[float]) -> bytes:
    document = json.loads(packed.har(exchanges))
    for entry, at in zip(document["log"]["entries"], began, strict=True):
        entry["startedDateTime"] = datetime.fromtimestamp(at, UTC).isoformat()
    return json.dumps(document).encode()


def flows_begun(exchanges: Sequence[Exchange], began: Sequence[float]) -> bytes:
    file = io.BytesIO()
    for one, at in zip(exchanges, began, strict=True):
        flow = packed.flow(one)
        flow.request.timestamp_start = at
        packed.written(flow, file)
    return file.getvalue()


BEGUN: Final = {"traffic.har": har_begun, "traffic.flows": flows_begun}


def shape(data: bytes) -> Any:
    fixture = json.loads(data)
    fixture["capture"].pop("adapter", None)
    return fixture


# --- canaries


def hidden(position: str) -> str:
    return canaries.canary(f"import {position}")


def around_har(exchanges: Iterable[Exchange]) -> bytes:
    """A HAR with a canary in every member that a browser or proxy may fill."""
    document = json.loads(packed.har(exchanges))
    log = document["log"]
    log["creator"] = {"name": hidden("creator"), "version": hidden("creator"), "comment": hidden("creator")}
    log["browser"] = {"name": hidden("browser"), "version": hidden("browser")}
    log["pages"] = [{"id": hidden("page"), "title": hidden("page"), "startedDateTime": hidden("page")}]
    log["comment"] = log["_extra"] = hidden("comment")
    for entry in log["entries"]:
        entry |= {
            "comment": hidden("comment"),
            "serverIPAddress": hidden("address"),
            "connection": hidden("address"),
            "pageref": hidden("page"),
            "startedDateTime": hidden("time"),
            "timings": {"send": 1, "comment": hidden("time")},
            "cache": {"beforeRequest": {"eTag": hidden("cache")}},
            "_initiator": {"url": hidden("initiator"), "stack": [hidden("initiator")]},
            "_webSocketMessages": [{"data": hidden("initiator")}],
        }
        cookie = {"name": hidden("cookie"), "value": hidden("cookie"), "comment": hidden("cookie")}
        for side in (entry["request"], entry["response"]):
            side["cookies"] = [cookie]
            side["comment"] = hidden("comment")
            side["httpVersion"] = hidden("version")
        entry["request"]["queryString"] = [{"name": hidden("query"), "value": hidden("query")}]
        entry["request"]["postData"] |= {"params": [{"name": hidden("params")}], "comment": hidden("params")}
        entry["response"] |= {"redirectURL": hidden("redirect"), "statusText": hidden("redirect")}
        entry["response"]["content"] |= {"mimeType": hidden("content"), "comment": hidden("content")}
    return json.dumps(document).encode()


def around_cassette(pack: Callable[..., bytes]) -> Callable[[Iterable[Exchange]], bytes]:
    def packing(exchanges: Iterable[Exchange]) -> bytes:
        data = pack(exchanges, metadata={"by": hidden("metadata")}, recorded_with=hidden("metadata"))
        # The status line is in every interaction.
        return data.replace(b"message: OK", f"message: {hidden('message')}".encode()).replace(
            b'"message": "OK"', f'"message": "{hidden("message")}", "id": "{hidden("message")}"'.encode()
        )

    return packing


def around_flows(exchanges: Iterable[Exchange]) -> bytes:
    import io

    from mitmproxy.io import FlowWriter

    file = io.BytesIO()
    for one in exchanges:
        flow = packed.flow(one)
        flow.comment = flow.marked = hidden("comment")
        flow.metadata["note"] = hidden("metadata")
        flow.client_conn.sni = hidden("sni")
        flow.response.reason = hidden("message")
        flow.response.trailers = None
        FlowWriter(file).add(flow)
    return file.getvalue()


AROUND: Final[Mapping[str, Callable[[Iterable[Exchange]], bytes]]] = {
    "traffic.har": around_har,
    "cassette.yaml": around_cassette(packed.vcrpy_yaml),
    "cassette.json": around_cassette(packed.vcrpy_json),
    "traffic.flows": around_flows,
}
WIRE: Final = frozenset({"path", "cookie", "message", "content"})
ONLY: Final[Mapping[str, frozenset[str]]] = {
    "traffic.har": frozenset(
        "user password creator browser page comment address time cache initiator version query params redirect".split()
    ),
    "cassette.yaml": frozenset({"user", "password", "metadata"}),
    "cassette.json": frozenset({"user", "password", "metadata"}),
    "traffic.flows": frozenset({"comment", "metadata", "sni"}),
}
INSIDE: Final = sorted(WIRE.union(*ONLY.values()))


def planted(stream: Stream) -> Exchange:
    """An exchange with a canary in every position of the wire."""
    found = canaries.plant(stream)
    plain = packed.exchange(found.stream)
    headers = tuple(found.request_headers.items())
    return replace(
        plain,
        url=f"https://{hidden('user')}:{hidden('password')}@{stream.meta['host']}/{hidden('path')}{found.path}",
        request_headers=(*headers, ("x-note", hidden("cookie")), (hidden("cookie"), "name")),
        response_headers=(*plain.response_headers, *found.response_headers.items(), ("x-note", hidden("message"))),
    )


@pytest.mark.parametrize("name", at_night(AROUND, but=("traffic.har", "cassette.json")))
def test_no_position_of_a_source_reaches_a_file_or_a_line(name: str, tmp_path: Path) -> None:
    available(name)
    found = streams.read(streams.BUNDLED, canaries.PROFILES)[:: 1 if NIGHTLY else 6]
    odd = replace(
        planted(found[0]), url=f"https://{hidden('path')}.example/{hidden('path')}", body=hidden("content").encode()
    )
    exchanges = [planted(stream) for stream in found]
    data = AROUND[name]([odd, *exchanges])
    assert {inside for inside in INSIDE if hidden(inside).encode() in data} == {*WIRE, *ONLY[name]}
    (tmp_path / name).write_bytes(data)
    done = run(tmp_path, name, "--out", "out")
    assert done.returncode == 0, done.stderr
    written = content(tmp_path / "out")
    assert len(written) >= len(exchanges) - 2
    said = f"{done.stdout}{done.stderr}{' '.join(written)}".encode()
    for position in (*canaries.REQUEST, *canaries.RESPONSE, *(f"import {inside}" for inside in INSIDE)):
        for form, trace in canaries.traces(position).items():
            assert trace not in said, f"{position}, {form}, in what was printed"
            for file, data in written.items():
                assert not any(trace in view for view in canaries.views(data)), f"{position}, {form}, in {file}"


@pytest.mark.parametrize("name", at_night(AROUND, but=("traffic.har", "cassette.json")))
def test_a_broken_source_says_its_place_and_nothing_that_is_in_it(name: str, tmp_path: Path) -> None:
    available(name)
    data = AROUND[name]([planted(stream) for stream in streams.read(streams.BUNDLED, canaries.PROFILES)[:3]])
    for part in (0.25, 0.5, 0.9):
        (tmp_path / name).write_bytes(data[: int(len(data) * part)])
        done = run(tmp_path, name, "--out", "out")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"Error: {name}: ")
        said = f"{done.stdout}{done.stderr}".encode()
        for position in (*canaries.REQUEST, *canaries.RESPONSE, *(f"import {inside}" for inside in INSIDE)):
            assert not any(trace in said for trace in canaries.traces(position).values())
        for file in (tmp_path / "out").iterdir():
            assert list(scan_fixture(file.read_bytes())) == []  # whole, or it would be no fixture


@pytest.mark.parametrize("coding", ["deflate", "br", "zstd"])
@pytest.mark.parametrize("name", ["cassette.yaml", "traffic.flows"])
def test_codings_that_are_still_on_a_body_are_undone_as_in_the_recorder(coding: str, name: str, tmp_path: Path) -> None:
    available(name)
    encoding = pytest.importorskip("mitmproxy.net.encoding", reason="mitmproxy is not installed")
    plain = packed.exchange(streams.read(streams.BUNDLED)[-1])
    headers = (*plain.response_headers, ("content-encoding", coding))
    coded = replace(plain, response_headers=headers, body=encoding.encode(plain.body, coding))
    for folder, one in (("plain", plain), ("coded", coded)):
        (tmp_path / name).write_bytes(packed.PACKS[name]([one]))
        done = run(tmp_path, name, "--out", folder)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
    fixtures = [json.loads(*content(tmp_path / folder).values()) for folder in ("plain", "coded")]
    assert [fixture["transport"].pop("content_coding") for fixture in fixtures] == ["identity", coding]
    assert fixtures[0] == fixtures[1]


# --- errors


def source(folder: Path, name: str = "traffic.har", count: int = 2) -> Path:
    path = folder / name
    path.write_bytes(packed.PACKS[name](packed.exchange(stream) for stream in streams.read(streams.BUNDLED)[:count]))
    return path


def test_an_empty_file_is_a_body_without_an_event(tmp_path: Path) -> None:
    (tmp_path / "empty.sse").write_bytes(b"")
    done = run(tmp_path, "empty.sse", "--profile", "openai")
    assert (done.returncode, done.stderr) == (1, "")
    assert "empty.sse: not usable: no event in the body" in done.stdout
    assert "empty.sse: is empty" in run(tmp_path, "empty.sse").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.har"], "nothing.har: cannot be read (No such file or directory)"),
        (
            ["body.sse"],
            f"body.sse: a response body; name its family with --profile {'|'.join(FAMILIES)}",
        ),
        (["body.sse", "--provider", "openai"], "body.sse: a response body; name its family with --profile"),
        (["notes.txt"], "notes.txt: holds no exchange, payload or event stream that is known by its start"),
        (["traffic.har", "--case", "../up"], "--case ../up: expected 1 to 64 of a-z"),
        (["traffic.har", "--case", "a.adapters"], "--case a.adapters: expected 1 to 64 of a-z"),
        (["traffic.har", "body.sse", "--case", "a"], "--case a: names the fixture of one SOURCE"),
        (
            ["traffic.har", "--request", "request.json"],
            "--request and --content-coding: these are for response bodies, and no",
        ),
        (
            ["body.sse", "body.sse", "--profile", "openai", "--request", "request.json"],
            "--request: one request has one",
        ),
        (["body.sse", "--profile", "openai", "--request", "body.sse"], "--request body.sse: no JSON object"),
        (["body.sse", "--profile", "openai", "--request", "none"], "none: cannot be read"),
        (["traffic.har", "--provider", "Me!"], "--provider Me!: expected 1 to 32 of a-z 0-9 -"),
        (["traffic.har", "--schemas", "body.sse"], "--schemas body.sse: no strict JSON"),
        (["traffic.har", "--out", "body.sse"], "body.sse: cannot write fixtures here"),
    ],
)
def test_a_wrong_argument_is_one_line_and_nothing_is_written(arguments: list[str], said: str, tmp_path: Path) -> None:
    source(tmp_path)
    (tmp_path / "body.sse").write_bytes(b"data: {}\n\n")
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "request.json").write_text("{}")
    before = sorted(tmp_path.iterdir())
    done = run(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {said}")
    assert sorted(tmp_path.iterdir()) == before


def test_a_source_that_breaks_off_keeps_what_came_before_and_the_others_go_on(tmp_path: Path) -> None:
    whole = source(tmp_path)
    data = whole.read_bytes()
    (tmp_path / "cut.har").write_bytes(data[:-20])
    done = run(tmp_path, "cut.har", "traffic.har")
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: cut.har: byte {len(data) - 20}: the JSON document ends too early; mend the file or export it again\n"
    )
    assert "cut.har, entry 1: written " in done.stdout
    assert "traffic.har, entry 2: " in done.stdout
    assert len(content(tmp_path / "reels")) == 2


def test_a_refusal_is_exit_1_and_the_others_are_written(tmp_path: Path) -> None:
    good, other = (packed.exchange(stream) for stream in streams.read(streams.BUNDLED)[:2])
    headers = (*other.response_headers, ("content-encoding", "lzma"))
    broken = replace(other, body=b"\x00\xff" * 100, response_headers=headers)
    (tmp_path / "traffic.har").write_bytes(packed.har([broken, good]))
    done = run(tmp_path, "traffic.har")
    assert (done.returncode, done.stderr) == (1, "")
    assert "entry 1: refused, content coding unknown or broken" in done.stdout
    assert "entry 2: written " in done.stdout
    assert "  refused, content coding unknown or broken: 1\n" in done.stdout


def test_names_of_files_cannot_drive_a_terminal(tmp_path: Path) -> None:
    source(tmp_path).rename(tmp_path / "a\x1b[2J.har")
    done = run(tmp_path, "a\x1b[2J.har")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.startswith(r"a\x1b[2J.har, entry 1: ")


# --- what is not installed

FORBID: Final = """
import sys
class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Forbid())
from replay.cli import main
main()
"""


@pytest.mark.parametrize("name", ["traffic.har", "cassette.json", "cassette.yaml"])
def test_all_but_flow_files_need_no_mitmproxy(name: str, tmp_path: Path) -> None:
    source(tmp_path, available(name))
    names = {"mitmproxy"} if name.endswith("yaml") else {"mitmproxy", "yaml"}
    done = run_code(tmp_path, FORBID.format(names=names), name)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("name", "extra"), [("traffic.flows", "record"), ("cassette.yaml", "import")])
def test_what_is_not_installed_is_one_line_with_the_command(name: str, extra: str, tmp_path: Path) -> None:
    source(tmp_path, available(name))
    done = run_code(tmp_path, FORBID.format(names={NEEDS[name]}), name)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"install it with: pip install 'toolreel[{extra}]'")


# --- the terminal


def test_a_terminal_sees_a_bar_and_a_pipe_does_not(tmp_path: Path) -> None:
    source(tmp_path)
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [*command.TOOLREEL, "import", "traffic.har"],
            cwd=tmp_path,
            env={**environment(), "TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=slave,
            timeout=60,
            check=False,
        )
        os.set_blocking(master, False)
        shown = os.read(master, 65536)
    finally:
        os.close(slave)
        os.close(master)
    assert done.returncode == 0
    assert b"importing" in shown
    assert b"100%" in shown
    assert b"importing" not in done.stdout
    assert run(tmp_path, "traffic.har").stderr == ""
