"""The commands over all cases, in processes that cannot open a socket."""

import json
import subprocess
import sys
from pathlib import Path

from support import shared, verdicts
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


def test_every_case_is_as_pinned() -> None:
    cases = shared.folder("cases")
    found = offline("replay", str(cases), "--report", "json")
    assert found.returncode == 0, found.stdout[-4000:]
    summary = json.loads(found.stdout)["summary"]
    fixtures = [path for path in cases.glob("*.json") if not path.name.endswith(".expected.json")]
    assert summary["fixtures"] == summary["outcomes"]["as_pinned"] == len(fixtures) >= 300
    assert all(summary["statuses"].values()), "a status that no case has"


def test_every_case_is_as_pinned_when_its_stream_is_cut_in_some_places() -> None:
    """At every place for the smaller cases: tests/unit/replay_stream."""
    found = offline("replay", str(shared.folder("cases")), "--recut", "5")
    assert found.returncode == 0, found.stdout[-4000:]


def test_replaying_and_validating_need_no_socket(tmp_path: Path) -> None:
    fixture = tmp_path / "a.json"
    fixture.write_bytes(verdicts.PASS)
    assert offline("replay", "--update", str(tmp_path)).returncode == 0
    assert offline("replay", str(tmp_path)).returncode == 0
    assert offline("validate", str(fixture)).returncode == 0
