"""A recorder that other machines reach: over TLS, for clients with a token or a certificate, and for no others."""

import base64
import json
import signal
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.command import PATIENCE, piped, run
from support.sockets.certificates import authority, client_pair
from support.sockets.provider import Answer, Provider
from support.sockets.wire import Client, post

CHAT: Final = "/v1/chat/completions"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)
TOKEN: Final = "tkn-0123456789abcdef0123456789"
OLD: Final = "tkn-fedcba98765432100123456789"


@contextmanager
def recorder(folder: Path, url: str, *words: object) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """A recorder in TLS on every address of this machine: its ready line, and when it has ended what it said."""
    tls = ("--listen", "0.0.0.0", "--tls-cert", folder / "server.pem", "--tls-key", folder / "server.key")
    out = ("record", "--out", folder / "out", "--port", "0", "--upstream", f"openai={url}", *tls, *words)
    process, output, errors = piped(*out, folder=folder)
    said: list[str] = []
    with output, errors:
        for line in output:
            said.append(line)
            if line.startswith("ready "):
                break
        assert "".join(said[-1:]).startswith("ready "), errors.read()
        try:
            yield json.loads(said[-1].removeprefix("ready ")), said
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
            said += [*output, *errors]


def tokens(folder: Path) -> tuple[object, ...]:
    file = folder / "tokens"
    file.write_text(f"{OLD}\n{TOKEN}\n")
    return ("--client-token-file", file)


def trusting(root: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(root))


def asked(port: int, context: ssl.SSLContext, *headers: str, target: str = f"/openai{CHAT}") -> bytes:
    with Client(port) as client:
        client.wrap(context, "localhost")
        client.send(post(target, request(), *headers))
        return client.read_all()


def test_a_token_lets_a_client_in_goes_no_further_and_is_in_no_line(tmp_path: Path) -> None:
    root, _ = authority(tmp_path, "recorder.internal")
    context = trusting(root)
    with Provider(Answer(pieces=TURN)) as provider:
        with recorder(tmp_path, provider.url, *tokens(tmp_path)) as (ready, said):
            port = ready["port"]
            assert ready["base_urls"]["openai"] == f"https://localhost:{port}/openai"
            wrong = ((), (f"X-Toolreel-Token: {TOKEN[:-1]}",), ("X-Toolreel-Token: tést",), ("X-Toolreel-Token:",))
            for headers in wrong:
                answer = asked(port, context, *headers)
                assert (answer[:13], b"toolreel_no_token" in answer) == (b"HTTP/1.1 401 ", True), answer
                assert b"WWW-Authenticate: " in answer
            assert not provider.requests
            for token in (TOKEN, OLD):
                answer = asked(port, context, f"X-Toolreel-Token: {token}")
                assert (answer[:13], TURN[-1] in answer) == (b"HTTP/1.1 200 ", True), answer
            assert [one.header("x-toolreel-token") for one in provider.requests] == [[], []]
            with Client(port) as plain:  # no request is read in clear
                plain.send(post(f"/openai{CHAT}", request(), f"X-Toolreel-Token: {TOKEN}"))
                assert b"HTTP/1.1" not in plain.read_all()
            with Client(port) as other, suppress(ssl.SSLError):  # it trusts no authority of the recorder's
                other.wrap(ssl.create_default_context(), "localhost")
            with Client(port):  # who says nothing is refused nothing
                pass
        assert len(provider.requests) == 2
    text = "".join(said)
    assert "request: a connection in TLS: not recorded, TLS handshake of a client that failed (refused); have" in text
    assert "    request, a connection in TLS: 2\n" in text
    assert "client without a token of --client-token-file (refused): 4" in text
    assert not any(one in text for one in (TOKEN, OLD, TOKEN[:-1]))
    (fixture,) = (tmp_path / "out").glob("*.json")
    assert TOKEN not in fixture.read_text()


def test_a_clients_own_name_for_the_recorder_is_one_of_its_certificate(tmp_path: Path) -> None:
    root, _ = authority(tmp_path, "recorder.internal")
    with Provider(Answer(pieces=TURN)) as provider, recorder(tmp_path, provider.url, *tokens(tmp_path)) as (ready, _):
        for host, status in (("recorder.internal", b"200"), ("rebound.example", b"403")):
            raw = post(f"/openai{CHAT}", request(), f"X-Toolreel-Token: {TOKEN}")
            with Client(ready["port"]) as client:
                client.wrap(trusting(root), "recorder.internal")
                client.send(raw.replace(b"Host: localhost", f"Host: {host}:{ready['port']}".encode()))
                assert client.read_all().startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize("scheme", ["Basic", "Bearer"])
def test_a_proxys_client_shows_its_token_as_a_password(tmp_path: Path, scheme: str) -> None:
    root, _ = authority(tmp_path)
    context = trusting(root)
    shown = base64.b64encode(f"any:{TOKEN}".encode()).decode() if scheme == "Basic" else TOKEN
    good, bad = f"Proxy-Authorization: {scheme} {shown}", f"Proxy-Authorization: {scheme} {shown[:-8]}"
    with (
        Provider(Answer(pieces=TURN)) as provider,
        recorder(tmp_path, provider.url, "--other", "pass", *tokens(tmp_path)) as (ready, _),
    ):
        target = f"{provider.url}{CHAT}"
        tunnel = f"CONNECT {provider.url.removeprefix('http://')} HTTP/1.1\r\nHost: x\r\n"
        for header in ("X: y", bad, f"{bad}\r\nX: {TOKEN}"):
            answer = asked(ready["port"], context, *header.split("\r\n"), target=target)
            assert (answer[:13], b"toolreel_no_proxy_token" in answer) == (b"HTTP/1.1 407 ", True), answer
            with Client(ready["port"]) as client:
                client.wrap(context, "localhost")
                client.send(f"{tunnel}{header}\r\n\r\n".encode())
                answer = client.read_all()
                assert (answer[:13], b'Proxy-Authenticate: Basic realm="' in answer) == (b"HTTP/1.1 407 ", True), answer
        assert not provider.requests
        assert asked(ready["port"], context, good, target=target).startswith(b"HTTP/1.1 200 ")
        assert provider.requests[0].header("proxy-authorization") == []


def test_only_a_certificate_of_the_clients_authority_lets_in_by_mutual_tls(tmp_path: Path) -> None:
    root, _ = authority(tmp_path)
    (tmp_path / "clients").mkdir()
    (tmp_path / "others").mkdir()
    clients_root, pair = client_pair(tmp_path / "clients")
    _, other = client_pair(tmp_path / "others")
    with (
        Provider(Answer(pieces=TURN)) as provider,
        recorder(tmp_path, provider.url, "--client-ca", clients_root) as (ready, said),
    ):
        for found in (None, other):
            context = trusting(root)
            if found is not None:
                context.load_cert_chain(*found)
            with suppress(ssl.SSLError, ConnectionError):  # how the client hears of it is a matter of time
                assert not asked(ready["port"], context)
        assert not provider.requests
        context = trusting(root)
        context.load_cert_chain(*pair)
        answer = asked(ready["port"], context)
        assert (answer[:13], TURN[-1] in answer) == (b"HTTP/1.1 200 ", True)
    assert "  TLS handshake of a client that failed (refused): 2\n" in said


def test_an_address_beyond_this_machine_wants_tls_and_clients_that_show_who_they_are(tmp_path: Path) -> None:
    authority(tmp_path)
    (tmp_path / "short").write_text("secret\n")
    (tmp_path / "empty").write_text("\n")
    pair: tuple[object, ...] = ("--tls-cert", tmp_path / "server.pem", "--tls-key", tmp_path / "server.key")
    swapped = ("--tls-cert", tmp_path / "server.key", "--tls-key", tmp_path / "server.pem")
    beyond = ("--listen", "0.0.0.0")
    for words, said in (
        (beyond, "give --tls-cert and --tls-key"),
        ((*beyond, *tokens(tmp_path)), "give --tls-cert and --tls-key"),
        ((*beyond, *pair), "give --client-token-file, or --client-ca"),
        ((*beyond, *pair[:2]), "--tls-cert without --tls-key"),
        ((*beyond, *pair[2:]), "--tls-key without --tls-cert"),
        (("--client-ca", tmp_path / "ca.pem"), "--client-ca without --tls-cert"),
        ((*beyond, *swapped, *tokens(tmp_path)), "no PEM certificate that goes with --tls-key"),
        ((*beyond, *pair, "--client-ca", tmp_path / "server.key"), "holds no PEM certificate"),
        ((*beyond, *pair, "--client-token-file", tmp_path / "none"), "cannot be read (No such file or directory)"),
        ((*beyond, *pair, "--client-token-file", tmp_path / "short"), "expected tokens, one a line"),
        ((*beyond, *pair, "--client-token-file", tmp_path / "empty"), "expected tokens, one a line"),
        (("--listen", "0.0.0.0:8100"), "its port is that of --port"),
        ((*pair, "--listen", f"unix:{tmp_path / 's'}"), "its file says who may connect"),
        ((*pair, "--", "true"), "and a COMMAND"),
    ):
        done = run("record", "--out", tmp_path / "out", *words)
        assert (done.returncode, said in done.stderr) == (2, True), (words, done.stderr)
        assert not any(word in done.stderr for word in ("Traceback", TOKEN, "secret\n"))
