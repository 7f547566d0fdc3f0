"""SECURITY.md says what the code says: the list of what is told, and tests that are there."""

import re

import pytest
from observation.observation import TOLD, page
from support.shared import ROOT

SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")


def test_the_page_prints_the_list_of_the_code() -> None:
    """`python scripts/security_page.py` pastes it."""
    assert f"<!-- told -->\n\n{page()}\n<!-- end of what is told -->" in SECURITY


def test_the_list_has_every_part_and_repeats_nothing() -> None:
    abouts = list(dict.fromkeys(told.about for told in TOLD))
    assert abouts == [
        "the capture",
        "the transport",
        "the events",
        "streamed arguments",
        "the tools",
        "only where it was needed or asked for",
    ]
    assert len({told.what for told in TOLD}) == len(TOLD)


@pytest.mark.parametrize("named", re.findall(r"`((?:tests/|test_)[\w/.]+)`", SECURITY))
def test_every_test_that_the_page_names_is_there(named: str) -> None:
    assert (ROOT / named).exists() or list((ROOT / "tests").rglob(named))
