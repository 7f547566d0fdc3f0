"""The sum rule of `/healthz` while a recorder is at work: clients that leave, cases, and captures that find no room."""

import json
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, call, request
from support.nightly import nightly
from support.processes.recorder import Recorder
from support.sockets.provider import Answer, Provider
from support.sockets.wire import Client, ask, post

SECONDS: Final = 15
CHAT: Final = "/openai/v1/chat/completions"
TURN: Final = (*call('{"city": "Oslo"}'), DONE)


def health(recorder: Recorder) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"{recorder.admin}/healthz", timeout=30) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        found = json.load(error)
    assert isinstance(found, dict)
    return found


def traffic(recorder: Recorder, over: threading.Event, client: int) -> None:
    """Turns one after the other: some leave early, some are of a case, some are too large for what is left."""
    number = 0
    while not over.is_set():
        number += 1
        if number % 7 == 0:
            with Client(recorder.port) as leaving:
                leaving.send(post(CHAT, request()))
                leaving.read_until(TURN[0])
        elif number % 5 == 0:
            ask(recorder.port, post(CHAT, request(content="x" * 900_000)))
        else:
            headers = (f"X-Toolreel-Case: case{client}",) if number % 3 == 0 else ()
            ask(recorder.port, post(CHAT, request(content=str(number)), *headers))


@nightly
@pytest.mark.parametrize("workers", ["1", "2"])
def test_every_turn_is_accounted_for_while_clients_come_and_go(tmp_path: Path, workers: str) -> None:
    options = ("--admin", "127.0.0.1:0", "--workers", workers, "--max-memory", "2")
    with (
        Provider(Answer(pieces=TURN)) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}", *options) as recorder,
    ):
        over = threading.Event()
        clients = [threading.Thread(target=traffic, args=(recorder, over, number)) for number in range(5)]
        for client in clients:
            client.start()
        end, looks = time.monotonic() + SECONDS, []
        while time.monotonic() < end:
            looks.append(health(recorder))
            time.sleep(0.02)
        over.set()
        for client in clients:
            client.join()
        summary = recorder.stop()
    lost = [look["captures"] for look in looks if look["captures"]["unaccounted"]]
    assert lost == []
    assert all(look["healthy"] for look in looks)
    assert looks[-1]["captures"]["seen"] > 20
    assert summary["bugs"] == {}
    assert summary["dropped"]
