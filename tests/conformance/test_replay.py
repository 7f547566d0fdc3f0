"""The commands over all cases, in processes that cannot open a socket."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from support import shared
from support.builders import verdicts
from support.later import built
from support.shared import ROOT

from replay.families import array

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


def without_events(fixture: dict[str, Any]) -> bool:
    """Whether this one holds no event although no client left, so that it proves nothing of a stream."""
    left = fixture.get("capture", {}).get("stream_end") == "client_disconnected"
    return not left and fixture.get(array(fixture["profile"])) == []


def cases() -> list[tuple[Path, dict[str, Any] | None]]:
    """The shared cases of the profiles that are built, each with its fixture unless that is to be invalid."""
    found: list[tuple[Path, dict[str, Any] | None]] = []
    for path in built(
        [one for one in shared.folder("cases").glob("*.json") if not one.name.endswith(".expected.json")]
    ):
        pin = json.loads(path.with_suffix(".expected.json").read_bytes())
        found.append((path, None if pin["status"] == "invalid" else json.loads(path.read_bytes())))
    return found


def corpus(place: Path) -> Path:
    """The cases that hold an event, in a folder of their own."""
    for path, fixture in cases():
        if fixture is None or not without_events(fixture):
            for one in (path, path.with_suffix(".expected.json")):
                (place / one.name).write_bytes(one.read_bytes())
    return place


def test_every_case_is_as_pinned(tmp_path: Path) -> None:
    place = corpus(tmp_path)
    found = offline("replay", str(place), "--report", "json")
    assert found.returncode == 0, found.stdout[-4000:]
    summary = json.loads(found.stdout)["summary"]
    fixtures = [path for path in place.glob("*.json") if not path.name.endswith(".expected.json")]
    assert summary["fixtures"] == summary["outcomes"]["as_pinned"] == len(fixtures) >= 300
    assert all(summary["statuses"].values()), "a status that no case has"


def test_every_case_is_as_pinned_when_its_stream_is_cut_in_some_places(tmp_path: Path) -> None:
    """At every place for the smaller cases: tests/unit/replay_stream."""
    found = offline("replay", str(corpus(tmp_path)), "--recut", "5")
    assert found.returncode == 0, found.stdout[-4000:]


def test_a_case_without_an_event_is_as_pinned_only_where_the_client_left(tmp_path: Path) -> None:
    bare = {path: fixture for path, fixture in cases() if fixture is not None and without_events(fixture)}
    assert bare
    for path, fixture in bare.items():
        place = tmp_path / path.name
        place.with_suffix(".expected.json").write_bytes(path.with_suffix(".expected.json").read_bytes())
        for capture, outcome, code in (({}, "empty", 1), ({"stream_end": "client_disconnected"}, "as_pinned", 0)):
            place.write_text(json.dumps({**fixture, "capture": {**fixture.get("capture", {}), **capture}}), "utf-8")
            found = offline("replay", str(place), "--report", "json")
            assert (found.returncode, json.loads(found.stdout)["summary"]["outcomes"][outcome]) == (code, 1), path.name


def test_replaying_and_validating_need_no_socket(tmp_path: Path) -> None:
    fixture = tmp_path / "a.json"
    fixture.write_bytes(verdicts.PASS)
    assert offline("replay", "--update", str(tmp_path)).returncode == 0
    assert offline("replay", str(tmp_path)).returncode == 0
    assert offline("validate", str(fixture)).returncode == 0
