"""How clients read the variables of a proxy, and what `toolreel env` makes of NO_PROXY."""

import os
import shutil
import subprocess
import sys

import pytest

from proxy_addon.setup import proxies
from proxy_addon.upstreams import BUILT_IN, Upstream

ORIGIN = "http://127.0.0.1:8100"
LOCAL = Upstream(name="x", scheme="https", host="10.1.2.3", port=8443, profile="openai")


@pytest.mark.parametrize(
    "value",
    [
        ORIGIN,
        f"{ORIGIN}/",
        "127.0.0.1:8100",
        "HTTP://127.0.0.1:8100",
        "http://user:secret@127.0.0.1:8100",
        "http://localhost:8100",
    ],
)
def test_these_lead_to_the_recorder(value: str) -> None:
    assert proxies.leads_to(value, ORIGIN)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "http://127.0.0.1:7",
        "http://127.0.0.1",
        "https://127.0.0.1:8100",
        "socks5://127.0.0.1:8100",
        "http://[::1",
        "x:y",
    ],
)
def test_these_do_not(value: str) -> None:
    assert not proxies.leads_to(value, ORIGIN)


@pytest.mark.parametrize(
    "listed",
    [
        "*",
        "localhost, *",
        "api.openai.com",
        "API.OpenAI.com",
        "api.openai.com:443",
        "openai.com",
        ".openai.com",
        "*.openai.com",
        "https://api.openai.com",
        "localhost,openai.com,127.0.0.1",
        "localhost openai.com",
        "com",
    ],
)
def test_these_keep_a_host_from_the_proxy(listed: str) -> None:
    assert proxies.kept_away(listed, BUILT_IN.values())[0] == "api.openai.com"


@pytest.mark.parametrize(
    "listed",
    [
        "",
        ",",
        "localhost,127.0.0.1,::1",
        "api.openai.com:8443",
        "notopenai.com",
        "penai.com",
        "openai.com.example",
        ".",
        "10.0.0.0/8",
    ],
)
def test_these_do_not_keep_it(listed: str) -> None:
    assert proxies.kept_away(listed, BUILT_IN.values()) == []


@pytest.mark.parametrize("listed", ["10.1.2.3", "10.0.0.0/8", "10.1.2.3:8443"])
def test_addresses_and_networks_keep_an_address(listed: str) -> None:
    assert proxies.kept_away(listed, [LOCAL]) == ["10.1.2.3"]


@pytest.mark.parametrize("listed", ["10.1.2.4", "11.0.0.0/8", "10.1.2.3:443", "::1", "fd00::/8"])
def test_others_do_not(listed: str) -> None:
    assert proxies.kept_away(listed, [LOCAL]) == []


@pytest.mark.parametrize(
    ("environment", "spared"),
    [
        ({}, True),
        ({"HTTPS_PROXY": "http://corp:3128"}, True),  # not for plain HTTP
        ({"http_proxy": ""}, True),
        ({"http_proxy": "http://corp:3128"}, False),
        ({"HTTP_PROXY": "http://corp:3128"}, False),
        ({"ALL_PROXY": "socks5://corp:1080"}, False),
        ({"ALL_PROXY": "socks5://corp:1080", "NO_PROXY": "localhost"}, False),
        ({"HTTP_PROXY": "http://corp:3128", "NO_PROXY": "localhost,127.0.0.1"}, True),
        ({"HTTP_PROXY": "http://corp:3128", "NO_PROXY": "*"}, True),
        ({"HTTP_PROXY": "http://corp:3128", "NO_PROXY": "127.0.0.1", "no_proxy": "localhost"}, False),
        ({"HTTP_PROXY": "http://corp:3128", "NO_PROXY": "127.0.0.0/8"}, False),  # httpx reads no networks
    ],
)
def test_whether_the_recorder_is_spared_the_proxy_of_plain_http(environment: dict[str, str], spared: bool) -> None:
    assert proxies.spares(environment, "127.0.0.1") is spared


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, {}),
        ({"NO_PROXY": "localhost,.corp.example"}, {}),
        ({"NO_PROXY": "*"}, {"NO_PROXY": ""}),
        ({"no_proxy": "localhost, openai.com ,x"}, {"no_proxy": "localhost,x"}),
        ({"NO_PROXY": "a", "no_proxy": "api.mistral.ai"}, {"NO_PROXY": "a", "no_proxy": ""}),
        ({"HTTP_PROXY": "http://corp:3128"}, {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}),
        ({"HTTP_PROXY": "http://corp:3128", "NO_PROXY": "localhost,127.0.0.1"}, {}),
        ({"HTTP_PROXY": "http://corp:3128", "no_proxy": "x"}, {"no_proxy": "x,127.0.0.1"}),
        ({"HTTP_PROXY": "http://corp:3128", "NO_PROXY": "*"}, {"NO_PROXY": "127.0.0.1"}),
    ],
)
def test_what_no_proxy_has_to_be(environment: dict[str, str], wanted: dict[str, str]) -> None:
    found = proxies.exceptions(environment, upstreams=BUILT_IN.values(), spared=("127.0.0.1",))
    assert found == wanted
    assert proxies.exceptions({**environment, **found}, upstreams=BUILT_IN.values(), spared=("127.0.0.1",)) == {}


CLEAN = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
ASK = "import urllib.request as u; print(u.getproxies().get('https'), u.proxy_bypass('api.openai.com'))"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"HTTPS_PROXY": "http://a:1", "https_proxy": "http://b:2"}, "http://b:2 0"),
        ({"HTTPS_PROXY": "http://a:1", "https_proxy": ""}, "None 0"),
        ({"HTTPS_PROXY": "http://a:1", "NO_PROXY": "openai.com"}, "http://a:1 1"),
        ({"HTTPS_PROXY": "http://a:1", "NO_PROXY": "openai.com", "no_proxy": ""}, "http://a:1 0"),
    ],
)
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the settings of the system count there too")
def test_python_reads_them_as_is_said_here(variables: dict[str, str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, text=True, check=True, env={**CLEAN, **variables}
    )
    answer = done.stdout.strip().replace("True", "1").replace("False", "0")
    assert answer == said


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_curl_takes_the_lower_case_name_first() -> None:
    variables = {**CLEAN, "HTTPS_PROXY": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:2"}
    arguments = ["curl", "-sSv", "--max-time", "5", "https://192.0.2.1/"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=variables)
    assert "127.0.0.1:2" in done.stderr.replace(" port ", ":")
    assert "127.0.0.1:1." not in done.stderr.replace(" port ", ":")
