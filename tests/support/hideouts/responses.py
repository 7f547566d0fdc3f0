"""Where user data hides in the Responses API: canaries in a request and in its events.

Written after the table of positions and the lists of items and events in the rules, not after what redaction knows.
"""

import json
from itertools import count

from support.planter import Planter, arguments, schema, unsupported_schema

# The texts of one event, by the member that holds them; what follows `response.` is its type.
TEXTS = """
output_text.delta: delta logprobs obfuscation
output_text.done: text logprobs
output_text.annotation.added: annotation
content_part.added: part
content_part.done: part
refusal.delta: delta obfuscation
refusal.done: refusal
reasoning_text.delta: delta obfuscation
reasoning_text.done: text
reasoning_part.added: part
reasoning_part.done: part
reasoning_summary_text.delta: delta obfuscation
reasoning_summary_text.done: text
reasoning_summary_part.added: part
reasoning_summary_part.done: part
audio.delta: delta
audio.done:
audio.transcript.delta: delta
audio.transcript.done: transcript
web_search_call.in_progress: status
web_search_call.searching: action
web_search_call.completed: queries
file_search_call.in_progress: status
file_search_call.searching: queries
file_search_call.completed: results
code_interpreter_call.in_progress: container_id
code_interpreter_call.interpreting: code
code_interpreter_call.completed: outputs
code_interpreter_call_code.delta: delta obfuscation
code_interpreter_call_code.done: code
image_generation_call.in_progress: revised_prompt
image_generation_call.generating: background
image_generation_call.partial_image: partial_image_b64 output_format size quality
image_generation_call.completed: result
mcp_call.in_progress: name server_label
mcp_call.completed: output
mcp_call.failed: error
mcp_list_tools.in_progress: server_label
mcp_list_tools.completed: tools
mcp_list_tools.failed: error
mcp_call_arguments.delta: delta obfuscation
mcp_call_arguments.done: arguments
shell_call_command.added: command
shell_call_command.delta: delta
shell_call_command.done: command
shell_call_output_content.added: output
shell_call_output_content.delta: delta stdout stderr
shell_call_output_content.done: output
apply_patch_call_operation_diff.delta: delta obfuscation
apply_patch_call_operation_diff.done: diff
compaction.compacting: encrypted_content
"""


def request(plant: Planter) -> dict[str, object]:
    grammar = {"type": "grammar", "syntax": "lark", "definition": plant("grammar of a tool")}
    call = {"type": "function_call", "call_id": plant("id in a message"), "name": plant("tool of a call in a message")}
    return {
        "model": f"ft:gpt-4o:{plant('organisation in the model name')}:x",
        "instructions": plant("system prompt"),
        "input": [
            {"role": "developer", "content": plant("developer message")},
            {"role": "user", "content": [{"type": "input_text", "text": plant("user message")}]},
            {"role": "user", "content": [{"type": "input_image", "image_url": f"data:{plant('image in a message')}"}]},
            {"role": "user", "content": [{"type": "input_file", "file_data": plant("file in a message")}]},
            {"type": "reasoning", "encrypted_content": plant("reasoning in a message"), "summary": []},
            {**call, "arguments": json.dumps({"q": plant("call in a message")})},
            {"type": "function_call_output", "call_id": plant("id in a message"), "output": plant("message result")},
            {"type": "custom_tool_call", "name": "note", "input": plant("custom call in a message")},
            {"type": "custom_tool_call_output", "output": plant("custom result in a message")},
            {"type": "mcp_approval_response", "approve": True, "reason": plant("reason in a message")},
            {"type": "shell_call_output", "output": [{"stdout": plant("shell output in a message")}]},
            {"type": "item_reference", "id": plant("reference in a message")},
        ],
        "tools": [
            {
                "type": "function",
                "name": "weather",
                "description": plant("tool description"),
                "parameters": schema(plant),
            },
            {"type": "function", "name": "odd", "parameters": unsupported_schema(plant)},
            {"type": "custom", "name": "note", "description": plant("custom tool description")},
            {"type": "custom", "name": "bound", "format": grammar},
            {
                "type": "namespace",
                "name": "crm",
                "description": plant("namespace description"),
                "tools": [
                    {
                        "type": "function",
                        "name": "find",
                        "description": plant("inner tool description"),
                        "parameters": {"type": "object", "description": plant("inner schema description")},
                    },
                    {"type": "custom", "name": "log", "description": plant("inner custom tool description")},
                ],
            },
            {
                "type": "mcp",
                "server_label": plant("server label of the request"),
                "server_url": f"https://{plant('server of a tool')}.example",
                "server_description": plant("server description"),
                "authorization": plant("authorization of a tool"),
                "headers": {plant("server header"): plant("server header value")},
                "allowed_tools": [plant("allowed tool of a server")],
            },
            {"type": "file_search", "vector_store_ids": [plant("vector store of a request member")]},
            {"type": "web_search", "user_location": {"city": plant("location")}},
            {"type": "code_interpreter", "container": {"file_ids": [plant("container file of a request member")]}},
            {"type": "tool_search", "execution": "client", "description": plant("search tool description")},
        ],
        "tool_choice": {"type": "function", "name": plant("tool choice")},
        "metadata": {plant("metadata key"): plant("metadata value")},
        "user": plant("user"),
        "safety_identifier": plant("safety identifier"),
        "prompt_cache_key": plant("prompt cache key"),
        "prompt": {"id": plant("prompt of a request member"), "variables": {"name": plant("variable request member")}},
        "conversation": {"id": plant("conversation of a request member")},
        "previous_response_id": plant("previous response of a request member"),
        "text": {"format": {"type": "json_schema", "name": plant("format enum name"), "schema": {"enum": [1]}}},
        plant("unknown request member"): plant("value of an unknown request member"),
    }


def _briefly(plant: Planter, what: str, status: str, output: object) -> dict[str, object]:
    """The response as an event repeats it: some of its members, with a canary in each."""
    said = {"id": plant("response id"), "status": status, "output": output, "error": None}
    return {**said, "instructions": plant(f"instructions in the response {what}")}


def _response(plant: Planter, what: str, status: str, output: object) -> dict[str, object]:
    """The response as an event repeats it, with a canary in each of its members."""

    def text(member: str) -> str:
        return plant(f"{member} in the response {what}")

    return {
        "id": plant("response id"),
        "object": text("object"),
        "created_at": plant.number(f"time in the response {what}"),
        "status": status,
        "error": None,
        "incomplete_details": {"reason": text("reason"), text("key of details"): 1},
        "instructions": text("instructions"),
        "model": text("model"),
        "output": output,
        "output_text": text("text"),
        "tools": [
            {"type": "function", "name": "weather", "description": text("repeated tool"), "parameters": {}},
            {"type": "mcp", "headers": {"x": text("header of a repeated tool")}, "authorization": text("token")},
        ],
        "tool_choice": {"type": "function", "name": text("repeated choice of a tool")},
        "text": {"format": {"type": "json_schema", "schema": {"description": text("format of the text")}}},
        "metadata": {text("metadata key"): text("metadata value")},
        "user": text("user"),
        "safety_identifier": text("safety identifier"),
        "prompt": {"id": text("prompt"), "variables": {text("variable"): text("value of a variable")}},
        "prompt_cache_key": text("cache key"),
        "previous_response_id": text("previous id"),
        "conversation": {"id": text("conversation")},
        "reasoning": {"effort": text("effort"), "summary": text("summary")},
        "usage": {"input_tokens": plant.number(f"usage in the response {what}"), text("unit"): text("unit text")},
        "tool_usage": {text("used"): {"requests": plant.number(f"requests in the response {what}")}},
        "content_filters": [{"blocked": False, "source_type": text("source of a filter"), "offsets": {}}],
        "moderation": {"categories": text("moderation")},
        "input_transformations": [text("transformation")],
        "service_tier": text("tier"),
        "truncation": text("truncation"),
        "billing": {"payer": text("payer")},
        "copilot_usage": {"token": text("usage of a gateway")},
        text("unknown member"): {text("deep unknown key"): text("deep unknown value")},
    }


def _citation(plant: Planter, what: str) -> dict[str, object]:
    return {
        "type": plant(f"kind of citation {what}"),
        "url": plant(f"citation url {what}"),
        "title": plant(f"citation title {what}"),
        "file_id": plant(f"citation file {what}"),
        "filename": plant(f"citation file name {what}"),
        "start_index": plant.number(f"citation start {what}"),
    }


def _token(plant: Planter, what: str) -> dict[str, object]:
    top = {"token": plant(f"other token {what}"), "bytes": [plant.number(f"bytes of another token {what}")]}
    return {"token": plant(f"token {what}"), "bytes": [plant.number(f"token bytes {what}")], "top_logprobs": [top]}


def _parts(plant: Planter) -> list[object]:
    return [
        {
            "type": "output_text",
            "text": plant("text of a part"),
            "annotations": [_citation(plant, "in a part")],
            "logprobs": [_token(plant, "in a part")],
        },
        {"type": "refusal", "refusal": plant("refusal of a part")},
        {"type": "output_audio", "data": plant("audio data"), "transcript": plant("transcript of a part")},
        {"type": plant("kind of part"), "text": plant("text of an unknown part"), plant("member of a part"): 1},
        plant("part that is a string"),
        [plant("part that is a list")],
    ]


def _items(plant: Planter) -> list[dict[str, object]]:
    """Every item that is no call with a slot; those that the client runs are behind the others."""
    declared = {
        "name": plant("tool of a list"),
        "description": plant("listed tool description"),
        "input_schema": {"description": plant("listed schema description")},
        "annotations": {"title": plant("title of a listed tool")},
    }
    outcome = {"type": plant("kind of outcome"), "exit_code": plant.number("exit code")}
    environment = {
        "type": "container_auto",
        "container_id": plant("container of an environment"),
        "file_ids": [plant("file of an environment")],
        plant("member of an environment"): 1,
    }
    check = {"id": plant("check id"), "code": plant("code of a check"), "message": plant("message of a check")}
    return [
        {
            "type": "message",
            "status": plant("status of a message"),
            "role": plant("role"),
            "phase": plant("phase"),
            "content": _parts(plant),
        },
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": plant("reasoning summary")}, plant("summary text")],
            "content": [{"type": "reasoning_text", "text": plant("reasoning text")}],
            "encrypted_content": plant("encrypted reasoning"),
            "format": plant("reasoning format"),
        },
        {
            "type": "web_search_call",
            "action": {
                "type": "search",
                "query": plant("query text"),
                "queries": [plant("one of the text queries")],
                "sources": [{"type": "url", "url": plant("url of a result")}],
                plant("member of an action"): 1,
            },
        },
        {"type": "web_search_call", "action": {"type": "open_page", "url": plant("page of a result")}},
        {"type": "web_search_call", "action": {"type": plant("kind of action"), "pattern": plant("searched text")}},
        {"type": "web_search_call", "name": plant("tool of a search"), "arguments": plant("search arguments")},
        {
            "type": "file_search_call",
            "queries": [plant("text of a file query")],
            "results": [
                {
                    "file_id": plant("file of a result"),
                    "text": plant("text of a result"),
                    "score": plant.number("score of a result"),
                    "attributes": {plant("attribute of a result"): plant("value of a result")},
                }
            ],
        },
        {
            "type": "code_interpreter_call",
            "code": plant("code text"),
            "container_id": plant("container of the code text"),
            "outputs": [{"type": "logs", "logs": plant("logs of a result")}, {"url": plant("image of a result")}],
        },
        {
            "type": "image_generation_call",
            "result": plant("image"),
            "revised_prompt": plant("revised text"),
            "size": plant("image size"),
            "background": plant("image background"),
        },
        {
            "type": "mcp_call",
            "name": plant("tool of a server"),
            "server_label": plant("server label"),
            "arguments": plant("server arguments"),
            "output": plant("result of a server"),
            "approval_request_id": plant("approval id"),
            "error": {"type": plant("kind of server error"), "code": 1, "message": plant("server error message")},
        },
        {"type": "mcp_call", "error": plant("server error text")},
        {
            "type": "mcp_list_tools",
            "server_label": plant("label of a listing server"),
            "tools": [declared],
            "error": {"message": plant("listing error")},
        },
        {
            "type": "mcp_approval_request",
            "name": plant("tool to approve"),
            "server_label": plant("server to approve"),
            "arguments": plant("arguments to approve"),
        },
        {
            "type": "mcp_approval_response",
            "approval_request_id": plant("approved id"),
            "reason": plant("reason of an approval"),
        },
        {
            "type": "tool_search_call",
            "execution": "server",
            "call_id": plant("id of a search"),
            "arguments": {"paths": [plant("searched tool")], plant("key of a search"): 1},
        },
        {"type": "tool_search_output", "execution": plant("execution word of a tool"), "tools": [declared]},
        {"type": "additional_tools", "tools": [{"type": "function", "name": plant("additional tool")}]},
        {
            "type": "program",
            "call_id": plant("id of a program"),
            "code": plant("text of a program"),
            "fingerprint": plant("fingerprint of a program"),
        },
        {"type": "program_output", "call_id": plant("id of a program"), "result": plant("program result")},
        {
            "type": "function_call_output",
            "call_id": plant("id of a function result"),
            "output": plant("function result"),
        },
        {"type": "function_call_output", "output": [{"type": "input_text", "text": plant("text of a result part")}]},
        {"type": "custom_tool_call_output", "output": plant("custom result")},
        {
            "type": "computer_call_output",
            "output": {"type": "computer_screenshot", "image_url": plant("image of a screen")},
            "acknowledged_safety_checks": [check],
        },
        {"type": "local_shell_call_output", "output": plant("result of a local shell")},
        {
            "type": "shell_call_output",
            "max_output_length": plant.number("most of a result"),
            "output": [
                {
                    "stdout": plant("result of stdout"),
                    "stderr": plant("result of stderr"),
                    "outcome": outcome,
                    "created_by": plant("creator id"),
                    plant("member of a result"): 1,
                },
                plant("result that is a string"),
            ],
        },
        {"type": "apply_patch_call_output", "output": plant("patch result")},
        {
            "type": "shell_call",
            "environment": environment,
            "action": {"commands": [plant("text of a command")], "timeout_ms": plant.number("shell timeout")},
        },
        {"type": "compaction", "encrypted_content": plant("compacted text"), "created_by": plant("compactor id")},
        {
            "type": "apply_patch_call",
            "call_id": plant("id of a patch"),
            "operation": {
                "type": "update_file",
                "path": plant("file to patch"),
                "diff": plant("text of a patch"),
                plant("member of an operation"): 1,
            },
        },
        {"type": "apply_patch_call", "operation": {"type": plant("kind of operation"), "diff": plant("diff text")}},
        {
            "type": "local_shell_call",
            "action": {
                "type": "exec",
                "command": [plant("text of a shell command")],
                "env": {plant("text variable"): plant("value of a text variable")},
                "working_directory": plant("text directory"),
                "user": plant("text user"),
            },
        },
        {
            "type": "computer_call",
            "call_id": plant("id of a computer call"),
            "action": {"type": "type", "text": plant("typed text"), "x": plant.number("number of pixels")},
            "pending_safety_checks": [check],
        },
        {"type": "shell_call", "environment": {"type": plant("kind of environment")}, "action": plant("action text")},
        {
            "type": "tool_search_call",
            "execution": "client",
            "arguments": {"queries": [plant("searched text of a tool")]},
        },
        {
            "type": plant("kind of item"),
            "name": plant("tool of an unknown item"),
            "arguments": plant("arguments of an unknown item"),
            "input": plant("input of an unknown item"),
            "text": plant("text of an unknown item"),
            "transcript": plant("transcript of an unknown item"),
            "diff": plant("diff of an unknown item text"),
            "command": plant("command of an unknown item text"),
            "annotations": [_citation(plant, "in an item")],
            "logprobs": [_token(plant, "in an item")],
            "svg_usage": {plant("unit of a drawing"): plant.number("usage of a drawing")},
            "headers": {plant("header of an item"): plant("header value of an item")},
            "agent": {"name": plant("agent tool name")},
            plant("member of an item"): {plant("deep key of an item"): plant("value of a member of an item")},
        },
    ]


_SHAPES = {
    "part": lambda plant, what: {
        "type": plant(f"kind of {what}"),
        "text": plant(f"text of {what}"),
        "annotations": [{"title": plant(f"citation of {what}")}],
        "logprobs": [{"token": plant(f"token of {what}")}],
    },
    "annotation": lambda plant, what: _citation(plant, f"of {what}"),
    "logprobs": lambda plant, what: [_token(plant, f"of {what}")],
    "action": lambda plant, what: {"type": plant(f"kind of {what}"), "query": plant(f"text of {what}")},
    "queries": lambda plant, what: [plant(f"text of {what}")],
    "results": lambda plant, what: [{"text": plant(f"text of {what}")}],
    "outputs": lambda plant, what: [{"logs": plant(f"text of {what}")}],
    "output": lambda plant, what: [{"stdout": plant(f"text of {what}")}] if "shell" in what else plant(what),
    "tools": lambda plant, what: [{"name": plant(f"tool of {what}")}],
    "error": lambda plant, what: None,  # any other makes it an error, which is planted by itself
}


def _asides(plant: Planter, index: int) -> list[object]:
    """Every event of an item that is no call, with a canary in each of its members."""
    found: list[object] = []
    for line in TEXTS.strip().splitlines():
        kind, _, members = line.partition(":")
        event: dict[str, object] = {
            "type": f"response.{kind}",
            "output_index": index,
            "item_id": plant(f"item id beside {kind}"),
            "content_index": 0,
            plant("member beside a text"): plant("value of a member beside a text"),
        }
        for member in members.split():
            what = f"{member} text of {kind}"
            event[member] = _SHAPES[member](plant, what) if member in _SHAPES else plant(what)
        found.append(event)
    indices = "content_index summary_index annotation_index command_index partial_image_index".split()
    return [*found, {"type": "response.queued", **{key: plant.index(f"number of {key}") for key in indices}}]


def _errors(plant: Planter) -> list[object]:
    error = {
        "type": plant("error type"),
        "code": plant("error code"),
        "message": plant("error message"),
        "param": plant("error parameter"),
        plant("error member"): plant("error value"),
    }
    failed = {**_briefly(plant, "that failed", "failed", []), "error": error}
    bare = {"code": plant("bare error code"), "message": plant("bare error message"), "param": plant("bare error word")}
    return [
        {"type": "error", **bare},
        {"type": "error", "error": error},
        {"type": "response.failed", "response": failed},
        {"type": "response.in_progress", "response": {"error": plant("error that is a string")}},
        {"type": "response.output_text.delta", "delta": plant("text beside an error"), "error": [plant("error list")]},
    ]


def _malformed(plant: Planter, call: dict[str, object]) -> list[object]:
    added, done = "response.output_item.added", "response.output_item.done"
    delta, ended = "response.function_call_arguments.delta", "response.function_call_arguments.done"
    return [
        {"type": delta, "output_index": 0, "delta": {plant("fragment key"): plant("fragment object")}},
        {"type": delta, "output_index": plant("index that is a text"), "delta": plant("fragment at no index")},
        {"type": delta, "output_index": plant.number("index past all"), "delta": plant("fragment past all")},
        {"type": delta, "output_index": 0, "item_id": [plant("item id in a list")], "delta": ""},
        {"type": ended, "output_index": 0, "arguments": {plant("argument key of a copy"): plant("argument object")}},
        {"type": ended, "output_index": 0, "arguments": [plant("argument list")]},
        {"type": added, "output_index": 70, "item": plant("item that is a string")},
        {"type": added, "output_index": 70, "item": [plant("item that is a list")]},
        {"type": added, "output_index": 70, "item": {**call, "type": [plant("kind in a list")]}},
        {"type": added, "output_index": 70, "item": {**call, "call_id": {"a": plant("call id in an object")}}},
        {"type": added, "output_index": 70, "item": {**call, "name": [plant("tool name in a list")]}},
        {"type": added, "output_index": 70, "item": {**call, "caller": plant("caller id that is a string")}},
        {"type": done, "output_index": 70, "item": {**call, "arguments": {plant("key"): plant("argument whole")}}},
        {"type": "response.in_progress", "response": plant("text for a response")},
        {"type": "response.in_progress", "response": {"output": plant("text for an output")}},
        {"type": "response.in_progress", "response": {"id": [plant("response id in a list")]}},
        {"type": [plant("kind of event in a list")]},
        {"type": "response.queued", "sequence_number": plant("number that is a text")},
        {"type": "response.queued", "sequence_number": plant.number("number past all")},
    ]


def payloads(plant: Planter) -> list[object]:
    added, done = "response.output_item.added", "response.output_item.done"
    stem, custom = "response.function_call_arguments", "response.custom_tool_call_input"
    texts = arguments(plant)
    whole = "".join(texts)
    free = f'{plant("free argument")} "{plant("second free argument")}"\n{plant("last free argument")}'
    caller = {"type": "program", "caller_id": plant("caller id"), plant("member of a caller"): 1}
    weather = {
        "type": "function_call",
        "id": plant("item id"),
        "call_id": plant("call id"),
        "name": "weather",
        "caller": caller,
        plant("member of a call"): plant("value of a member of a call"),
    }
    note = {"type": "custom_tool_call", "id": plant("custom item id"), "call_id": plant("custom call id")}
    find = {"type": "function_call", "call_id": plant("inner call id"), "name": "find", "namespace": "crm"}
    other = {
        "type": "function_call",
        "call_id": plant("other id"),
        "name": plant("undeclared tool"),
        "namespace": plant("undeclared tool's namespace"),
        "status": plant("status of a call"),
        "caller": {"type": plant("kind of caller")},
    }
    dotted = {**find, "call_id": plant("dotted call id"), "name": f"find.{plant('dotted tool')}", "namespace": ""}
    items = [{"id": plant(f"id of item {at}"), **item} for at, item in enumerate(_items(plant))]
    numbers = count()
    first = 10  # the index of the first item that is no call
    found: list[object] = [
        {"type": "response.created", "response": _response(plant, "created", "in_progress", [])},
        {"type": "response.in_progress", "response": _briefly(plant, "in progress", plant("status"), None)},
        {"type": added, "output_index": 0, "item": {**weather, "arguments": ""}},
        *(
            {
                "type": f"{stem}.delta",
                "output_index": 0,
                "item_id": plant("item id"),
                "delta": text,
                "obfuscation": plant("obfuscation"),
            }
            for text in texts
        ),
        {
            "type": f"{stem}.done",
            "output_index": 0,
            "item_id": plant("item id"),
            "arguments": whole,
            "name": plant("tool name beside a copy"),
        },
        {"type": done, "output_index": 0, "item": {**weather, "arguments": whole, "status": "completed"}},
        {"type": added, "output_index": 1, "item": {**note, "name": "note", "input": ""}},
        *({"type": f"{custom}.delta", "output_index": 1, "delta": text} for text in plant.pieces(free)),
        {"type": f"{custom}.done", "output_index": 1, "input": plant("free argument of a copy")},
        {"type": done, "output_index": 1, "item": {**note, "name": "note", "input": free, "status": "completed"}},
        {"type": added, "output_index": 2, "item": {**find, "arguments": None}},
        {
            "type": f"{stem}.done",
            "output_index": 2,
            "arguments": json.dumps({"who": plant("argument in copies alone")}),
        },
        {"type": done, "output_index": 2, "item": {**find, "arguments": plant("argument copy that differs")}},
        {"type": added, "output_index": 3, "item": {**other, "arguments": plant("early argument text")}},
        {"type": f"{stem}.delta", "output_index": 3, "delta": plant("argument of an undeclared tool")},
        {"type": done, "output_index": 3, "item": {**other, "call_id": plant("second call id")}},
        {"type": added, "output_index": plant.index("large slot"), "item": {**dotted, "arguments": ""}},
        {"type": added, "output_index": 4, "item": dotted},
        # what belongs to no slot, or comes too late for it
        {"type": f"{stem}.delta", "output_index": 0, "delta": plant("late fragment")},
        {"type": f"{stem}.done", "output_index": 4, "arguments": plant("argument text that ends")},
        {"type": f"{stem}.delta", "output_index": 4, "delta": plant("fragment behind the end of its text")},
        {"type": f"{stem}.done", "output_index": 4, "arguments": plant("second argument text that ends")},
        {"type": f"{stem}.delta", "output_index": 90, "delta": plant("fragment of an unknown slot")},
        {"type": f"{custom}.delta", "output_index": 4, "delta": plant("fragment of another kind")},
        {"type": "response.output_text.delta", "output_index": 0, "delta": plant("text on the slot of a call")},
        {"type": f"{stem}.delta", "delta": plant("fragment without slot")},
        {"type": f"{custom}.done", "output_index": None, "input": plant("argument text without slot")},
        {"type": added, "item": {**weather, "id": plant("id without slot"), "arguments": plant("argument at no slot")}},
        {"type": done, "item": {**note, "input": plant("free argument without slot")}},
        {"type": done, "output_index": 91, "item": {**weather, "arguments": plant("argument never added")}},
        {"type": added, "output_index": 4, "item": {**other, "arguments": plant("argument of a restart")}},
        {"type": "response.queued", "response": {"output": [{**find, "arguments": plant("argument listed early")}]}},
    ]
    for index, item in enumerate(items, first):
        found += [
            {"type": added, "output_index": index, "item": item},
            {"type": done, "output_index": index, "item": item},
        ]
    found += _asides(plant, first)
    found += [
        {"type": "keepalive", plant("member of a ping"): plant("value of a ping")},
        {"type": "response.rate_limits.updated", "rate_limits": [{"name": plant("name of a limit")}]},
        {
            "type": plant("kind of event"),
            "delta": plant("text of an unknown event"),
            "arguments": plant("arguments of an unknown event"),
            "code": plant("code of an unknown event text"),
            "copilot_usage": {"cost": plant("cost")},
            plant("member of an event"): plant("value of a member of an event"),
        },
        *_malformed(plant, {**find, "arguments": ""}),
        [plant("payload that is a list")],
    ]
    end = [
        {**weather, "arguments": whole},
        {**note, "name": "note", "input": plant("free argument of the list")},
        {**find, "arguments": plant("argument of the list")},
        {**other, "call_id": plant("call id of the list alone"), "arguments": plant("argument of the list alone")},
        *items,
        plant("item of the list that is a string"),
    ]
    last = [
        {"type": "response.completed", "response": _response(plant, "completed", "completed", end[:-1])},
        {"type": "response.completed", "response": _briefly(plant, "completed again", "completed", end[-2:])},
        {"type": "response.incomplete", "response": _briefly(plant, "incomplete", plant("last status"), end[:1])},
        {"type": f"{stem}.delta", "output_index": 0, "delta": plant("fragment behind the end")},
        {"type": f"{stem}.done", "output_index": 0, "arguments": plant("argument text behind the end")},
        {"type": added, "output_index": 95, "item": {**weather, "arguments": plant("argument behind the end")}},
        {"type": done, "output_index": 0, "item": {**weather, "arguments": plant("argument of a late end")}},
        {"type": "response.in_progress", "response": {"id": plant("another response id")}},
    ]
    for event in [*found, *last]:
        if isinstance(event, dict) and "sequence_number" not in event:
            event["sequence_number"] = next(numbers)
    return [
        *found,
        {"type": "response.queued", "sequence_number": plant.index("large sequence number")},
        *last,
        *_errors(plant),
        plant.number("payload that is a number"),
    ]
