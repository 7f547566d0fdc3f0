"""Corpora in a store and in packs: every command takes them as it takes a folder. A real server, real commands."""

import json
import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Final

import pytest
from support.builders import verdicts as streamed
from support.processes.command import environment, piped, run, toolreel
from support.processes.object_store import SECRET, ObjectStore
from support.shared import ROOT

CASES: Final = ROOT / "tests" / "data" / "cases"
NAMES: Final = ("anthropic-bare-blocks-and-a-lost-connection", "anthropic-allowances-change-nothing")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of two fixtures with their pins, one of them in a folder, in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")  # room for a path in a store, which is longer, in one line
    for name, inner in zip(NAMES, ("reels", "reels/more"), strict=True):
        Path(inner).mkdir(exist_ok=True)
        for suffix in (".json", ".expected.json"):
            shutil.copy(CASES / (name + suffix), Path(inner) / (name + suffix))
    return tmp_path


@pytest.fixture
def stored(store: ObjectStore, prefix: str) -> str:
    """The corpus as objects."""
    for path in Path("reels").rglob("*.json"):
        put(store, f"{prefix.removeprefix('s3://')}/{path}", path.read_bytes())
    return f"{prefix}/reels"


def put(store: ObjectStore, key: str, data: bytes) -> None:
    """An object by the other door of the server, which no client of ours knows."""
    request = urllib.request.Request(f"http://127.0.0.1:{store.ports[1]}/buckets/{key}", method="PUT", data=data)
    urllib.request.urlopen(request, timeout=30).close()


def verdicts(*words: str) -> list[tuple[str, str, str]]:
    """What a replay says of each fixture, by its name alone."""
    report = json.loads(toolreel("replay", *words, "--report", "json"))
    return [(one["fixture"].rpartition("/")[2], one["outcome"], one["status"]) for one in report["results"]]


def scanned(path: str) -> list[str]:
    """What a scan says. The cases are written by hand, so there are leaks."""
    done = run("scan", path)
    assert (done.returncode, done.stderr) == (1, "")
    return sorted(line.replace(f"{path}/", "") for line in done.stdout.splitlines())


def test_every_command_says_of_a_store_what_it_says_of_the_folder(stored: str, store: ObjectStore) -> None:
    assert verdicts(stored) == verdicts("reels") == verdicts(stored, "--jobs", "2")
    assert len(verdicts(stored)) == 2
    assert toolreel("coverage", stored).replace(stored, "reels") == toolreel("coverage", "reels")
    assert scanned(stored) == scanned("reels")
    assert toolreel("show", stored).replace(stored, "reels") == toolreel("show", "reels")
    one = f"{stored}/{NAMES[0]}.json"
    assert toolreel("show", one).replace(stored, "reels") == toolreel("show", f"reels/{NAMES[0]}.json")
    assert toolreel("replay", one).startswith("1 fixture: 1 as pinned")


def test_pins_are_written_beside_the_objects_and_removed_there(stored: str) -> None:
    pin = f"{stored}/{NAMES[0]}.expected.json"
    key = f"{stored}/{NAMES[0]}.json"
    done = run("replay", "--update", "--accept", "repeated_terminal", "--limit", "max_slots=9", key)
    assert done.returncode == 0, done.stderr
    assert verdicts(key) == [(f"{NAMES[0]}.json", "as_pinned", "blocked")]
    refused = run("replay", "--update", f"{stored}/none.json")
    assert (refused.returncode, refused.stderr) == (2, f"Error: {stored}/none.json: no such object; check the path\n")
    assert pin not in refused.stderr


def test_a_served_turn_comes_from_the_store(stored: str, folder: Path) -> None:
    answers = []
    for corpus in (stored, "reels"):
        process, output, errors = piped("serve", corpus, "--port", "0", folder=folder)
        try:
            with output, errors:
                assert "2 fixtures" in output.readline()
                addresses = (re.search(r"http://127[.]0[.]0[.]1:[0-9]+", line) for line in output)
                address = next(found[0] for found in addresses if found)
                turn = urllib.request.Request(
                    f"{address}/case/{NAMES[1]}/v1/messages", b'{"stream": true}', method="POST"
                )
                with urllib.request.urlopen(turn, timeout=30) as response:
                    answers.append((response.headers["Content-Type"], response.read()))
        finally:
            process.kill()
            process.wait()
    assert answers[0] == answers[1]
    assert b"event: " in answers[0][1]


def test_diff_says_of_a_store_what_it_says_of_the_folder_and_pins_there(store: ObjectStore, prefix: str) -> None:
    shutil.copy(ROOT / "tests" / "support" / "kinds.py", "kinds.py")
    Path("turns").mkdir()
    for name, data in (("whole", streamed.PASS), ("mixed", streamed.COLLISION)):
        Path(f"turns/{name}.json").write_bytes(data)
        put(store, f"{prefix.removeprefix('s3://')}/turns/{name}.json", data)
    for words in (("--demand", "agree"), ("--update",), ()):
        found = [run("diff", path, "--adapter", "kinds:eager", *words) for path in (f"{prefix}/turns", "turns")]
        assert found[0].returncode == found[1].returncode
        assert found[0].stdout.replace(f"{prefix}/", "") == found[1].stdout
        assert found[0].stderr.replace(f"{prefix}/", "") == found[1].stderr
    assert "2 as pinned" in found[0].stdout


@pytest.mark.parametrize(
    ("path", "variables", "said"),
    [
        ("s3://no-such-bucket/reels", {}, "the bucket no-such-bucket is not there"),
        ("{stored}", {"AWS_SECRET_ACCESS_KEY": "another-secret"}, "the store denies access; check the credentials"),
        ("{stored}", {"AWS_ACCESS_KEY_ID": "nobody"}, "the store denies access; check the credentials"),
        ("{stored}/none", {}, "no fixture (*.json) is there; check the path"),
        ("{stored}/none.json", {}, "no such object; check the path"),
        ("{stored}/none.pack.zip", {}, "no such object; check the path"),
        ("{stored}/*.json", {}, "patterns are for files on this machine"),
        ("s3://", {}, "names no bucket; for example s3://corpus/reels"),
        ("{stored}", {"AWS_ALLOW_HTTP": "false"}, "AWS_ALLOW_HTTP=true"),
        ("az://corpus/reels", {}, "the environment does not say enough to reach this store"),
    ],
)
def test_bad_input_is_one_clear_line_without_a_credential(
    stored: str, path: str, variables: dict[str, str], said: str
) -> None:
    done = run("replay", path.format(stored=stored), variables=variables)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert SECRET not in done.stderr
    assert "another-secret" not in done.stderr


def test_without_the_extra_one_line_says_how_to_get_it() -> None:
    code = "import sys; sys.modules['obstore'] = None; from replay.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", "s3://corpus/reels"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "Error: obstore is not installed, and paths in an object store need it; install it with: "
        "pip install 'toolreel[store]'\n"
    )


def test_local_files_load_nothing_of_stores_and_packs() -> None:
    code = (
        "import sys; from replay.cli import root\n"
        "root.main(['replay', 'reels'], standalone_mode=False)\n"
        "print(sorted({'obstore', 'zipfile', 'replay.corpus.archives', 'replay.store.objects'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_a_pack_says_what_the_folder_says_and_is_the_same_bytes_each_time() -> None:
    said = toolreel("pack", "reels", "--out", "one.pack.zip")
    assert said.startswith("packed into one.pack.zip: 2 fixtures, files beside them: 2, ")
    toolreel("pack", f"{Path.cwd()}/reels", "--out", "two.pack.zip")
    toolreel("pack", "one.pack.zip", "--out", "three.pack.zip")
    assert Path("one.pack.zip").read_bytes() == Path("two.pack.zip").read_bytes() == Path("three.pack.zip").read_bytes()
    assert verdicts("one.pack.zip") == verdicts("reels") == verdicts("one.pack.zip", "--jobs", "2")
    assert toolreel("coverage", "one.pack.zip").replace("one.pack.zip", "reels") == toolreel("coverage", "reels")
    assert scanned("one.pack.zip") == scanned("reels")
    assert toolreel("show", "one.pack.zip").replace("one.pack.zip", "reels") == toolreel("show", "reels")
    assert zipfile.ZipFile("one.pack.zip").namelist() == sorted(
        str(path.relative_to("reels")) for path in Path("reels").rglob("*.json")
    )


def test_packs_in_a_folder_are_a_part_of_the_corpus() -> None:
    toolreel("pack", "reels/more", "--out", "reels/day.pack.zip")
    shutil.rmtree("reels/more")
    assert [name for name, _, _ in verdicts("reels")] == [f"{name}.json" for name in NAMES]
    assert [name for name, _, _ in verdicts("reels/*")] == [f"{name}.json" for name in NAMES]
    assert any(line.startswith("4 files scanned") for line in scanned("reels"))
    toolreel("pack", "reels", "--out", "whole.pack.zip")
    assert f"day/{NAMES[1]}.json" in zipfile.ZipFile("whole.pack.zip").namelist()


def test_a_pack_comes_out_as_it_went_in_and_nothing_is_written_over() -> None:
    toolreel("pack", "reels", "--out", "reels.pack.zip")
    toolreel("pack", "--extract", "reels.pack.zip", "--out", "out")
    for path in Path("reels").rglob("*.json"):
        assert (Path("out") / path.relative_to("reels")).read_bytes() == path.read_bytes()
    Path(f"out/{NAMES[0]}.json").write_text("{}")
    done = run("pack", "--extract", "reels.pack.zip", "--out", "out")
    assert (done.returncode, Path(f"out/{NAMES[0]}.json").read_text()) == (2, "{}")
    again = run("pack", "reels", "--out", "reels.pack.zip")
    assert again.stderr == "Error: --out reels.pack.zip: is there already; name another file, or remove it first\n"


def test_a_pack_in_a_store_is_read_in_place_and_not_changed(stored: str) -> None:
    toolreel("pack", stored, "--out", f"{stored}/all.pack.zip")
    assert verdicts(f"{stored}/all.pack.zip") == verdicts("reels")
    assert len(verdicts(stored)) == 4
    Path("reels", f"{NAMES[0]}.expected.json").unlink()
    toolreel("pack", "reels", "--out", f"{stored}/unpinned.pack.zip")
    done = run("replay", "--update", f"{stored}/unpinned.pack.zip/{NAMES[0]}.json")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "a pack is not changed; unpack it (toolreel pack --extract" in done.stderr


def test_a_pack_that_is_cut_anywhere_is_one_clear_line() -> None:
    toolreel("pack", "reels", "--out", "whole.pack.zip")
    whole = Path("whole.pack.zip").read_bytes()
    for share in (0.0, 0.3, 0.6, 0.9, 0.999):
        Path("cut.pack.zip").write_bytes(whole[: int(len(whole) * share)])
        done = run("replay", "cut.pack.zip")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("Error: cut.pack.zip: the pack is cut or damaged: its index is not at its end")
        assert done.stderr.count("\n") == 1
    broken = bytearray(whole)
    broken[200:300] = bytes(100)
    Path("cut.pack.zip").write_bytes(broken)
    done = run("replay", "cut.pack.zip")
    assert done.returncode == 2
    assert "the pack is cut or damaged" in done.stderr


@pytest.mark.parametrize("name", ["../up.json", "/top.json", "a//b.json", "./a.json", "a\\b.json"])
def test_a_name_that_would_leave_the_pack_is_refused(name: str) -> None:
    with zipfile.ZipFile("bad.pack.zip", "w") as archive:
        archive.writestr(name, "{}")
    for words in (("replay", "bad.pack.zip"), ("pack", "--extract", "bad.pack.zip", "--out", "out")):
        done = run(*words)
        assert done.returncode == 2
        assert "names in it are no names of a corpus" in done.stderr
    assert not Path("out").exists()
