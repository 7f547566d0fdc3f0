"""Replay, validate, coverage, scan and the plugin in processes that cannot open a socket: with workers, and cutting."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support.builders import verdicts
from support.shared import ROOT

CASES: Final = ROOT / "tests" / "data" / "cases"
# Every way to a network from Python passes one of these audit events; a forked worker has the hook as well. That the
# hook was there, and is not passed over, the last lines show.
OFFLINE: Final = """
import sys
def forbid(event, arguments):
    if event.startswith("socket.") or event in ("urllib.Request", "subprocess.Popen", "os.system"):
        print("FORBIDDEN", event, file=sys.stderr, flush=True)
        raise RuntimeError(event)
sys.addaudithook(forbid)
try:
    {body}
finally:
    import socket
    try:
        socket.socket()
    except RuntimeError:
        pass
"""
COMMAND: Final = "from replay.cli import main; main()"
PYTEST: Final = "import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def offline(body: str, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    found = subprocess.run(
        [sys.executable, "-B", "-c", OFFLINE.format(body=body), *arguments],
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stderr == "FORBIDDEN socket.__new__\n", found.stderr + found.stdout[-2000:]
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", str(CASES)],
        ["replay", str(CASES), "--jobs", "2"],
        ["replay", str(CASES), "--recut", "3"],
        ["replay", str(CASES), "--shard", "1/2", "--report", "junit"],
        ["replay", str(CASES), "--report", "sarif"],
        ["coverage", str(CASES)],
        ["schema", "fixture"],
        ["validate", str(CASES / "anthropic-second-message-start.json"), "--report", "json"],
        ["scan", str(CASES)],
    ],
    ids=lambda arguments: " ".join(word for word in arguments if "/" not in word or len(word) < 5),
)
def test_a_command_opens_no_socket(arguments: list[str]) -> None:
    if sys.platform != "linux" and "--jobs" in arguments:
        pytest.skip("workers are spawned here, without the hook")
    # A verdict or a finding, never a failure of the command.
    assert offline(COMMAND, *arguments).returncode in (0, 1)


def test_the_plugin_opens_no_socket(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(verdicts.PASS)
    offline(COMMAND, "replay", "--update", str(tmp_path))
    arguments = ("-q", "-p", "no:cacheprovider", "-p", "replay.pytest_plugin", "--toolreel", str(tmp_path))
    found = offline(PYTEST, *arguments, cwd=tmp_path)
    assert found.returncode == 0
    assert "1 passed" in found.stdout
