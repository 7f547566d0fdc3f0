"""Source files: their format by their start, and one line for everything that is wrong with one."""

import json
import os
import random
from pathlib import Path

import pytest
from support.recorded import packed

from proxy_addon.importing import sources
from proxy_addon.importing.entries import Entry, Item, SourceError, Unusable
from proxy_addon.importing.sources import Format
from proxy_addon.writing.outcomes.settled import Passed
from replay.wire.aws_event_stream import AWS_EVENT_STREAM, chunk

ONE = packed.Exchange(
    url="https://api.openai.com/v1/chat/completions",
    request=b"{}",
    request_headers=(("A", "b"),),
    response_headers=(("content-type", "text/event-stream"),),
    body=b"data: {}\n\n",
)


def put(folder: Path, data: bytes | str) -> Path:
    path = folder / "source"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def items(path: Path) -> list[Item]:
    return list(sources.entries(sources.look(path, None), lambda _: None))


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ('{"log": {}}', Format.JSON),
        ('\ufeff \n{"log": {}}', Format.JSON),
        ("interactions:\n- request:\n", Format.YAML),
        ("---\nversion: 2\ninteractions: []\n", Format.YAML),
        ("---\nhttp_interactions:\n- request:\n", Format.YAML),
        ("1234:9:websocket;", Format.FLOWS),
        ('data: {"interactions": []}\n\n', Format.BODY),
        (": comment\n\ndata: x\n\n", Format.BODY),
        ("\ufeffevent: ping\n\n", Format.BODY),
        ("\n\ndata: x\n\n", Format.BODY),
        ("id: 1\n", Format.BODY),
        ('{"model":"llama3","message":{}}', Format.BODY),
        ('{"done":false}\n{"done":true}\n', Format.BODY),
        ('[{\n  "candidates": []}]', Format.BODY),
        ('{"log": {}}\n', Format.JSON),
    ],
)
def test_the_format_is_seen_by_the_start(start: str, expected: Format, tmp_path: Path) -> None:
    assert sources.look(put(tmp_path, start), None).format is expected


def test_a_binary_event_stream_is_seen(tmp_path: Path) -> None:
    body = AWS_EVENT_STREAM.render(chunk("{}"))
    assert sources.look(put(tmp_path, body), None).format is Format.BODY


def test_a_gzipped_body_is_seen(tmp_path: Path) -> None:
    assert sources.look(put(tmp_path, packed.zipped(ONE).body), None).format is Format.BODY


def test_an_empty_file_is_a_body_without_an_event(tmp_path: Path) -> None:
    assert sources.look(put(tmp_path, ""), None).format is Format.BODY


@pytest.mark.parametrize("start", ["[]", "<html>", "hello: world\n", "\x00\x00"])
def test_what_looks_like_nothing_needs_its_name(start: str, tmp_path: Path) -> None:
    path = put(tmp_path, start)
    with pytest.raises(SourceError, match="--format"):
        sources.look(path, None)
    assert sources.look(path, Format.BODY).format is Format.BODY


def test_what_is_no_readable_file_is_named_with_the_next_step(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, said in (
        (tmp_path / "nothing", "No such file"),
        (tmp_path, "is a folder; name the files in it"),
        (tmp_path / "pipe", "is no regular file"),
        (Path("a\0b"), "no usable file name"),
    ):
        with pytest.raises(SourceError) as caught:
            sources.look(path, None)
        assert str(caught.value).startswith(f"{path}: ")
        assert said in str(caught.value)


@pytest.mark.parametrize("name", ["traffic.har", "cassette.json"])
def test_entries_of_json_come_in_order_and_a_bad_one_does_not_end_them(name: str, tmp_path: Path) -> None:
    document = json.loads(packed.PACKS[name]([ONE, ONE]))
    listed = document["log"]["entries"] if "log" in document else document["interactions"]
    listed.insert(1, {"request": "SECRET"})
    listed.insert(1, "SECRET")
    text = json.dumps(document).replace('"SECRET"', "tru", 1)
    found = items(put(tmp_path, text))
    assert [type(item) for item in found[::3]] == [Entry, Entry]
    assert found[1:3] == [Unusable.NOT_READABLE, Unusable.NO_EXCHANGE]


@pytest.mark.parametrize("text", ['{"interactions": [' + "[" * 100_000 + "]" * 100_000 + ", " + "9" * 5000 + "]}"])
def test_what_no_parser_takes_is_unusable(text: str, tmp_path: Path) -> None:
    assert items(put(tmp_path, text)) == [Unusable.NOT_READABLE, Unusable.NOT_READABLE]


def test_an_entry_over_the_limit_is_unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_ENTRY_BYTES", 400)
    small = json.dumps({"a": 1})
    assert items(put(tmp_path, f'{{"interactions": [{json.dumps("x" * 1000)}, {small}]}}')) == [
        Unusable.TOO_LARGE,
        Unusable.NO_EXCHANGE,
    ]


def test_what_breaks_off_gives_what_came_before_and_then_its_place(tmp_path: Path) -> None:
    data = packed.har([ONE, ONE])
    path = put(tmp_path, data[:-10])
    read = sources.entries(sources.look(path, None), lambda _: None)
    assert isinstance(next(read), Entry)
    with pytest.raises(SourceError) as caught:
        next(read)
    assert str(caught.value) == (
        f"{path}: byte {len(data) - 10}: the JSON document ends too early; mend the file or export it again"
    )
    assert caught.value.__context__ is None


def test_yaml_over_its_bound_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yaml_items = pytest.importorskip("proxy_addon.importing.readers.yaml_items", reason="PyYAML is not installed")
    monkeypatch.setattr(yaml_items, "MAX_YAML_BYTES", 20)
    with pytest.raises(SourceError, match="larger than 20 bytes of YAML; split it"):
        items(put(tmp_path, packed.vcrpy_yaml([ONE])))


@pytest.mark.parametrize("name", packed.PACKS)
def test_what_was_read_is_told_as_it_is_read(name: str, tmp_path: Path) -> None:
    if name.endswith("yaml"):
        pytest.importorskip("yaml", reason="PyYAML is not installed")
    if name.endswith("flows"):
        pytest.importorskip("mitmproxy", reason="mitmproxy is not installed")
    path = put(tmp_path, packed.PACKS[name]([ONE, ONE]))
    told: list[int] = []
    assert len(list(sources.entries(sources.look(path, None), told.append))) == 2
    assert sum(told) == path.stat().st_size


def test_a_body_is_read_up_to_one_byte_over_the_limit(tmp_path: Path) -> None:
    source = sources.look(put(tmp_path, "data: 0123456789\n\n"), None)
    assert sources.body(source, limit=4, advance=lambda _: None) == b"data:"
    assert sources.body(source, limit=100, advance=lambda _: None) == b"data: 0123456789\n\n"


@pytest.mark.parametrize("name", packed.PACKS)
def test_a_damaged_source_gives_entries_or_one_line_and_never_anything_else(name: str, tmp_path: Path) -> None:
    if name.endswith("yaml"):
        pytest.importorskip("yaml", reason="PyYAML is not installed")
    if name.endswith("flows"):
        pytest.importorskip("mitmproxy", reason="mitmproxy is not installed")
    whole = packed.PACKS[name]([ONE, ONE])
    format_ = sources.look(put(tmp_path, whole), None).format
    generator = random.Random(name)
    lines: list[str] = []
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            at = generator.randrange(len(data))
            data[at : at + generator.randint(0, 3)] = generator.choice(
                [
                    b"",
                    b"{",
                    b"]",
                    b'"',
                    b"\\",
                    b"\x00",
                    b"\xff",
                    b"\n",
                    b": ",
                    b"- ",
                    b"&a",
                    b"*a",
                    b"!!x ",
                    b"9",
                    b"1e999",
                ]
            )
        try:
            found = list(sources.entries(sources.look(put(tmp_path, bytes(data)), format_), lambda _: None))
        except SourceError as error:
            lines.append(str(error))
        else:
            assert all(isinstance(item, Entry | Unusable | Passed) for item in found)
    assert 0 < len(lines) < 400
    assert not any("\n" in line for line in lines)
