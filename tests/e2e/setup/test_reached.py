"""`toolreel env` and `doctor` with a recorder that speaks TLS, and wants a token or a certificate."""

import json
import signal
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("mitmproxy")

from support.processes.command import PATIENCE, environment, piped, run
from support.sockets.certificates import authority, client_pair

TOKEN: Final = "tkn-0123456789abcdef/0123456789"


@contextmanager
def recorder(folder: Path, *words: object) -> Iterator[int]:
    """A recorder in TLS on every address; its port."""
    tls = ("--listen", "0.0.0.0", "--tls-cert", folder / "server.pem", "--tls-key", folder / "server.key")
    process, output, errors = piped(
        "record", "--out", folder / "out", "--port", "0", *tls, *map(str, words), folder=folder
    )
    with output, errors:
        line = next((line for line in output if line.startswith("ready ")), "")
        assert line, errors.read()
        try:
            yield json.loads(line.removeprefix("ready "))["port"]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    return {"TOOLREEL_DATA": str(tmp_path / "data")}


def found(tmp_path: Path, variables: dict[str, str], *words: object) -> tuple[str, str, str]:
    """What the doctor says of the recorder: the grade, what it is, and what to do."""
    given = map(str, words)
    done = run("doctor", "--offline", "--report", "json", "--out", tmp_path / "out", *given, variables=variables)
    assert "Traceback" not in done.stderr
    (one,) = (one for one in json.loads(done.stdout) if one["thing"].startswith(("recorder ", "port ")))
    return one["grade"], one["said"], one["mend"]


def test_the_doctor_says_what_a_recorder_with_tls_and_a_token_wants(tmp_path: Path, variables: dict[str, str]) -> None:
    root, _ = authority(tmp_path, "recorder.localhost")
    (tmp_path / "tokens").write_text(f"{TOKEN}\n")
    (tmp_path / "other").write_text(f"{TOKEN[:-1]}\n")
    with recorder(tmp_path, "--client-token-file", tmp_path / "tokens") as port:
        url = ("--recorder", f"https://localhost:{port}")
        ca = ("--recorder-ca", root)
        for words, said in (
            (
                ("--port", port),
                ("problem", "taken by something that is no recorder", f"--recorder https://127.0.0.1:{port}"),
            ),
            (url, ("problem", "has no certificate that is trusted here", "--recorder-ca PEM")),
            ((*url, *ca), ("problem", "wants a token", "--client-token-file FILE")),
            (
                (*url, *ca, "--client-token-file", tmp_path / "other"),
                ("problem", "does not know the token", "use one of its"),
            ),
            ((*url, *ca, "--client-token-file", tmp_path / "tokens"), ("ok", "a recorder listens there", "")),
            (("--recorder", f"http://localhost:{port}"), ("problem", "no recorder", "--recorder https://localhost")),
        ):
            grade, what, mend = found(tmp_path, variables, *words)
            assert (grade, said[1] in what, said[2] in mend) == (said[0], True, True), (words, what, mend)
    assert found(tmp_path, variables, *url, *ca)[:2] == ("ok", "free: `toolreel record` can listen there")


def test_the_doctor_shows_a_certificate(tmp_path: Path, variables: dict[str, str]) -> None:
    root, _ = authority(tmp_path)
    (tmp_path / "clients").mkdir()
    (tmp_path / "others").mkdir()
    clients_root, (cert, key) = client_pair(tmp_path / "clients")
    _, (other, other_key) = client_pair(tmp_path / "others")
    with recorder(tmp_path, "--client-ca", clients_root) as port:
        words = ("--recorder", f"https://127.0.0.1:{port}", "--recorder-ca", root)
        grade, what, mend = found(tmp_path, variables, *words)
        assert (grade, what, "--client-cert" in mend) == ("problem", "ends the connection in TLS", True)
        grade, what, mend = found(tmp_path, variables, *words, "--client-cert", other, "--client-key", other_key)
        assert (grade, "of its --client-ca" in mend) == ("problem", True)
        shown = (*words, "--client-cert", cert, "--client-key", key)
        assert found(tmp_path, variables, *shown)[:2] == ("ok", "a recorder listens there")
        done = run("env", *map(str, shown), variables=variables)
        assert f"no variable tells clients of {cert}" in done.stderr


def test_env_leads_curl_through_a_recorder_with_a_token_to_its_end(tmp_path: Path, variables: dict[str, str]) -> None:
    """As its HTTPS proxy, with the token as the password and a bundle of all authorities that are needed."""
    root, _ = authority(tmp_path)
    (tmp_path / "tokens").write_text(f"{TOKEN}\n")
    options = ("--client-token-file", tmp_path / "tokens")
    with recorder(tmp_path, *options) as port:
        shown = ("--recorder", f"https://localhost:{port}", "--recorder-ca", str(root), *map(str, options))
        done = run("env", *shown, variables=variables)
        assert done.returncode == 0, done.stderr
        assert "send the token of the file as the header X-Toolreel-Token" in done.stderr
        assert TOKEN not in done.stderr
        shell = f"{done.stdout}\nenv"
        printed = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True, env=environment())
        given = dict(line.partition("=")[::2] for line in printed.stdout.splitlines())
        assert given["OPENAI_BASE_URL"] == f"https://localhost:{port}/openai/v1"
        assert given["HTTPS_PROXY"] == f"https://toolreel:tkn-0123456789abcdef%2F0123456789@localhost:{port}"
        assert given["NO_PROXY"] == "localhost"
        own, both = (len(ssl.create_default_context(cafile=given[name]).get_ca_certs()) for name in FILES)
        assert (own, both > 50) == (2, True)
        # A host that is no upstream: that it is refused, only a client with the token is told.
        curl = [
            "curl",
            "--proxy-cacert",
            given["CURL_CA_BUNDLE"],
            "-sS",
            "--max-time",
            "30",
            "-o",
            "/dev/null",
            "-w",
            "%{http_connect}",
            "https://other.example/",
        ]
        asked = subprocess.run(curl, capture_output=True, text=True, check=False, env={**environment(), **given})
        assert asked.stdout == "403", asked.stderr
        doctor = run("doctor", "--offline", *shown, "--out", tmp_path / "out", variables={**variables, **given})
        assert "ok       OPENAI_BASE_URL: leads to the recorder" in doctor.stdout
        assert "ok       HTTPS_PROXY: leads to the recorder" in doctor.stdout


FILES: Final = ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")


def test_env_of_another_machine_has_the_base_urls(tmp_path: Path, variables: dict[str, str]) -> None:
    url = ("--recorder", "https://recorder.example:8443")
    done = run("env", "--shell", "dotenv", *url, variables=variables)
    assert done.stdout.splitlines()[0] == "OPENAI_BASE_URL=https://recorder.example:8443/openai/v1"
    assert "HTTPS_PROXY" not in done.stdout
    assert not (tmp_path / "data").exists()
    done = run("env", "--way", "proxy", *url, variables=variables)
    assert (done.returncode, "run toolreel env there, or use --way url" in done.stderr) == (2, True)


def test_what_cannot_be_a_recorder_is_an_error_that_repeats_no_secret(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    for words, said in (
        (("--recorder", "https://any:CANARY@host:1"), "expected scheme, host and port"),
        (("--recorder", "host:8100"), "expected scheme, host and port"),
        (("--recorder", "https://host/path"), "expected scheme, host and port"),
        (("--recorder", "https://host:99999"), "expected scheme, host and port"),
        (("--recorder", "http://recorder.example"), "a recorder of another machine speaks TLS; use https://"),
        (("--recorder-ca", tmp_path / "x"), "only a recorder with TLS is told so"),
        (("--recorder", "https://h", "--recorder-ca", tmp_path / "x"), "cannot be read (No such file or directory)"),
        (("--recorder", "https://h", "--client-key", tmp_path / "x"), "--client-key without --client-cert"),
        (("--recorder", "https://h", "--client-cert", tmp_path / "empty"), "no PEM certificate with its key"),
        (("--client-token-file", tmp_path / "empty"), "expected a token of visible characters"),
    ):
        for command in ("env", "doctor"):
            done = run(command, *map(str, words))
            assert (done.returncode, said in done.stderr) == (2, True), (words, done.stderr)
            assert not any(word in done.stderr for word in ("Traceback", "CANARY"))
