"""docs/importing.md tells the truth."""

import re
import subprocess
import sys

import pytest
from support.shared import ROOT

from proxy_addon.importing.entries import MAX_ENTRY_BYTES

PAGE = (ROOT / "docs" / "importing.md").read_text("utf-8")
MEBIBYTE = 1024 * 1024


def test_every_output_that_the_page_shows_is_what_the_command_prints() -> None:
    pytest.importorskip("yaml", reason="the page imports a YAML cassette, and PyYAML is not installed")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "import_page.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"run `python scripts/import_page.py`:\n{done.stdout}{done.stderr}"


def test_the_bounds_that_the_page_names_are_those_in_force() -> None:
    yaml_items = pytest.importorskip("proxy_addon.importing.readers.yaml_items", reason="PyYAML is not installed")
    bounds = [int(number) for number in re.findall(r"(\d+) MiB", PAGE)]
    assert bounds == [MAX_ENTRY_BYTES // MEBIBYTE, yaml_items.MAX_YAML_BYTES // MEBIBYTE]
