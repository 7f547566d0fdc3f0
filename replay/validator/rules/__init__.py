"""The rule pages: one Markdown file for each code, beside this module. Text only; nothing is decided here."""

import re
from pathlib import Path
from typing import Final

from replay.validator.codes import Code

__all__ = [
    "page",
    "summary",
]

_FOLDER: Final = Path(__file__).parent
_FIRST_PARAGRAPH: Final = re.compile(r"^## What it reports\n\n(.+?)\n\n", re.MULTILINE | re.DOTALL)
_END_OF_SENTENCE: Final = re.compile(r"(?<=[.:]) (?=[A-Z])")


def page(code: Code) -> str:
    """The page of a code: what it reports, why it matters, an example with its legal twin, what to do."""
    return (_FOLDER / f"{code.value}.md").read_text(encoding="utf-8")


def summary(code: Code) -> str:
    """The first sentence of a code's page, on one line."""
    found = _FIRST_PARAGRAPH.search(page(code))
    assert found is not None, "every page begins with what its code reports"
    return _END_OF_SENTENCE.split(" ".join(found.group(1).split()), maxsplit=1)[0]
