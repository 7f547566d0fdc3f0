"""Whose turn a URL names, by the recorder's own tables."""

import pytest

from proxy_addon.importing import recognition
from proxy_addon.importing.recognition import CUSTOM, Claim


def at(url: str, **claim: str) -> tuple[str, str, tuple[str, ...]] | None:
    parts = recognition.split(url)
    assert parts is not None
    found = recognition.turn("POST", parts, Claim(**claim))
    return found and (found.provider, found.turn.profile, found.turn.allow)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.openai.com/v1/chat/completions", ("openai", "openai", ("named_choice_stop",))),
        (
            "https://API.OpenAI.com.:443/v1/chat/completions?a",
            ("openai", "openai", ("named_choice_stop",)),
        ),
        ("https://eu.api.openai.com/v1/chat/completions", ("openai", "openai", ("named_choice_stop",))),
        (
            "https://api.mistral.ai/v1/chat/completions",
            ("mistral", "mistral", ("unindexed_whole_call",)),
        ),
        ("https://api.anthropic.com/v1/messages", ("anthropic", "anthropic", ())),
        (
            "https://x.openai.azure.com/openai/deployments/d/chat/completions",
            ("azure", "openai", ("named_choice_stop",)),
        ),
        (
            "https://us-east5-aiplatform.googleapis.com/v1/m:streamRawPredict",
            ("vertex", "anthropic", ()),
        ),
        ("https://api.writer.com/v1/chat", ("writer", "openai", ("message_mirror",))),
        ("http://localhost:8080/v1/chat/completions", (CUSTOM, "openai", ())),
        ("http://[::1]:8100/anthropic/v1/messages", (CUSTOM, "anthropic", ())),
        # A provider's other wire family: without the deviations of its own.
        ("https://openrouter.ai/api/v1/messages", ("openrouter", "anthropic", ())),
        ("https://api.openai.com.example/v1/chat/completions", (CUSTOM, "openai", ())),
        ("https://notapi.openai.com/v1/models", None),
        ("https://api.openai.com/v1/responses", ("openai", "openai-responses", ("builtin_calls", "unchecked_grammar"))),
        ("https://api.openai.com/v1/responses/compact", None),
        ("https://api.anthropic.com/v1/messages/count_tokens", None),
        ("https://example.org/x?/chat/completions", None),
        ("not a url", None),
    ],
)
def test_a_url_names_provider_profile_and_allowances(url: str, expected: object) -> None:
    assert at(url) == expected


def test_what_the_user_says_stands_over_the_host() -> None:
    url = "http://localhost/v1/chat/completions"
    assert at(url, profile="mistral") == (CUSTOM, "mistral", ())
    assert at(url, provider="mistral") == ("mistral", "mistral", ("unindexed_whole_call",))
    assert at(url, provider="mine", profile="openai") == ("mine", "openai", ())
    assert at(url, profile="anthropic") is None


def test_a_body_is_what_the_user_says() -> None:
    assert recognition.declared(Claim()) is None
    assert recognition.declared(Claim(provider="mine")) is None
    for several in ("openai", "azure", "openrouter"):  # chat completions or responses
        assert recognition.declared(Claim(provider=several)) is None
    found = recognition.declared(Claim(provider="azure", profile="openai-responses"))
    assert found is not None
    assert (found.provider, found.turn.profile) == ("azure", "openai-responses")
    for one, profile in (("mistral", "mistral"), ("vertex", "anthropic")):
        found = recognition.declared(Claim(provider=one))
        assert found is not None
        assert (found.provider, found.turn.profile) == (one, profile)
    found = recognition.declared(Claim(profile="anthropic"))
    assert found is not None
    assert (found.provider, found.turn.profile) == (CUSTOM, "anthropic")


@pytest.mark.parametrize("url", ["http://[::1/v1", "http://h:port/v1", "http://h:99999999/"])
def test_what_is_no_url_is_none(url: str) -> None:
    assert recognition.split(url) is None


def test_user_and_password_of_a_url_are_raw_values() -> None:
    parts = recognition.split("https://me%40x:s%65cret@host/")
    assert parts is not None
    assert recognition.user_info(parts) == ("me%40x", "s%65cret", "me@x", "secret")
