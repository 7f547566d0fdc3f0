"""Processes, shards, the CI rule, colours, progress, completion: how `toolreel replay` behaves around the judging."""

import io
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from support.builders import verdicts
from support.processes.here import put, toolreel
from support.shared import ROOT

from replay import processes
from replay.cli import root
from replay.corpus import discovery
from replay.judging import workers
from replay.judging.progress import Progress
from replay.judging.run_options import Options

RED: Final = "\x1b[31m"


@pytest.fixture(autouse=True)
def plain_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def corpus() -> None:
    """Many times more fixtures than processes, of each outcome, and orphans."""
    for number in range(101):
        put(f"f/{number:03}.json", verdicts.PASS.replace(b"hi", b"hi%d" % number))
    toolreel("replay", "--update", "f")
    for number in (3, 40, 90):
        put(f"f/{number:03}.json", verdicts.COLLISION)
    put("f/050.expected.json", b"no pin")
    Path("f/051.json").unlink()
    Path("f/052.expected.json").unlink()


# processes and shards


@pytest.mark.parametrize("report", ["text", "json", "jsonl", "junit", "sarif", "github"])
def test_several_processes_report_what_one_does(report: str) -> None:
    corpus()
    one = toolreel("replay", "f", "--report", report)
    several = toolreel("replay", "f", "--report", report, "--jobs", "3")
    assert (several.exit_code, several.stdout, several.stderr) == (one.exit_code, one.stdout, one.stderr)
    assert one.exit_code == 2


def test_several_processes_write_the_pins_that_one_does() -> None:
    corpus()
    Path("f/050.expected.json").unlink()
    toolreel("replay", "f", "--update", "--prune", "--jobs", "2")
    assert not Path("f/051.expected.json").exists()
    assert toolreel("replay", "f").exit_code == 0


def test_few_batches_are_out_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is flat in the number of fixtures: results wait for their turn in small numbers."""
    asked = 0
    submit = ProcessPoolExecutor.submit

    def counted(*arguments: object) -> object:
        nonlocal asked
        asked += 1
        return submit(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ProcessPoolExecutor, "submit", counted)
    fixtures = [f"none/{number}.json" for number in range(100 * workers.BATCH)]
    results = workers.replay(discovery.Plan(fixtures=fixtures, orphans=[]), Options(), jobs=2)
    for _ in range(workers.BATCH):
        next(results)
    assert asked == 2 * processes.AHEAD
    assert len(list(results)) == 99 * workers.BATCH
    assert asked == 100


def test_an_interrupt_ends_all_processes_without_a_traceback() -> None:
    corpus()
    # Cutting everywhere takes long enough to be interrupted.
    process = subprocess.Popen(
        [
            sys.executable,
            "-B",
            "-c",
            "from replay.cli import main; main()",
            "replay",
            "f",
            "--jobs",
            "2",
            "--recut",
            "all",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode not in (0, 1, 2)
    assert b"Traceback" not in told
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_run_that_is_told_to_end_leaves_no_files_and_no_processes(number: int, code: int, jobs: str) -> None:
    """As CI services end a job that is cancelled, and a terminal what runs in it when it is closed."""
    corpus()
    before = set(Path().rglob("*"))
    process = subprocess.Popen(
        [
            *(sys.executable, "-B", "-c", "from replay.cli import main; main()", "replay", "f", "--recut", "all"),
            *("--jobs", jobs, "--report", "text", "--report", "sarif=out.sarif"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    if number == signal.SIGHUP:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (code, b"")
    assert set(Path().rglob("*")) == before
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_shards_together_are_the_whole() -> None:
    corpus()
    rows = toolreel("replay", "f", "--report", "jsonl").stdout.splitlines()
    parts = [toolreel("replay", "f", "--report", "jsonl", "--shard", f"{part}/3").stdout for part in (1, 2, 3)]
    assert sorted(row for part in parts for row in part.splitlines()) == sorted(rows)
    assert all(parts)


def test_a_shard_without_fixtures_judges_nothing_and_fails() -> None:
    put("a.json")
    toolreel("replay", "--update", "a.json")
    found = [toolreel("replay", "a.json", "--shard", f"{part}/2") for part in (1, 2)]
    assert sorted(one.exit_code for one in found) == [0, 2]
    [told] = [one.stderr for one in found if one.stderr]
    assert told.startswith("Error: no fixture was judged; --shard ")
    assert told.endswith("/2: none of 1 falls into this part; ask for fewer parts\n")
    assert sorted(one.stdout.partition(".")[0] for one in found) == [
        "0 fixtures: nothing to compare",
        "1 fixture: 1 as pinned",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "0/2"], "--shard 0/2: must be I/N, the part and the number of parts; for example 1/4"),
        (["--shard", "3/2"], "--shard 3/2: must be I/N"),
        (["--shard", "2"], "--shard 2: must be I/N"),
        (["--shard", "1/" + "9" * 5000], "must be I/N"),
        (["--shard", "²/3"], "must be I/N"),
        (["--jobs", "0"], "--jobs 0: must be an integer from 1 to 256, or auto"),
        (["--jobs", "many"], "--jobs many: must be an integer from 1 to 256, or auto"),
        (["--recut", "-1"], "--recut -1: must be an integer of 1 or more, or all"),
        (["--recut", "every"], "--recut every: must be an integer of 1 or more, or all"),
    ],
)
def test_a_wrong_number_says_what_is_possible(arguments: list[str], message: str) -> None:
    put("a.json")
    found = toolreel("replay", "a.json", *arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr
    assert found.stderr.count("\n") == 1


def test_cutting_elsewhere_leaves_every_verdict() -> None:
    for name, data in (("a", verdicts.PASS), ("b", verdicts.COLLISION), ("c", verdicts.INVALID)):
        put(f"{name}.json", data)
    toolreel("replay", "--update", ".")
    for cuts in ("1", "20", "all"):
        assert toolreel("replay", ".", "--recut", cuts).exit_code == 0


# the CI rule


@pytest.mark.parametrize("option", ["--update", "--prune"])
@pytest.mark.parametrize("value", ["true", "1", "woodpecker"])
def test_pins_are_not_written_in_a_ci_job(monkeypatch: pytest.MonkeyPatch, option: str, value: str) -> None:
    put("a.json")
    put("gone.expected.json")
    monkeypatch.setenv("CI", value)
    found = toolreel("replay", ".", option)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == (
        f"Error: {option} changes pins, and this is a CI job (CI is set): run it on your machine and commit what it "
        "writes, or say that it is meant: --in-ci\n"
    )
    assert not Path("a.expected.json").exists()
    assert Path("gone.expected.json").exists()
    assert toolreel("replay", ".", "--update", "--prune", "--in-ci").exit_code == 0
    assert sorted(path.name for path in Path().iterdir()) == ["a.expected.json", "a.json"]
    assert toolreel("replay", ".").exit_code == 0


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_a_variable_that_says_no_is_no_ci_job(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    put("a.json")
    monkeypatch.setenv("CI", value)
    assert toolreel("replay", ".", "--update").exit_code == 0


# colours and progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_a_pipe_gets_colours_only_where_they_are_forced(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], coloured: bool
) -> None:
    put("a.json")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    plain = CliRunner(env={"FORCE_COLOR": None}).invoke(root, ["replay", "."]).stdout
    found = CliRunner().invoke(root, ["replay", ".", "--report", "text", "--report", "junit=out.xml"]).stdout
    assert (RED in found) is coloured
    assert "\x1b" not in Path("out.xml").read_text("utf-8")
    assert plain in found or coloured


def test_colours_change_no_word() -> None:
    put("a.json")
    toolreel("replay", "--update", "a.json")
    put("a.json", verdicts.COLLISION)
    put("b\x1b.json")
    put("c.json", verdicts.COLLISION)
    plain = toolreel("replay", ".").stdout
    painted = toolreel("replay", ".", env={"FORCE_COLOR": "1"}).stdout
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"):
        assert code in painted
        painted = painted.replace(code, "")
    assert painted == plain
    assert "\x1b" not in plain


@pytest.mark.parametrize(("stream", "terminal"), [(io.StringIO(), "xterm"), (Terminal(), "dumb")])
def test_nothing_that_cannot_erase_a_line_gets_a_bar(stream: io.StringIO, terminal: str) -> None:
    bar = Progress(stream, total=10, terminal=terminal)
    bar._next = 0
    bar.step()
    bar.clear()
    assert stream.getvalue() == ""


def test_a_terminal_gets_a_bar_that_leaves_nothing_behind() -> None:
    stream = Terminal()
    bar = Progress(stream, total=1200, terminal="xterm")
    bar.step()
    assert stream.getvalue() == "", "a run that is over at once shows none"
    for _ in range(599):
        bar._next = 0
        bar.step()
    assert stream.getvalue().endswith("\r\x1b[K[############------------] 600 of 1,200")
    bar.clear()
    bar.clear()
    assert stream.getvalue().endswith("1,200\r\x1b[K")


# completion, modules


def complete(words: str, count: int) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-B", "-c", "from replay.cli import main; main()"],
        env={
            "PYTHONPATH": str(ROOT),
            "_TOOLREEL_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(count),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_and_options() -> None:
    assert complete("toolreel re", 1) == ["record", "reduce", "replay"]
    assert {"--report", "--recut"} <= set(complete("toolreel replay --re", 2))
    assert complete("toolreel schema f", 2) == ["fixture"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_each_shell_is_printed(shell: str) -> None:
    if shell == "bash":
        version = subprocess.run(["bash", "--version"], capture_output=True, text=True, check=False)
        if version.returncode:
            pytest.skip("bash is not installed, and its version decides the script")
    done = subprocess.run(
        [sys.executable, "-B", "-c", "from replay.cli import main; main()"],
        env={"PYTHONPATH": str(ROOT), "_TOOLREEL_COMPLETE": f"{shell}_source", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "_TOOLREEL_COMPLETE" in done.stdout


# Modules that a replay of one fixture in one process has no use for, and that cost a noticeable part of its start.
UNUSED: Final = {
    "asyncio",
    "concurrent.futures",
    "difflib",
    "email",
    "http",
    "hypothesis",
    "importlib.metadata",
    "jsonschema",
    "mitmproxy",
    "multiprocessing",
    "proxy_addon",
    "pytest",
    "random",
    "redaction",
    "replay.judging.coverage",
    "replay.pytest_plugin",
    "replay.reports.junit",
    "replay.reports.sarif",
    "replay.judging.workers",
    "secrets",
    "ssl",
    "urllib.request",
    "xml",
}


def test_a_replay_of_one_fixture_loads_what_it_needs_and_nothing_that_is_slow() -> None:
    put("a.json")
    code = """
import json, sys
from replay.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, "replay", "a.json"],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    loaded = set(json.loads(done.stderr))
    assert "replay.validator" in loaded
    assert loaded & UNUSED == set()
