"""The command's promises, proved by running it. Needs nothing installed: `python3 -m unittest discover -s tests`."""

# ruff: noqa: PT009 - unittest alone: nothing else may be needed here

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "validate_tool_stream.py"

WEATHER = {
    "weather": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 20}},
        "required": ["city"],
        "additionalProperties": False,
    }
}

# Runs the script in an interpreter in which every way to a socket raises, and says so if one was tried.
NO_SOCKETS = """
import runpy, sys
def deny(event, arguments):
    if event.startswith("socket."):
        sys.stderr.write("a socket was used: " + event)
        sys.stderr.flush()
        raise SystemExit(97)
sys.addaudithook(deny)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def entry(index, arguments, **identity):
    """One entry of `delta.tool_calls`; `id` and `name` where they are given."""
    found = {"index": index, "function": {"arguments": arguments}}
    if "id" in identity:
        found |= {"id": identity["id"], "type": "function"}
    if "name" in identity:
        found["function"]["name"] = identity["name"]
    return found


def chunk(*entries, finish=None):
    """One chunk with one choice."""
    delta = {"tool_calls": list(entries)} if entries else {}
    return {"id": "cmpl-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def text(content, finish=None):
    """One chunk of text."""
    return {"id": "cmpl-1", "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]}


def turn(*chunks, schemas=WEATHER, **members):
    """A fixture of the profile `openai`."""
    return {"profile": "openai", "tool_schemas": schemas, "chunks": list(chunks), **members}


def one_call(arguments, **changes):
    """A turn with one call, whole but for what its arguments say."""
    name = changes.pop("name", "weather")
    return turn(chunk(entry(0, arguments, id="call_1", name=name)), chunk(finish="tool_calls"), **changes)


FRAGMENTED = turn(
    chunk(entry(0, "", id="call_paris", name="weather")),
    chunk(entry(0, '{"ci')),
    chunk(entry(0, 'ty":"Pa')),
    chunk(entry(0, 'ris","days":')),
    chunk(entry(0, "3}")),
    chunk(finish="tool_calls"),
)

# Two calls go on by turns, and the second one's start carries the index of the first.
REUSED_SLOT = turn(
    chunk(entry(0, '{"city":', id="call_1", name="weather")),
    chunk(entry(1, '{"city":', id="call_2", name="weather")),
    chunk(entry(0, '"Oslo"}')),
    chunk(entry(0, '"Rome"}', id="call_3", name="weather")),
    chunk(entry(1, '"Bern"}')),
    chunk(finish="tool_calls"),
)

FAIL_CLOSED = {
    "malformed arguments": (one_call('{"city":"Paris",}'), "malformed_arguments"),
    "malformed payload": (turn("no JSON", *one_call('{"city":"Paris"}')["chunks"]), "malformed_event"),
    "arguments cut short": (one_call('{"city":"Pa'), "malformed_arguments"),
    "a stream cut short": (turn(chunk(entry(0, '{"city":"Paris"}', id="call_1", name="weather"))), "missing_terminal"),
    "cut by the length limit": (
        turn(chunk(entry(0, '{"city":"Paris"}', id="call_1", name="weather")), chunk(finish="length")),
        "wrong_terminal",
    ),
    "two terminals": (
        turn(*one_call('{"city":"Paris"}')["chunks"], chunk(finish="tool_calls")),
        "duplicate_terminal",
    ),
    "NaN": (one_call('{"city":"Paris","days":NaN}'), "non_finite_number"),
    "Infinity": (one_call('{"city":"Paris","days":-Infinity}'), "non_finite_number"),
    "an overflowing number": (one_call('{"city":"Paris","days":1e999}'), "non_finite_number"),
    "an unknown tool": (one_call('{"city":"Paris"}', name="launch"), "unknown_tool"),
    "an unsupported schema": (
        one_call('{"city":"Paris"}', schemas={"weather": {"type": "object", "unevaluatedProperties": False}}),
        "unsupported_schema",
    ),
    "a wrong type": (one_call('{"city":5}'), "schema_violation"),
    "a missing property": (one_call('{"days":3}'), "schema_violation"),
    "a value out of range": (one_call('{"city":"Paris","days":21}'), "schema_violation"),
    "an extra property": (one_call('{"city":"Paris","unit":"K"}'), "schema_violation"),
}


class Command(unittest.TestCase):
    """Runs the script over fixture files of its own."""

    python = sys.executable

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, fixture, name="fixture.json"):
        """A fixture as a file; its path."""
        path = self.folder / name
        path.write_bytes(fixture if isinstance(fixture, bytes) else json.dumps(fixture).encode())
        return str(path)

    def run_command(self, *arguments):
        """The finished process. No socket can be made in it, and no bytecode is written beside the source."""
        environment = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder)}
        process = subprocess.run(
            [self.python, "-c", NO_SOCKETS, str(SCRIPT), *arguments],
            capture_output=True,
            check=False,
            cwd=self.folder,
            env=environment,
            text=True,
            timeout=60,
        )
        self.assertNotIn("Traceback", process.stderr)
        self.assertNotEqual(process.returncode, 97, process.stderr)
        return process

    def report(self, fixture, *options):
        """Exit code and JSON report on one fixture."""
        process = self.run_command(self.write(fixture), "--report", "json", *options)
        return process.returncode, json.loads(process.stdout)


class TheVerdict(Command):
    """Every way a turn can end, through the command."""

    def test_a_valid_fragmented_call_passes_with_its_exact_identity_and_arguments(self):
        code, report = self.report(FRAGMENTED)
        self.assertEqual(code, 0)
        self.assertIs(report["executable"], True)
        self.assertIs(report["applicable"], True)
        self.assertEqual(report["status"], "pass")
        self.assertEqual(report["findings"], [])
        self.assertEqual(
            report["calls"],
            [
                {
                    "choice": 0,
                    "slot": 0,
                    "id": "call_paris",
                    "name": "weather",
                    "arguments": '{"city":"Paris","days":3}',
                    "state": "validated",
                }
            ],
        )

    def test_an_interleaved_reused_slot_is_blocked_as_an_identity_collision(self):
        code, report = self.report(REUSED_SLOT)
        self.assertEqual(code, 1)
        self.assertIs(report["executable"], False)
        self.assertEqual([finding["code"] for finding in report["findings"]], ["identity_collision"])
        place = {key: report["findings"][0][key] for key in ("choice", "slot", "event")}
        self.assertEqual(place, {"choice": 0, "slot": 0, "event": 3})

    def test_a_text_only_stream_is_not_applicable(self):
        code, report = self.report(turn(text("Good "), text("morning."), text("", finish="stop")))
        self.assertEqual(code, 2)
        self.assertEqual(report["status"], "not_applicable")
        self.assertIs(report["applicable"], False)
        self.assertIs(report["executable"], False)
        self.assertEqual((report["calls"], report["findings"]), ([], []))

    def test_what_is_wrong_fails_closed(self):
        for what, (fixture, expected) in FAIL_CLOSED.items():
            with self.subTest(what):
                code, report = self.report(fixture)
                self.assertEqual(code, 1)
                self.assertIs(report["executable"], False)
                self.assertEqual(report["status"], "blocked")
                self.assertEqual([finding["code"] for finding in report["findings"]], [expected])

    def test_every_one_of_them_is_legal_without_its_fault(self):
        code, report = self.report(one_call('{"city":"Paris","days":3}'))
        self.assertEqual((code, report["executable"]), (0, True))


class TheCommandLine(Command):
    """Paths, options, several fixtures, hostile ones."""

    def test_a_file_that_is_no_envelope_is_an_invalid_report(self):
        for what, data in {
            "no JSON": b"not a fixture",
            "no UTF-8": b"\xff\xfe",
            "half written": json.dumps(FRAGMENTED).encode()[:-40],
            "empty": b"",
            "unknown profile": json.dumps(FRAGMENTED | {"profile": "other"}).encode(),
            "deep": b"[" * 1_000_000,
        }.items():
            with self.subTest(what):
                code, report = self.report(data)
                self.assertEqual(code, 2)
                self.assertEqual(report["status"], "invalid")
                self.assertEqual([finding["code"] for finding in report["findings"]], ["invalid_fixture"])

    def test_a_path_that_cannot_be_read_is_a_usage_error_without_a_report(self):
        good = self.write(FRAGMENTED)
        for path in (str(self.folder / "missing.json"), str(self.folder)):
            for paths in ([path], [good, path]):
                process = self.run_command(*paths, "--report", "jsonl")
                self.assertEqual((process.returncode, process.stdout), (2, ""))
                self.assertIn(path, process.stderr)
                self.assertEqual(len(process.stderr.splitlines()), 1)

    def test_an_empty_path_and_a_pipe_without_a_writer_are_usage_errors_too(self):
        pipe = str(self.folder / "pipe.json")
        os.mkfifo(pipe)
        for path, name in (("", "an empty path"), (pipe, pipe)):
            process = self.run_command(path)
            self.assertEqual((process.returncode, process.stdout), (2, ""))
            self.assertIn(f"cannot read {name}: ", process.stderr)

    def test_a_fixture_may_come_through_a_pipe(self):
        source = f"import time; time.sleep(0.3); print({json.dumps(json.dumps(FRAGMENTED))})"
        with subprocess.Popen([self.python, "-c", source], stdout=subprocess.PIPE) as writer:
            reader = subprocess.run(
                [self.python, str(SCRIPT), "/dev/stdin"], stdin=writer.stdout, capture_output=True, timeout=60
            )
        self.assertEqual((reader.returncode, reader.stderr), (0, b""))

    def test_output_that_cannot_be_written_is_an_error_and_output_that_nobody_wants_is_none(self):
        path = self.write(REUSED_SLOT)
        full = "> /dev/full" if Path("/dev/full").exists() else None
        for redirection, expected, words in ((full, 2, "cannot write the report"), (">&-", 1, ""), ("| true", 0, "")):
            if redirection is None:
                continue
            with self.subTest(redirection):
                process = subprocess.run(
                    ["/bin/sh", "-c", f'"$@" {redirection}', "sh", self.python, "-B", str(SCRIPT), path],
                    capture_output=True,
                    text=True,
                    timeout=60,
                )
                self.assertEqual(process.returncode, expected)
                self.assertEqual(len(process.stderr.splitlines()), 1 if words else 0, process.stderr)
                self.assertIn(words, process.stderr)

    def test_an_interrupt_ends_it_without_a_traceback(self):
        pipe = self.folder / "pipe.json"
        os.mkfifo(pipe)
        # A writer that says nothing: the command waits in the middle of reading.
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        process = subprocess.Popen(
            [self.python, "-B", str(SCRIPT), str(pipe)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Ignored in all that a shell without a terminal runs in the background, as these tests may be.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)
        self.assertEqual((process.returncode, *output), (130, b"", b""))

    def test_a_wrong_option_is_a_usage_error(self):
        path = self.write(FRAGMENTED)
        for options in (
            ["--accept", "everything"],
            ["--limit", "max_slots"],
            ["--limit", "max_slots=-1"],
            ["--limit", "max_slots=1.5"],
            ["--limit", "max_bytes=3"],
            ["--report", "xml"],
            ["--lim", "max_slots=1"],
        ):
            with self.subTest(options):
                process = self.run_command(path, *options)
                self.assertEqual((process.returncode, process.stdout), (2, ""))

    def test_several_fixtures_give_one_line_each_and_the_gravest_exit_code(self):
        passes = self.write(FRAGMENTED, "pass.json")
        blocked = self.write(REUSED_SLOT, "blocked.json")
        invalid = self.write(b"{", "invalid.json")
        none = self.write(turn(text("Hello", finish="stop")), "none.json")
        for paths, expected in (
            ([passes, passes], 0),
            ([passes, blocked, invalid, none], 1),
            ([invalid, passes], 2),
            ([none, passes], 2),
        ):
            process = self.run_command(*paths, "--report", "jsonl")
            self.assertEqual(process.returncode, expected)
            self.assertEqual([json.loads(line)["fixture"] for line in process.stdout.splitlines()], paths)

    def test_an_allowance_counts_only_if_the_fixture_names_it_and_the_caller_accepts_it(self):
        twice = turn(*FRAGMENTED["chunks"], chunk(finish="tool_calls"))
        named = twice | {"allow": ["repeated_terminal"]}
        accept = ["--accept", "repeated_terminal"]
        self.assertEqual(self.report(twice, *accept)[0], 1)
        self.assertEqual(self.report(named)[0], 1)
        code, report = self.report(named, *accept)
        self.assertEqual(code, 0)
        self.assertEqual([use["name"] for use in report["allowances"]], ["repeated_terminal"])

    def test_a_limit_set_by_the_caller_is_in_force_and_in_the_message(self):
        code, report = self.report(FRAGMENTED, "--limit", "max_slot_bytes=10")
        self.assertEqual(code, 1)
        self.assertEqual([finding["code"] for finding in report["findings"]], ["limit_exceeded"])
        self.assertIn("10", report["findings"][0]["message"])

    def test_names_and_texts_cannot_drive_a_terminal(self):
        evil = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m\x7f"
        hostile = one_call(json.dumps({"city": evil, evil: 1}, ensure_ascii=False), name=evil)
        hostile["chunks"][0]["choices"][0]["delta"]["tool_calls"][0]["id"] = evil
        schemas = {evil: {"type": "object", "properties": {evil: {"type": "string"}}}}
        for style in ("text", "json", "jsonl"):
            process = self.run_command(self.write(hostile | {"tool_schemas": schemas}), "--report", style)
            self.assertEqual(process.returncode, 1)
            shown = process.stdout.replace("\n", "")
            self.assertTrue(shown.isprintable(), style)

    def test_the_socket_trap_works(self):
        probe = self.folder / "probe.py"
        probe.write_text("import socket\nsocket.socket()\n")
        process = subprocess.run(
            [self.python, "-c", NO_SOCKETS, str(probe)], capture_output=True, check=False, text=True, timeout=60
        )
        self.assertEqual(process.returncode, 97)


def interpreters():
    """Every Python from 3.10 to 3.13 that is found: by pyenv or on the path. One of each minor version."""
    places = os.environ.get("PATH", "").split(os.pathsep)
    pyenv = os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv"))
    found = {}
    for minor in range(10, 14):
        candidates = [str(Path(place) / f"python3.{minor}") for place in places if place]
        candidates += sorted(map(str, (Path(pyenv) / "versions").glob(f"3.{minor}.*/bin/python3")))
        for candidate in candidates:
            if os.access(candidate, os.X_OK) and version_of(candidate) == f"3.{minor}":
                found[f"3.{minor}"] = candidate
                break
    return found


def version_of(python):
    """The minor version an interpreter says it is, None if it does not run (as a pyenv shim may not)."""
    probe = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        process = subprocess.run([python, "-I", "-c", probe], capture_output=True, check=False, text=True, timeout=60)
    except OSError:
        return None
    match = re.fullmatch(r"(\d+\.\d+)\s*", process.stdout)
    return match.group(1) if process.returncode == 0 and match else None


@unittest.skipUnless("TOOLREEL_NIGHTLY" in os.environ, "in the nightly run alone")
class EveryInterpreter(Command):
    """The same verdicts on each Python that is there."""

    def test_every_interpreter_from_3_10_to_3_13_gives_the_same_verdicts(self):
        found = interpreters()
        if not found:
            self.skipTest("no Python from 3.10 to 3.13 was found beside the running one")
        for version, python in found.items():
            with self.subTest(version):
                self.python = python
                code, report = self.report(FRAGMENTED)
                self.assertEqual((code, report["status"]), (0, "pass"))
                code, report = self.report(REUSED_SLOT)
                self.assertEqual((code, report["findings"][0]["code"]), (1, "identity_collision"))
                for fixture, expected in FAIL_CLOSED.values():
                    code, report = self.report(fixture)
                    self.assertEqual((code, [item["code"] for item in report["findings"]]), (1, [expected]))


if __name__ == "__main__":
    unittest.main()
