"""A wire family is known by name in few places; everywhere else the code asks its table."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from replay.validator.profiles import PROFILES

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("proxy_addon", "redaction", "replay")

# Where a family is at home, and may be named. Adapters speak to the client of one API each.
AT_HOME: Final = ("replay/validator/profiles/", "replay/adapters/")

# Modules that name a family elsewhere, with how often. This list only ever gets shorter.
STRAYS: Final = {
    "proxy_addon/recorder/banner.py": 4,
    "proxy_addon/demo/turns.py": 5,
    "proxy_addon/importing/turns.py": 13,
    "proxy_addon/upstreams.py": 33,
    "redaction/captured/facts.py": 2,
    "redaction/masks/fragments.py": 3,
    "redaction/families/policy.py": 13,
    "redaction/captured/request.py": 1,
    "redaction/proof/vocabulary.py": 3,
    "replay/diff/closing.py": 1,
    "replay/diff/process.py": 3,
    "replay/rendering.py": 2,
    "replay/serve/reels.py": 3,
    "replay/serve/server.py": 3,
}

# What a text can hold beside the name of a family: `openai-python` is a client, `[a-z]openai` a word.
WORD: Final = re.compile(r"[a-z0-9-]+")


def docstrings(tree: ast.AST) -> set[int]:
    """The constants that are docstrings, by identity."""
    bodies = [
        node.body
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    first = [body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)]
    return {id(value) for value in first}


def named(source: str) -> Iterator[str]:
    """Each name of a family in the texts of a module, docstrings apart."""
    tree = ast.parse(source)
    spared = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared:
            yield from (word for word in WORD.findall(node.value) if word in PROFILES)


def strays() -> dict[str, int]:
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        count = len(list(named(path.read_text("utf-8"))))
        if count and not name.startswith(AT_HOME):
            found[name] = count
    return found


def test_no_family_is_named_away_from_home() -> None:
    assert strays() == STRAYS


def test_a_name_in_code_is_seen_and_one_in_a_docstring_or_a_longer_word_is_not() -> None:
    source = 'def f(profile):\n    """Of openai."""\n    return profile == "openai" or "openai-python" or "of mistral"'
    assert sorted(named(source)) == ["mistral", "openai"]
