"""The provider of the demo: silent about clients that are gone, not about its own bugs."""

import contextlib
import json
import signal
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.processes import command

from proxy_addon.demo.application import ask
from proxy_addon.demo.bundled import BundledTurn, bundled
from proxy_addon.demo.provider import TURN_HEADER, Provider

PATIENCE = 30.0
TURN = next(turn for turn in bundled() if turn.whole)


def leave(url: str, turn: BundledTurn, *, behind: Callable[[socket.socket], None]) -> None:
    """Ask for a turn, read its beginning, and be gone."""
    where = urlsplit(url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=PATIENCE) as connection:
        head = f"POST {turn.path} HTTP/1.1\r\nHost: x\r\n{TURN_HEADER}: {turn.key}\r\nContent-Length: 0\r\n\r\n"
        connection.sendall(head.encode())
        connection.recv(64)
        behind(connection)


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def close(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_WR)


def others() -> list[threading.Thread]:
    """The threads that answer."""
    return [one for one in threading.enumerate() if "process_request_thread" in one.name]


def wait_for_the_answers() -> None:
    end = time.monotonic() + PATIENCE
    while others() and time.monotonic() < end:
        time.sleep(0.01)
    assert not others()


@pytest.mark.parametrize("behind", [reset, close])
def test_a_client_that_is_gone_is_not_worth_a_word(
    capfd: pytest.CaptureFixture[str], behind: Callable[[socket.socket], None]
) -> None:
    with Provider([TURN]) as provider:
        for _ in range(3):
            leave(provider.url, TURN, behind=behind)
        wait_for_the_answers()
    assert capfd.readouterr() == ("", "")


def test_a_fault_of_its_own_shows(capfd: pytest.CaptureFixture[str]) -> None:
    broken = replace(TURN, events=[object()])  # type: ignore[list-item]
    with Provider([broken]) as provider:
        with contextlib.suppress(OSError):
            ask(provider.url, broken)
        wait_for_the_answers()
    assert "TypeError" in capfd.readouterr().err


def get(url: str, data: bytes | None = None) -> bytes:
    with contextlib.closing(urllib.request.urlopen(urllib.request.Request(url, data=data))) as answer:
        body: bytes = answer.read()
    return body


def test_a_turn_is_named_by_the_path_or_the_next_one_of_its_api_comes() -> None:
    turns = [turn for turn in bundled() if turn.whole and turn.profile == TURN.profile]
    with Provider(turns) as provider:
        for turn in reversed(turns):
            assert get(f"{provider.url}/{turn.case}/any{turn.path}", b"{}") == turn.response_body()
            assert json.loads(get(f"{provider.url}/{turn.case}/request")) == turn.request
        for turn in (*turns, turns[0]):
            assert get(f"{provider.url}{turn.path}", b"{}") == turn.response_body()
        for path in (f"/{TURN.case}/other", "/request", f"/{TURN.case}/request/more"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                get(provider.url + path, b"{}" if path.endswith("other") else None)


def test_the_command_serves_the_turns_for_a_recorder_until_it_is_interrupted(tmp_path: Path) -> None:
    process, output, errors = command.piped("demo", "--serve", "0", folder=tmp_path)
    with output, errors, contextlib.ExitStack() as stack:
        stack.callback(process.send_signal, signal.SIGINT)
        url = output.readline().split()[4].rstrip(";")
        assert b"find_order" in get(f"{url}/openai-colliding/v1/chat/completions", b"{}")
        busy = command.run("demo", "--serve", url.rpartition(":")[2], folder=tmp_path)
        assert (busy.returncode, busy.stderr.count("\n")) == (2, 1)
        assert "this port cannot be used; name another one, or 0 for any" in busy.stderr
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("profile", sorted({turn.profile for turn in bundled()}))
def test_a_turn_of_each_api_is_found_by_its_key_and_by_its_case_whatever_its_query(profile: str) -> None:
    turn = next(turn for turn in bundled() if turn.profile == profile and turn.whole)
    with Provider(bundled()) as provider:
        assert ask(provider.url, turn) == turn.response_body()
        for path in (turn.path, turn.path.partition("?")[0], turn.path.partition("?")[0] + "?other=1"):
            assert get(f"{provider.url}/{turn.case}{path}", b"{}") == turn.response_body()
