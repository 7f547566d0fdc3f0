"""A tool for LlamaIndex, which hands calls over and runs none by itself."""

from __future__ import annotations

from typing import Any

from llama_index.core.tools import FunctionTool


def tool(name: str) -> Any:
    """A tool of that name that takes any arguments and is never run."""

    def nothing(**arguments: Any) -> str:  # noqa: ARG001 - the parameters make the declaration
        return ""

    return FunctionTool.from_defaults(nothing, name=name, description=name)
