"""The table of wire families, asked as recorder, import and serve ask it."""

import pytest

from replay import families
from replay.families import FAMILIES, PROVIDERS
from replay.validator import Allowance
from replay.validator.profiles import PROFILES


def test_every_profile_has_its_row_and_no_other_has() -> None:
    assert FAMILIES.keys() == PROFILES.keys()


@pytest.mark.parametrize(
    ("target", "profile"),
    [
        ("/v1/chat/completions", "openai"),
        ("/openai/deployments/x/chat/completions?api-version=2024", "openai"),
        ("/v1/chat", "openai"),
        ("/x?/chat/completions", None),
        ("/v1/messages?beta=true", "anthropic"),
        ("/v1/messages/count_tokens", None),
        ("/v1/projects/p/models/claude@1:streamRawPredict", "anthropic"),
        ("/v1/projects/p/models/claude@1:rawPredict", None),
        ("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "gemini"),
        ("/v1/projects/p/locations/l/publishers/google/models/g:streamGenerateContent", "gemini"),
        ("/v1beta/models/gemini-2.5-flash:generateContent", None),
        ("/api/chat", "ollama"),
        ("/api/generate", None),
        ("/v1/embeddings", None),
        ("", None),
    ],
)
def test_the_end_of_a_path_says_the_family(target: str, profile: str | None) -> None:
    assert families.family_of("POST", target) == profile
    assert families.family_of("PUT", target) is None


def test_of_families_that_share_a_path_the_one_that_the_provider_speaks_is_meant() -> None:
    assert families.family_of("POST", "/v1/chat/completions", "mistral") == "mistral"
    assert families.family_of("POST", "/v1/chat/completions", "anthropic") == "openai"
    assert families.family_of("POST", "/v1/messages", "mistral") == "anthropic"


@pytest.mark.parametrize("profile", FAMILIES)
def test_a_family_knows_its_own_paths_and_a_base_url_leads_to_one(profile: str) -> None:
    family = FAMILIES[profile]
    assert family.paths
    assert all(families.asks_for(profile, "POST", f"/x{path}?y=z") for path in family.paths)
    assert not families.asks_for(profile, "POST", "/x")
    assert not families.asks_for(profile, "GET", family.base + family.paths[0])


def test_every_provider_is_at_some_host_and_speaks_a_family_with_allowances_that_exist() -> None:
    known = {allowance.value for allowance in Allowance}
    assert {provider.family for provider in PROVIDERS.values()} <= FAMILIES.keys()
    assert {family.provider for family in FAMILIES.values()} <= PROVIDERS.keys()
    assert all(set(provider.allow) <= known for provider in PROVIDERS.values())
    assert all(family.allowances <= known for family in FAMILIES.values())
    assert known == {name for family in FAMILIES.values() for name in family.allowances}
    assert all(
        any(families.effective(profile, one.allow) for profile in FAMILIES) for one in PROVIDERS.values() if one.allow
    )


@pytest.mark.parametrize(
    ("host", "provider"),
    [
        ("api.openai.com", "openai"),
        ("API.OpenAI.com.", "openai"),
        ("eu.api.openai.com", "openai"),
        ("notapi.openai.com", None),
        ("api.openai.com.example", None),
        ("us-east5-aiplatform.googleapis.com", "vertex"),
        ("localhost", None),
        ("", None),
    ],
)
def test_a_host_says_the_provider(host: str, provider: str | None) -> None:
    assert families.provider_at(host) == provider


@pytest.mark.parametrize(
    ("content_type", "streams"),
    [
        (None, True),
        ("text/event-stream", True),
        ("Text/Event-Stream; charset=utf-8", True),
        ("application/json", False),
        ("", True),  # as good as none
        ("text/plain; charset=utf-8", True),  # neither of these says anything
        ("application/octet-stream", True),
        ("text/html", False),
    ],
)
def test_a_content_type_says_whether_a_response_can_be_a_stream(content_type: str | None, streams: bool) -> None:
    assert families.streams("openai", content_type) is streams


@pytest.mark.parametrize(
    ("profile", "path", "body", "asks"),
    [
        (None, "/v1/chat/completions", {"stream": True}, True),
        (None, "/v1/chat/completions", {}, False),
        (None, "/v1/chat/completions", None, False),
        (None, "/v1/models/claude:streamRawPredict", {}, True),
        (None, "/v1beta/models/g:streamGenerateContent", None, True),
        ("gemini", "", None, True),
        (None, "/api/chat", {}, True),
        (None, "/api/chat", {"stream": False}, False),
        (None, "/api/chat", None, False),
        (None, "/nowhere", {"stream": True}, True),
    ],
)
def test_a_request_asks_for_a_stream_as_its_family_does(
    profile: str | None, path: str, body: object, asks: bool
) -> None:
    assert families.asks_for_stream(profile, path, body) is asks


@pytest.mark.parametrize(
    ("profile", "path", "model"),
    [
        ("gemini", "/v1beta/models/gemini-2.5-flash:streamGenerateContent", "gemini-2.5-flash"),
        ("gemini", "/v1/projects/p/endpoints/77:streamGenerateContent", "77"),
        ("gemini", "/v1beta/models/tuned%2Fmine:streamGenerateContent", "tuned/mine"),
        ("openai", "/v1/models/gpt-4o/chat/completions", ""),
    ],
)
def test_a_path_names_the_model_where_the_family_has_it_there(profile: str, path: str, model: str) -> None:
    assert families.model_in(profile, path) == model


def test_a_form_of_a_framing_leads_to_a_framing_that_the_family_has() -> None:
    assert families.framing_of("gemini", "json-object").name == "json"
    assert families.framing_of("gemini", None) is families.framing_of("gemini", "ndjson") is FAMILIES["gemini"].framing
