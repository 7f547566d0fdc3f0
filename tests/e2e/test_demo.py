"""`toolreel demo` as a user runs it: the story is true, nothing is left behind, and a wrong option is one line."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from support.nightly import nightly
from support.shared import ROOT

from replay.families import FAMILIES

pytest.importorskip("mitmproxy", reason="the demo records, and mitmproxy is not installed")

COMMAND = (sys.executable, "-c", "from replay.cli import main; main()", "demo")
SECRETS = ("mara.lindqvist@example.org", "ZX-4471-9902", "SUNDAY-7741", "sk-demo-4nQ7vXw2LmZt9KcR", "Lindqvist")


def environment(temporary: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "TOOLREEL_DATA": str(temporary / "data")}


def demo(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    temporary = folder / "tmp"
    temporary.mkdir()
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env=environment(temporary),
    )


def children(process: int) -> list[int]:
    """The processes that `process` has started and that still run."""
    done = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = [line.split() for line in done.stdout.splitlines()]
    return [int(child) for child, parent in pairs if int(parent) == process]


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("demo")
    return demo(folder, "--out", "reels"), folder


def test_the_demo_ends_well_and_fits_the_terminal(kept: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, _ = kept
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "Found none." in done.stdout
    assert done.stdout.endswith("To see each turn, open this page in a browser: reels/reels.html\n")


def test_the_demo_keeps_a_fixture_and_a_pin_of_each_turn_of_each_api(
    kept: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    _, folder = kept
    names = {path.name for path in (folder / "reels").iterdir()}
    kinds = ("one-call", "interleaved", "colliding", "truncated", "text-only")
    fixtures = {f"{profile}-{kind}" for profile in FAMILIES for kind in kinds}
    files = {f"{name}.json" for name in fixtures} | {f"{name}.expected.json" for name in fixtures}
    assert names == files | {"reels.html"}
    assert not list((folder / "tmp").iterdir())


def test_the_secrets_that_the_demo_shows_on_the_wire_are_in_none_of_its_files(
    kept: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, folder = kept
    for secret in SECRETS:
        assert secret in "".join(done.stdout.split()) or secret == "Lindqvist"
        for path in (folder / "reels").iterdir():
            assert secret not in path.read_text("utf-8")
            assert not any(secret in turn for turn in _packed(path.read_text("utf-8")))
            if path.suffix == ".json":
                assert secret not in "".join(_strings(json.loads(path.read_text("utf-8"))))


def _packed(page: str) -> list[str]:
    """The turns that the page of a folder holds packed; none in another file."""
    found = re.findall(r'class="stored" data-t="\d+">([^<]+)<', page)
    return [zlib.decompress(base64.b64decode(one), -zlib.MAX_WBITS).decode() for one in found]


def _strings(node: object) -> list[str]:
    if isinstance(node, str):
        return [node]
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [text for value in inner for text in _strings(value)]


def test_without_a_folder_to_keep_them_in_the_fixtures_go_again(tmp_path: Path) -> None:
    started = time.monotonic()
    done = demo(tmp_path)
    assert done.returncode == 0
    # Under fifteen seconds on an idle machine; the tests may share theirs.
    assert time.monotonic() - started < 45
    assert [path.name for path in tmp_path.iterdir()] == ["tmp"]
    assert [path.name for path in (tmp_path / "tmp").iterdir()] == ["data"]
    last = done.stdout.splitlines()[-1].strip()
    page = tmp_path / "tmp" / "data" / "demo" / "reels.html"
    assert last == str(page)
    assert page.read_text("utf-8").count('class="stored"') == sum(
        map(int, re.findall(r" (?:yes|no|no call) +(\d+)", done.stdout))
    )
    scanned = subprocess.run(
        [*COMMAND[:-1], "scan", page], capture_output=True, text=True, check=False, env=environment(tmp_path)
    )
    assert (scanned.returncode, scanned.stdout) == (0, "1 file scanned, 0 places found\n")


def test_where_no_page_can_be_kept_the_demo_ends_well_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "data").write_text("no folder")
    done = subprocess.run(
        COMMAND, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment(tmp_path / "tmp")
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("`toolreel demo --out DIR` keeps them.\n")


def test_a_folder_that_is_not_empty_is_refused_in_one_line_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "mine.txt").write_text("mine", "utf-8")
    done = demo(tmp_path, "--out", "reels")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "reels: is not empty" in done.stderr
    assert [path.name for path in (tmp_path / "reels").iterdir()] == ["mine.txt"]


def test_a_folder_that_cannot_be_made_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    done = demo(tmp_path, "--out", "file/reels")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


ENDED = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}


def running(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        COMMAND,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(folder),
    )


@pytest.mark.skipif(shutil.which("ps") is None, reason="no `ps` here to see processes with")
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=nightly), pytest.param(signal.SIGHUP, marks=nightly)]
)
@pytest.mark.parametrize("moment", ["toolreel demo", "  recorder"], ids=["at the start", "while it records"])
def test_a_demo_that_is_stopped_leaves_no_process_and_no_file(
    tmp_path: Path, number: signal.Signals, moment: str
) -> None:
    with running(tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert any(line.startswith(moment) for line in process.stdout)
        end = time.monotonic() + 30
        while not (started := children(process.pid)) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(number)
        process.stdout.read()
        said = process.stderr.read()
        assert process.wait(30) == ENDED[number]
    assert said == ""
    assert started
    assert not [child for child in started if alive(child)]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("ps") is None, reason="no `ps` here to see processes with")
@pytest.mark.parametrize("moment", ["toolreel demo", "  recorder"], ids=["at the start", "while it records"])
def test_the_recorder_ends_with_a_demo_that_is_killed(tmp_path: Path, moment: str) -> None:
    end = time.monotonic() + 60
    with running(tmp_path) as process:
        assert process.stdout is not None
        assert any(line.startswith(moment) for line in process.stdout)
        while not (started := children(process.pid)) and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
    assert started
    while any(map(alive, started)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [child for child in started if alive(child)]
