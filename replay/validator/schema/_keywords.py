"""The keywords of JSON Schema that are in the subset, a row each. What has no row is outside it.

A row says of a keyword which values of it are supported (`shape`), what kind of value it speaks of (`kind`), how it
judges a value (`judge`), what a message says of it (`words`), and which schemas stand in it and what they apply to
(`holds`, `applies`). The functions stand in a module for each kind of value. Whoever needs to know one of these things
reads it here: the walk over a schema, the compiler, the messages, and redaction.

The order counts. Of several keywords that ask other schemas and reject one place, the first row is the one that is
reported; and redaction looks for its placeholders in this order.
"""

from collections.abc import Mapping
from typing import Final

from replay.validator.schema._keyword import Applies, Asks, Asserts, Holds, Judge, Keyword, Passes
from replay.validator.schema._kinds import anything, arrays, combiners, lengths, numbers, objects, shapes, strings
from replay.validator.schema._kinds.words import said

DRAFTS: Final = frozenset(
    {
        f"{scheme}://json-schema.org/{draft}schema{mark}"
        for scheme in ("http", "https")
        for draft in ("draft-04/", "draft-06/", "draft-07/", "draft/2019-09/", "draft/2020-12/")
        for mark in ("", "#")
    }
)


def _a_draft(value: object) -> str | None:
    return None if isinstance(value, str) and value in DRAFTS else "must name a known draft"


_CHARACTERS: Final = lengths.length_words("character", "characters", "minLength", "maxLength")
_ITEMS: Final = lengths.length_words("item", "items", "minItems", "maxItems")
_PROPERTIES: Final = lengths.length_words("property", "properties", "minProperties", "maxProperties")

# Of keywords that are read together.
_CONTAINS: Final = Asks("contains", arrays.contains)
_IF: Final = Passes(combiners.conditional)
_MEMBERS: Final = Passes(objects.members)
_ITEM_BY_ITEM: Final = Passes(arrays.items)

_ANNOTATIONS: Final = (
    *("title", "description", "default", "examples", "deprecated"),
    *("readOnly", "writeOnly", "$comment", "strict"),
)

_ROWS: Final = (
    # The document: its draft, and schemas that apply to nothing until a `$ref` names them.
    Keyword("$schema", _a_draft),
    Keyword("$defs", shapes.named_schemas, holds=Holds.NAMED),
    Keyword("definitions", shapes.named_schemas, holds=Holds.NAMED),
    # Any value.
    Keyword("type", shapes.type_names, judge=Asserts(anything.type_is), words=anything.type_words),
    Keyword("enum", shapes.an_array, judge=Asserts(anything.one_of_values), words=anything.one_of_values_words),
    Keyword("const", shapes.anything, judge=Asserts(anything.exactly), words=anything.exactly_words),
    # Numbers.
    Keyword("minimum", shapes.a_number, "number", judge=Asserts(numbers.minimum), words=numbers.range_words),
    Keyword("maximum", shapes.a_number, "number", judge=Asserts(numbers.maximum), words=numbers.range_words),
    Keyword(
        "exclusiveMinimum",
        shapes.a_number,
        "number",
        judge=Asserts(numbers.exclusive_minimum),
        words=numbers.range_words,
    ),
    Keyword(
        "exclusiveMaximum",
        shapes.a_number,
        "number",
        judge=Asserts(numbers.exclusive_maximum),
        words=numbers.range_words,
    ),
    Keyword(
        "multipleOf",
        shapes.a_positive_number,
        "number",
        judge=Asserts(numbers.multiple_of),
        words=numbers.multiple_of_words,
    ),
    # Strings.
    Keyword("minLength", shapes.a_count, "string", judge=Asserts(lengths.at_least), words=_CHARACTERS),
    Keyword("maxLength", shapes.a_count, "string", judge=Asserts(lengths.at_most), words=_CHARACTERS),
    Keyword("pattern", strings.a_pattern, "string", judge=Asserts(strings.matches), words=strings.matches_words),
    Keyword("format", strings.a_format, "string", judge=Asserts(strings.has_format), words=strings.has_format_words),
    # Arrays.
    Keyword("minItems", shapes.a_count, "array", judge=Asserts(lengths.at_least), words=_ITEMS),
    Keyword("maxItems", shapes.a_count, "array", judge=Asserts(lengths.at_most), words=_ITEMS),
    Keyword(
        "uniqueItems",
        shapes.a_boolean,
        "array",
        judge=Asserts(arrays.unique_items),
        words=said("must not have the same item twice"),
    ),
    # Objects.
    Keyword("required", shapes.property_names, "object", judge=Asserts(objects.required), words=objects.required_words),
    Keyword(
        "dependentRequired",
        shapes.named_property_names,
        "object",
        judge=Asserts(objects.dependent_required),
        words=objects.dependent_required_words,
    ),
    Keyword("minProperties", shapes.a_count, "object", judge=Asserts(lengths.at_least), words=_PROPERTIES),
    Keyword("maxProperties", shapes.a_count, "object", judge=Asserts(lengths.at_most), words=_PROPERTIES),
    Keyword(
        "propertyNames",
        shapes.a_schema,
        "object",
        judge=Asks("propertyNames", objects.property_names),
        words=said("must have only property names that satisfy `propertyNames`"),
        holds=Holds.ONE,
        applies=Applies.NAMES,
    ),
    # Arrays again: what they contain.
    Keyword(
        "contains",
        shapes.a_schema,
        "array",
        judge=_CONTAINS,
        words=arrays.contains_words,
        holds=Holds.ONE,
        applies=Applies.ITEMS,
    ),
    Keyword("minContains", shapes.a_count, "array", judge=_CONTAINS),
    Keyword("maxContains", shapes.a_count, "array", judge=_CONTAINS),
    # The value itself, by other schemas.
    Keyword("$ref", combiners.a_local_reference, judge=Passes(combiners.reference)),
    Keyword("allOf", shapes.schemas, judge=Passes(combiners.all_of), holds=Holds.LIST, applies=Applies.HERE),
    Keyword(
        "anyOf",
        shapes.schemas,
        judge=Asks("anyOf", combiners.any_of),
        words=said("must satisfy at least one of the `anyOf` schemas"),
        holds=Holds.LIST,
        applies=Applies.HERE,
    ),
    Keyword(
        "oneOf",
        shapes.schemas,
        judge=Asks("oneOf", combiners.one_of),
        words=said("must satisfy exactly one of the `oneOf` schemas"),
        holds=Holds.LIST,
        applies=Applies.HERE,
    ),
    Keyword(
        "not",
        shapes.a_schema,
        judge=Asks("not", combiners.negation),
        words=said("must not satisfy the `not` schema"),
        holds=Holds.ONE,
        applies=Applies.HERE,
    ),
    Keyword("if", shapes.a_schema, judge=_IF, holds=Holds.ONE, applies=Applies.HERE),
    Keyword("then", shapes.a_schema, judge=_IF, holds=Holds.ONE, applies=Applies.HERE),
    Keyword("else", shapes.a_schema, judge=_IF, holds=Holds.ONE, applies=Applies.HERE),
    Keyword(
        "dependentSchemas",
        shapes.named_schemas,
        "object",
        judge=Passes(objects.dependent_schemas),
        holds=Holds.NAMED,
        applies=Applies.HERE,
    ),
    # What is inside.
    Keyword("properties", shapes.named_schemas, "object", judge=_MEMBERS, holds=Holds.NAMED, applies=Applies.MEMBERS),
    Keyword(
        "patternProperties",
        objects.schemas_by_pattern,
        "object",
        judge=_MEMBERS,
        holds=Holds.NAMED,
        applies=Applies.MEMBERS,
    ),
    Keyword(
        "additionalProperties", shapes.a_schema, "object", judge=_MEMBERS, holds=Holds.ONE, applies=Applies.MEMBERS
    ),
    Keyword("prefixItems", shapes.schemas, "array", judge=_ITEM_BY_ITEM, holds=Holds.LIST, applies=Applies.ITEMS),
    Keyword("items", shapes.a_schema, "array", judge=_ITEM_BY_ITEM, holds=Holds.ONE, applies=Applies.ITEMS),
    # Prose: whatever their value, they say nothing about what is valid.
    *(Keyword(name, shapes.anything) for name in _ANNOTATIONS),
)

KEYWORDS: Final[Mapping[str, Keyword]] = {row.name: row for row in _ROWS}

# Keywords of this prefix are prose as well, whatever their value.
ANNOTATION_PREFIX: Final = "x-"

# The place of a judge in the table: that of the first row that has it.
RANK: Final[Mapping[Judge, int]] = {row.judge: rank for rank, row in reversed([*enumerate(_ROWS)]) if row.judge}
