"""The options of `toolreel record` from a file, from variables and from the command line, and what holds of them."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import run
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, post


def settings(*words: str | Path, variables: Mapping[str, str] | None = None, folder: Path | None = None) -> Any:
    """What `--print-config` prints, read; and by name, where each comes from."""
    done = run("record", *words, "--print-config", variables=variables, folder=folder)
    assert done.returncode == 0, done.stderr
    sources = {
        line.partition(" = ")[0]: line.rpartition("  # ")[2] for line in done.stdout.splitlines() if "  # " in line
    }
    return tomllib.loads(done.stdout)["record"], sources


def test_an_option_goes_before_its_variable_and_that_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "toolreel.toml"
    file.write_text('[record]\nmax-body = 1\nidle = 1\ndrain = 1\nrewrite = true\nallow-host = ["a", "b"]\n')
    variables = {"TOOLREEL_RECORD_MAX_BODY": "2", "TOOLREEL_RECORD_IDLE": "2", "TOOLREEL_CONFIG": str(file)}
    found, sources = settings("--max-body", "3", variables=variables)
    names = ("max-body", "idle", "drain", "rewrite", "allow-host", "port")
    assert [found[name] for name in names] == [3, 2, 1.0, True, ["a", "b"], 8100]
    assert [sources[name] for name in names] == ["option", "variable", "file", "file", "file", "default"]


def test_what_is_printed_is_a_file_that_says_the_same(tmp_path: Path) -> None:
    words = ("--out", 'a "b\\ü', "--upstream", "gw=https://a.example,allow=,path=/x:openai", "--once", "--log", "json")
    found, _ = settings(*words, folder=tmp_path)
    done = run("record", *words, "--print-config", folder=tmp_path)
    (tmp_path / "again.toml").write_text(done.stdout)
    again, sources = settings("--config", "again.toml", folder=tmp_path)
    assert again == found
    assert set(sources.values()) <= {"file", "default"}


def test_no_file_is_read_that_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "toolreel.toml").write_text("[record]\nmax-body = 1\n")
    found, sources = settings(folder=tmp_path)
    assert (found["max-body"], sources["max-body"]) == (64, "default")


def test_a_file_with_an_upstream_is_recorded_by(tmp_path: Path) -> None:
    with Provider(Answer(pieces=(*call("{}"), DONE))) as provider:
        (tmp_path / "toolreel.toml").write_text(
            f'[record]\nlog = "none"\n[record.upstreams.gw]\nurl = "{provider.url}"\nprovider = "openrouter"\n'
            'allow = ["rotating_ids", "repeated_terminal"]\npath = ["/agent:mistral", "/other"]\n'
        )
        with Recorder(tmp_path / "out", "--config", str(tmp_path / "toolreel.toml")) as recorder:
            ask(recorder.port, post("/gw/agent", request(), "X-Toolreel-Case: one"))
            assert recorder.stop()["written"] == 1
            assert recorder.errors == ""
            fixture = json.loads(recorder.files()["one.json"])
            assert (fixture["profile"], set(fixture["allow"])) == ("mistral", {"rotating_ids", "repeated_terminal"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[record]\nmax_body = 1", "[record] has the unknown member 'max_body'"),
        ("[record]\nmax_body = 1", "did you mean max-body?"),
        ("[record]\nmax-body = true", "[record] max-body must be a whole number"),
        ('[record]\nmax-body = "1"', "[record] max-body must be a whole number"),
        ("[record]\nallow-host = 1", "[record] allow-host must be a list of texts"),
        ("[record]\nconfig = 'x'", "[record] has the unknown member 'config'"),
        ("[record]\nmax-body = 0", "max-body"),
        ("[record.upstreams]\ngw = 1", "upstreams.gw must be a table with a url"),
        ("[record.upstreams.gw]\nurl = 'http://x'\nkey = 'CANARY'", "upstreams.gw has the unknown member 'key'"),
        ("[record.upstreams.gw]\nurl = 'http://x,y'", "upstreams.gw: no value can have a comma"),
        ("[record]\nupstream-proxy = 'http://u:CANARY@x:1'", "upstream-proxy: no secrets in a file"),
        ("[recorder]\n", "unknown section 'recorder'"),
        ("[record\n", "not TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line_that_says_where(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "toolreel.toml"
    file.write_text(text)
    done = run("record", "--config", file)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "CANARY" not in done.stderr


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    done = run("record", "--config", tmp_path / "none.toml")
    assert (done.returncode, "no such file; check the path" in done.stderr) == (2, True)


def test_a_variable_of_no_option_is_said_and_a_password_is_not_printed() -> None:
    variables = {"TOOLREEL_RECORD_UPSTREAMS": "x", "TOOLREEL_RECORD_UPSTREAM_PROXY": "http://u:CANARY@127.0.0.1:1"}
    done = run("record", "--print-config", variables=variables)
    assert "TOOLREEL_RECORD_UPSTREAMS: no option has this name, so it changes nothing; did you mean" in done.stderr
    assert 'upstream-proxy = "http://127.0.0.1:1"  # variable\n' in done.stdout
    assert "CANARY" not in done.stdout + done.stderr
