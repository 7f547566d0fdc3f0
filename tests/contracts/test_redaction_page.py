"""The page on redaction shows what redaction does: its example is run, with every schema that it names."""

import json
import re

import pytest
from support.shared import ROOT

from redaction.captured.exchange import Exchange, Proved, Widths
from redaction.families.tables.treatments import Treatment
from redaction.redactor import redact

PAGE = (ROOT / "docs" / "redaction.md").read_text("utf-8")
ADDRESS = "mara.lindqvist@example.org"


def example(name: str) -> str:
    block = re.search(rf"<!-- example: {name} -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert block is not None
    return block[1]


def redacted(request: str, widths: Widths = Widths.DROPPED) -> str:
    """The fixture that the page's stream becomes, asked for by `request`."""
    found = redact(
        Exchange(
            profile="openai",
            provider="openai",
            request_body=request.encode(),
            content_type="text/event-stream",
            body=example("wire").encode(),
        ),
        widths=widths,
    )
    assert isinstance(found, Proved)
    return found.fixture.data.decode()


def fragments(fixture: str) -> list[str]:
    deltas = [chunk["choices"][0]["delta"] for chunk in json.loads(fixture)["chunks"]]
    return [delta["tool_calls"][0]["function"]["arguments"] for delta in deltas if delta]


def test_the_fixture_of_the_page_is_the_one_that_its_stream_becomes() -> None:
    assert redacted(example("request")).strip() == example("fixture").strip()


@pytest.mark.parametrize(
    ("schema", "becomes"), re.findall(r"^\| `(\{.*?\})` \| (`\{.*?`) \|", PAGE, flags=re.MULTILINE)
)
def test_the_address_becomes_what_the_page_says(schema: str, becomes: str) -> None:
    request = json.loads(example("request"))
    request["tools"][0]["function"]["parameters"]["properties"]["to"] = json.loads(schema)
    assert fragments(redacted(json.dumps(request))) == re.findall(r"`([^`]+)`", becomes)


def test_the_page_shows_an_address_in_three_pieces_that_no_line_has_whole() -> None:
    raw = [
        json.loads(line.removeprefix("data: ")) for line in example("wire").splitlines() if line.startswith("data: {")
    ]
    assert "".join(fragments(json.dumps({"chunks": raw}))) == json.dumps({"to": ADDRESS}, separators=(",", ":"))
    assert [ADDRESS in json.dumps(chunk) for chunk in raw] == [False, False, False, True]
    assert re.search("`(.*?)`, and so on, as long", PAGE)
    first = fragments(redacted(example("request").replace(', "format": "email"', ""), Widths.KEPT))[0]
    assert f"`{first}`, and so on" in PAGE


def test_every_treatment_is_on_the_page() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| .* \| .* \|$", PAGE, flags=re.MULTILINE)
    assert {row.replace(" ", "_").upper() for row in rows} >= {treatment.name for treatment in Treatment}
