"""What the server says of itself: where it is, and why it cannot be there."""

from replay.serve.server import base_urls


def test_each_provider_has_a_base_url_and_one_of_several_profiles_has_one_for_each() -> None:
    upstreams = [
        ("groq", "openai"),
        ("custom", "openai"),
        ("groq", "openai"),
        ("custom", "anthropic"),
        ("ä/b", "mistral"),
    ]
    assert base_urls("http://x", upstreams) == {
        "groq": "http://x/groq/v1",
        "custom/openai": "http://x/custom/v1",
        "custom/anthropic": "http://x/custom",
        "ä/b": "http://x/%C3%A4%2Fb",
    }
