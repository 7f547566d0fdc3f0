"""Recorded streams, and what they really say: an independent reader, so that no product code vouches for itself.

Knows the event-stream rules and the request formats in their plain form. Strictness is not its job: the recorded
bodies hold no payload that lenient and strict parsing would read differently.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from support import families, shared
from support.recorded import event_messages

from redaction.families import FAMILIES
from replay.validator import Envelope, Report, Status, judge

BUNDLED: Final = shared.ROOT / "tests" / "data" / "streams"

# The APIs of which streams are recorded, and the profile that reads each.
PROFILES: Final = {family.api: profile for profile, family in families.FAMILIES.items()}

# What a tool of the OpenAI format takes when it declares no parameters.
NO_PARAMETERS: Final = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One recorded response with its request, where the source kept it."""

    name: str
    meta: dict[str, str]
    body: bytes
    request: str | None

    @property
    def profile(self) -> str:
        return PROFILES[self.meta["api"]]

    @property
    def upstream(self) -> str:
        """The name under which the recorder knows this stream's provider."""
        return re.sub(r"[^a-z0-9-]", "-", self.meta["provider"])


def read(folder: Path, profiles: Collection[str] = FAMILIES) -> list[Stream]:
    """Every stream of `folder` whose API is that of one of these profiles, by name."""
    found = []
    for meta in sorted(folder.glob("*/meta.json")):
        facts = json.loads(meta.read_text("utf-8"))
        if PROFILES.get(facts["api"]) in profiles:
            request = meta.with_name("request.json")
            found.append(
                Stream(
                    name=meta.parent.name,
                    meta=facts,
                    body=meta.with_name("response.body").read_bytes(),
                    request=request.read_text("utf-8") if request.exists() else None,
                )
            )
    return found


def one_of_each() -> list[Stream]:
    """For each API the first of the bundled streams that passes, that is blocked, and that has no call."""
    found: dict[tuple[str, Status], Stream] = {}
    for stream in read(BUNDLED):
        found.setdefault((stream.meta["api"], judged(stream).status), stream)
    return list(found.values())


# The streams that tests go through, by a name for the test's own: the first in every run, the others at night.
SETS: Final[Mapping[str, Callable[[], list[Stream]]]] = {
    "bundled sample": one_of_each,
    "bundled": lambda: read(BUNDLED),
    "all": lambda: read(shared.folder("streams")),
}


def events(body: bytes) -> tuple[list[str], bool]:
    """The text of each payload, and whether a piece of an unfinished one was left at the end.

    A recorded body that begins with a bracket is one array, or has an object on each line; one that begins with a zero
    has messages.
    """
    if body.startswith(b"\0"):
        return [json.dumps(one) for one in event_messages.payloads(body)], False
    if body.startswith(b"["):
        return [json.dumps(one) for one in json.loads(body)], False
    if body.startswith(b"{\n"):
        return [json.dumps(json.loads(body))], False
    if body.startswith(b"{"):
        return body.decode("utf-8").splitlines(), False
    lines = re.split(r"\r\n|\n|\r", body.decode("utf-8", "replace").removeprefix("\ufeff"))
    found: list[str] = []
    data: list[str] = []
    fields = False
    for line in lines[:-1]:
        if not line:
            if data:
                found.append("\n".join(data))
            data, fields = [], False
        elif not line.startswith(":"):
            fields = True
            name, _, value = line.partition(":")
            if name == "data":
                data.append(value.removeprefix(" "))
    return found, fields or bool(lines[-1])


def _payload(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return "unreadable"


def envelope(stream: Stream, *, allow: tuple[str, ...] = ()) -> Envelope:
    """What the raw stream says, as the validator takes it."""
    texts, pending = events(stream.body)
    while texts and texts[-1] == "[DONE]":
        texts.pop()
    payloads = [_payload(text) for text in texts]
    request = json.loads(stream.request or "{}")
    done = stream.body.rstrip().endswith((b"data: [DONE]", b"data:[DONE]"))
    return Envelope(
        profile=stream.profile,
        tool_schemas=schemas(stream),
        payloads=payloads,
        allow=allow,
        stream_end="complete" if done or not pending else "upstream_disconnected",
        tool_choice=tool_choice(request),
        parallel_tool_calls=parallel(request),
    )


def schemas(stream: Stream) -> dict[str, object]:
    """Name to schema of the tools that the request declares; where it was not kept, as the response repeats them."""
    return tools(json.loads(stream.request) if stream.request is not None else _repeated(stream.body))


def _repeated(body: bytes) -> dict[str, Any]:
    """The response as it was created, where it says what was asked for."""
    payloads = (_payload(text) for text in events(body)[0])
    created = (one for one in payloads if isinstance(one, dict) and one.get("type") == "response.created")
    return next((one["response"] for one in created), {})


def as_asked(stream: Stream) -> Stream:
    """The stream with the request that was not kept, as far as its response repeats it."""
    repeated = {} if stream.request is not None else _repeated(stream.body)
    asked = ("model", "tools", "tool_choice", "parallel_tool_calls")
    kept = {name: repeated[name] for name in asked if name in repeated}
    return replace(stream, request=json.dumps({"input": "Hello", **kept, "stream": True})) if kept else stream


def upstreams(found: Iterable[Stream], url: str) -> list[str]:
    """The options of a recorder for which `url` serves the providers of these streams, each under its own name."""
    return [part for name in sorted({one.upstream for one in found}) for part in ("--upstream", f"{name}={url}")]


def tools(request: dict[str, Any]) -> dict[str, object]:
    """Name to schema of the tools that the application declares with one."""
    found: dict[str, object] = {}
    for tool in request.get("tools") or request.get("toolConfig", {}).get("tools") or []:
        if "toolSpec" in tool:
            found[tool["toolSpec"]["name"]] = tool["toolSpec"]["inputSchema"]["json"]
        function = tool.get("function")
        for declared in tool.get("functionDeclarations", tool.get("function_declarations", [])):
            own = declared.get("parametersJsonSchema", declared.get("parameters_json_schema"))
            found[declared["name"]] = own or _of_open_api(declared.get("parameters", NO_PARAMETERS))
        if isinstance(function, dict):
            found[function["name"]] = function.get("parameters", NO_PARAMETERS)
        elif "input_schema" in tool:
            found[tool["name"]] = tool["input_schema"]
        elif tool.get("type") == "namespace":
            found.update({f"{tool['name']}.{name}": schema for name, schema in tools(tool).items()})
        elif tool.get("type") == "custom":
            bound = (tool.get("format") or {}).get("type", "text") != "text"
            found[tool["name"]] = {"type": "string", "format": "grammar"} if bound else {"type": "string"}
        elif tool.get("type") == "function":
            parameters = tool.get("parameters")
            found[tool["name"]] = NO_PARAMETERS if parameters is None else parameters
    return found


def _of_open_api(schema: object) -> Any:
    """A schema of Google's dialect, with its types in lower case and without what JSON Schema does not know."""
    if isinstance(schema, list):
        return [_of_open_api(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {
        name: value.lower() if name == "type" and isinstance(value, str) else _of_open_api(value)
        for name, value in schema.items()
        if name not in ("propertyOrdering", "property_ordering", "nullable")
    }
    if schema.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def tool_choice(request: dict[str, Any]) -> str | None:
    """`auto`, `none`, `required` or `named`; where the request says nothing, what its tools default to."""
    config = request.get("toolConfig", {})
    if "toolChoice" in config:
        return {"auto": "auto", "any": "required", "tool": "named"}[next(iter(config["toolChoice"]))]
    config = config.get("functionCallingConfig", {})
    if config.get("mode") == "ANY":
        return "named" if len(config.get("allowedFunctionNames", ())) == 1 else "required"
    if config.get("mode") == "NONE":
        return "none"
    choice = request.get("tool_choice", "auto" if tools(request) else None)
    if isinstance(choice, dict):
        kind = choice["type"]
        choice = kind if kind in ("auto", "any", "none") else choice["mode"] if kind == "allowed_tools" else "named"
    return "required" if choice == "any" else choice and choice.lower()


def parallel(request: dict[str, Any]) -> bool | None:
    """Whether several calls at once were asked for or refused, where the request says so."""
    choice = request.get("tool_choice")
    if isinstance(choice, dict) and "disable_parallel_tool_use" in choice:
        return not choice["disable_parallel_tool_use"]
    return request.get("parallel_tool_calls")


def verdict(report: Report, schemas: dict[str, object]) -> dict[str, object]:
    """What must be the same before and after masking. Names that no schema declares may differ: they read `*`."""
    declared = _property_names(schemas)

    def path(pointer: str | None) -> list[str] | None:
        if pointer is None:
            return None
        parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        return [part if part.isdigit() or part in declared else "*" for part in parts]

    return {
        "status": report.status.value,
        "executable": report.executable,
        "findings": [(one.code.value, one.choice, one.slot, one.event, path(one.path)) for one in report.findings],
        "calls": [(one.choice, one.slot, one.state.value) for one in report.calls],
        "names": [one.name if one.name in schemas else None for one in report.calls],
        "allowances": [(one.name, one.choice, one.slot, one.event) for one in report.allowances],
    }


def _property_names(node: object) -> set[str]:
    found: set[str] = set()
    if isinstance(node, dict):
        properties = node.get("properties")
        found.update(properties if isinstance(properties, dict) else ())
        for value in node.values():
            found |= _property_names(value)
    elif isinstance(node, list):
        for value in node:
            found |= _property_names(value)
    return found


def judged(stream: Stream, *, allow: tuple[str, ...] = ()) -> Report:
    """The verdict on the raw stream, every allowance that it claims accepted."""
    return judge(envelope(stream, allow=allow), accept=allow)
