"""The README tells the truth: its output is what its commands print, its commands work, its links lead somewhere."""

import re
import subprocess
import sys

import pytest
from support.shared import ROOT

README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.timeout(180)
def test_every_output_that_the_readme_shows_is_what_the_command_prints() -> None:
    pytest.importorskip("mitmproxy", reason="the README shows recordings, and mitmproxy is not installed")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "readme.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (
        f"run `python scripts/readme.py` and look at the difference:\n{done.stdout}{done.stderr}"
    )


def test_the_first_screen_has_the_two_commands_and_the_two_limits() -> None:
    screen = "\n".join(README.splitlines()[:24])
    assert re.search(r"^python3 -m venv \.venv && .*scripts/constraints\.txt.*/toolreel demo$", screen, re.MULTILINE)
    assert re.search(r"^sh scripts/test$", screen, re.MULTILINE)
    assert "blocks no call by itself" in screen
    assert "neither mitmproxy nor network" in screen


def test_every_local_link_leads_to_a_file() -> None:
    for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / target).exists(), f"{page}: {target}"


def test_every_file_that_a_page_names_is_there() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text("utf-8")
        for target in re.findall(r"`((?:scripts|tests|replay|redaction|proxy_addon)/[\w./-]*)`", text):
            assert (ROOT / target).exists(), f"{page}: {target}"


def test_the_constraints_hold_names_and_versions_and_nothing_else() -> None:
    for name in ("constraints.txt", "constraints-clients.txt", "constraints-lowest.txt"):
        for line in (ROOT / "scripts" / name).read_text("utf-8").splitlines():
            assert re.fullmatch(r'(#.*|[a-z0-9.-]+==[\w.]+(; python_version (<|>=) "3\.12")?)?', line), line
