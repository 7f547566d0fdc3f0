"""The command `toolreel` as a process: started, or run to its end."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from support.processes.forking import FORKS, Forked
from support.shared import ROOT

# Long enough for a loaded machine; a test that waits for so long has failed.
PATIENCE: Final = 60.0

TOOLREEL: Final = (sys.executable, "-c", "from replay.cli import main; main()")

Process = subprocess.Popen[str] | Forked


def environment() -> dict[str, str]:
    """The test's own, with the checkout importable, and without variables of a proxy or of a recorder."""
    paths = [path for path in (os.environ.get("PYTHONPATH"), str(ROOT)) if path]
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


def started(
    *words: str | Path, folder: Path, output: int, errors: int, variables: Mapping[str, str] | None = None
) -> Process:
    """`toolreel` with these words, run in `folder`, printing into two files; `variables` beside the usual ones."""
    changed = variables or {}
    said = [str(word) for word in words]
    whole = {**environment(), **changed}
    if FORKS and "PYTHONPATH" not in changed:
        return Forked(said, folder=folder, variables=whole, output=output, errors=errors)
    return subprocess.Popen(
        [*TOOLREEL, *said], cwd=folder, env=whole, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, text=True
    )


def piped(
    *words: str | Path, folder: Path, variables: Mapping[str, str] | None = None
) -> tuple[Process, IO[str], IO[str]]:
    """The same, and what it prints: its output and its errors, to be read as they come."""
    (reading, output), (complaints, errors) = os.pipe(), os.pipe()
    try:
        process = started(*words, folder=folder, output=output, errors=errors, variables=variables)
    finally:
        os.close(output)
        os.close(errors)
    return process, os.fdopen(reading), os.fdopen(complaints)


def run(
    *words: str | Path, folder: Path | None = None, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`toolreel` with these words, run to its end: its exit code and what it printed."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = started(
            *words, folder=folder or Path.cwd(), output=output.fileno(), errors=errors.fileno(), variables=variables
        )
        try:
            code = process.wait(PATIENCE)
        finally:
            process.kill()
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(list(words), code, output.read(), errors.read())


def pytest(*words: str, folder: Path, variables: Mapping[str, str]) -> tuple[int, str]:
    """`python -m pytest` with these words in `folder`, with these variables alone: its exit code, what it printed."""
    with tempfile.TemporaryFile("w+") as output:
        to = output.fileno()
        process = (
            Forked(words, command="pytest", folder=folder, variables=variables, output=to, errors=to)
            if FORKS
            else subprocess.Popen(
                [sys.executable, "-B", "-m", "pytest", *words], cwd=folder, env=dict(variables), stdout=to, stderr=to
            )
        )
        code = process.wait()
        output.seek(0)
        return code, output.read()


def toolreel(*words: str, variables: Mapping[str, str] | None = None, code: int = 0) -> str:
    """What it prints on standard output; standard error where it is to fail."""
    done = run(*words, variables=variables)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout or done.stderr


def printed_by(code: str) -> str:
    """What a fresh interpreter prints that runs this code and sees the checkout."""
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
