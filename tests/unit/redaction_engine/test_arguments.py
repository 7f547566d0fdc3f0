"""Argument texts masked as a whole: schema-aware values, the same JSON shape, broken texts that stay broken alike."""

import json
from collections.abc import Sequence

import pytest

from redaction.masks.arguments import Lengths, mask_arguments
from redaction.masks.tool_schemas import property_names
from replay.validator import Code
from replay.validator.schema import violation
from replay.validator.strict_json import parse


def masked(text: str, schema: object = None, *, lengths: Lengths = Lengths.CANONICAL) -> str:
    return "".join(mask_arguments([text], schema, property_names(schema), lengths))


def masked_value(value: object, schema: object) -> object:
    """The masked form of `value` as the argument `v`."""
    whole = {"type": "object", "properties": {"v": schema}}
    text = masked(json.dumps({"v": value}), whole)
    before, after = violation(whole, json.loads(json.dumps({"v": value}))), violation(whole, parsed(text))
    assert (before and (before.path.count("/"), before.keyword)) == (after and (after.path.count("/"), after.keyword))
    found = parsed(text)
    assert isinstance(found, dict)
    return found["v"]


def parsed(text: str) -> object:
    found = parse(text, max_nesting=64)
    assert found.code is None, found.code
    return found.value


SECRET = "lymphoma"


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({}, SECRET, "x"),
        ({"type": "string"}, SECRET, "x"),
        ({"type": "integer"}, SECRET, "x"),
        ({"type": "string"}, 4111111111111111, 0),
        ({"type": "integer"}, 17, 0),
        ({"type": "integer"}, 17.5, 0.5),
        ({"type": "boolean"}, True, True),
        ({"type": "null"}, None, None),
        ({"enum": ["celsius", "kelvin"]}, "kelvin", "kelvin"),
        ({"enum": ["celsius", "kelvin"]}, SECRET, "x"),
        ({"enum": ["x"]}, SECRET, "xx"),
        ({"enum": [0.1, 7]}, 0.1, 0.1),
        ({"enum": [42]}, 42.0, 42),
        ({"const": {"unit": "m", "n": [1, 2.5]}}, {"unit": "m", "n": [1, 2.5]}, {"unit": "m", "n": [1, 2.5]}),
        ({"const": {"unit": "m"}}, {"unit": SECRET}, {"key_1": "x"}),
        ({"minimum": 18}, 44, 18),
        ({"minimum": 18}, 7, 0),
        ({"maximum": 5}, 44, 6),
        ({"minimum": 3, "maximum": 5}, 4, 3),
        ({"exclusiveMinimum": 0}, 3, 1),
        ({"exclusiveMinimum": 0.001, "exclusiveMaximum": 0.002}, 0.001734, 0.0015),
        ({"exclusiveMaximum": 0}, -3, -1),
        ({"multipleOf": 7}, 21, 0),
        ({"multipleOf": 7}, 22, 1),
        ({"minimum": 1, "multipleOf": 0.01}, 19.99, 1),
        ({"minimum": 1e30, "multipleOf": 0.01}, 2e30, 10**30),
        ({"minLength": 5}, SECRET, "xxxxx"),
        ({"minLength": 50}, SECRET, "x"),
        ({"maxLength": 3}, SECRET, "xxxx"),
        ({"maxLength": 10_000_000_000}, SECRET, "x"),
        ({"pattern": "^[A-Z]{2}-[0-9]+$"}, "AB-1234567", "XX-0"),
        ({"pattern": "^[a-z]+$"}, "Hello World", "-"),
        ({"pattern": "^.*$"}, "a\nb", "\n"),
        ({"pattern": "^[a-z]+$", "minLength": 4}, "Hello World", "----"),
        ({"pattern": "^[\\x00-\\x7f]*$"}, "naïve", "é"),
        ({"format": "date"}, "1984-06-01", "2000-01-01"),
        ({"format": "date"}, SECRET, "x"),
        ({"format": "email"}, "ann@hospital.example", "x@example.com"),
        ({"format": "uri-reference"}, "http://[secret", " "),
        ({"uniqueItems": True}, ["a", "b", "a"], ["x", "xx", "x"]),
        ({"uniqueItems": True}, [{"ann": 1}, {"bob": 1}], [{"key_1": 0}, {"key_2": 0}]),
        ({"uniqueItems": True, "items": {"type": "integer"}}, [5, 6, 5.0], [0, 1, 0.0]),
        (
            {"uniqueItems": True, "items": {"format": "date"}},
            ["1984-06-01", "1985-06-01"],
            ["2000-01-01", "2001-01-01"],
        ),
        ({"uniqueItems": True, "items": {"pattern": "^[A-Z]{2}$"}}, ["DE", "FR"], ["XX", "AX"]),
        ({"additionalProperties": False}, {SECRET: 1}, {"key_1": 0}),
        ({"patternProperties": {"^[a-z]{2}_[A-Z]{2}$": {}}, "additionalProperties": False}, {"de_DE": 1}, {"xx_XX": 0}),
        ({"propertyNames": {"maxLength": 3}}, {SECRET: 1}, {"key_1": 0}),
        ({"propertyNames": {"minLength": 9}}, {"patient_name": 1}, {"key_1xxxx": 0}),
        ({"anyOf": [{"minimum": 10}, {"type": "string", "maxLength": 2}]}, 50, 10),
        ({"anyOf": [{"minimum": 10}, {"type": "string", "maxLength": 2}]}, SECRET, "xxx"),
        ({"oneOf": [{"const": "a"}, {"pattern": "^b+$"}]}, "bbbb", "b"),
        ({"not": {"const": "x"}}, SECRET, "xx"),
        ({"if": {"minLength": 3}, "then": {"pattern": "^y"}}, "yellow", "yxx"),
        ({"$ref": "#/properties/v/$defs/n", "$defs": {"n": {"minimum": 3}}}, 99, 3),
    ],
)
def test_a_value_answers_its_schema_as_the_raw_one_did(schema: object, value: object, expected: object) -> None:
    found = masked_value(value, schema)
    assert json.dumps(found, default=float) == json.dumps(expected)


def test_declared_names_stay_and_others_become_ordinals() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert masked('{"city": "Bern", "patient": {"city": 1, "ward": 2, "x": {}}}', schema) == (
        '{"city":"x","key_1":{"city":0,"key_1":0,"key_2":{}}}'
    )


def test_a_repeated_key_is_the_same_key_again() -> None:
    assert masked('{"ann":1,"bob":2,"ann":3}') == '{"key_1":0,"key_2":0,"key_1":0}'


def test_a_container_that_hides_a_value_behind_a_repeated_key_is_no_declared_one() -> None:
    schema = {"type": "object", "properties": {"v": {"const": {"a": 1}}}}
    assert masked('{"v":{"a":"SECRETSECRET","a":1}}', schema) == '{"v":{"key_1":"x","key_1":0}}'


@pytest.mark.parametrize(
    "text", ["1e-99999999999999999999", "0e99999999999999999999", "9" * 5000, "0." + "9" * 5000, "-0", "1e400", "1E+2"]
)
@pytest.mark.parametrize("schema", [None, {"minimum": 3}, {"multipleOf": 0.5}, {"enum": [1]}])
def test_any_number_has_a_placeholder(text: str, schema: object) -> None:
    whole = {"type": "object", "properties": {"v": schema}} if schema is not None else None
    raw = '{"v":' + text + "}"
    assert parse(masked(raw, whole), max_nesting=64).code is parse(raw, max_nesting=64).code


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"a": "lymph', '{"key_1":"x'),
        ('{"a": "lymph\\', '{"key_1":"x\\'),
        ('{"a": "lymph\\u12', '{"key_1":"x\\u00'),
        ('{"a": "lymph\\ud83d', '{"key_1":"\\ud800'),
        ('{"a', '{"x'),
        ('{"a":', '{"key_1":'),
        ('{"a": tru', '{"key_1":tru'),
        ('{"a": 12.', '{"key_1":0.'),
        ('{"a": -', '{"key_1":-'),
        ('{"a": 1}}secret', '{"key_1":0}}'),
        ('{"a": 1}{"b": 2}', '{"key_1":0}{'),
        ('{"a": 1} secret', '{"key_1":0} x'),
        ("The patient has", "x"),
        ("```json\n{}", "x"),
        ('{"a": NaN}', '{"key_1":NaN}'),
        ('{"a": -Infinity}', '{"key_1":-Infinity}'),
        ('{"a": "\\x41"}', '{"key_1":"x\\x'),
        ('{"a": "l\nymph"}', '{"key_1":"\t"}'),
        ('{"a": "l\nymph', '{"key_1":"x\t'),
        ('{"p\0q": 5, "b": "r\x1fs"}', '{"key_1\t":0,"key_2":"\t"}'),
        ('{"p\0q": 5, "p\0q": [1,}', '{"key_1\t":0,"key_1\t":[0,}'),
        ("\u3000\xa0", "\xa0"),
        ('\u2003 {"a": 1}', '\xa0{"key_1":0}'),
        ('{"a": 1} \u3000\n', '{"key_1":0}\xa0'),
        ('{"a": 1}\xa0x', '{"key_1":0}x'),
        ('{"a":\xa01}', '{"key_1":x'),
        ("{'a': 1}", "{x"),
        ('{"a": 1,}', '{"key_1":0,}'),
        ('{"a": 01}', '{"key_1":00'),
        ('\ufeff{"a": 1}', '\ufeff{"key_1":0}'),
        ("  \n", " "),
        ("", ""),
    ],
)
def test_broken_text_stays_broken_in_the_same_way(raw: str, expected: str) -> None:
    assert masked(raw) == expected
    assert parse(expected, max_nesting=64).code is parse(raw, max_nesting=64).code


BROKEN = [
    '{"city": "Bern \\u00e9\\n", "n": [-12.5e3, true, null], "s": "\\ud83d\\ude00\\ud83d"}',
    '{"a": "x\\q", "b": 1}',
    '{"a": 1} {"b": 2}',
    '{"a": nul, "b": 2}',
    '[1, 2, {"k": "v"}, 1e999, -Infinity]',
    'Sure! {"a": 1}',
    '{"a" 1}',
    '{"a": 00012}',
    '{"a": "\tb"}',
    "   ",
]


@pytest.mark.parametrize("raw", BROKEN)
@pytest.mark.parametrize("lengths", list(Lengths))
def test_every_truncation_keeps_its_parse_code(raw: str, lengths: Lengths) -> None:
    for end in range(len(raw) + 1):
        text = raw[:end]
        assert parse(masked(text, lengths=lengths), max_nesting=64).code is parse(text, max_nesting=64).code, end


def pieces_of(raw: str, at: Sequence[int]) -> list[str]:
    return [raw[low:high] for low, high in zip([0, *at], [*at, len(raw)], strict=True)]


@pytest.mark.parametrize("raw", BROKEN)
def test_any_two_cuts_leave_as_many_pieces_and_the_parse_code(raw: str) -> None:
    code = parse(raw, max_nesting=64).code
    for first in range(len(raw) + 1):
        for second in (first, first + 1, first + 3, len(raw)):
            pieces = pieces_of(raw, [first, min(second, len(raw))])
            found = mask_arguments(pieces, None, frozenset())
            assert [bool(piece) for piece in found] == [bool(piece) for piece in pieces]
            assert parse("".join(found), max_nesting=64).code is code, pieces


def test_one_character_fragments_take_linear_time() -> None:
    text = '{"v":"' + "a" * 20_000 + '"}'
    found = mask_arguments(list(text), None, frozenset())
    assert len(found) == len(text)
    assert max(map(len, found)) == len("key_1") - 1


def test_canonical_lengths_say_nothing_of_the_raw_ones() -> None:
    short = masked('{"diagnosis": "flu", "dose": 5}')
    long = masked('{"the_name_of_the_patient": "Ann Miller, born 1984", "number": 4111111111111111}')
    assert short == long


def test_exact_lengths_are_at_least_the_raw_ones() -> None:
    assert masked('{"k": "lymphoma", "n": 12345}', lengths=Lengths.AT_LEAST) == '{"key_1":"xxxxxxxx","key_2":0.000}'


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (['{"ann":1,"a', "n", 'n":2}'], '{"key_1":0,"key_1":0}'),
        (['{"annabell":1,"', *"annabel", 'l":2}'], '{"key_1xx":0,"key_1xx":0}'),
        (['{"annabell":1,"annabell":2}'], '{"key_1":0,"key_1":0}'),
    ],
)
def test_a_key_has_room_for_the_cuts_of_all_its_places(pieces: list[str], expected: str) -> None:
    assert "".join(mask_arguments(pieces, None, frozenset())) == expected


def test_different_numbers_stay_different_however_they_are_written() -> None:
    schema = {"type": "object", "properties": {"v": {"uniqueItems": True}}}
    found = mask_arguments(['{"v":[7,2', ".5,7.0]}"], schema, frozenset({"v"}))
    assert "".join(found) == '{"v":[0,10,0]}'


@pytest.mark.parametrize(
    "pieces",
    [
        ['{"ab\\ud83d\\ude42":1,"ab\\ud83d', '\\ude42":2}'],
        ['{"\\ud83d\\ude42":1,"\\ud8', "3d", "\\u", 'de42":2}'],
        ['{"\\ud83d\\ude42\\ud83d\\ude42":1,"\\ud83d', "\\ude42", "\\ud83d", '\\ude42":2}'],
        ['{"\\ud83d', '\\ude42a":1,"\\ud83d\\ude42', 'a":2,"b":3}'],
    ],
)
def test_a_repeated_key_stays_repeated_where_one_of_them_is_cut_inside_a_surrogate_pair(pieces: list[str]) -> None:
    raw = "".join(pieces)
    masked = mask_arguments(pieces, None, frozenset())
    assert parse(raw, max_nesting=64).code is Code.DUPLICATE_KEY
    assert parse("".join(masked), max_nesting=64).code is Code.DUPLICATE_KEY
    assert len(masked) == len(pieces)
    assert all(masked)
    assert "ud8" in "".join(masked)
