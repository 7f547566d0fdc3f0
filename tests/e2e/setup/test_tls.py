"""A provider behind TLS: trusted authorities only, a private one where the user names it."""

import json
import socket
import threading
from pathlib import Path

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.processes.recorder import Recorder
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Provider
from support.sockets.wire import ask, body_of, post, status_of

TARGET = "/openai/v1/chat/completions"
TURN = (*call("{}"), DONE)


def test_a_private_authority_is_trusted_where_it_is_named(tmp_path: Path) -> None:
    root, context = authority(tmp_path)
    with (
        Provider(Answer(pieces=TURN), tls=context) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", "--upstream-ca", str(root)) as recorder,
    ):
        assert provider.url.startswith("https://")
        response = ask(recorder.port, post(TARGET, request()))
        assert (status_of(response), DONE in response) == (200, True)
        assert recorder.stop()["written"] == 1


def test_any_other_certificate_is_refused_counted_and_said(tmp_path: Path) -> None:
    _, context = authority(tmp_path)
    with (
        Provider(Answer(pieces=TURN), tls=context) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        response = ask(recorder.port, post(TARGET, request()))
        assert status_of(response) == 502
        assert json.loads(body_of(response))["error"]["type"] == "toolreel_upstream_tls"
        summary = recorder.stop()
        assert (summary["captured"], summary["passed"]) == (0, {"TLS with the provider failed": 1})
        assert recorder.errors == (
            "toolreel: openai: chat.completions: not recorded, TLS with the provider failed; --upstream-ca PEM adds a "
            "private authority\n"
        )
        assert provider.requests == []


def test_a_plain_provider_behind_an_https_url_is_refused_as_well(tmp_path: Path) -> None:
    # It answers the first bytes of the handshake, as plain servers do; one that waits for a request head could wait on.
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        with Recorder(tmp_path / "out", "--upstream", f"openai={url}") as recorder:
            response = ask(recorder.port, post(TARGET, request()))
            assert json.loads(body_of(response))["error"]["type"] == "toolreel_upstream_tls"
            assert recorder.stop()["passed"] == {"TLS with the provider failed": 1}
        answering.join()
