"""`toolreel import --jobs`: several processes say and write what a single one does, and end as it does."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from support.nightly import at_night
from support.processes import command
from support.processes.command import environment
from support.readings import streams
from support.recorded import packed
from support.recorded.packed import Exchange

from proxy_addon.demo.bundled import bundled

# How each command line begins: options that change what is named, and in which order entries are taken.
OPTIONS: Final = at_night(
    [[], ["--case-from", "file"], ["--case-from", "shape"], ["--case", "shop"], ["--max-fixtures", "3"]],
    but=[[], ["--case-from", "file"]],
)


def exchanges() -> Iterator[Exchange]:
    """The demo's turns and recorded streams, a listing of models and a turn without its body among them."""
    for turn in bundled():
        yield Exchange(
            url=f"https://api.example{turn.path}",
            request=turn.request_body(),
            request_headers=(("authorization", "Bearer sk-1"),),
            response_headers=(("content-type", "text/event-stream"),),
            body=turn.response_body(),
        )
    yield from map(packed.exchange, streams.read(streams.BUNDLED)[:8])


def har(found: list[Exchange]) -> bytes:
    document = json.loads(packed.har(found))
    entries = document["log"]["entries"]
    for at, entry in enumerate(entries):
        entry["startedDateTime"] = f"2026-01-01T00:00:{at * 7 % 60:02}Z"
    entries[3]["response"]["status"] = 429
    del entries[5]["response"]["content"]["text"]
    entries.insert(9, {"no": "exchange"})
    return json.dumps(document).encode()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A HAR of many exchanges, a HAR of one, and one that breaks off in the middle."""
    folder = tmp_path_factory.mktemp("sources")
    whole = har([*exchanges()])
    (folder / "many.har").write_bytes(whole)
    (folder / "one.har").write_bytes(packed.har([next(exchanges())]))
    (folder / "half.har").write_bytes(whole[: len(whole) // 3])
    return folder


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return command.run("import", *arguments, folder=folder)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_several_processes_say_and_write_the_same(options: list[str], sources: Path, tmp_path: Path) -> None:
    names = ["many.har"] if "--case" in options else ["many.har", "one.har", "half.har", "many.har"]
    paths = [os.path.relpath(sources / name, tmp_path) for name in names]
    one = run(tmp_path, *paths, *options, "--out", "one")
    two = run(tmp_path, *paths, *options, "--out", "two", "--jobs", "3")
    assert "passed over, status other than 200" in one.stdout
    assert one.returncode == (1 if "--case" in options else 2)
    assert (two.returncode, two.stdout, two.stderr) == (one.returncode, one.stdout, one.stderr)
    assert content(tmp_path / "two") == content(tmp_path / "one")
    assert len(content(tmp_path / "one")) >= 3


def test_bodies_of_a_folder_are_shared_out_too(tmp_path: Path) -> None:
    (tmp_path / "bodies").mkdir()
    for at, turn in enumerate(turn for turn in bundled() if turn.profile == "openai"):
        (tmp_path / "bodies" / f"turn-{at}.sse").write_bytes(turn.response_body())
    arguments = ("bodies", "--profile", "openai")
    one = run(tmp_path, *arguments, "--out", "one")
    two = run(tmp_path, *arguments, "--out", "two", "--jobs", "2")
    assert "written turn-0.json" in one.stdout
    assert (two.returncode, two.stdout, two.stderr) == (one.returncode, one.stdout, one.stderr)
    assert content(tmp_path / "two") == content(tmp_path / "one")


@pytest.mark.parametrize("jobs", ["0", "two", "1025"])
def test_a_number_of_processes_that_is_none_is_refused_in_words(jobs: str, tmp_path: Path) -> None:
    done = run(tmp_path, "none.har", "--jobs", jobs)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: --jobs {jobs}: must be an integer from 1 to 1024, or auto\n"


INTERRUPT: Final = (os.killpg, signal.SIGINT, 130)
END: Final = (os.kill, signal.SIGTERM, 143)


@pytest.mark.parametrize(("tell", "number", "code"), [INTERRUPT, END], ids=["Ctrl-C", "SIGTERM"])
def test_a_run_that_is_ended_leaves_whole_fixtures_and_no_process(
    tell: Callable[[int, int], None], number: int, code: int, tmp_path: Path
) -> None:
    turns = [*exchanges()]
    (tmp_path / "long.har").write_bytes(packed.har(turns * 40))
    process = subprocess.Popen(
        [*command.TOOLREEL, "import", "long.har", "--jobs", "2", "--case-from", "shape", "--out", "out"],
        cwd=tmp_path,
        env=environment() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert b"entry 1: " in process.stdout.readline()
    tell(process.pid, number)
    said, told = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"captured " not in said
    assert b"Traceback" not in told
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    for data in content(tmp_path / "out").values():
        assert json.loads(data)["capture"]["mode"] == "import"
