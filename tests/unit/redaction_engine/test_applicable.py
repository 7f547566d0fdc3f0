"""Every keyword that holds schemas, and every one that asserts something of a scalar, is followed by redaction."""

import pytest

from redaction.applicable import NUMBER_ASSERTIONS, STRING_ASSERTIONS, Document, Schemas
from replay.validator.schema import KEYWORDS, Applies, Holds, Keyword

MARK = {"const": "mark"}
HOLDING = [keyword for keyword in KEYWORDS.values() if keyword.applies is not Applies.NOWHERE]


def holding_the_mark(keyword: Keyword) -> dict[str, object]:
    value: dict[Holds, object] = {Holds.ONE: MARK, Holds.LIST: [MARK], Holds.NAMED: {"a": MARK}}
    return {keyword.name: value[keyword.holds]}


@pytest.mark.parametrize("keyword", HOLDING, ids=lambda keyword: keyword.name)
def test_what_a_keyword_holds_is_found_where_it_applies_and_nowhere_else(keyword: Keyword) -> None:
    whole = Document(holding_the_mark(keyword)).whole()
    found: dict[Applies, Schemas] = {
        Applies.HERE: whole,
        Applies.NAMES: whole.names(),
        Applies.MEMBERS: whole.member("a"),
        Applies.ITEMS: whole.item(0),
    }
    assert [applies for applies, schemas in found.items() if MARK in schemas.parts] == [keyword.applies]


def test_a_definition_is_found_by_its_reference_alone() -> None:
    for word in ("$defs", "definitions"):
        assert MARK in Document({"$ref": f"#/{word}/a", word: {"a": MARK}}).whole().parts
        assert MARK not in Document({word: {"a": MARK}}).whole().parts


def test_the_assertions_of_scalars_stand_in_the_order_of_the_table() -> None:
    # Placeholders are looked for in this order, so a fixture depends on it.
    assert STRING_ASSERTIONS == ("type", "enum", "const", "minLength", "maxLength", "pattern", "format")
    assert (
        *("type", "enum", "const", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    ) == NUMBER_ASSERTIONS
