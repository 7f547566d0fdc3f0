"""The JSON Schemas of what toolreel reads and writes, as files in this package."""

from pathlib import Path
from typing import Final

NAMES: Final = ("fixture", "expected", "report", "replay")


def text(name: str) -> str:
    """The schema of this name, as the file has it."""
    return (Path(__file__).parent / f"{name}.json").read_text("utf-8")
