"""Objects that a client reads by their `type` keep a form that it knows; what they say is gone."""

import json
from typing import Any

import pytest

from redaction.captured.exchange import Exchange, Proved
from redaction.redactor import redact
from replay.families import array


def masked(profile: str, payload: dict[str, Any]) -> Any:
    """The payload, redacted by itself."""
    body = f"data: {json.dumps(payload)}\n\n".encode()
    proved = redact(Exchange(profile=profile, provider=profile, body=body))
    assert isinstance(proved, Proved)
    return json.loads(proved.fixture.data)[array(profile)][0]


def block(**members: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": members}


@pytest.mark.parametrize(
    ("raw", "form"),
    [
        ({"type": "direct"}, {"type": "direct"}),
        (
            {"type": "code_execution_20260120", "tool_id": "srvtoolu_01Abc"},
            {"type": "code_execution_20260120", "tool_id": "toolu_00000002"},
        ),
        ({"type": "mara_20260120"}, {"type": "other_1"}),
        (None, None),
    ],
)
def test_who_asked_for_a_call_keeps_its_type(raw: Any, form: Any) -> None:
    found = masked("anthropic", block(type="tool_use", id="toolu_1", name="f", input={}, caller=raw))
    assert found["content_block"]["caller"] == form


def test_what_a_tool_of_the_provider_answers_keeps_its_form() -> None:
    page = {
        "type": "web_fetch_result",
        "url": "https://example.org/mara",
        "retrieved_at": "2026-11-30",
        "content": {
            "type": "document",
            "title": None,
            "citations": {"enabled": True},
            "source": {"type": "text", "media_type": "text/plain", "data": "the patient"},
        },
    }
    found = masked("anthropic", block(type="web_fetch_tool_result", tool_use_id="srvtoolu_1", content=page))
    assert found["content_block"]["content"] == {
        "type": "web_fetch_result",
        "url": "x",
        "retrieved_at": "x",
        "content": {
            "type": "document",
            "title": None,
            "citations": {"enabled": False},
            "source": {"type": "text", "media_type": "text/plain", "data": "x"},
        },
    }


def test_a_list_or_a_text_in_the_place_of_an_object_is_emptied() -> None:
    for raw, form in ([{"type": "web_search_result", "url": "https://mara"}], []), ("mara", "x"):
        found = masked("anthropic", block(type="web_search_tool_result", tool_use_id="srvtoolu_1", content=raw))
        assert found["content_block"]["content"] == form


def test_an_annotation_and_the_counts_of_use_keep_what_clients_demand() -> None:
    added = {
        "type": "response.output_text.annotation.added",
        "annotation": {"type": "url_citation", "start_index": 7, "end_index": 9, "url": "https://mara", "title": "M"},
    }
    assert masked("openai-responses", added)["annotation"] == {
        "type": "url_citation",
        "start_index": 0,
        "end_index": 0,
        "url": "x",
        "title": "x",
    }
    usage = {
        "input_tokens": 12,
        "input_tokens_details": {"cached_tokens": 3},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 16,
    }
    done = {"type": "response.completed", "response": {"id": "resp_1", "usage": usage, "tool_choice": "auto"}}
    assert masked("openai-responses", done)["response"]["usage"] == {
        "input_tokens": 0,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 0,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 0,
    }


@pytest.mark.parametrize(("raw", "form"), [("7", "7"), ("12345", "x"), ("Mara", "x")])
def test_a_number_of_a_sequence_that_is_a_text_is_an_index_to_a_client_that_converts_it(raw: str, form: str) -> None:
    event = {"type": "response.in_progress", "response": {"id": "resp_1", "status": "in_progress"}}
    assert masked("openai-responses", event | {"sequence_number": raw})["sequence_number"] == form
