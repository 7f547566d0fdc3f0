"""Words that try to get out of a page or to drive a terminal, and a turn that says one wherever it can."""

import json

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "\u2028\u2029",
    "\u202etxt.exe",
    '" onmouseover="alert(1)',
    "&lt;b&gt;",
    "</style>",
    "\x00\x1b[2J\x7f",
    "\ud83d",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "{{constructor}}",
    "`${alert(1)}`",
)


def hostile_fixture(word: str) -> bytes:
    """A turn that says the word wherever a turn can say something."""
    call = {
        "index": 0,
        "id": word,
        "type": "function",
        "function": {"name": word, "arguments": json.dumps({word: word})},
    }
    chunks = [
        {"type": word, "id": "c1", "model": word, "choices": [{"index": 0, "delta": {"content": word}}]},
        {"id": "c1", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]},
        {"id": "c1", "choices": [{"index": 0, "delta": {"reasoning": word}, "finish_reason": word}]},
        word,
    ]
    whole = {"profile": "openai", "tool_schemas": {}, "chunks": chunks, "capture": {"stream_end": word}}
    return json.dumps(whole).encode()
