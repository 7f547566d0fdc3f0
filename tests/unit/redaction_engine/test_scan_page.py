"""`toolreel scan` of a page that `toolreel show` wrote: the files in it are proved, and the rest is drawn again."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import verdicts
from support.processes.here import toolreel
from support.recorded.exchanges import exchange_of

from redaction.captured.exchange import Proved
from redaction.proof.scan import scan_page
from redaction.redactor import redact
from replay.show.pages import page
from replay.show.pages.source import read
from replay.show.picture.reading import Source, shown

RAW = {"a": verdicts.PASS, "b": verdicts.COLLISION, "c": verdicts.TEXT}
UNSEEN = "Ms Miller, 4 Privet Drive"


def masked(data: bytes) -> bytes:
    proved = redact(exchange_of(json.loads(data)))
    assert isinstance(proved, Proved)
    return proved.fixture.data


CLEAN = {name: masked(data) for name, data in RAW.items()}


@pytest.fixture
def reels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    Path("reels").mkdir()
    for name, data in CLEAN.items():
        Path(f"reels/{name}.json").write_bytes(data)
    Path("reels/a.adapters.json").write_text(
        '{\n "format": 1,\n "adapters": {\n  "openai": {"2.8.0": "agree"}\n }\n}\n'
    )
    assert toolreel("replay", "--update", "reels").exit_code == 0
    return Path("reels")


def run(*arguments: str) -> tuple[int, str]:
    done = toolreel(*arguments)
    return done.exit_code, done.output


def scan(path: str) -> tuple[int, str]:
    return run("scan", "--no-tripwire", path)


def draw(source: bytes) -> bytes:
    """What the process that draws prints; nothing where it ends with an error."""
    try:
        return page.drawn(read(source.decode())).encode()
    except ValueError:
        return b""


def places(data: bytes) -> list[tuple[str | None, str]]:
    return [(name, leak.place) for name, leak in scan_page(data, draw)]


def of(name: str) -> bytes:
    return page.turn(shown(Source(path=f"{name}.json", fixture=CLEAN[name]))).encode()


FOLDER = page.folder([shown(Source(path=f"reels/{name}.json", fixture=data)) for name, data in CLEAN.items()]).encode()


@pytest.mark.parametrize(
    "paths",
    [
        ["reels/a.json"],
        ["reels"],
        ["reels/*.json"],
        ["reels/a.json", "reels/b.json"],
        ["reels/b.expected.json", "reels/b.json"],
    ],
)
@pytest.mark.usefixtures("reels")
def test_every_page_of_redacted_turns_is_data_only(paths: list[str]) -> None:
    assert run("show", *paths, "--html", "out.html")[0] == 0
    assert scan("out.html") == (0, "1 file scanned, 0 places found\n")


@pytest.mark.usefixtures("reels")
def test_the_page_of_a_replay_is_data_only() -> None:
    assert run("replay", "reels", "--report", "html=out.html")[0] == 0
    assert scan("out.html") == (0, "1 file scanned, 0 places found\n")


def test_pages_in_a_folder_count_and_other_html_does_not(reels: Path) -> None:
    assert run("show", "reels", "--html", "reels/reels.html")[0] == 0
    (reels / "coverage.html").write_text(f"<p>{UNSEEN}</p>")
    assert scan("reels") == (0, "8 files scanned, 0 places found\n")


def test_a_file_that_is_no_page_is_said_to_be_none(reels: Path) -> None:
    (reels / "note.html").write_text(f"<p>{UNSEEN}</p>")
    assert scan("reels/note.html") == (1, "reels/note.html: page: structure\n1 file scanned, 1 place found\n")


def test_what_a_fixture_in_a_page_says_is_found_by_its_name_and_place_and_never_shown(reels: Path) -> None:
    told = CLEAN["c"].replace(b'"content":"x"', f'"content":"{UNSEEN}"'.encode())
    assert told != CLEAN["c"]
    (reels / "c.json").write_bytes(told)
    assert run("show", "reels", "--html", "out.html")[0] == 0
    code, output = scan("out.html")
    assert code == 1
    assert "out.html: reels/c.json: text of content in event 0: closed vocabulary" in output
    assert UNSEEN not in output


@given(at=st.integers(0, len(FOLDER)), more=st.binary(min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_no_byte_can_be_put_into_a_page(at: int, more: bytes) -> None:
    assert places(FOLDER[:at] + more + FOLDER[at:])


@given(at=st.integers(0, len(FOLDER) - 1), other=st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_no_byte_of_a_page_can_be_another(at: int, other: int) -> None:
    changed = FOLDER[:at] + bytes([other]) + FOLDER[at + 1 :]
    assert bool(places(changed)) is (changed != FOLDER)


def repacked(text: bytes, change: tuple[bytes, bytes] = (b"", b""), *, level: int, behind: bytes = b"") -> bytes:
    data = zlib.decompress(base64.b64decode(text), -zlib.MAX_WBITS).replace(*change)
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(data) + packer.flush() + behind)


PACKED = re.compile(rb'(?<=">)([A-Za-z0-9+/=]{40,})(?=</script>)')


def test_how_a_page_is_packed_does_not_matter() -> None:
    other = PACKED.sub(lambda found: repacked(found[1], level=1), FOLDER)
    assert other != FOLDER
    assert places(other) == []


@pytest.mark.parametrize("which", range(4), ids=["a turn", "another turn", "the last turn", "the files"])
def test_what_is_packed_is_proved_too(which: int) -> None:
    texts = PACKED.findall(FOLDER)
    assert len(texts) == 4
    change = (b"pass", b"Miss") if which == 0 else (b"reels/", b"Mills/")
    assert places(FOLDER.replace(texts[which], repacked(texts[which], change, level=6)))
    assert places(FOLDER.replace(texts[which], repacked(texts[which], level=6, behind=UNSEEN.encode())))


@pytest.mark.parametrize(
    "change",
    [
        (b'"view":"folder"', b'"view":"folder","note":"Miller"'),
        (b'"view":"folder"', b'"view": "folder"'),
        (b'"view":"folder"', b'"view":"Miller"'),
        (b'"accept":[]', b'"accept":["Miller"]'),
        (b'"path":"reels/a.json"', b'"path":"reels/a.json","note":"Miller"'),
        (b'"path":"reels/a.json"', b'"path":"Miller\\nwas here"'),
        (b'"turns":[', b'"turns":[5,'),
    ],
)
def test_the_files_stand_in_a_page_in_one_form(change: tuple[bytes, bytes]) -> None:
    files = PACKED.findall(FOLDER)[3]
    other = FOLDER.replace(files, repacked(files, change, level=6))
    assert other != FOLDER
    assert places(other)


def test_a_page_of_one_turn_cannot_pass_as_that_of_another() -> None:
    assert places(of("a")) == []
    mixed = of("a").replace(PACKED.findall(of("a"))[0], PACKED.findall(of("b"))[0])
    assert places(mixed) == [(None, "page, beside the files in it")]
