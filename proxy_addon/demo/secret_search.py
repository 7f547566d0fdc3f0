"""The search for the demo's secrets in every file that it wrote, as somebody would search who wants to find them."""

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path


def traces(secret: str) -> Iterator[bytes]:
    """The forms in which a file may hold `secret`: as it is, escaped, and base64 of it at each alignment."""
    raw = secret.encode()
    yield raw
    yield json.dumps(secret)[1:-1].encode()
    yield "".join(f"\\u{ord(character):04x}" for character in secret).encode()
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)
        # Without the characters that also depend on what stands before or behind.
        yield encoded[(0, 2, 3)[shift] : (shift + len(raw)) * 8 // 6]


def joined(data: bytes) -> bytes:
    """All strings of a JSON file, one behind the other: what is cut over fragments stands whole here."""
    found: list[str] = []
    _strings(json.loads(data), found)
    return "".join(found).encode()


def _strings(node: object, found: list[str]) -> None:
    if isinstance(node, str):
        found.append(node)
    elif isinstance(node, dict):
        for inner in node.values():
            _strings(inner, found)
    elif isinstance(node, list):
        for inner in node:
            _strings(inner, found)


def leaking(files: Iterable[Path], secrets: Iterable[str]) -> list[Path]:
    """The files that hold a trace of a secret."""
    wanted = {trace for secret in secrets for trace in traces(secret)}
    found = []
    for path in files:
        data = path.read_bytes()
        views = (data, joined(data), path.name.encode())
        if any(trace in view for trace in wanted for view in views):
            found.append(path)
    return found
