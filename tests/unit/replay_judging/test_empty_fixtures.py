"""A fixture without any event proves nothing, so no replay takes it for one that holds."""

import json
from pathlib import Path

import pytest
from support.builders import verdicts
from support.processes.here import toolreel


def run(*arguments: str) -> tuple[int, str]:
    done = toolreel("replay", *arguments)
    return done.exit_code, done.output


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    Path("reels").mkdir()


@pytest.mark.parametrize("end", [None, "complete", "upstream_disconnected", "proxy_stopped"])
def test_a_fixture_without_an_event_fails_and_is_not_pinned(end: str | None) -> None:
    capture = {} if end is None else {"capture": {"stream_end": end}}
    Path("reels/a.json").write_bytes(verdicts.fixture(**capture))
    for options in ([], ["--update"], []):
        code, output = run("reels", *options)
        assert code == 1
        assert output.startswith("without an event: reels/a.json\n")
        assert "record the turn again" in output
    assert not Path("reels/a.expected.json").exists()
    # An old pin does not make it one.
    Path("reels/a.json").write_bytes(verdicts.TEXT)
    run("reels", "--update")
    Path("reels/a.json").write_bytes(verdicts.fixture(**capture))
    code, output = run("reels", "--report", "json")
    assert (code, json.loads(output)["results"][0]["outcome"]) == (1, "empty")


def test_a_client_may_leave_before_the_first_event() -> None:
    Path("reels/a.json").write_bytes(verdicts.fixture(capture={"stream_end": "client_disconnected"}))
    assert run("reels", "--update")[0] == 0
    assert run("reels")[0] == 0
