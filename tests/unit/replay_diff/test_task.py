"""The tools of a turn, as the Responses API takes them; in Node as in Python."""

import json
import shutil
import subprocess

import pytest
from support import shared

from replay.adapters.task import Task

OBJECT = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = {
    "get_weather": OBJECT,
    "apply_patch": {"type": "string"},
    "query": {"type": "string", "format": "grammar"},
    "crm.find": OBJECT,
    "any": True,
    "crm.note": {"type": "string"},
}
SENT = [
    {"type": "function", "name": "get_weather", "parameters": OBJECT, "strict": False},
    {"type": "custom", "name": "apply_patch"},
    {"type": "custom", "name": "query"},
    {
        "type": "namespace",
        "name": "crm",
        "description": "crm",
        "tools": [
            {"type": "function", "name": "find", "parameters": OBJECT, "strict": False},
            {"type": "custom", "name": "note"},
        ],
    },
    {"type": "function", "name": "any", "parameters": {"type": "object"}, "strict": False},
]
# The driver runs when it is loaded: its class is taken out of its text.
SCRIPT = """
const source = require("node:fs").readFileSync(process.argv[1], "utf8");
const text = source.slice(source.indexOf("class Task"), source.indexOf("function version"));
const Task = new Function("MODELS", text + "return Task;")({});
const turn = new Task({ tools: JSON.parse(process.argv[2]) }, () => {});
process.stdout.write(JSON.stringify(turn.responsesTools()));
"""


def test_functions_and_custom_tools_stand_beside_one_another_and_namespaces_hold_theirs() -> None:
    turn = Task(base_url="", profile="openai-responses", tools=TOOLS, record=print)
    assert turn.responses_tools() == SENT


def test_node_sends_the_same_tools() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    driver = shared.ROOT / "replay" / "adapters" / "node" / "driver.cjs"
    done = subprocess.run(
        [node, "-e", SCRIPT, str(driver), json.dumps(TOOLS)], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == SENT
