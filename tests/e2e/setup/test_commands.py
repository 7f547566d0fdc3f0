"""`toolreel env`, `ca` and `doctor` as a user runs them."""

import json
import re
import subprocess
from pathlib import Path

import click
import pytest

pytest.importorskip("mitmproxy")

from support.processes.command import environment, toolreel
from support.processes.recorder import Recorder
from support.shared import ROOT
from support.sockets.provider import Answer, Provider

from proxy_addon.setup import authority, cli, shells
from proxy_addon.upstreams import BUILT_IN

PAGE = (ROOT / "docs" / "https-proxy.md").read_text("utf-8")


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    return {"TOOLREEL_DATA": str(tmp_path / "data")}


def test_a_shell_that_evaluates_env_has_every_variable(tmp_path: Path, variables: dict[str, str]) -> None:
    said = toolreel("env", "--port", "8123", variables=variables)
    done = subprocess.run(["sh", "-c", f"{said}\nenv"], capture_output=True, text=True, check=True, env=environment())
    found = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
    assert found["OPENAI_BASE_URL"] == "http://127.0.0.1:8123/openai/v1"
    assert found["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8123/anthropic"
    assert found["HTTPS_PROXY"] == found["https_proxy"] == "http://127.0.0.1:8123"
    assert "NO_PROXY" not in found
    folder = tmp_path / "data" / "authority"
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"):
        assert found[name] == str(folder / "bundle.pem")
    assert Path(found["NODE_EXTRA_CA_CERTS"]).read_bytes() in Path(found["SSL_CERT_FILE"]).read_bytes()


def test_base_urls_alone_need_no_authority(tmp_path: Path, variables: dict[str, str]) -> None:
    said = toolreel("env", "--way", "url", "--shell", "dotenv", variables=variables)
    assert said.splitlines() == [
        "OPENAI_BASE_URL=http://127.0.0.1:8100/openai/v1",
        "ANTHROPIC_BASE_URL=http://127.0.0.1:8100/anthropic",
        "CO_API_URL=http://127.0.0.1:8100/cohere",
        "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8100/gemini",
        "OLLAMA_HOST=http://127.0.0.1:8100/ollama",
    ]
    assert not (tmp_path / "data").exists()


def test_the_authority_is_shown_renewed_and_removed(tmp_path: Path, variables: dict[str, str]) -> None:
    folder = tmp_path / "data" / "authority"
    assert toolreel("ca", "show", variables=variables).startswith(f"no authority in {folder}")
    made = toolreel("ca", "rotate", variables=variables)
    assert toolreel("ca", "show", variables=variables) == made
    assert re.search(r"good until   \d{4}-\d\d-\d\d \(\d+ days\)", made)
    assert toolreel("ca", "rotate", variables=variables) != made
    assert toolreel("ca", "remove", variables=variables).startswith(f"removed from {folder}; ")
    assert not folder.exists()


def test_an_authority_that_is_damaged_is_an_error_and_its_files_that_are_missing_are_named(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    folder = tmp_path / "data" / "authority"
    toolreel("ca", "rotate", variables=variables)
    (folder / "bundle.pem").unlink()
    said = toolreel("ca", "show", variables=variables)
    assert f"{folder / 'bundle.pem'} (missing, or of another key; toolreel ca rotate)\n" in said
    assert f"{folder / 'ca.pem'}\n" in said
    (folder / "mitmproxy-ca.pem").write_text("garbage")
    assert toolreel("ca", "show", variables=variables, code=2) == (
        f"Error: {folder / 'mitmproxy-ca.pem'}: is damaged: it holds no key with its certificate; toolreel ca rotate\n"
    )
    said = toolreel("doctor", "--offline", variables=variables, code=1)
    assert "problem  certificate authority: mitmproxy-ca.pem is damaged" in said


def test_env_takes_what_is_in_the_way_out_of_no_proxy_and_then_the_doctor_is_content(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    odd = {
        **variables,
        "https_proxy": "http://127.0.0.1:7",
        "http_proxy": "http://127.0.0.1:7",
        "NO_PROXY": "localhost,.openai.com",
    }
    doctor = ("doctor", "--offline", "--port", "18099", "--out", str(tmp_path))
    assert "HTTPS_PROXY: is set, and leads elsewhere" in toolreel(*doctor, variables=odd, code=1)
    said = toolreel("env", "--port", "18099", variables=odd)
    assert "export NO_PROXY=localhost,127.0.0.1\n" in said
    assert "no_proxy" not in said
    done = subprocess.run(
        ["sh", "-c", f"{said}\nenv"], capture_output=True, text=True, check=True, env={**environment(), **odd}
    )
    now = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
    assert "problem" not in toolreel(*doctor, variables=now)
    assert 'eval "$(toolreel env --port 18099)"' in toolreel(*doctor, variables={**now, "no_proxy": "*"}, code=1)


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = toolreel("env", variables={"TOOLREEL_DATA": str(tmp_path / "file")}, code=2)
    assert said.startswith(f"Error: {tmp_path}/file/authority: cannot be written (")


def test_the_doctor_finds_nothing_wrong_beside_a_running_recorder(tmp_path: Path, variables: dict[str, str]) -> None:
    upstreams = []
    with Provider(Answer()) as provider, Recorder(tmp_path / "out", variables=variables) as recorder:
        for name in (one.name for one in BUILT_IN.values() if one.has_prefix):
            upstreams += ["--upstream", f"{name}={provider.url}"]
        arguments = ("doctor", "--port", str(recorder.port), "--out", str(tmp_path / "out"), "--report", "json")
        found = json.loads(toolreel(*arguments, *upstreams, variables=variables))
    said = {one["thing"]: (one["grade"], one["said"]) for one in found}
    assert {grade for grade, _ in said.values()} == {"ok", "note"}
    assert said[f"port {recorder.port}"] == ("ok", "a recorder listens there")
    assert said["upstream openai"] == ("ok", f"{provider.url} can be reached")


def test_the_doctor_says_what_is_wrong_and_how_to_mend_it(tmp_path: Path, variables: dict[str, str]) -> None:
    (tmp_path / "file").write_text("")
    with Provider(Answer(pieces=(b"x",))) as other:
        arguments = ("doctor", "--offline", "--port", str(other.port), "--out", str(tmp_path / "file" / "reels"))
        odd = {**variables, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "HTTPS_PROXY": f"http://127.0.0.1:{other.port}"}
        problems = [
            line for line in toolreel(*arguments, variables=odd, code=1).splitlines() if line.startswith("problem")
        ]
    said = "\n".join(problems)
    for thing in (f"port {arguments[3]}", "folder ", "OPENAI_BASE_URL", "SSL_CERT_FILE", "CURL_CA_BUNDLE"):
        assert thing in said
    assert all("; " in line for line in problems)  # and what to do
    assert not (tmp_path / "data").exists()


def test_the_page_names_what_the_code_has() -> None:
    commands = (cli.env, cli.doctor)
    declared = {
        name for command in commands for one in command.params if isinstance(one, click.Option) for name in one.opts
    }
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE)) - {"--upstream", "--other", "--out"}
    assert named <= declared
    assert {"--shell", "--way", "--port", "--offline", "--report"} <= named
    assert set(re.findall(r"`toolreel ca (\w+)`", PAGE)) == set(cli.ca.commands)
    variables = {**shells.base_urls(""), **shells.proxy("", certificate=Path(), bundle=Path())}
    for name in (*variables, authority.VARIABLE):
        assert f"`{name}`" in PAGE
    assert f"good for {authority.LIFETIME.days} days" in PAGE
