"""A client that speaks HTTP/2 without asking is told to use HTTP/1.1, in words of its own protocol."""

import socket
from pathlib import Path

import pytest

pytest.importorskip("mitmproxy")

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated
from support.processes.command import PATIENCE
from support.processes.recorder import Recorder


def test_prior_knowledge_of_http_2_gets_a_clear_answer_and_is_counted(tmp_path: Path) -> None:
    with Recorder(tmp_path / "out") as recorder:
        client = H2Connection(H2Configuration(client_side=True))
        client.initiate_connection()
        headers = [(":method", "POST"), (":path", "/openai/v1/chat/completions")]
        client.send_headers(1, [*headers, (":scheme", "http"), (":authority", "localhost")], end_stream=True)
        seen = []
        with socket.create_connection(("127.0.0.1", recorder.port), PATIENCE) as connection:
            connection.sendall(client.data_to_send())
            while piece := connection.recv(65536):
                seen += client.receive_data(piece)
        (ended,) = [event for event in seen if isinstance(event, ConnectionTerminated)]
        assert ended.error_code == ErrorCodes.HTTP_1_1_REQUIRED
        assert ended.additional_data is not None
        assert b"HTTP/1.1" in ended.additional_data
        summary = recorder.stop()
    assert (summary["passed"], summary["bugs"]) == ({"HTTP/2 (refused)": 1}, {})
    assert "have the client use HTTP/1.1" in recorder.errors
