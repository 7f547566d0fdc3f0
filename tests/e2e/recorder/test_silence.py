"""What the recorder keeps its surroundings from: logs of TLS secrets, and other processes that read its memory."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.processes.recorder import Recorder

pytest.importorskip("mitmproxy")

from proxy_addon.silence import KEY_LOGS, drop_key_logs


def test_the_logs_of_tls_secrets_are_dropped_by_name() -> None:
    environment = dict.fromkeys(KEY_LOGS, "/tmp/keys") | {"HOME": "/"}
    assert drop_key_logs(environment) == list(KEY_LOGS)
    assert environment == {"HOME": "/"}
    assert drop_key_logs(environment) == []


def test_the_soft_limit_on_files_is_raised() -> None:
    resource = pytest.importorskip("resource")
    hard = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 4096)
    asks = "import resource as r; from proxy_addon.recorder.engine import allow_connections as allow; "
    asks += f"n = r.RLIMIT_NOFILE; r.setrlimit(n, (256, {hard})); allow(); print(*r.getrlimit(n))"
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(hard), str(hard)]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has this")
def test_a_silent_process_cannot_be_dumped() -> None:
    asks = "import ctypes; from proxy_addon.silence import silence_process as silence; got = ctypes.CDLL(None).prctl; "
    asks += "print(got(3, 0, 0, 0, 0)); silence(); print(got(3, 0, 0, 0, 0))"
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0"]


def test_a_recorder_writes_no_secrets_of_tls(tmp_path: Path) -> None:
    logs = {name: str(tmp_path / name) for name in KEY_LOGS}
    with Recorder(tmp_path / "out", variables=logs) as recorder:
        recorder.stop()
    assert recorder.errors.splitlines() == [
        f"toolreel: {name}: not used: it would write the secrets of TLS to a file" for name in KEY_LOGS
    ]
    assert not [name for name in KEY_LOGS if (tmp_path / name).exists()]
