"""One prefix, several APIs: the path of each request says what is spoken, and the host who speaks it."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

pytest.importorskip("mitmproxy")

from support.builders.turns import DONE, RESPONSE_TOOL, call, messages, request, responses
from support.processes.command import toolreel
from support.processes.recorder import Recorder
from support.sockets.certificates import authority
from support.sockets.provider import Answer, Framing, Provider, Request
from support.sockets.wire import ask, body_of, post, status_of, through

PIECES: Final = ('{"ci', 'ty": "Oslo"}')
CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
TURNS: Final = {
    CHAT: (*call(*PIECES), DONE),
    MESSAGES: (*messages(*PIECES),),
    RESPONSES: (*responses(*PIECES),),
}
PROFILES: Final = {CHAT: "openai", MESSAGES: "anthropic", RESPONSES: "openai-responses"}
JSON: Final = (("Content-Type", "application/json"),)
RETRIEVED: Final = "/v1/responses/resp_0123456789"


def asking(path: str, *, stream: bool = True) -> bytes:
    if path == CHAT:
        return request(stream=stream)
    if path == MESSAGES:
        tool = {"name": "get_weather", "input_schema": RESPONSE_TOOL["parameters"]}
        said: dict[str, object] = {"messages": [{"role": "user", "content": "Weather?"}], "max_tokens": 64}
    else:
        tool, said = RESPONSE_TOOL, {"input": "How is the weather?"}
    return json.dumps({"model": "a-model", **said, "tools": [tool], "stream": stream}).encode()


def gateway(seen: Request) -> Answer:
    """Answers each API with its turn, and what is no stream with JSON, as the provider does."""
    path, _, query = seen.target.partition("?")
    path = path[path.index("/v1/") :]
    if seen.method == "GET":
        turn = TURNS[RESPONSES] if path == RETRIEVED and "stream=true" in query.split("&") else None
    else:
        turn = TURNS.get(path) if seen.body and json.loads(seen.body)["stream"] else None
    return Answer(pieces=turn) if turn else Answer(pieces=(b"{}",), headers=JSON, framing=Framing.LENGTH)


def get(target: str, *headers: str) -> bytes:
    lines = [f"GET {target} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def fixtures(recorder: Recorder) -> dict[str, dict[str, Any]]:
    return {name: json.loads(data) for name, data in recorder.files().items()}


def record_three(recorder: Recorder, prefix: str) -> dict[str, dict[str, Any]]:
    """The fixtures of one turn of each API behind this prefix, by path."""
    for path, turn in TURNS.items():
        answered = ask(recorder.port, post(f"/{prefix}{path}", asking(path), f"X-Toolreel-Case: {PROFILES[path]}"))
        assert (status_of(answered), turn[-1] in answered) == (200, True)
    summary = recorder.stop()
    assert (summary["captured"], summary["written"], summary["passed"]) == (3, 3, {})
    found = fixtures(recorder)
    return {path: found[f"{profile}.json"] for path, profile in PROFILES.items()}


def test_one_prefix_records_each_api_by_its_path(tmp_path: Path) -> None:
    with (
        Provider(gateway) as provider,
        Recorder(tmp_path / "out", "--upstream", f"gw={provider.url}/base") as recorder,
    ):
        found = record_three(recorder, "gw")
    assert {path: fixture["profile"] for path, fixture in found.items()} == PROFILES
    assert [fixture["capture"]["api"] for fixture in found.values()] == ["chat.completions", "messages", "responses"]
    assert {fixture["capture"]["provider"] for fixture in found.values()} == {"gw"}
    assert all("allow" not in fixture or fixture["allow"] == [] for fixture in found.values())
    assert all(list(fixture["tool_schemas"]) == ["get_weather"] for fixture in found.values())
    assert all("chunks" in fixture or "events" in fixture for fixture in found.values())


@pytest.mark.parametrize(
    ("spec", "allowances"),
    [
        ("gw=URL,provider=openai", {CHAT: ["named_choice_stop"], RESPONSES: ["builtin_calls", "unchecked_grammar"]}),
        ("openai=URL", {CHAT: ["named_choice_stop"], RESPONSES: ["builtin_calls", "unchecked_grammar"]}),
        ("gw=URL,provider=openai,allow=", {}),
        ("gw=URL,provider=openrouter", {CHAT: ["repeated_terminal"]}),
        (
            "gw=URL,allow=rotating_ids+sequence_gaps+whole_call_stop",
            {CHAT: ["rotating_ids", "whole_call_stop"], RESPONSES: ["rotating_ids", "sequence_gaps"]},
        ),
    ],
)
def test_allowances_are_in_the_fixtures_of_the_apis_that_know_them(
    tmp_path: Path, spec: str, allowances: dict[str, list[str]]
) -> None:
    with (
        Provider(gateway) as provider,
        Recorder(tmp_path / "out", "--upstream", spec.replace("URL", provider.url)) as recorder,
    ):
        found = record_three(recorder, spec.partition("=")[0])
    assert {path: fixture["allow"] for path, fixture in found.items() if fixture.get("allow")} == allowances


def test_a_profile_that_is_said_records_that_api_alone(tmp_path: Path) -> None:
    with (
        Provider(gateway) as provider,
        Recorder(tmp_path / "out", "--upstream", f"gw={provider.url},profile=openai-responses") as recorder,
    ):
        for path in TURNS:
            ask(recorder.port, post(f"/gw{path}", asking(path)))
        summary = recorder.stop()
        assert (summary["written"], summary["passed"]) == (1, {"path or method not recognised": 2})
        (found,) = fixtures(recorder).values()
        assert found["profile"] == "openai-responses"


@pytest.mark.parametrize(
    ("setting", "path", "profile"),
    [
        ("path=/agents/completions:mistral", "/v1/agents/completions", "mistral"),
        ("provider=mistral,path=/agents/completions", "/v1/agents/completions", "mistral"),
        ("path=/serving-endpoints/*/invocations", "/serving-endpoints/my.model/invocations", "openai"),
        ("path=/ai/run/*/*/*:openai", "/client/v4/accounts/1/ai/run/@cf/meta/llama-3.1-8b", "openai"),
        ("path=/other,path=/chat/completions/", "/v1/chat/completions/", "openai"),
    ],
)
def test_a_path_that_the_user_adds_is_recorded_beside_the_known_ones(
    tmp_path: Path, setting: str, path: str, profile: str
) -> None:
    with (
        Provider(Answer(pieces=TURNS[CHAT])) as provider,
        Recorder(tmp_path / "out", "--upstream", f"gw={provider.url},{setting}") as recorder,
    ):
        for case, target in (("added", path), ("usual", CHAT)):
            ask(recorder.port, post(f"/gw{target}", asking(CHAT), f"X-Toolreel-Case: {case}"))
        ask(recorder.port, post(f"/gw{path}/beneath", asking(CHAT)))
        assert recorder.stop()["passed"] == {"path or method not recognised": 1}
        found = fixtures(recorder)
    assert found["added.json"]["profile"] == profile
    assert set(found) == {"added.json", "usual.json"}


def test_a_response_that_is_retrieved_as_a_stream_is_recorded_with_the_tools_that_it_repeats(tmp_path: Path) -> None:
    with (
        Provider(gateway) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        direct = ask(provider.port, get(f"{RETRIEVED}?stream=true&starting_after=0"))
        case = "X-Toolreel-Case: retrieved"
        assert ask(recorder.port, get(f"/openai{RETRIEVED}?stream=true&starting_after=0", case)) == direct
        ask(recorder.port, post(f"/openai{RESPONSES}", asking(RESPONSES), "X-Toolreel-Case: asked"))
        assert recorder.stop()["written"] == 2
        found = fixtures(recorder)
    retrieved, asked = found["retrieved.json"], found["asked.json"]
    assert retrieved["tool_schemas"] == asked["tool_schemas"] != {}
    assert retrieved["events"] == asked["events"]
    assert retrieved["capture"]["tool_choice"] == "auto"
    assert retrieved["capture"]["model"] == "gpt-5-mini"


def test_what_is_no_streamed_turn_of_the_responses_api_passes_and_is_counted(tmp_path: Path) -> None:
    whole = asking(RESPONSES, stream=False)
    with (
        Provider(gateway) as provider,
        Recorder(tmp_path / "out", "--upstream", f"openai={provider.url}") as recorder,
    ):
        not_streamed = (post(f"/openai{RESPONSES}", whole),)
        elsewhere = (
            get(f"/openai{RETRIEVED}"),
            get(f"/openai{RETRIEVED}?stream=false"),
            get(f"/openai{RETRIEVED}/input_items?stream=true"),
            get("/openai/v1/responses?stream=true"),
            post(f"/openai{RETRIEVED}/cancel", b""),
            post("/openai/v1/responses/compact", whole),
            post("/openai/v1/responses/input_tokens", whole),
            get(f"/openai{RETRIEVED}").replace(b"GET", b"DELETE", 1),
        )
        for raw in (*not_streamed, *elsewhere):
            answered = ask(recorder.port, raw)
            assert (status_of(answered), body_of(answered)) == (200, b"{}"), raw
        summary = recorder.stop()
        assert summary["captured"] == 0
        assert summary["passed"] == {
            "response is no event stream": len(not_streamed),
            "path or method not recognised": len(elsewhere),
        }
        assert recorder.files() == {}


def test_two_upstreams_of_one_url_that_a_proxy_could_be_asked_for_are_refused_and_both_named(tmp_path: Path) -> None:
    variables = {"TOOLREEL_DATA": str(tmp_path / "data")}
    upstreams = ("--upstream", "one=https://api.openai.com", "--upstream", "two=https://API.openai.com:443/")
    said = toolreel("record", "--out", str(tmp_path / "out"), *upstreams, variables=variables, code=2)
    (line,) = said.splitlines()
    assert line.startswith("Error: --upstream one and two: both have one URL")
    assert not (tmp_path / "out").exists()


def test_two_names_of_one_url_on_this_machine_are_told_apart_by_their_prefix(tmp_path: Path) -> None:
    with Provider(gateway) as provider:
        options = ("--upstream", f"one={provider.url}", "--upstream", f"two={provider.url},provider=openai")
        with Recorder(tmp_path / "out", *options) as recorder:
            for name in ("one", "two"):
                ask(recorder.port, post(f"/{name}{RESPONSES}", asking(RESPONSES), f"X-Toolreel-Case: {name}"))
            assert recorder.stop()["written"] == 2
            found = fixtures(recorder)
    assert {name: fixture["capture"]["provider"] for name, fixture in found.items()} == {
        "one.json": "one",
        "two.json": "two",
    }
    assert not found["one.json"].get("allow")
    assert found["two.json"]["allow"] == ["builtin_calls", "unchecked_grammar"]


def test_through_a_tunnel_the_path_says_the_api_as_well(tmp_path: Path) -> None:
    root, context = authority(tmp_path)
    variables = {"TOOLREEL_DATA": str(tmp_path / "data")}
    toolreel("ca", "rotate", variables=variables)
    bundle = tmp_path / "data" / "authority" / "bundle.pem"
    with (
        Provider(gateway, tls=context) as provider,
        Recorder(
            tmp_path / "out",
            *("--upstream", f"gw={provider.url},provider=openai", "--upstream-ca", str(root)),
            variables=variables,
        ) as recorder,
    ):
        for path, turn in TURNS.items():
            raw = post(path, asking(path), f"X-Toolreel-Case: {PROFILES[path]}")
            assert turn[-1] in through(recorder.port, provider.port, bundle, raw)
        raw = get(f"{RETRIEVED}?stream=true", "X-Toolreel-Case: retrieved")
        assert TURNS[RESPONSES][-1] in through(recorder.port, provider.port, bundle, raw)
        summary = recorder.stop()
        assert (summary["captured"], summary["written"], summary["passed"]) == (4, 4, {})
        found = fixtures(recorder)
    assert {name: fixture["profile"] for name, fixture in found.items()} == {
        **{f"{profile}.json": profile for profile in PROFILES.values()},
        "retrieved.json": "openai-responses",
    }
    assert {fixture["capture"]["mode"] for fixture in found.values()} == {"forward"}
    assert found["retrieved.json"]["tool_schemas"] == found["openai-responses.json"]["tool_schemas"]
