"""The page on recording names what the code has."""

import re

import click
import pytest
from support.shared import ROOT

pytest.importorskip("mitmproxy")

from proxy_addon.cli import record
from proxy_addon.recorder import banner
from proxy_addon.recorder.addon import CASE_HEADER
from proxy_addon.writing.cases import BESIDE
from proxy_addon.writing.redacting.exchanges import MAX_REQUEST_BYTES
from replay.families import FAMILIES, PROVIDERS

PAGE = (ROOT / "docs" / "recording.md").read_text("utf-8")


def test_every_option_is_explained_and_no_other_is_named() -> None:
    declared = {name for option in record.params if isinstance(option, click.Option) for name in option.opts}
    ours = re.sub(r"`(?:toolreel (?!record)|pip )[^`]*`", "", PAGE)  # other commands have options of their own
    assert set(re.findall(r"--[a-z][a-z-]+", ours)) | {"--host"} == declared


def test_the_paths_that_are_recorded_are_those_of_the_table() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (`.*`) \|$", PAGE, flags=re.MULTILINE)
    assert {profile: re.findall(r"`([^`]+)`", cell) for profile, cell in rows} == {
        profile: list(family.paths) for profile, family in FAMILIES.items()
    }


def test_the_known_gateways_are_those_of_the_table() -> None:
    (listed,) = re.findall(r"toolreel knows \(([^)]*)\)", PAGE.replace("\n", " "))
    assert listed.split(", ") == sorted(PROVIDERS)


def test_the_variables_and_the_header_are_those_of_the_code() -> None:
    for name, (variable, suffix) in banner.VARIABLES.items():
        assert f"export {variable}=http://127.0.0.1:8100/{name}{suffix}`" in PAGE
    assert f"`{CASE_HEADER}: " in PAGE
    assert f"the end not {' or '.join(f'`{end}`' for end in BESIDE)}" in PAGE
    assert f"{MAX_REQUEST_BYTES // (1024 * 1024)} MiB" in PAGE
