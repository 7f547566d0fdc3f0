"""The glossary has every word once, in order, with an example; and no page names one that the project does not have."""

import re
from pathlib import Path

import pytest
from support.shared import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text("utf-8")
ENTRIES = dict(re.findall(r"^### (.+)\n((?:.+\n)+)", PAGE, re.MULTILINE))
WORDS = (
    "payload event chunk frame framing signal slot turn fragment copy terminal finding report pin profile policy "
    "position treatment mask placeholder capture exchange fixture case upstream provider gateway allowance rung gate "
    "scan leak refusal drop difference error bug adapter client outcome cut read folder scalar pack"
).split()
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]


def test_every_word_is_there_in_order_once() -> None:
    found = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)
    assert found == sorted(set(found))
    assert set(found) >= {*WORDS, "wire family", "end marker", "stream end"}
    letters = re.findall(r"^## (\w)$", PAGE, re.MULTILINE)
    assert letters == sorted({word[0].upper() for word in found})


@pytest.mark.parametrize("word", ENTRIES)
def test_an_entry_has_a_sentence_and_an_example(word: str) -> None:
    sentence, example, what = ENTRIES[word].replace("\n", " ").partition("Example: ")
    assert sentence.rstrip().endswith((".", ":"))
    assert example
    assert len(what) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_a_page_that_the_project_does_not_have(page: Path) -> None:
    assert re.findall(r"\b(?:CONFORMANCE|DESIGN|STYLE)\.md\b", page.read_text("utf-8")) == []
