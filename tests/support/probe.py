"""An adapter as a command of its own: tries what its box is to keep it from, and hands over what came of each try.

A test copies this file and runs it with `--adapter-command`. It knows no guard: what refuses is the system.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path


def environments():
    """How many processes show an environment that has the word which the test set outside."""
    found = 0
    for entry in Path("/proc").iterdir():
        try:
            found += entry.name.isdigit() and b"CANARY_OUTSIDE" in (entry / "environ").read_bytes()
        except OSError:
            continue
    return f"{found} seen"


def scratch():
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("x")
    return "allowed"


def left_behind():
    """A process in a session of its own, whose parent is gone."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(1000)", "left behind"])
        os._exit(0)
    os.wait()
    return "allowed"


TRIES = {
    "environments": environments,
    "scratch": scratch,
    "working folder": lambda: Path("written").write_text("x"),
    "fixture": lambda: Path("reels", "one.json").write_text("x"),
    "home": lambda: Path(os.environ["HOME"], "x").write_text("x") and "allowed",
    "null": lambda: Path(os.devnull).write_text("x") and "allowed",
    "parent": lambda: os.kill(os.getppid(), 9),
    "connect": lambda: socket.create_connection(("192.0.2.1", 80), 5),
    "datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9)),
    "path": lambda: socket.socket(socket.AF_UNIX),
    "pair": lambda: socket.socketpair() and "allowed",
    "program": lambda: subprocess.run(["true"], check=True) and "allowed",
    "left behind": left_behind,
    "names": lambda: ",".join(sorted(os.environ)),
}


def tried(attempt):
    try:
        return str(attempt())
    except OSError as error:
        return f"refused {type(error).__name__}"


def main():
    """One turn after the other, each with all tries."""
    pipes = Path(os.environ["TOOLREEL_CALLS"]), Path(os.environ["TOOLREEL_TURNS"])
    with pipes[0].open("w") as calls, pipes[1].open() as turns:
        print(json.dumps({"ready": {"version": "1", "profiles": ["openai"]}}), file=calls, flush=True)
        for line in turns:
            turn = json.loads(line)
            urllib.request.urlopen(turn["base_url"] + "/v1/chat/completions", b'{"stream": true}').read()
            for name, attempt in TRIES.items():
                call = {"name": name, "arguments": tried(attempt)}
                print(json.dumps({"turn": turn["turn"], "call": call}), file=calls, flush=True)
            print(json.dumps({"turn": turn["turn"], "end": "returned"}), file=calls, flush=True)


main()
