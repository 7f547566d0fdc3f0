"""The commands over all cases, in processes that cannot open a socket."""

import json
import subprocess
import sys
from pathlib import Path

from support import shared
from support.builders import verdicts
from support.later import built
from support.shared import ROOT

# Every way to a network from Python passes one of these audit events; the last one shows that the hook was there.
OFFLINE = """
import sys
def forbid(event, arguments):
    if event.startswith("socket.") or event in ("urllib.Request", "subprocess.Popen", "os.system", "os.fork"):
        print("FORBIDDEN", event, file=sys.stderr, flush=True)
        raise RuntimeError(event)
sys.addaudithook(forbid)
from replay.cli import main
try:
    main()
finally:
    import socket
    try:
        socket.socket()
    except RuntimeError:
        pass
"""


def offline(*arguments: str) -> subprocess.CompletedProcess[str]:
    found = subprocess.run(
        [sys.executable, "-B", "-c", OFFLINE, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.stderr == "FORBIDDEN socket.__new__\n", "the hook saw something else than its own trial"
    return found


def corpus(place: Path) -> Path:
    """The shared cases of the profiles that are built, in a folder of their own."""
    fixtures = [path for path in shared.folder("cases").glob("*.json") if not path.name.endswith(".expected.json")]
    for path in built(fixtures):
        for one in (path, path.with_suffix(".expected.json")):
            (place / one.name).write_bytes(one.read_bytes())
    return place


def test_every_case_is_as_pinned(tmp_path: Path) -> None:
    cases = corpus(tmp_path)
    found = offline("replay", str(cases), "--report", "json")
    assert found.returncode == 0, found.stdout[-4000:]
    summary = json.loads(found.stdout)["summary"]
    fixtures = [path for path in cases.glob("*.json") if not path.name.endswith(".expected.json")]
    assert summary["fixtures"] == summary["outcomes"]["as_pinned"] == len(fixtures) >= 300
    assert all(summary["statuses"].values()), "a status that no case has"


def test_every_case_is_as_pinned_when_its_stream_is_cut_in_some_places(tmp_path: Path) -> None:
    """At every place for the smaller cases: tests/unit/replay_stream."""
    found = offline("replay", str(corpus(tmp_path)), "--recut", "5")
    assert found.returncode == 0, found.stdout[-4000:]


def test_replaying_and_validating_need_no_socket(tmp_path: Path) -> None:
    fixture = tmp_path / "a.json"
    fixture.write_bytes(verdicts.PASS)
    assert offline("replay", "--update", str(tmp_path)).returncode == 0
    assert offline("replay", str(tmp_path)).returncode == 0
    assert offline("validate", str(fixture)).returncode == 0
