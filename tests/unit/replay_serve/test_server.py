"""What the server says of itself: where it is, and why it cannot be there."""

import socket

import pytest

from replay.errors import ToolreelError
from replay.serve.server import HOST, base_urls, listen


def test_each_provider_has_a_base_url_and_one_of_several_profiles_has_one_for_each() -> None:
    upstreams = [
        ("groq", "openai"),
        ("custom", "openai"),
        ("groq", "openai"),
        ("custom", "anthropic"),
        ("openai", "openai"),
        ("openai", "openai-responses"),
        ("ä/b", "mistral"),
    ]
    assert base_urls("http://x", upstreams) == {
        "groq": "http://x/groq/v1",
        "custom/openai": "http://x/custom/v1",
        "custom/anthropic": "http://x/custom",
        "openai/openai": "http://x/openai/v1",
        "openai/openai-responses": "http://x/openai/v1",
        "ä/b": "http://x/%C3%A4%2Fb",
    }


def test_a_port_that_is_taken_is_said_in_one_reason() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ToolreelError) as refused:
            listen(HOST, port)
    assert str(refused.value) == f"--port {port}: {HOST} port {port} is in use; name another, or 0 for any free one"


def test_no_answer_waits_for_the_client_to_acknowledge_the_one_before() -> None:
    with listen(HOST, 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
