import sys
import time
from collections.abc import Callable
from decimal import Decimal

import pytest
from support.shared import folder

from replay.validator._json_quick import LARGE_TEXT, UNCLEAN, clean_value
from replay.validator.codes import Code
from replay.validator.strict_json import Parsed, _Exact, parse

MIB = 1024 * 1024


def code(text: str, max_nesting: int = 64) -> Code | None:
    return parse(text, max_nesting=max_nesting).code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        (" \t\r\n1 ", 1),
        ("12345678901234567890123", 12345678901234567890123),
        ("19.99", Decimal("19.99")),
        ("1.0", Decimal("1.0")),
        ("1e2", Decimal("1e2")),
        ("1e-999", Decimal("1e-999")),
        ("0e999999999999999999999", Decimal(0)),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ('"\\u0000/\\/"', "\0//"),
        ('{"a":[{},[],null,true,false]}', {"a": [{}, [], None, True, False]}),
        ('"\ufeff"', "\ufeff"),
    ],
)
def test_good_text_gives_its_exact_value(text: str, value: object) -> None:
    parsed = parse(text, max_nesting=64)
    assert (parsed.code, parsed.value, type(parsed.value)) == (None, value, type(value))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Code.MALFORMED_ARGUMENTS),
        ("{", Code.MALFORMED_ARGUMENTS),
        ('{"a":1,}', Code.MALFORMED_ARGUMENTS),
        ("[01]", Code.MALFORMED_ARGUMENTS),
        ("[-NaN]", Code.MALFORMED_ARGUMENTS),
        ("[.5]", Code.MALFORMED_ARGUMENTS),
        ("[1.]", Code.MALFORMED_ARGUMENTS),
        ("[\u0661]", Code.MALFORMED_ARGUMENTS),
        ('"\t"', Code.MALFORMED_ARGUMENTS),
        ('"\\x"', Code.MALFORMED_ARGUMENTS),
        ('"\\u12g4"', Code.MALFORMED_ARGUMENTS),
        ("\u00a0", Code.MALFORMED_ARGUMENTS),
        ("\ufeff", Code.MALFORMED_ARGUMENTS),
        ("{} {}", Code.TRAILING_DATA),
        ("01", Code.TRAILING_DATA),
        ("{}\u00a0", Code.TRAILING_DATA),
        ("[NaN]", Code.NON_FINITE_NUMBER),
        ("[-Infinity]", Code.NON_FINITE_NUMBER),
        ("1e999", Code.NON_FINITE_NUMBER),
        ("-1e999", Code.NON_FINITE_NUMBER),
        ("1" * 400, Code.NON_FINITE_NUMBER),
        ("1" * 400 + ".5", Code.NON_FINITE_NUMBER),
        ("1" + "0" * 400 + "e-300", None),
        ('{"a":1,"\\u0061":2}', Code.DUPLICATE_KEY),
        ('[{"a":1},{"b":{"c":1,"c":1}}]', Code.DUPLICATE_KEY),
        ('{"\\ud800":1,"\\uD800":2}', Code.DUPLICATE_KEY),
        ('"\\ud800"', Code.INVALID_UNICODE),
        ('{"\\udc00":1}', Code.INVALID_UNICODE),
        ('"\ud800"', Code.INVALID_UNICODE),
        ("\ufeff{}", Code.INVALID_UNICODE),
    ],
)
def test_each_fault_has_its_code(text: str, expected: Code | None) -> None:
    assert code(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":NaN,"a":"\\ud800"} x', Code.TRAILING_DATA),
        ('{"a":NaN,"a":"\\ud800"}', Code.NON_FINITE_NUMBER),
        ('{"a":1,"a":"\\ud800"}', Code.DUPLICATE_KEY),
        ('\ufeff{"a":1,"a":2}', Code.DUPLICATE_KEY),
        ('{"a":NaN,"a":"\\ud800"', Code.MALFORMED_ARGUMENTS),
        ("[NaN,[[[", Code.LIMIT_EXCEEDED),
        ("[[[[}", Code.LIMIT_EXCEEDED),
        ("[[}[[", Code.MALFORMED_ARGUMENTS),
    ],
)
def test_of_several_faults_the_first_of_the_table_is_reported_and_what_stops_the_parse_wins(
    text: str, expected: Code
) -> None:
    assert code(text, max_nesting=3) is expected


def test_the_limit_of_nesting_is_allowed_and_one_more_is_found_at_its_place() -> None:
    assert code("[" * 64 + "]" * 64) is None
    assert parse('[{"a":' * 33, max_nesting=64) == Parsed(None, Code.LIMIT_EXCEEDED, 32 * len('[{"a":'))
    assert code('{"a":["[[[[\\"[[["]}', max_nesting=2) is None
    assert code("[]", max_nesting=0) is Code.LIMIT_EXCEEDED
    assert code("1", max_nesting=0) is None


def test_the_boundary_of_a_double_is_exact() -> None:
    largest = int(sys.float_info.max)
    assert code(str(largest)) is None
    assert code(str(largest * 10)) is Code.NON_FINITE_NUMBER
    assert code("1" + "0" * 308) is None
    assert code("2" + "0" * 308) is Code.NON_FINITE_NUMBER


@pytest.mark.parametrize(
    "text",
    [
        "[" * 4 * MIB,
        '{"a":' * MIB,
        "1" * 4 * MIB,
        "0." + "1" * 4 * MIB,
        "1e-" + "9" * 4 * MIB,
        "1e" + "9" * 4 * MIB,
        '"' + "x" * 4 * MIB + '"',
        '"' + "\\n" * 2 * MIB + '"',
        '"' + "\\ud800" * (MIB // 2) + '"',
        '"' + "\\" * 4 * MIB,
        "{" + ",".join(f'"{key}":1' for key in range(100_000)) + "}",
        "{" + '"a":1,' * 200_000 + '"a":1}',
        "[" + "[]," * MIB + "[]]",
        "[" + "-" * 4 * MIB,
        " " * 4 * MIB,
    ],
    ids=lambda text: f"{text[:6]!r}",
)
def test_megabytes_of_anything_take_seconds_at_most(text: str) -> None:
    start = time.process_time()
    parse(text, max_nesting=64)
    assert time.process_time() - start < 8


def test_an_error_holds_no_text() -> None:
    parsed = parse('{"secret":', max_nesting=64)
    assert "secret" not in repr(parsed)
    assert "secret" not in repr(parse('{"secret":1}', max_nesting=64))


# What the rules decide where the suite leaves it open: a number that overflows a double is refused, one that
# underflows is not; half a surrogate pair and a byte order mark are refused; 500 levels are past the limit.
OPEN = {
    "i_number_double_huge_neg_exp": None,
    "i_number_huge_exp": Code.NON_FINITE_NUMBER,
    "i_number_neg_int_huge_exp": Code.NON_FINITE_NUMBER,
    "i_number_pos_double_huge_exp": Code.NON_FINITE_NUMBER,
    "i_number_real_neg_overflow": Code.NON_FINITE_NUMBER,
    "i_number_real_pos_overflow": Code.NON_FINITE_NUMBER,
    "i_number_real_underflow": None,
    "i_number_too_big_neg_int": None,
    "i_number_too_big_pos_int": None,
    "i_number_very_big_negative_int": None,
    "i_object_key_lone_2nd_surrogate": Code.INVALID_UNICODE,
    "i_string_1st_surrogate_but_2nd_missing": Code.INVALID_UNICODE,
    "i_string_1st_valid_surrogate_2nd_invalid": Code.INVALID_UNICODE,
    "i_string_incomplete_surrogate_and_escape_valid": Code.INVALID_UNICODE,
    "i_string_incomplete_surrogate_pair": Code.INVALID_UNICODE,
    "i_string_incomplete_surrogates_escape_valid": Code.INVALID_UNICODE,
    "i_string_invalid_lonely_surrogate": Code.INVALID_UNICODE,
    "i_string_invalid_surrogate": Code.INVALID_UNICODE,
    "i_string_inverted_surrogates_U+1D11E": Code.INVALID_UNICODE,
    "i_string_lone_second_surrogate": Code.INVALID_UNICODE,
    "i_structure_500_nested_arrays": Code.LIMIT_EXCEEDED,
    "i_structure_UTF-8_BOM_empty_object": Code.INVALID_UNICODE,
}
# Grammar alone would take these; a repeated name is refused all the same.
REPEATED = {"y_object_duplicated_key", "y_object_duplicated_key_and_value"}
# Texts the suite refuses that are JSON with something more behind it, or not finite, or too deep.
OTHER_CODES = {
    Code.TRAILING_DATA: (
        "n_array_comma_after_close n_array_extra_close n_multidigit_number_then_00 n_object_trailing_comment"
        " n_object_trailing_comment_open n_object_trailing_comment_slash_open"
        " n_object_trailing_comment_slash_open_incomplete n_object_with_trailing_garbage"
        " n_string_with_trailing_garbage n_structure_array_trailing_garbage"
        " n_structure_array_with_extra_array_close n_structure_close_unopened_array n_structure_double_array"
        " n_structure_number_with_trailing_garbage n_structure_object_followed_by_closing_object"
        " n_structure_object_with_trailing_garbage n_structure_trailing_#"
    ).split(),
    Code.NON_FINITE_NUMBER: "n_number_NaN n_number_infinity n_number_minus_infinity".split(),
    Code.LIMIT_EXCEEDED: "n_structure_100000_opening_arrays n_structure_open_array_object".split(),
}


def test_every_text_of_the_parsing_suite_is_decided_as_the_rules_say() -> None:
    others = {name: found for found, names in OTHER_CODES.items() for name in names}
    seen = set()
    for path in sorted((folder("suites") / "json-parsing" / "test_parsing").glob("*.json")):
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            assert path.name.startswith(("n_", "i_"))  # no text at all: refused before any parse
            continue
        found = code(text)
        if path.stem in OPEN:
            assert found is OPEN[path.stem], path.stem
        elif path.name.startswith("y_"):
            assert found is (Code.DUPLICATE_KEY if path.stem in REPEATED else None), path.stem
        else:
            assert found is others.get(path.stem, Code.MALFORMED_ARGUMENTS), path.stem
        seen.add(path.stem)
        exact = _Exact(text, 64).read()
        assert (exact.code, exact.value) == (found, parse(text, max_nesting=64).value), path.stem
    assert seen >= OPEN.keys() | others.keys() | REPEATED


@pytest.mark.parametrize(
    "text", ['{"a":[1,2.5,"x\\"]}"]}', "[[[]],[[]]]", '["\\\\","[",{"]":"}"}]', '{"":{"\\\\\\"[":[""]}}', '["","{",""]']
)
def test_the_quick_reader_counts_levels_as_the_exact_one_does(text: str) -> None:
    for limit in range(5):
        quick = clean_value(text, limit)
        exact = _Exact(text, limit).read()
        assert (quick is UNCLEAN) is (exact.code is not None)
        assert quick is UNCLEAN or quick == exact.value


ESCAPES = [
    r'{"a":"\\","b":"\\\"","c":"\\\\"}',
    r'{"\":":1,"\\":[2],"\\\":":{"[":3}}',
    r'["\\\n",{"\n\"":"\"{"},"\n\n"]',
    r'{"a":"\ud83d\ude00","b":"\\ud800"}',
    r'{"a":1,"\u0061":2}',
    r'{"\\":1,"\u005c":2}',
    r'["\ud800"]',
    r'["\\\ud800"]',
    '["\ud800"]',
    '{"a":1.5,"b":{"a":1.5e2}}',
    "[1e999]",
    "[NaN]",
]


@pytest.mark.parametrize("text", ESCAPES)
@pytest.mark.parametrize(
    "large",
    [lambda text: text + " " * LARGE_TEXT, lambda text: f"[{','.join([text] * LARGE_TEXT)}]"],
    ids=["few escapes", "many escapes"],
)
def test_the_quick_reader_takes_a_large_text_as_the_exact_one_does(text: str, large: Callable[[str], str]) -> None:
    for limit in range(5):
        quick = clean_value(large(text), limit)
        exact = _Exact(large(text), limit).read()
        assert (quick is UNCLEAN) is (exact.code is not None)
        assert quick is UNCLEAN or repr(quick) == repr(exact.value)
        assert parse(large(text), max_nesting=limit) == exact
