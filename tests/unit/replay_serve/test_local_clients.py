"""Which requests come from clients of this machine: those of browsers as browsers write them."""

import pytest

from replay.errors import ToolreelError
from replay.local_clients import Foreign, LocalClients, local_clients

PAGE = "https://news.example"


def refused(clients: LocalClients | None = None, **headers: str) -> Foreign | None:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return (clients or LocalClients()).refuses(named)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8100",
        "localhost.:8100",
        "app.localhost",
        "127.0.0.1",
        "127.0.0.1:8100",
        "127.9.8.7:1",
        "[::1]:8100",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]:80",
    ],
)
def test_loopback_names_are_taken(host: str) -> None:
    assert refused(host=host) is None
    assert refused(host="localhost", Origin=f"http://{host}") is None


@pytest.mark.parametrize(
    "host",
    [
        "",
        "rebound.example:8100",
        "localhost.example",
        "127.0.0.1.nip.io",
        "notlocalhost",
        "0.0.0.0:8100",
        "[::]",
        "[::1",
        "::1",
        "192.168.0.1",
        "127.0.0.1@news.example",
        "127.0.0.1:80:80",
        "localhost, news.example",
        "localhost/",
        "2130706433",
        "api.openai.com",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert refused(host=host) is Foreign.HOST
    assert refused(host="localhost", origin=f"http://{host}") is Foreign.PAGE


def test_two_hosts_are_none() -> None:
    assert LocalClients().refuses([("Host", "localhost"), ("host", "localhost")]) is Foreign.HOST


def test_without_a_host_no_browser_asked() -> None:
    assert refused() is None
    assert refused(origin=PAGE) is Foreign.PAGE


@pytest.mark.parametrize("origin", ["null", PAGE, "http://localhost http://news.example", "localhost", "", "file://"])
def test_a_page_of_another_site_is_refused_whatever_its_browser_says_beside(origin: str) -> None:
    assert refused(host="localhost", origin=origin) is Foreign.PAGE
    assert refused(host="localhost", origin=origin, sec_fetch_site="same-origin") is Foreign.PAGE


def test_a_request_across_sites_needs_an_origin_of_this_machine() -> None:
    assert refused(host="localhost", sec_fetch_site="Cross-Site ") is Foreign.PAGE
    assert refused(host="127.0.0.1:8100", sec_fetch_site="cross-site", origin="http://localhost:3000") is None
    for site in ("same-site", "same-origin", "none"):
        assert refused(host="localhost", sec_fetch_site=site) is None


def test_what_the_user_named_is_taken_beside() -> None:
    clients = local_clients(hosts=["Dev.Internal", "fd00::1"], origins=["https://App.example:443/", "null"])
    assert refused(clients, host="dev.internal:8100") is None
    assert refused(clients, host="[fd00::1]:8100") is None
    assert refused(clients, host="other.internal") is Foreign.HOST
    assert refused(clients, host="localhost", origin="https://app.example", sec_fetch_site="cross-site") is None
    assert refused(clients, host="localhost", origin="null") is None
    assert refused(clients, host="localhost", origin="http://app.example") is Foreign.PAGE
    assert refused(clients, host="localhost", origin="https://app.example:444") is Foreign.PAGE
    assert refused(clients, host="localhost", origin="http://dev.internal") is Foreign.PAGE


@pytest.mark.parametrize("name", ["http://dev.internal", "dev.internal:80", "a b", "", "[::1]:80", "*"])
def test_a_host_is_named_alone(name: str) -> None:
    with pytest.raises(ToolreelError, match="expected a host name or an address alone"):
        local_clients(hosts=[name], origins=[])


@pytest.mark.parametrize("origin", ["app.example", "https://", "https://a/b", "*", "https://*.example", ""])
def test_an_origin_is_a_scheme_and_a_host(origin: str) -> None:
    with pytest.raises(ToolreelError, match="expected scheme and host"):
        local_clients(hosts=[], origins=[origin])
