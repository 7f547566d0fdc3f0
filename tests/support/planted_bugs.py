"""Clients of chat completions with one bug each, as they are met in the field: what a search has to find.

Each is right but for its bug, since it asks the validator itself. A test copies this file beside its fixtures and names
a client as `planted_bugs:NAME`.
"""

import http.client
import json
from functools import partial
from urllib.parse import urlsplit

from replay.validator import Turn

# Finding codes that a client may not look for: it hands over what it has all the same.
BLIND = (
    "missing_terminal wrong_terminal duplicate_terminal delta_after_terminal identity_collision duplicate_id "
    "missing_id unknown_tool schema_violation trailing_data duplicate_key non_finite_number "
    "invalid_unicode stream_error"
).split()
# What else goes wrong in clients.
WAYS = (
    "loses_the_second_call swaps_ids loses_an_empty_fragment_and_all_behind crashes_on_a_payload_without_choices "
    "hangs_on_broken_json takes_the_last_of_two_calls_at_one_character"
).split()
NAMES = (*(f"blind_to_{code}" for code in BLIND), *WAYS)


def _payloads(turn):
    url = urlsplit(turn.base_url)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
    body = json.dumps({"stream": True, "tools": turn.openai_tools()})
    connection.request("POST", url.path + "/v1/chat/completions", body)
    lines = connection.getresponse().read().decode().splitlines()
    texts = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    while texts and texts[-1] == "[DONE]":
        texts.pop()
    for text in texts:
        try:
            yield json.loads(text)
        except ValueError:
            yield text


def _fragments(payload):
    for choice in payload.get("choices", ()) if isinstance(payload, dict) else ():
        for entry in (choice.get("delta") or {}).get("tool_calls", ()):
            yield entry.get("function", {}).get("arguments")


def _drive(turn, name):
    payloads = list(_payloads(turn))
    if name == "crashes_on_a_payload_without_choices":
        [one["choices"] for one in payloads if isinstance(one, dict)]
    if name == "loses_an_empty_fragment_and_all_behind":
        grown = [at for at, one in enumerate(payloads) if any(_fragments(one))][:1] or [len(payloads)]
        at = next((at for at, one in enumerate(payloads) if at > grown[0] and "" in _fragments(one)), len(payloads))
        payloads = payloads[:at] + [one for one in payloads[at:] if not list(_fragments(one))]
    judged = Turn(profile=turn.profile, tool_schemas=turn.tools)
    judged.feed_all(payloads)
    report = judged.close()
    codes = {finding.code.value for finding in report.findings}
    calls = [{"id": one.id, "name": one.name, "arguments": one.arguments} for one in report.calls]
    if name == "hangs_on_broken_json" and "malformed_arguments" in codes:
        while True:
            pass
    if codes and codes != {name.removeprefix("blind_to_")}:
        return []
    if name == "loses_the_second_call":
        return calls[:1]
    if name == "swaps_ids" and len(calls) > 1:
        calls[0]["id"], calls[1]["id"] = calls[1]["id"], calls[0]["id"]
    if name == "takes_the_last_of_two_calls_at_one_character" and len(payloads) > 100:
        return calls[-1:] * 2
    return calls


for _name in NAMES:
    globals()[_name] = partial(_drive, name=_name)
    globals()[_name].profiles = ("openai",)
right = partial(_drive, name="right")
right.profiles = ("openai",)
