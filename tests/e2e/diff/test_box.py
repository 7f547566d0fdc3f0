"""What the process of an adapter reaches, seen from a command that no guard looks after."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest
from support import shared
from support.builders import verdicts

PROBE: Final = shared.ROOT / "tests" / "support" / "probe.py"
# Makes a user namespace in which no other one can be made, and runs the command there.
WITHOUT: Final = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh")

linux: Final = pytest.mark.skipif(sys.platform != "linux", reason="the box is made of what Linux has")


def can(*command: str) -> bool:
    found = shutil.which(command[0]) is not None
    return found and subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "one.json").write_bytes(verdicts.PASS)
    shutil.copy(PROBE, tmp_path / "probe.py")
    return tmp_path


def probed(folder: Path, *around: str) -> tuple[dict[str, str], str]:
    """What came of each try in the first run, and what was said on standard error."""
    done = subprocess.run(
        [
            *around,
            sys.executable,
            "-m",
            "replay.cli",
            "diff",
            "reels",
            "--report",
            "jsonl",
            "--adapter-command",
            f"'{sys.executable}' probe.py",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(shared.ROOT), "CANARY_OUTSIDE": "x", "OPENAI_API_KEY": "CANARY"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr
    row = json.loads(done.stdout)
    return {call["name"]: call["arguments"] for call in row["handed_over"]}, done.stderr


def held(found: dict[str, str], folder: Path) -> None:
    """What holds in every box of Linux with Landlock."""
    assert found["environments"] == "0 seen"
    refused = ("working folder", "fixture", "parent", "connect", "datagram", "path")
    assert {name: found[name] for name in refused if not found[name].startswith("refused")} == {}
    assert {found[name] for name in ("scratch", "home", "null", "pair", "left behind")} == {"allowed"}
    assert not (folder / "written").exists()
    assert (folder / "reels" / "one.json").read_bytes() == verdicts.PASS
    names = found["names"].split(",")
    assert not {name for name in names if "CANARY" in name or "KEY" in name}


def nothing_is_left(folder: Path) -> None:
    until = time.monotonic() + 10
    while (left := [one for one in Path("/proc").iterdir() if one.name.isdigit() and _is_left(one, folder)]) and (
        time.monotonic() < until
    ):
        time.sleep(0.05)
    assert left == []


def _is_left(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder.resolve() and b"left behind" in (process / "cmdline").read_bytes()
    except OSError:
        return False


@linux
@pytest.mark.skipif(not can("unshare", "-Urn", "true"), reason="this system lets nobody make namespaces")
def test_in_namespaces_a_command_reaches_the_server_and_its_scratch_folder_alone(folder: Path) -> None:
    found, said = probed(folder)
    held(found, folder)
    nothing_is_left(folder)
    assert said.endswith("nothing keeps its process from what follows: to start programs\n")


@linux
@pytest.mark.skipif(not can(*WITHOUT, "true"), reason="namespaces cannot be taken away here")
def test_without_namespaces_it_is_kept_from_the_same_or_what_is_missing_is_said(folder: Path) -> None:
    found, said = probed(folder, *WITHOUT)
    nothing_is_left(folder)
    if "write files" in said or "other machines" in said:
        pytest.skip(f"this system has no Landlock that can: {said}")
    held(found, folder)


@linux
def test_other_processes_of_the_user_cannot_look_into_the_command_itself() -> None:
    script = "from replay.diff.box.system import hide_memory; print(hide_memory(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=shared.ROOT,
    ) as hidden:
        assert hidden.stdout is not None
        assert hidden.stdout.readline() == "True\n"
        # To those who are not root, a file that belongs to root is closed.
        assert Path(f"/proc/{hidden.pid}/environ").stat().st_uid == 0
        hidden.communicate("\n")
