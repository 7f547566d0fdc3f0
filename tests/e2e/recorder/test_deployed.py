"""The files of docs/examples/service: each is taken by what reads it, and starts a recorder that listens as it says."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.processes.command import run
from support.sockets.certificates import authority

SERVICE: Final = Path(__file__).parents[3] / "docs" / "examples" / "service"
UNIT: Final = SERVICE / "toolreel-record.service"

# The exposure, of 100, from which `systemd-analyze security` calls a unit no longer "OK".
EXPOSED: Final = "49"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_unit_and_finds_it_closed(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/toolreel/bin/toolreel ", f"{sys.executable} -m toolreel "))
    for words in (("verify", "--man=no"), ("security", "--offline=true", f"--threshold={EXPOSED}")):
        done = subprocess.run(
            ["systemd-analyze", *words, unit], capture_output=True, text=True, check=False, env={"LC_ALL": "C"}
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert unit.name not in done.stderr, done.stderr


def test_the_command_of_the_unit_is_one_that_the_recorder_takes(tmp_path: Path) -> None:
    authority(tmp_path)
    shutil.copy(tmp_path / "ca.pem", tmp_path / "clients.pem")
    (command,) = re.findall(r"^ExecStart=\S+ (.+)", UNIT.read_text(), re.M)
    words = shlex.split(command.replace("${CREDENTIALS_DIRECTORY}", str(tmp_path)))
    done = run(*words, "--print-config")
    assert (done.returncode, done.stderr) == (0, "")
    # With a file that is not there, each of its paths is read: the command gets as far as its certificates.
    (tmp_path / "clients.pem").unlink()
    assert "--client-ca" in run(*words).stderr
