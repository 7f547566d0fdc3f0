"""A wire family is known by name in five places and has all of them; everywhere else the code asks its table."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

from redaction.families import FAMILIES as REDACTED
from redaction.families.tables.family import Family, objects
from replay.derive.wires import WIRES
from replay.families import FAMILIES, array
from replay.validator import Envelope, Status, envelope_from, judge
from replay.validator.profiles import PROFILES

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("proxy_addon", "redaction", "replay")

# Where a family is at home, and may be named. Adapters speak to the client of one API each.
AT_HOME: Final = (
    "replay/validator/profiles/",
    "replay/families/",
    "redaction/families/",
    "replay/derive/wires/",
    "replay/adapters/",
    "replay/help_groups.py",  # examples of command lines, as a page shows them
)


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
    assert strays() == {}


def test_every_family_has_its_row_in_each_table() -> None:
    assert PROFILES.keys() == FAMILIES.keys() == REDACTED.keys() == WIRES.keys()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_family_is_one_module_of_redaction_and_all_that_the_masks_and_the_proof_ask_of_it(profile: str) -> None:
    module = import_module(f"redaction.families.{profile.replace('-', '_')}")
    family: Family = module.FAMILY
    assert family is REDACTED[profile]
    assert {"completion", "call"} & family.identifiers.keys()
    assert all("{" in shape for shape in family.identifiers.values())
    assert all(family.spoken.identifier.fullmatch(shape.format(1)) for shape in family.identifiers.values())
    assert family.spoken.arguments <= family.spoken.keys
    assert family.spoken.identifier_keys <= family.spoken.keys
    assert "type" in family.spoken.words
    assert not family.is_whole({})
    assert family.declared({}) == ({}, None, None)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_family_ends_with_a_turn_that_is_whole_and_calls_nothing(profile: str) -> None:
    answer = list(FAMILIES[profile].answer)
    envelope = envelope_from({"profile": profile, "tool_schemas": {}, array(profile): answer})
    assert isinstance(envelope, Envelope)
    assert judge(envelope).status is Status.NOT_APPLICABLE
    assert FAMILIES[profile].done or any(map(REDACTED[profile].is_whole, objects(answer)))


def test_a_name_in_code_is_seen_and_one_in_a_docstring_or_a_longer_word_is_not() -> None:
    source = 'def f(profile):\n    """Of openai."""\n    return profile == "openai" or "openai-python" or "of mistral"'
    assert sorted(named(source)) == ["mistral", "openai"]
