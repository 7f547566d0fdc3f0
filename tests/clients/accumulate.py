"""Times how the official clients accumulate a stream; runs in the clients' own environment.

Standard input: a JSON object with `profile`, `rounds` and `workloads`, each with `texts` (the payloads of one stream)
and `streams`. Standard output: a JSON array with an object for each workload: the seconds of processor time that
`json.loads` alone takes over all payloads of all streams (`loads`), those that the client takes from decoded payloads
to its final message (`client`), and the arguments of the first call (`arguments`). Imports the clients; nothing of this
project.
"""

import gc
import json
import sys
import time
from collections.abc import Callable
from typing import Any


def openai_turn() -> Callable[[list[Any]], str]:
    """OpenAI's helper for accumulating chunks by hand."""
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletionChunk

    def accumulate(payloads: list[Any]) -> str:
        state: Any = ChatCompletionStreamState()
        for payload in payloads:
            for _ in state.handle_chunk(ChatCompletionChunk.construct(**payload)):
                pass
        message = state.get_final_completion().choices[0].message
        return str(message.tool_calls[0].function.arguments)

    return accumulate


def anthropic_turn() -> Callable[[list[Any]], str]:
    """What Anthropic's message stream does with each event."""
    from anthropic.lib.streaming._messages import accumulate_event

    def accumulate(payloads: list[Any]) -> str:
        snapshot: Any = None
        buffers: dict[int, bytes] = {}
        for payload in payloads:
            snapshot = accumulate_event(event=payload, current_snapshot=snapshot, json_bufs=buffers)
        return json.dumps(snapshot.content[0].input)

    return accumulate


TURNS = {"openai": openai_turn, "anthropic": anthropic_turn}


def best(work: Callable[[], object], rounds: int) -> float:
    """The shortest of several runs."""
    times = []
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def timed(accumulate: Callable[[list[Any]], str], *, texts: list[str], streams: int, rounds: int) -> dict[str, object]:
    """The times of one workload."""
    payloads = [json.loads(text) for text in texts]
    arguments = accumulate(payloads)
    loads = best(lambda: [json.loads(text) for _ in range(streams) for text in texts], rounds)
    client = best(lambda: [accumulate(payloads) for _ in range(streams)], rounds)
    return {"loads": loads, "client": client, "arguments": arguments}


def main() -> None:
    """Read the task, print the times."""
    task = json.load(sys.stdin)
    accumulate = TURNS[task["profile"]]()
    print(json.dumps([timed(accumulate, rounds=task["rounds"], **workload) for workload in task["workloads"]]))


if __name__ == "__main__":
    main()
