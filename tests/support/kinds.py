"""Adapters written to produce each outcome, and to try what an adapter must not. Standard library only.

A test copies this file beside its fixtures and names its functions as `kinds:NAME`.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit


def _ask(turn):
    url = urlsplit(turn.base_url)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    body = json.dumps({"stream": True, "tools": turn.openai_tools()})
    connection.request("POST", url.path + "/v1/chat/completions", body)
    response = connection.getresponse()
    assert response.status == 200, response.status
    return response.read().decode()


def _calls(turn):
    """The calls, fragments joined by index, and whether a finish reason came."""
    calls, finished = {}, False
    for line in _ask(turn).splitlines():
        if not line.startswith("data: {"):
            continue
        for choice in json.loads(line.removeprefix("data: "))["choices"]:
            finished = finished or choice.get("finish_reason") == "tool_calls"
            for entry in choice["delta"].get("tool_calls", ()):
                call = calls.setdefault(entry["index"], {"id": "", "name": "", "arguments": ""})
                call["id"] += entry.get("id", "")
                call["name"] += entry["function"].get("name", "")
                call["arguments"] += entry["function"].get("arguments", "")
    return list(calls.values()), finished


def faithful(turn):
    calls, finished = _calls(turn)
    return calls if finished else []


faithful.profiles = ("openai",)


def parsing(turn):
    for call in faithful(turn):
        turn.hand_over(call["name"], json.loads(call["arguments"]))


def eager(turn):
    return _calls(turn)[0]


def forgetful(turn):
    return [{**call, "id": "call_other"} for call in faithful(turn)]


def inventive(turn):
    return [{**call, "arguments": {"text": "made up"}} for call in faithful(turn)]


def lossy(turn):
    return faithful(turn)[:1]


def refusing(turn):
    _ask(turn)
    raise ValueError("a message that must not be shown: CANARY")


def broken(turn):
    _ask(turn)
    return {}["CANARY"]


def exiting(turn):
    _ask(turn)
    sys.exit(0)


def dying(turn):
    _ask(turn)
    os._exit(0)


def killed(turn):
    _ask(turn)
    os.kill(os.getpid(), signal.SIGKILL)


def hanging(turn):
    _ask(turn)
    time.sleep(1000)


def eager_then_hanging(turn):
    for call in eager(turn):
        turn.hand_over(**call)
    time.sleep(1000)


def unasking(turn):
    return []


def second_dies_third_hangs(turn):
    calls = faithful(turn)
    if "dies" in turn.tools:
        os._exit(3)
    if "hangs" in turn.tools:
        time.sleep(1000)
    return calls


def noisy(turn):
    print("{}\n" * 3, '{"end": "returned"}', flush=True)
    os.write(1, b'{"call": {"name": "x", "arguments": ""}}\n')
    sys.stderr.write("noise\n")
    return faithful(turn)


def unreadable(turn):
    _ask(turn)
    turn.record("[1]")
    turn.record("9" * 10_000)


def curious(turn):
    """Tries everything that is forbidden, and hands over what came of it."""
    _ask(turn)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    tries = {
        "connect": lambda: socket.create_connection(("192.0.2.1", 80), timeout=1),
        "connect_ex": lambda: socket.socket().connect_ex(("192.0.2.1", 80)),
        "connect6": lambda: socket.socket(socket.AF_INET6).connect(("2001:db8::1", 80)),
        "datagram": lambda: udp.sendto(b"x", ("192.0.2.1", 53)),
        "lookup": lambda: socket.getaddrinfo("example.org", 80),
        "gethostbyname": lambda: socket.gethostbyname("example.org"),
        "unix": lambda: socket.socket(socket.AF_UNIX).connect("/nowhere"),
        "everywhere": lambda: socket.socket().bind(("192.0.2.1", 0)),
        "program": lambda: subprocess.run(["true"], check=False),
        "system": lambda: os.system("true"),
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "exec": lambda: os.execv("/bin/true", ["true"]),
    }
    for name, attempt in tries.items():
        try:
            attempt()
        except PermissionError as error:
            turn.hand_over(name, type(error).__name__)
        except BaseException as error:
            turn.hand_over(name, "NOT DENIED " + type(error).__name__)
        else:
            turn.hand_over(name, "NOT DENIED")
    local = socket.create_server(("127.0.0.1", 0))
    socket.create_connection(local.getsockname()).close()
    turn.hand_over("loopback", "allowed")
    turn.hand_over("environment", sorted(os.environ))
