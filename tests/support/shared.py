"""Where the shared reference data lies, for tests that read more than the suite carries."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def beside(name: str) -> Path | None:
    """The shared folder `name` beside the checkout, or None."""
    base = Path(os.environ.get("TOOLREEL_SHARED", ROOT.parent / "shared"))
    found = base / name
    return found if found.is_dir() else None


def folder(name: str) -> Path:
    """The shared folder `name` beside the checkout; skips the test, with the reason, where it is absent."""
    found = beside(name)
    if found is None:
        pytest.skip(f"reference data {name!r} is not beside this checkout")
    return found
