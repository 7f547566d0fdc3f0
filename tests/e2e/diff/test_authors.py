"""What an adapter's author is told: what was returned, what cannot be started and where, and what `--debug` shows."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support import shared
from support.builders import verdicts
from support.nightly import at_night, nightly
from support.processes import command

ADAPTERS = """
import kinds

async def asynchronous(turn):
    return kinds.faithful(turn)

def generator(turn):
    yield from kinds.faithful(turn)

async def asynchronous_generator(turn):
    for call in kinds.faithful(turn):
        yield call

def values(turn):
    return dict(enumerate(kinds.faithful(turn))).values()

def one_call(turn):
    return next(iter(kinds.faithful(turn)), {"name": "say", "arguments": "{}"})

def text(turn):
    return json.dumps(kinds.faithful(turn))

def pairs(turn):
    return [tuple(call.items()) for call in kinds.eager(turn)]

def number(turn):
    kinds.faithful(turn)
    return 0

def loud(turn):
    print("printed by the adapter")
    kinds.faithful(turn)
    raise KeyError("a key that is not there")
"""
NODE = """
export default async (turn) => {
  const asked = { method: "POST", body: '{"stream":true}' };
  const answer = await (await fetch(turn.baseUrl + "/v1/chat/completions", asked)).text();
  return RETURNED;
};
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "one.json").write_bytes(verdicts.PASS)
    shutil.copy(shared.ROOT / "tests" / "support" / "kinds.py", tmp_path)
    (tmp_path / "own.py").write_text("import json\n" + ADAPTERS)
    return tmp_path


def diff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return command.run("diff", "reels", "--demand", "agree", *arguments, folder=folder)


@pytest.mark.parametrize(
    "adapter", at_night(["asynchronous", "generator", "asynchronous_generator", "values"], but=["generator"])
)
def test_what_can_be_iterated_or_awaited_is_a_list_of_calls(folder: Path, adapter: str) -> None:
    done = diff(folder, "--adapter", f"own:{adapter}")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("adapter", "kind"),
    [
        ("one_call", "dict"),
        pytest.param("text", "str", marks=nightly),
        pytest.param("pairs", "tuple", marks=nightly),
        pytest.param("number", "int", marks=nightly),
    ],
)
def test_what_is_no_list_of_calls_is_a_crash_that_says_so(folder: Path, adapter: str, kind: str) -> None:
    done = diff(folder, "--adapter", f"own:{adapter}")
    assert done.returncode == 1
    assert f"reels/one.json: own:{adapter} unversioned: crash" in done.stdout
    assert f"the adapter returned what is no list of calls ({kind})" in done.stdout


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        ("{ name: 'x' }", "Object"),
        pytest.param("answer", "string", marks=nightly),
        pytest.param("7", "number", marks=nightly),
    ],
)
def test_so_it_is_in_node(folder: Path, returned: str, kind: str) -> None:
    (folder / "house.mjs").write_text(NODE.replace("RETURNED", returned))
    done = diff(folder, "--adapter", "./house.mjs")
    assert done.returncode == 1
    assert f"the adapter returned what is no list of calls ({kind})" in done.stdout


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\n\ndef drive(turn)\n    pass\n", "bad.py:3: SyntaxError: expected ':'"),
        ("import json\nfrom json import nowhere\n", "bad.py:2: ImportError: cannot import name 'nowhere'"),
        ("\nimport nothing_of_this_name\n", "nothing_of_this_name is not to be found (bad.py:2 imports it) by "),
        ("\ndef drvie(turn): ...\n", "bad:drive is not to be found in bad.py; its functions are drvie (line 2)"),
        ("import os\n\nKEY = os.environ['OUR_KEY']\n", "bad.py:3: KeyError: 'OUR_KEY'"),
        ("import sys\nsys.exit('no')\n", "bad.py:2: SystemExit: no"),
        ("drive = 5\n", "bad:drive is of the type int; an adapter is a function"),
    ],
)
def test_an_adapter_that_cannot_be_started_is_said_with_file_and_line(folder: Path, source: str, says: str) -> None:
    (folder / "bad.py").write_text(source)
    done = diff(folder, "--adapter", "bad:drive")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: --adapter bad:drive: {says}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\nexport default (turn => {\n", "bad.mjs:3: SyntaxError: "),
        ("\nimport { nowhere } from 'node:fs';\n", "bad.mjs:2: SyntaxError: "),
        ("\nimport 'nothing-of-this-name';\n", "nothing-of-this-name is not to be found (bad.mjs:2 imports it) in "),
        (
            "export const drive = 1;\n",
            "bad.mjs:1: it must export a function of a turn as its default; it exports drive",
        ),
        ("\n\nundefinedName();\n", "bad.mjs:3: ReferenceError: undefinedName is not defined"),
    ],
)
def test_a_module_of_node_that_cannot_be_started_is_said_too(folder: Path, source: str, says: str) -> None:
    (folder / "bad.mjs").write_text(source)
    done = diff(folder, "--adapter", "./bad.mjs")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: --adapter ./bad.mjs: {says}")
    assert len(done.stderr.splitlines()) == 1


def test_a_file_of_node_that_is_not_there_is_said(folder: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    done = diff(folder, "--adapter", "./nowhere.mjs")
    assert (done.returncode, "there is no such file" in done.stderr) == (2, True)


def test_debugging_shows_what_was_served_printed_and_raised(folder: Path) -> None:
    quiet = diff(folder, "--adapter", "own:loud", "--report", "jsonl")
    assert "printed by the adapter" not in quiet.stderr + quiet.stdout
    assert "a key that is not there" not in quiet.stderr + quiet.stdout
    done = diff(folder, "--adapter", "own:loud", "--report", "jsonl", "--debug")
    assert [json.loads(line)["end"] for line in done.stdout.splitlines()] == ["broken"]
    assert "debug: own:loud, reels/one.json: served to POST /case/c0/v1/chat/completions: 200" in done.stderr
    assert "  data: [DONE]" in done.stderr
    assert "  printed by the adapter" in done.stderr
    assert "KeyError: 'a key that is not there'" in done.stderr
    (folder / "bad.py").write_text("def drive(turn)\n")
    assert "  SyntaxError: expected ':'" in diff(folder, "--adapter", "bad:drive", "--debug").stderr
