"""A client that goes by the reads of its socket has an outcome of its own, with the smallest cut that shows it."""

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.builders import verdicts

from redaction.proof.scan import scan_outcomes
from replay.diff.cli import diff

# It reads a line at a time where it gets whole lines, and loses what it gets in parts.
CLIENT = """
import http.client, json
from urllib.parse import urlsplit


def by_reads(turn, careful=False):
    url = urlsplit(turn.base_url)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
    connection.request("POST", url.path + "/v1/chat/completions", json.dumps({"stream": True}))
    response = connection.getresponse()
    reads, text = [], ""
    while True:
        line = response.fp.readline().strip()
        size = int(line or b"0", 16)
        if not size:
            break
        reads.append(response.fp.read(size).decode("utf-8", "replace" if not careful else "strict"))
        response.fp.readline()
    lines = ["".join(reads)] if careful else reads
    calls, finished = {}, False
    for part in lines:
        for line in part.splitlines():
            if not line.startswith("data: {"):
                continue
            try:
                choice = json.loads(line[6:])["choices"][0]
            except ValueError:
                continue
            finished = finished or bool(choice.get("finish_reason"))
            for entry in choice.get("delta", {}).get("tool_calls", ()):
                call = calls.setdefault(entry["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += entry.get("id", "")
                call["name"] += entry["function"].get("name", "")
                call["arguments"] += entry["function"].get("arguments", "")
    return list(calls.values()) if finished else []


def careful(turn):
    return by_reads(turn, careful=True)


by_reads.profiles = careful.profiles = ("openai",)
"""


@pytest.fixture(autouse=True)
def _fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reading.py").write_text(CLIENT)
    (tmp_path / "reels").mkdir()
    (tmp_path / "reels" / "say.json").write_bytes(verdicts.PASS)


def run(name: str, *arguments: str) -> Result:
    return CliRunner().invoke(diff, ["reels", "--adapter", f"reading:{name}", "--python", sys.executable, *arguments])


@pytest.mark.parametrize("cuts", ["all", "20", "seed:3"])
def test_a_client_that_goes_by_reads_is_split_and_the_smallest_cut_is_named(cuts: str) -> None:
    done = run("by_reads", "--cuts", cuts)
    assert done.exit_code == 1
    assert "unpinned: reels/say.json: reading:by_reads unversioned: split" in done.stdout
    cut = re.search(r"smallest cut: at byte (\d+) of (\d+), in [a-z ]+$", done.stdout, re.MULTILINE)
    assert cut is not None, done.stdout
    assert 0 < int(cut[1]) < int(cut[2])


def test_what_is_pinned_as_split_is_told_by_programs_and_is_data_only() -> None:
    assert run("by_reads", "--cuts", "20", "--update").exit_code == 0
    assert json.loads(Path("reels/say.adapters.json").read_bytes())["adapters"]["reading:by_reads"] == {
        "unversioned": "split"
    }
    assert run("by_reads", "--cuts", "20").exit_code == 0
    assert run("by_reads", "--cuts", "20", "--demand", "no-split").exit_code == 1
    result = json.loads(run("by_reads", "--cuts", "20", "--report", "json").stdout)["results"][0]
    assert (result["outcome"], result["smallest_cut"].startswith("at byte ")) == ("split", True)
    assert list(scan_outcomes(Path("reels/say.adapters.json").read_bytes())) == []


def test_a_client_that_joins_its_reads_agrees() -> None:
    for cuts in ("all", "20", "frames"):
        assert "reading:careful unversioned: 1 agree." in run("careful", "--cuts", cuts).stdout
