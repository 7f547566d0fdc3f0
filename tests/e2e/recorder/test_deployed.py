"""The files of docs/examples/service: each is taken by what reads it, and starts a recorder that listens as it says."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

import pytest
import yaml

pytest.importorskip("mitmproxy")

from support.nightly import nightly
from support.processes.command import PATIENCE, piped, run
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


def _pod() -> tuple[list[str], list[str], dict[str, str]]:
    """The recorder's command, its probe, and the variables of the application."""
    spec = yaml.safe_load((SERVICE / "pod.yaml").read_text())["spec"]
    (recorder,), (app,) = spec["initContainers"], spec["containers"]
    variables = {one["name"]: one["value"] for one in app["env"]}
    return recorder["command"], recorder["startupProbe"]["exec"]["command"], variables


def _compose() -> tuple[list[str], list[str], dict[str, str]]:
    services = yaml.safe_load((SERVICE / "compose.yaml").read_text())["services"]
    recorder = services["recorder"]
    assert recorder["network_mode"] == "service:app"
    kind, *probe = recorder["healthcheck"]["test"]
    assert kind == "CMD"
    return recorder["command"], probe, services["app"]["environment"]


@pytest.mark.parametrize("read", [_pod, _compose])
def test_a_recorder_beside_its_application_listens_where_the_probe_and_the_clients_look(
    read: Callable[[], tuple[list[str], list[str], dict[str, str]]], tmp_path: Path
) -> None:
    command, (python, *probe), variables = read()
    assert (command[0], python) == ("toolreel", "python")
    words = ["record", "--port", "0", *command[2:]]
    words[words.index("/reels")] = str(tmp_path / "reels")
    words[words.index("127.0.0.1:9464")] = "127.0.0.1:0"
    process, output, errors = piped(*words, folder=tmp_path)
    with output, errors:
        try:
            said = _until_ready(output)
            ready = json.loads(said.rpartition("ready ")[2])
            port, admin = str(ready["port"]), ready["admin"]
            for name, value in variables.items():
                assert f"export {name}={value.replace('8100', port)}\n" in said
            here = [word.replace("http://127.0.0.1:9464", admin) for word in probe]
            assert subprocess.run([sys.executable, *here], check=False, timeout=PATIENCE).returncode == 0
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
    gone = subprocess.run([sys.executable, *here], capture_output=True, check=False, timeout=PATIENCE)
    assert gone.returncode != 0


def _until_ready(output: IO[str]) -> str:
    said = ""
    while "ready " not in said:
        line = output.readline()
        assert line, said
        said += line
    return said


def _steps() -> list[tuple[str, str]]:
    """The instructions of the Containerfile and what each says."""
    lines = (SERVICE / "Containerfile").read_text().splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines if line and line[0] != "#")]


def test_the_container_is_no_root_and_runs_the_command_of_the_pod() -> None:
    steps = _steps()
    assert {word for word, _ in steps} <= {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "CMD"}
    user, command = (next(rest for word, rest in reversed(steps) if word == wanted) for wanted in ("USER", "CMD"))
    assert user == "65532:65532"
    assert json.loads(command) == _pod()[0]


@nightly
def test_the_steps_of_the_container_make_a_recorder_that_starts(tmp_path: Path) -> None:
    """No image can be built here, so its steps run as a script, with folders of this test in the place of its own."""
    source, installed = tmp_path / "src", tmp_path / "opt"
    left_out = shutil.ignore_patterns(".git", ".*_cache", "__pycache__", "node_modules")
    shutil.copytree(SERVICE.parents[2], source, ignore=left_out)
    for word, rest in _steps():
        if word == "RUN":
            step = rest.replace("/opt/toolreel", str(installed))
            done = subprocess.run(["sh", "-euc", step], cwd=source, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(source)  # what was installed needs nothing of it
    done = subprocess.run(
        [installed / "bin" / "toolreel", "record", "--out", tmp_path / "reels", "--port", "0", "--", "true"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "toolreel records into" in done.stderr
