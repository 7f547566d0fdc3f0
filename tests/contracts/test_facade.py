"""The package `toolreel`: the public names, their types, and what importing it costs."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.builders import verdicts
from support.processes.command import printed_by
from support.shared import ROOT

import toolreel
from replay import validator
from replay.errors import ToolreelError

SCHEMAS = tuple(verdicts.SCHEMAS.items())


def test_it_has_the_names_of_the_validator_and_each_is_the_same_thing() -> None:
    others = {"Exchange", "Proved", "Refused", "ToolreelError", "__version__", "redact", "replay", "serve"}
    assert set(toolreel.__all__) == {*validator.__all__, *others}
    assert {name for name in validator.__all__ if getattr(toolreel, name) is not getattr(validator, name)} == set()
    assert toolreel.ToolreelError is ToolreelError
    assert set(toolreel.__all__) <= set(dir(toolreel))


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'toolreel' has no attribute 'nothing'"):
        toolreel.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_importing_it_loads_nothing_and_a_name_loads_the_kernel_alone() -> None:
    code = """
import sys
import toolreel
print(sorted(name for name in sys.modules if name.startswith("replay")))
toolreel.Turn
print(sorted({name.partition(".")[0] for name in sys.modules} & {"click", "orjson", "mitmproxy"}))
print(sorted(name for name in sys.modules if name.startswith("replay.") and not name.startswith("replay.validator")))
"""
    assert printed_by(code) == "[]\n[]\n[]\n"


def test_a_star_brings_all_of_them() -> None:
    code = "from toolreel import *\nprint(Turn.__module__.startswith('replay.validator'), validate.__name__)"
    assert printed_by(code) == "True validate\n"


def test_fixtures_are_replayed_and_served_and_an_exchange_is_redacted(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(verdicts.PASS)
    [result] = toolreel.replay(tmp_path)
    assert (result.outcome.value, result.found is not None) == ("unpinned", True)
    [result] = toolreel.replay(tmp_path / "a.json", limits={"max_slots": 0})
    assert result.found is not None
    assert [finding.code.value for finding in result.found.findings] == ["limit_exceeded"]
    with pytest.raises(ToolreelError, match="no path is given"):
        toolreel.replay()
    tools = [{"type": "function", "function": {"name": name, "parameters": schema}} for name, schema in SCHEMAS]
    body = json.dumps({"model": "m", "messages": [], "tools": tools, "stream": True}).encode()
    with toolreel.serve(tmp_path) as server:
        request = urllib.request.Request(f"{server.url}/openai/v1/chat/completions", data=body)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as answer:
            streamed = answer.read()
    assert streamed.endswith(b"data: [DONE]\n\n")
    exchange = toolreel.Exchange(
        profile="openai", provider="openai", content_type="text/event-stream", request_body=body, body=streamed
    )
    proved = toolreel.redact(exchange)
    assert isinstance(proved, toolreel.Proved)
    assert b'"profile":"openai"' in proved.fixture.data.replace(b": ", b":")


def test_the_command_starts_as_a_module_too() -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "toolreel", "schema", "fixture"], cwd=ROOT, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (ROOT / "replay" / "schemas" / "fixture.json").read_bytes()


def test_the_types_are_those_of_the_page(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "tests/typing/api.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
