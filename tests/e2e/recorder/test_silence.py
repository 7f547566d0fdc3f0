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
