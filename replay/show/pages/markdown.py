"""The Markdown of the rule pages as HTML: headings, paragraphs, lists, code, and no more than these pages use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replay.show.pages.markup import Markup, join, tag, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INLINE: Final = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)")
_FENCE: Final = "```"
# A page is put below a heading of the second level.
_DEEPER: Final = 1


def html(page: str) -> Markup:
    """The page, its first heading left out: whoever puts it somewhere has said what it is."""
    return join(_blocks(page.splitlines()))


def _blocks(lines: list[str]) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if line.startswith(_FENCE):
            while not lines[end].startswith(_FENCE):
                end += 1
            yield tag("pre", tag("code", text_lines(lines[at + 1 : end])))
            end += 1
        elif line.startswith("## "):
            yield tag(f"h{2 + _DEEPER}", inline(line[3:]))
        elif line.startswith("- "):
            end = _while(lines, at, lambda one: bool(one.strip()))
            items = "\n".join(lines[at:end]).removeprefix("- ").split("\n- ")
            yield tag("ul", *(tag("li", inline(" ".join(item.split()))) for item in items))
        elif line.strip() and not line.startswith("# "):
            end = _while(lines, at, lambda one: bool(one.strip()) and not one.startswith((_FENCE, "- ", "#")))
            yield tag("p", inline(" ".join(lines[at:end])))
        at = end


def _while(lines: list[str], start: int, holds: Callable[[str], bool]) -> int:
    end = start + 1
    while end < len(lines) and holds(lines[end]):
        end += 1
    return end


def text_lines(lines: list[str]) -> Markup:
    """Lines of code as they are."""
    return Markup("\n".join(text(line) for line in lines))


def message(line: str) -> Markup:
    """The message of a finding: what stands between backticks is code, and nothing else is markup."""
    parts = line.split("`")
    if len(parts) % 2 == 0:
        return text(line)
    return join(tag("code", text(part)) if at % 2 else text(part) for at, part in enumerate(parts))


def inline(line: str) -> Markup:
    """A sentence, its code and its emphasis."""
    parts, at = [], 0
    for found in _INLINE.finditer(line):
        parts.append(text(line[at : found.start()]))
        code, strong, link = found.groups()
        parts.append(tag("code", text(code)) if code else tag("strong", text(strong)) if strong else text(link))
        at = found.end()
    return join([*parts, text(line[at:])])
