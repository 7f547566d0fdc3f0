"""A sample of sessions, recorded by a real recorder: whole sessions or nothing of them, and the fixtures say so."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import TOOLREEL, environment
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, post

TURN: Final = (*call('{"ci', 'ty": "Oslo"}'), DONE)
SESSIONS: Final = [f"session-of-somebody-{number}" for number in range(8)]


def chosen(session: str) -> bool:
    return int.from_bytes(hashlib.sha256(session.encode()).digest()[:8], "big") % 2 == 0


def test_whole_sessions_are_recorded_or_nothing_of_them_and_the_rate_stands_in_the_fixture(tmp_path: Path) -> None:
    wanted = [number for number, session in enumerate(SESSIONS) if chosen(session)]
    assert 0 < len(wanted) < len(SESSIONS)
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(
            tmp_path / "out",
            f"--upstream=openai={provider.url}",
            "--sample=1000",
            "--sample=openai=2",
            "--sample-by=X-Session-Id",
        ) as recorder,
    ):
        for _ in range(2):
            for number, session in enumerate(SESSIONS):
                headers = (f"X-Session-Id: {session}", f"X-Toolreel-Case: case-{number}")
                ask(recorder.port, post("/openai/v1/chat/completions", request(), *headers))
        summary = recorder.stop()
        files = recorder.files()
    passed = [value for seen in provider.requests for name, value in seen.headers if name.lower() == "x-session-id"]
    assert passed == 2 * SESSIONS
    assert sorted(files) == sorted(f"case-{number}{end}.json" for number in wanted for end in ("", "+2"))
    assert {json.loads(data)["capture"]["sample"]["of"] for data in files.values()} == {"session"}
    assert {json.loads(data)["capture"]["sample"]["one_in"] for data in files.values()} == {2}
    assert not any(b"somebody" in data for data in files.values())
    left_out = 2 * (len(SESSIONS) - len(wanted))
    assert (summary["captured"], summary["left_out"]) == (16, {"not in the sample (--sample)": left_out})
    for command, path in (("scan", tmp_path / "out"), ("validate", tmp_path / "out" / f"case-{wanted[0]}.json")):
        done = subprocess.run(
            [*TOOLREEL, command, str(path)], env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "edited",
    [{"one_in": 1, "of": "session"}, {"one_in": 2}, {"one_in": 2, "of": "Mara"}, {"one_in": 2.0, "of": "stream"}],
)
def test_a_scan_takes_no_other_word_for_a_sample(tmp_path: Path, edited: dict[str, object]) -> None:
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", f"--upstream=openai={provider.url}", "--sample=2") as recorder,
    ):
        ask(recorder.port, post("/openai/v1/chat/completions", request(), "X-Toolreel-Case: c"))
        recorder.stop()
    path = tmp_path / "out" / "c.json"
    fixture = json.loads(path.read_text())
    assert fixture["capture"]["sample"] == {"one_in": 2, "of": "stream"}
    fixture["capture"]["sample"] = edited
    path.write_text(json.dumps(fixture))
    done = subprocess.run(
        [*TOOLREEL, "scan", str(path)], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "capture.sample" in done.stdout
