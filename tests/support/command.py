"""The command `toolreel` as a process, run to its end."""

import subprocess
import sys
from collections.abc import Mapping

from support.recorder import PATIENCE, environment


def toolreel(*arguments: str, variables: Mapping[str, str] | None = None, code: int = 0) -> str:
    """What it prints on standard output; standard error where it is to fail."""
    done = subprocess.run(
        [sys.executable, "-c", "from replay.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        env={**environment(), **(variables or {})},
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout or done.stderr
