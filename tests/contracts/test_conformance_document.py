"""The lists in the conformance document and in the code are the same."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from replay.validator import RETRY, RULES, Allowance, Code, Envelope, Limits, Retry, Status, envelope_from, judge
from replay.validator.findings import EXIT_CODES
from replay.validator.limits import MAX_FIXTURE_BYTES, MAX_FIXTURE_NESTING, MAX_INDEX
from replay.validator.profiles import ARRAYS, PROFILES
from replay.validator.profiles._readers import responses
from replay.validator.profiles._readers.blocks import BLOCKS, DELTAS, EVENTS, RESULT_SUFFIX, TAKEOVERS
from replay.validator.schema import FORMATS, KEYWORDS, unsupported
from replay.validator.schema._formats import EXAMPLES
from replay.validator.schema._keywords import ANNOTATION_PREFIX
from replay.validator.schema._kinds.shapes import MAX_NUMBER_DIGITS, MAX_NUMBER_EXPONENT
from replay.validator.schema._pattern_tree import MAX_GROUP_DEPTH
from replay.validator.schema.patterns import MAX_INSTRUCTIONS

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")


def listed(name: str) -> list[str]:
    block = re.search(rf"<!-- list: {name} -->\n(.*?)<!-- end -->", DOCUMENT, re.DOTALL)
    assert block is not None
    return re.findall(r"^- `(.+)`$", block.group(1), re.MULTILINE)


def rows(heading: str) -> list[list[str]]:
    """The cells of each table whose first column has the heading."""
    tables = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", DOCUMENT, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split("|")] for table in tables for line in table.splitlines()]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def names(heading: str) -> list[str]:
    return [words(row[0])[0] for row in rows(heading)]


def test_every_code_has_one_row_and_every_row_a_code() -> None:
    # `invalid_fixture` is what section 1 is about: it has prose, no row.
    assert sorted(names("code")) == sorted(code.value for code in Code if code is not Code.INVALID_FIXTURE)


def test_the_allowances_are_the_same() -> None:
    assert names("allowance") == [allowance.value for allowance in Allowance]


def test_the_limits_and_their_defaults_are_the_same() -> None:
    found = {words(row[0])[0]: int(row[1]) for row in rows("limit")}
    assert found == {field.name: getattr(Limits(), field.name) for field in fields(Limits)}


def test_the_statuses_and_their_exit_codes_are_the_same() -> None:
    found = {words(row[0])[0]: int(row[1]) for row in rows("status")}
    assert found == {status.value: EXIT_CODES[status] for status in Status}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("events", EVENTS),
        ("blocks", BLOCKS),
        ("built-in calls", responses.BUILT_IN_CALLS),
        ("other items", responses.OTHER_ITEMS),
        ("keywords", frozenset(name for name, keyword in KEYWORDS.items() if keyword.decides or name == "$schema")),
        ("annotations", frozenset(name for name, word in KEYWORDS.items() if not word.decides and name != "$schema")),
        ("formats", FORMATS),
    ],
)
def test_a_list_is_the_same(name: str, values: frozenset[str]) -> None:
    found = listed(name)
    assert len(found) == len(set(found))
    assert set(found) == set(values)


def test_the_deltas_and_what_they_fit_are_the_same() -> None:
    assert {words(row[0])[0]: frozenset(words(row[1])) for row in rows("delta")} == DELTAS


def test_the_events_of_a_response_are_the_same() -> None:
    pieces = {words(row[0])[0]: tuple(words(row[1])) for row in rows("piece")}
    assert pieces == responses.ASIDES
    items = {"response.output_item.added", "response.output_item.done"}
    asides = {f"response.{piece}.{end}" for piece, ends in pieces.items() for end in ends}
    found = listed("response events")
    assert len(found) == len(set(found))
    assert set(found) == responses.EVENTS - items - asides


def test_every_other_name_and_number_of_the_code_is_on_the_page() -> None:
    for name in [
        *PROFILES,
        *ARRAYS,
        *TAKEOVERS,
        RESULT_SUFFIX,
        ANNOTATION_PREFIX,
        *responses.CALLS,
        *responses.CALLS.values(),
        *responses.TAKEOVERS,
        *responses.CONTAINERS,
        responses.SERVER,
        responses.PROGRAM,
        responses.WAITING,
    ]:
        assert f"`{name}`" in DOCUMENT
    numbers = (
        RULES,
        MAX_FIXTURE_BYTES,
        MAX_FIXTURE_NESTING,
        MAX_INDEX,
        MAX_INSTRUCTIONS,
        MAX_GROUP_DEPTH,
        MAX_NUMBER_DIGITS,
        MAX_NUMBER_EXPONENT,
    )
    for number in numbers:
        assert re.search(rf"\b{number}\b", DOCUMENT), number


def test_a_retry_makes_sense_for_the_codes_that_the_page_says() -> None:
    codes = names("code")
    correctable = {"unknown_tool", *codes[codes.index("empty_arguments") : codes.index("schema_violation") + 1]}
    assert correctable == {code.value for code in Code if RETRY[code] is Retry.WITH_FEEDBACK}


@pytest.mark.parametrize("name", ["regex", "idn-hostname"])
def test_the_formats_that_the_page_leaves_out_fail_closed(name: str) -> None:
    assert f"`{name}`" in DOCUMENT.partition("are unsupported like any other name")[0]
    assert unsupported({"properties": {"a": {"format": name}}}) == "/properties/a/format must be a documented format"


def test_every_format_has_an_example_of_its_own() -> None:
    assert EXAMPLES.keys() == FORMATS.keys()
    assert all(FORMATS[name](example) for name, example in EXAMPLES.items())


STREAMS = re.findall(r"<!-- judged: (\S+) (\S+) -->\n```json\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
WEATHER = {"weather": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}
# What the page says of every family at once, and of the arguments.
COMMON = {"malformed_event", "stream_error", "unrequested_call", "limit_exceeded"}


@pytest.mark.parametrize(("profile", "status", "text"), STREAMS)
def test_a_stream_of_the_page_is_judged_as_it_says(profile: str, status: str, text: str) -> None:
    payloads = [json.loads(line) for line in text.splitlines()]
    assert 4 <= len(payloads) <= 8
    envelope = envelope_from({"profile": profile, "tool_schemas": WEATHER, PROFILES[profile].array: payloads})
    assert isinstance(envelope, Envelope)
    report = judge(envelope)
    assert report.status.value == status
    assert {call.name for call in report.calls} == {"weather"}


def test_every_family_has_a_stream() -> None:
    assert sorted(profile for profile, _, _ in STREAMS) == sorted(PROFILES)


@pytest.mark.parametrize(
    ("profiles", "text"), re.findall(r"<!-- family: (.*?) -->\n(.*?)<!-- end of family -->", DOCUMENT, re.DOTALL)
)
def test_the_tables_of_a_family_name_the_codes_that_it_can_have(profiles: str, text: str) -> None:
    """All but those of the arguments, and those that the page names for all families at once."""
    named = {word for cell in re.findall(r"\| ([^|\n]*) \|$", text, re.MULTILINE) for word in words(cell)}
    codes = names("code")
    of_arguments = codes[codes.index("unknown_tool") : codes.index("schema_violation") + 1]
    for profile in profiles.split():
        never = {code.value for code in PROFILES[profile].never}
        assert named | COMMON == set(codes) - set(of_arguments) - never


def test_the_tables_of_what_you_see_have_three_cells_and_codes_that_exist() -> None:
    found = rows("you see")
    assert len(found) > 50
    assert all(len(row) == 3 for row in found)
    assert {word for row in found for word in words(row[2])} <= {code.value for code in Code}
