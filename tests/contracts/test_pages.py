"""The pages that a script makes say what the commands say now."""

import re
import subprocess
import sys

import pytest
from support.shared import ROOT

from redaction.captured import facts
from replay.cli import root

FORMAT = (ROOT / "docs" / "fixture-format.md").read_text("utf-8")


@pytest.mark.parametrize("script", ["command_pages.py", "guide_page.py"])
def test_a_page_that_is_made_is_up_to_date(script: str) -> None:
    """For the guide this does all that it tells: the recording, the pins, the failing and the passing test."""
    pytest.importorskip("mitmproxy", reason="the page shows the recorder, and mitmproxy is not installed")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (
        f"run `python scripts/{script}` and look at the difference:\n{done.stdout}{done.stderr}"
    )


@pytest.mark.parametrize("name", ["replay", "coverage", "schema", "validate"])
def test_a_page_is_what_the_command_prints(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-c", "from replay.cli import main; main()", name, "--help"],
        env={"PYTHONPATH": str(ROOT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    page = (ROOT / "docs" / "commands" / f"{name}.md").read_text("utf-8")
    assert f"```text\n{done.stdout.rstrip()}\n```" in page


def test_the_list_of_commands_names_each_with_a_link() -> None:
    listed = re.findall(r"^\| \[`toolreel (\w+)`\]\((\w+)\.md\)", (ROOT / "docs/commands/README.md").read_text(), re.M)
    assert {name for name, _ in listed} >= set(root.commands)
    assert all(name == link for name, link in listed)


def test_every_local_link_of_the_docs_leads_to_a_file() -> None:
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_page_on_fixtures_names_every_member_that_redaction_writes() -> None:
    """Members are the keys of the two functions that make `capture` and `transport`."""
    from inspect import getsource

    written = set(
        re.findall(
            r'(?:facts|found)?\[?"(\w+)"\]? ?[:=]',
            "".join(getsource(function) for function in (facts.capture_facts, facts.transport_facts, facts._marks)),
        )
    )
    assert written >= {"stream_end", "rung", "event_names", "comments"}
    assert {name for name in written if f"`{name}`" not in FORMAT} == set()
