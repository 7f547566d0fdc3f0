"""Where a request goes, and which answers are turns."""

from dataclasses import replace

import pytest

from proxy_addon.recorder.routes import Routes
from proxy_addon.upstreams import BUILT_IN, Upstream

ROUTES = Routes(
    [
        *BUILT_IN.values(),
        Upstream(name="gate", scheme="https", host="gate.example", port=8443, base_path="/api/v2", profile="openai"),
        Upstream(name="six", scheme="http", host="::1", port=80, profile="openai"),
    ]
)


@pytest.mark.parametrize(
    ("target", "upstream", "forwarded"),
    [
        ("/openai/v1/chat/completions", "openai", "/v1/chat/completions"),
        ("/openai/v1/chat/completions?a=1&b=/x", "openai", "/v1/chat/completions?a=1&b=/x"),
        ("/anthropic/v1/messages?beta=true", "anthropic", "/v1/messages?beta=true"),
        ("/openai", "openai", "/"),
        ("/openai?a", "openai", "/?a"),
        ("/openai/", "openai", "/"),
        ("/openai//double/", "openai", "//double/"),
        ("/openai/%2e%2e/x", "openai", "/%2e%2e/x"),
        ("/gate/v1/chat", "gate", "/api/v2/v1/chat"),
        ("/gate", "gate", "/api/v2"),
        ("/gate/", "gate", "/api/v2/"),
    ],
)
def test_the_first_segment_is_the_upstream_and_the_rest_is_forwarded_as_written(
    target: str, upstream: str, forwarded: str
) -> None:
    route = ROUTES.find(target)
    assert route is not None
    assert (route.upstream.name, route.target) == (upstream, forwarded)


@pytest.mark.parametrize(
    "target",
    ["", "/", "*", "openai/v1", "/openaix", "/open", "/OpenAI/v1", "//openai", "/%6fpenai", "/?/openai"],
)
def test_what_is_no_whole_segment_fits_no_prefix(target: str) -> None:
    assert ROUTES.find(target) is None


def test_an_upstream_knows_its_authority_and_url() -> None:
    named = {upstream.name: upstream for upstream in ROUTES.upstreams}
    assert named["openai"].authority == "api.openai.com"
    assert named["gate"].authority == "gate.example:8443"
    assert named["gate"].url == "https://gate.example:8443/api/v2"
    assert named["six"].url == "http://[::1]"
    assert replace(named["six"], port=1).authority == "[::1]:1"


def test_a_client_that_names_its_host_means_the_upstream_with_the_longest_path_there() -> None:
    here = Upstream(name="a", scheme="https", host="gate.example", port=443, base_path="", profile="openai")
    deeper = replace(here, name="b", base_path="/b")
    deepest = replace(here, name="c", base_path="/b/c")
    elsewhere = replace(here, name="d", port=8443, base_path="/b")
    routes = Routes([deeper, deepest, here, elsewhere])
    found = {
        target: routes.hosted("https", "Gate.Example", 443, target)
        for target in ("/v1", "/b", "/b/v1?x=/b/c", "/b/c/v1", "/b/cc")
    }
    assert found == {"/v1": here, "/b": deeper, "/b/v1?x=/b/c": deeper, "/b/c/v1": deepest, "/b/cc": deeper}
    assert routes.hosted("http", "gate.example", 443, "/v1") is None
    assert routes.hosted("https", "gate.example", 8443, "/v1") is None
    assert (routes.lists("GATE.example", 8443), routes.lists("gate.example", 80)) == (True, False)
