"""The command line of the recorder, read."""

from pathlib import Path

import pytest

from proxy_addon.recorder.settings import options
from proxy_addon.upstreams import TurnKind
from redaction.captured.exchange import Widths
from replay.errors import ToolreelError


@pytest.mark.parametrize("url", ["http://u:CANARY@x", "http://u:CANARY@x:99999", "u:CANARY@x", "http://CANARY@x,a=b"])
def test_credentials_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ToolreelError) as refused:
        options.upstream(f"openai={url}")
    assert str(refused.value) == "--upstream openai=URL: take the credentials out; the client sends its own"


@pytest.mark.parametrize("spec", ["http://u:CANARY@x", "CANARY@x", "CANARY:p@h=http://x", "Bad CANARY=http://x@y"])
def test_credentials_that_stand_in_the_place_of_a_name_are_not_repeated_either(spec: str) -> None:
    with pytest.raises(ToolreelError) as refused:
        options.upstream(spec)
    assert str(refused.value) == "--upstream NAME=URL: take the credentials out; the client sends its own"


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("openai=http://x/v1?key=CANARY", "openai=URL"),
        ("openai=http://x/v1?", "openai=URL"),
        ("openai=http://x#CANARY", "openai=URL"),
        ("openai=http://x?key=1,CANARY", "openai=URL"),
        ("openai=http://x?key=1,profile=CANARY,allow=CANARY", "openai=URL"),
        ("openai=http://x,profile=mistral?key=CANARY", "openai=URL"),
        ("openai=ftp://x?CANARY", "openai=URL"),
        ("openai=http://x:99999?CANARY", "openai=URL"),
        ("own=http://x?CANARY", "own=URL"),
        ("http://x?key=CANARY", "NAME=URL"),
        ("http://x?CANARY", "NAME=URL"),
        ("Bad Name=http://x?CANARY", "NAME=URL"),
        ("?CANARY=http://x", "NAME=URL"),
    ],
)
def test_a_query_and_a_fragment_are_refused_and_not_repeated(spec: str, shown: str) -> None:
    with pytest.raises(ToolreelError) as refused:
        options.upstream(spec)
    problem = "a base URL has no query and no fragment; the client sends its own"
    assert str(refused.value) == f"--upstream {shown}: {problem}"


CHAT = "/v1/chat/completions"


def test_the_path_of_a_request_says_the_family() -> None:
    found = options.upstream("openrouter=https://openrouter.ai/api/")
    assert (found.scheme, found.host, found.port, found.base_path) == ("https", "openrouter.ai", 443, "/api")
    assert found.turn("POST", CHAT) == TurnKind(profile="openai", allow=("repeated_terminal",))
    assert found.turn("POST", "/v1/messages?beta=true") == TurnKind(profile="anthropic", allow=())
    assert found.turn("GET", CHAT) is None
    assert found.turn("POST", "/v1/embeddings") is None


@pytest.mark.parametrize(
    ("spec", "provider"),
    [
        ("openrouter=http://127.0.0.1:9", "openrouter"),
        ("team-b=https://api.openai.com", "openai"),
        ("mistral=https://openrouter.ai/api", "openrouter"),
        ("own=https://Example-Resource.OpenAI.Azure.com", "azure"),
        ("own=https://gateway.example,provider=writer", "writer"),
        ("openai=https://api.openai.com,provider=avian", "avian"),
        ("own=https://gateway.example", None),
    ],
)
def test_the_host_says_which_deviations_were_reviewed_then_the_name(spec: str, provider: str | None) -> None:
    assert options.upstream(spec).provider == provider


def test_what_is_said_replaces_what_is_known() -> None:
    found = options.upstream("openai=http://127.0.0.1:9,profile=mistral,allow=empty_arguments+message_mirror")
    assert found.turn("POST", CHAT) == TurnKind(profile="mistral", allow=("empty_arguments", "message_mirror"))
    assert found.turn("POST", "/v1/messages") is None
    assert options.upstream("openai=http://127.0.0.1:9,allow=").turn("POST", CHAT) == TurnKind(profile="openai")


def test_an_allowance_goes_into_no_family_that_does_not_know_it() -> None:
    found = options.upstream("own=http://127.0.0.1:9,allow=message_mirror")
    assert found.turn("POST", CHAT) == TurnKind(profile="openai", allow=("message_mirror",))
    assert found.turn("POST", "/v1/messages") == TurnKind(profile="anthropic", allow=())


def test_two_upstreams_at_one_url_are_an_error_that_names_both() -> None:
    with pytest.raises(ToolreelError, match=r"^--upstream one and two: both have one URL, .*; record one of them"):
        options.upstreams(["one=https://gateway.example/api", "two=https://gateway.example/api/,profile=mistral"])


def test_two_upstreams_are_told_apart_by_their_path_and_on_this_machine_by_their_prefix() -> None:
    assert options.upstreams(["one=https://gateway.example/a", "two=https://gateway.example/b"])
    assert options.upstreams(["one=http://127.0.0.1:9", "two=http://127.0.0.1:9"])


def test_of_two_upstreams_at_one_place_the_users_is_meant_and_not_the_built_in_one() -> None:
    routes = options.upstreams(["team-b=https://api.openai.com"])
    found = routes.hosted("https", "api.openai.com", 443, CHAT)
    assert found is not None
    assert found.name == "team-b"


def test_an_upstream_of_a_built_in_name_takes_its_place_and_others_are_added() -> None:
    routes = options.upstreams(["openai=http://127.0.0.1:9", "own=http://127.0.0.1:8,profile=anthropic"])
    assert [(one.name, one.url) for one in routes.upstreams] == [
        ("openai", "http://127.0.0.1:9"),
        ("anthropic", "https://api.anthropic.com"),
        ("mistral", "https://api.mistral.ai"),
        ("bedrock", "https://bedrock-runtime.*.amazonaws.com"),
        ("cohere", "https://api.cohere.com"),
        ("gemini", "https://generativelanguage.googleapis.com"),
        ("ollama", "http://127.0.0.1:11434"),
        ("own", "http://127.0.0.1:8"),
    ]


def test_a_name_that_is_given_twice_is_an_error() -> None:
    with pytest.raises(ToolreelError, match=r"^--upstream own: named twice; give each upstream a name of its own$"):
        options.upstreams(["own=http://127.0.0.1:8,profile=openai", "own=http://127.0.0.1:9,profile=openai"])


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "=http://x",
        "a/b=http://x",
        "..=http://x",
        "x" * 33 + "=http://x,profile=openai",
        "openai=x",
        "openai=//x",
        "openai=http://x y",
        "openai=http://x\n",
        "openai=http://ex\u00e4mple",
        "openai=http://[::1",
        "openai=http://x:0",
        "openai=http://x#f",
        "openai=http://x,",
    ],
)
def test_what_is_no_upstream_is_an_error_that_names_the_option(spec: str) -> None:
    with pytest.raises(ToolreelError, match=r"^--upstream"):
        options.upstream(spec)


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("127.1.2.3", "127.1.2.3"), ("::1", "::1")],
)
def test_a_loopback_address_can_be_listened_on(host: str, address: str) -> None:
    assert options.loopback(host) == address


@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "-inf"])
def test_what_is_no_number_is_no_time(value: str) -> None:
    with pytest.raises(ToolreelError, match=r"^--drain -?(nan|inf): expected a number of seconds$"):
        options.seconds("--drain", float(value))


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "10.0.0.1", "example.com", "*"])
def test_no_other_address_can(host: str) -> None:
    with pytest.raises(ToolreelError, match="loopback"):
        options.loopback(host)


def test_a_schemas_file_is_read_as_strict_json(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"a": {"type": "object"}, "b": true}')
    assert options.schemas(path) == {"a": {"type": "object"}, "b": True}
    assert options.schemas(None) == {}
    for wrong in (b"\xff", b"", b'{"a": {}} x', b'{"a": NaN}', b"3"):
        path.write_bytes(wrong)
        with pytest.raises(ToolreelError, match="--schemas"):
            options.schemas(path)


def test_a_file_that_is_no_pem_is_no_authority(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("nothing")
    with pytest.raises(ToolreelError, match="holds no PEM certificate"):
        options.authority(path)
    path.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    with pytest.raises(ToolreelError, match="holds no PEM certificate"):
        options.authority(path)
    with pytest.raises(ToolreelError, match="cannot be read"):
        options.authority(tmp_path)
    path.write_bytes(b"x" * (options.MAX_FILE_BYTES + 1))
    with pytest.raises(ToolreelError, match="larger than"):
        options.authority(path)
    assert options.authority(None) is None


def test_a_last_rung_and_kept_lengths_contradict_each_other() -> None:
    assert options.last_rung("canonical", Widths.DROPPED) == "canonical"
    assert options.last_rung("exact_lengths", Widths.KEPT) == "exact_lengths"
    with pytest.raises(ToolreelError, match="--rung canonical: it tells fewer lengths than --lengths exact keeps"):
        options.last_rung("canonical", Widths.KEPT)


@pytest.mark.parametrize(
    "spec",
    [
        "own=http://x/tenant-CANARY,profile=none",
        "own=http://x/tenant-CANARY,provider=none",
        "own=http://x/tenant-CANARY,allow=none",
        "own=http://x/tenant-CANARY,what=none",
        "own=ftp://x/tenant-CANARY",
        "own=http://x:99999/tenant-CANARY",
        "Own Name=http://x/tenant-CANARY",
        "http://x/tenant-CANARY",
    ],
)
def test_a_url_with_a_mistake_is_not_repeated_with_its_path(spec: str) -> None:
    with pytest.raises(ToolreelError) as refused:
        options.upstream(spec)
    assert "CANARY" not in str(refused.value)
    assert str(refused.value).startswith(("--upstream own=URL: ", "--upstream NAME=URL: "))
