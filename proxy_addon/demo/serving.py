"""`toolreel demo --serve PORT`: the provider of the demo by itself, for a recorder or a client of the user's.

Example: behind `toolreel record --upstream openai=http://127.0.0.1:9000/openai-colliding` each request at OpenAI's path
is answered with the turn in which two calls share one index.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Final

from proxy_addon.demo.bundled import BundledTurn
from proxy_addon.demo.provider import Provider
from replay.errors import ToolreelError, translated

# The turn of the examples: the one of the guide.
_EXAMPLE: Final = "openai-colliding"


def serve(turns: Sequence[BundledTurn], port: int, say: Callable[[str], None]) -> None:
    """Answer at the port until Ctrl-C, and `say` how to ask, line by line."""
    busy = f"--serve {port}: this port cannot be used; name another one, or 0 for any"
    with translated((OSError, OverflowError), lambda _: ToolreelError(busy)):
        provider = Provider(turns, port=port)
    with provider:
        for line in _told(turns, provider.url):
            say(line)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


def _told(turns: Sequence[BundledTurn], url: str) -> list[str]:
    width = max(len(turn.case) for turn in turns)
    example = next(turn for turn in turns if turn.case == _EXAMPLE)
    return [
        f"toolreel demo answers at {url}; Ctrl-C ends it",
        "",
        f"  {url}/TURN  one turn of those below, at the path of its API",
        f"  {url}       the turns of the API that is asked for, one after the other",
        "",
        "With the recorder in front of it, in a second terminal, and the application's request, in a third:",
        "",
        f"  toolreel record --upstream {example.profile}={url}/{_EXAMPLE}",
        f"  curl -s {url}/{_EXAMPLE}/request | \\",
        f"    curl -s -d @- http://127.0.0.1:8100/{example.profile}{example.path}",
        "",
        *(f"  {turn.case:<{width}}  {turn.says}" for turn in turns),
    ]
