"""Adapters written to produce each outcome, and to try what an adapter must not. Standard library only.

A test copies this file beside its fixtures and names its functions as `kinds:NAME`.
"""

import http.client
import importlib
import importlib.util
import ipaddress
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from multiprocessing import util
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


def text_for_profiles(turn):
    return faithful(turn)


def number_for_profiles(turn):
    return faithful(turn)


def no_profiles(turn):
    return faithful(turn)


text_for_profiles.profiles = "openai"
number_for_profiles.profiles = 5
no_profiles.profiles = []


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


def hanging_with_a_fork(turn):
    if os.fork() == 0:
        time.sleep(1000)
    while True:
        pass


def hanging_in_sessions_of_their_own(turn):
    """A grandchild that no parent waits for, in a session that no group reaches; and this."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
    time.sleep(1000)


def silent(turn):
    _ask(turn)
    return []


def every_other(turn):
    """Eager with every other turn, of all that are asked for in one process."""
    every_other.count += 1
    return eager(turn) if every_other.count % 2 else faithful(turn)


every_other.count = 0


def unasking(turn):
    return []


def second_dies_third_hangs(turn):
    calls = faithful(turn)
    if "dies" in turn.tools:
        os._exit(3)
    if "hangs" in turn.tools:
        time.sleep(1000)
    return calls


def _later(turn, daemon):
    def hand_over():
        time.sleep(0.3)
        for call in calls:
            turn.hand_over(**call)

    calls = _calls(turn)[0]
    threading.Thread(target=hand_over, daemon=daemon).start()
    return []


def late(turn):
    return _later(turn, daemon=False)


def late_daemon(turn):
    return _later(turn, daemon=True)


def late_once(turn):
    """Only the first turn, which the next one outlasts."""
    if turn.base_url.endswith("c0"):
        return _later(turn, daemon=True)
    time.sleep(0.6)
    return faithful(turn)


def late_then_dying(turn):
    if turn.base_url.endswith("c0"):
        return _later(turn, daemon=False)
    _ask(turn)
    time.sleep(0.6)
    os._exit(0)


def late_from_a_fork(turn):
    calls = _calls(turn)[0]
    if os.fork() == 0:
        time.sleep(0.3)
        for call in calls:
            turn.hand_over(**call)
        os._exit(0)
    return []


def reading(turn):
    sys.stdin.read()
    os.read(0, 1000)
    return faithful(turn)


def noisy(turn):
    print("{}\n" * 3, '{"end": "returned"}', flush=True)
    os.write(1, b'{"call": {"name": "x", "arguments": ""}}\n')
    sys.stderr.write("noise\n")
    return faithful(turn)


def unreadable(turn):
    _ask(turn)
    turn.record("[1]")
    turn.record("9" * 10_000)


# As `subprocess` calls it: so many arguments that one that is not refused comes to an end in the system.
FORK = ([b"true"], [b"/bin/true"], True, (), None, None, -1, -1, -1, -1, -1, -1, -1, -1, True, False, -1)
INTERPRETERS = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"


class EqualToAll(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class ItemOfItsOwn(tuple):
    def __getitem__(self, at):
        return "localhost"


def _loaded_anew(name):
    kept = sys.modules.pop(name)
    try:
        return importlib.import_module(name)
    finally:
        sys.modules[name] = kept


def _spec():
    return importlib.util.find_spec("_posixsubprocess")


def _made_by(loader):
    spec = _spec()
    return (loader.create_builtin if spec.origin == "built-in" else loader.create_dynamic)(spec)


def _take_the_guard_apart():
    """What code that knows of a guard would do to it in one line."""
    main = sys.modules["__main__"]
    for name in ("guard", "shut_in", "_PROGRAMS", "_ADDRESSED", "_LOOKED_UP", "_local_host", "_local_address"):
        setattr(main, name, ())
    ipaddress.ip_address = lambda _: ipaddress.IPv4Address("127.0.0.1")


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
        "shell": lambda: util.spawnv_passfds(b"/bin/sh", [b"sh", b"-c", b"true"], []),
        "spawned": lambda: multiprocessing.get_context("spawn").Process(target=print).start(),
        "forkserver": lambda: multiprocessing.get_context("forkserver").Process(target=print).start(),
        "loaded anew": lambda: _loaded_anew("_posixsubprocess").fork_exec(*FORK),
        "loader anew": lambda: _made_by(_loaded_anew("_imp")).fork_exec(*FORK),
        "made anew": lambda: importlib.util.module_from_spec(_spec()).fork_exec(*FORK),
        "no hook": lambda: importlib.import_module(INTERPRETERS).create(),
        "equal to all": lambda: udp.sendto(b"x", (EqualToAll("192.0.2.1"), 9)),
        "item of its own": lambda: udp.connect(ItemOfItsOwn(("192.0.2.1", 9))),
        "name of an address": lambda: socket.socket().connect(("name.invalid", 80)),
        "name of a datagram": lambda: udp.sendto(b"x", 0, ("name.invalid", 80)),
    }
    _take_the_guard_apart()
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
