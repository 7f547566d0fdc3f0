"""The authority on the disk, the variables of each shell, and what the doctor finds."""

import datetime
import ipaddress
import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("mitmproxy")

from support.sockets.certificates import authority as private_authority
from support.sockets.provider import Answer, Provider

from proxy_addon.setup import authority, checks, shells
from proxy_addon.setup.diagnosis import Diagnosis, Grade
from proxy_addon.setup.reached import Reached
from proxy_addon.setup.shells import Shell
from proxy_addon.setup.variables import variables
from proxy_addon.upstreams import BUILT_IN, Upstream

ORIGIN = "http://127.0.0.1:8100"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(authority.VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "~/.local/share/toolreel"),
        ("linux", {"XDG_DATA_HOME": "/x"}, "/x/toolreel"),
        ("linux", {"XDG_DATA_HOME": "x"}, "~/.local/share/toolreel"),  # the standard: a relative path is ignored
        ("darwin", {"XDG_DATA_HOME": "/x"}, "~/Library/Application Support/toolreel"),
        ("linux", {"TOOLREEL_DATA": "/y"}, "/y"),
    ],
)
def test_the_data_folder_is_the_systems(platform: str, environment: dict[str, str], folder: str) -> None:
    assert authority.data_folder(environment, platform=platform) == Path(folder).expanduser()


def test_there_is_none_until_it_is_asked_for(data: Path) -> None:
    assert authority.find() is None
    assert not data.exists()
    made = authority.ensure()
    assert authority.find() == made == authority.ensure()


def test_its_key_is_for_the_owner_alone_and_its_certificate_only_signs_servers(data: Path) -> None:
    made = authority.ensure()
    for path in (made.folder, *made.folder.iterdir()):
        assert path.stat().st_mode & 0o077 == 0
    assert b"PRIVATE KEY" in (made.folder / authority.KEY_FILE).read_bytes()
    for path in (made.certificate, made.bundle):
        assert b"PRIVATE KEY" not in path.read_bytes()
    days = made.left().days
    assert authority.LIFETIME.days - 1 <= days <= authority.LIFETIME.days
    own = ssl.create_default_context(cafile=made.certificate)
    assert [dict(part[0] for part in found["subject"]) for found in own.get_ca_certs()] == [
        {"commonName": authority.NAME}
    ]
    assert len(ssl.create_default_context(cafile=made.bundle).get_ca_certs()) > 50


def test_it_is_made_anew_when_it_soon_ends_or_a_file_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as short:
        short.setattr(authority, "LIFETIME", authority.RENEWAL - datetime.timedelta(minutes=1))
        old = authority.ensure()
    new = authority.ensure()
    assert new.fingerprint != old.fingerprint
    new.bundle.unlink()
    assert authority.ensure().fingerprint != new.fingerprint


def test_rotating_replaces_it_and_removing_leaves_nothing(data: Path) -> None:
    old = authority.ensure()
    assert authority.rotate().fingerprint != old.fingerprint
    assert authority.remove()
    assert not old.folder.exists()
    assert not authority.remove()


def test_a_folder_that_cannot_be_written_is_named(data: Path) -> None:
    data.write_text("a file")
    with pytest.raises(authority.AuthorityError, match=f"{data}/authority: cannot be written"):
        authority.rotate()


def key_of_another(made: authority.Authority) -> bytes:
    """The certificate with a key that is not its own."""
    old = (made.folder / authority.KEY_FILE).read_bytes()
    authority.rotate()
    new = (made.folder / authority.KEY_FILE).read_bytes()
    return new.partition(b"-----BEGIN CERTIFICATE")[0] + b"".join(old.partition(b"-----BEGIN CERTIFICATE")[1:])


@pytest.mark.parametrize("broken", ["garbage", "certificate", "alone", "another", "unreadable", "missing"])
def test_an_authority_of_no_use_is_a_problem_and_is_made_anew(broken: str) -> None:
    made = authority.ensure()
    path = made.folder / authority.KEY_FILE
    if broken == "unreadable":
        path.unlink()
        path.mkdir()
    elif broken == "missing":
        path.unlink()
    else:
        path.write_bytes(
            {
                "garbage": lambda: b"garbage \xff",
                "certificate": lambda: b"-----BEGIN CERTIFICATE-----\nx\n",
                "alone": lambda: made.pem,
                "another": lambda: key_of_another(made),
            }[broken]()
        )
    assert authority.find() is None
    with pytest.raises(authority.AuthorityError, match="toolreel ca rotate"):
        authority.examine()
    found = checks.certificates()
    assert (found.grade, found.mend) == (Grade.BAD, "toolreel ca rotate")
    if path.is_dir():
        path.rmdir()
    assert authority.ensure().fingerprint != made.fingerprint
    assert checks.certificates().grade is Grade.GOOD


def test_files_of_another_key_are_as_good_as_missing() -> None:
    old = authority.ensure()
    before = {path: path.read_bytes() for path in (old.certificate, old.bundle)}
    new = authority.rotate()
    assert new.lacking() == []
    for path, data in before.items():
        path.write_bytes(data)
    assert new.lacking() == list(before)
    assert "ca.pem, bundle.pem" in checks.certificates().said
    assert authority.ensure().lacking() == []


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_signal_while_it_is_written_leaves_no_hidden_file(
    monkeypatch: pytest.MonkeyPatch, data: Path, stop: type[BaseException]
) -> None:
    def stopped(_: int) -> None:
        raise stop

    with monkeypatch.context() as signalled:
        signalled.setattr(os, "fsync", stopped)
        with pytest.raises(stop):
            authority.rotate()
    assert list((data / "authority").iterdir()) == []


def test_what_a_killed_process_left_is_removed_too() -> None:
    made = authority.ensure()
    (made.folder / ".x1y2z3").write_bytes((made.folder / authority.KEY_FILE).read_bytes())
    assert authority.remove()
    assert not made.folder.exists()


def signed(host: str, folder: Path) -> ssl.SSLContext:
    """A server's side of TLS with a certificate for `host` that mitmproxy made with the authority in `folder`."""
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from mitmproxy.certs import CertStore

    store = CertStore.from_store(folder, "mitmproxy", 2048)
    address = host.replace(".", "").isdigit()
    name = x509.IPAddress(ipaddress.ip_address(host)) if address else x509.DNSName(host)
    entry = store.get_cert(host, [name])
    path = folder.parent / "leaf.pem"
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    key = entry.privatekey.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    path.write_bytes(key + entry.cert.to_pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def trusts(made: authority.Authority, host: str) -> bool:
    """Whether a client with the bundle takes the certificate that the authority's key signs for `host`."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = signed(host, made.folder).wrap_bio(to_server, to_client, server_side=True)
    trusting = ssl.create_default_context(cafile=made.bundle)
    client = trusting.wrap_bio(to_client, to_server, server_hostname=host)
    for _ in range(4):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError as error:
                return "subtree violation" not in str(error)  # no other reason would do
    return True


def test_it_signs_for_the_hosts_of_providers_alone() -> None:
    made = authority.ensure()
    for host in (
        "api.openai.com",
        "api.anthropic.com",
        "bedrock-runtime.us-east-1.amazonaws.com",
        "x.openai.azure.com",
    ):
        assert trusts(made, host)
    for host in ("bank.example", "api.openai.com.example", "openai.com", "127.0.0.1", "10.0.0.1", "localhost"):
        assert not trusts(made, host)


def test_a_new_host_is_a_new_certificate_under_the_same_key_for_as_long() -> None:
    made = authority.ensure()
    key = (made.folder / authority.KEY_FILE).read_bytes().partition(b"-----BEGIN CERT")[0]
    more = authority.extend(made, ["10.0.0.7", "llm.corp"])
    assert (made.folder / authority.KEY_FILE).read_bytes().partition(b"-----BEGIN CERT")[0] == key
    assert (more.fingerprint != made.fingerprint, more.expires, more.lacking()) == (True, made.expires, [])
    for host in ("10.0.0.7", "llm.corp", "api.openai.com"):
        assert trusts(more, host)
    for host in ("10.0.0.8", "127.0.0.1", "corp", "evil.example"):
        assert not trusts(more, host)
    assert authority.extend(more, ["llm.corp", "eu.llm.corp"]) is more
    assert authority.ensure() == more
    assert authority.rotate().hosts == more.hosts  # another key keeps them


ODD = {"A": "http://127.0.0.1:8100/x", "B": 'it\'s "here" $HOME\\n `x` (1)'}


KINDS = {"sh": Shell.SH, "bash": Shell.SH, "fish": Shell.FISH, "pwsh": Shell.POWERSHELL}


@pytest.mark.parametrize("shell", [shell for shell in KINDS if shutil.which(shell)])
def test_each_shell_that_is_installed_reads_back_what_was_said(shell: str) -> None:
    said = "\n".join(shells.lines(KINDS[shell], ODD))
    echo = "echo $env:A; echo $env:B" if shell == "pwsh" else 'printf "%s\\n" "$A" "$B"'
    done = subprocess.run([shell, "-c", f"{said}\n{echo}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(ODD.values())


def test_each_shell_has_its_own_words() -> None:
    assert shells.lines(Shell.FISH, ODD)[1] == "set -gx B 'it\\'s \"here\" $HOME\\\\n `x` (1)'"
    assert shells.lines(Shell.POWERSHELL, ODD)[1] == "$env:B = 'it''s \"here\" $HOME\\n `x` (1)'"
    assert shells.lines(Shell.DOTENV, ODD) == [
        "A=http://127.0.0.1:8100/x",
        'B="it\'s \\"here\\" \\$HOME\\\\n \\`x\\` (1)"',
    ]


def test_every_quote_of_powershell_is_doubled() -> None:
    for quote in "'\u2018\u2019\u201a\u201b":
        assert shells.lines(Shell.POWERSHELL, {"A": f"a{quote}b"}) == [f"$env:A = 'a{quote}{quote}b'"]


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh")
def test_a_shell_that_reads_a_dotenv_file_runs_nothing_of_it() -> None:
    (line,) = shells.lines(Shell.DOTENV, {"B": ODD["B"]})
    done = subprocess.run(["sh", "-c", f'{line}\nprintf %s "$B"'], capture_output=True, text=True, check=True)
    assert done.stdout == ODD["B"]


@pytest.mark.skipif(os.name != "posix", reason="files have no mode here")
def test_a_key_that_others_may_read_or_that_is_anothers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = authority.ensure()
    path = made.folder / authority.KEY_FILE
    for mode in (0o640, 0o604, 0o602):
        path.chmod(mode)
        assert authority.find() is None
        with pytest.raises(authority.AuthorityError, match="can be read by others; toolreel ca rotate"):
            authority.examine()
    path.chmod(0o600)
    assert authority.find() == made
    other = os.geteuid() + 1
    with monkeypatch.context() as someone:
        someone.setattr(os, "geteuid", lambda: other)
        with pytest.raises(authority.AuthorityError, match="belongs to another user"):
            authority.examine()
    path.chmod(0o644)
    assert authority.ensure().fingerprint != made.fingerprint


def look(environment: Mapping[str, str]) -> Iterator[Diagnosis]:
    return variables(environment, ORIGIN, list(BUILT_IN.values()))


def grades(found: Iterator[Diagnosis]) -> dict[str, Grade]:
    return {one.thing: one.grade for one in found}


def test_variables_that_lead_elsewhere_or_do_not_fit_are_problems() -> None:
    made = authority.ensure()
    wanted = shells.base_urls(ORIGIN) | shells.proxy(ORIGIN, certificate=made.certificate, bundle=made.bundle)
    assert set(grades(look(wanted)).values()) == {Grade.GOOD}
    assert set(grades(look({})).values()) == {Grade.NOTE}
    assert grades(look(wanted | {"OPENAI_BASE_URL": "http://127.0.0.1:9"}))["OPENAI_BASE_URL"] is Grade.BAD
    assert grades(look({"HTTPS_PROXY": ORIGIN})) == {
        "OPENAI_BASE_URL": Grade.NOTE,
        "ANTHROPIC_BASE_URL": Grade.NOTE,
        "CO_API_URL": Grade.NOTE,
        "GOOGLE_GEMINI_BASE_URL": Grade.NOTE,
        "OLLAMA_HOST": Grade.NOTE,
        "HTTPS_PROXY": Grade.GOOD,
        **dict.fromkeys(shells.BUNDLES, Grade.BAD),
    }
    assert grades(look({"https_proxy": "http://corp:3128"}))["HTTPS_PROXY"] is Grade.BAD


@pytest.mark.parametrize(
    ("names", "grade", "said"),
    [
        ({"https_proxy": ORIGIN}, Grade.GOOD, "leads to the recorder"),
        ({"HTTPS_PROXY": ORIGIN, "https_proxy": f"{ORIGIN}/"}, Grade.GOOD, "leads to the recorder"),
        ({"HTTPS_PROXY": "", "https_proxy": ORIGIN}, Grade.GOOD, "leads to the recorder"),
        ({"HTTPS_PROXY": ORIGIN, "https_proxy": "http://127.0.0.1:7"}, Grade.BAD, "https_proxy does not"),
        ({"HTTPS_PROXY": ORIGIN, "https_proxy": ""}, Grade.BAD, "https_proxy does not"),
        ({"HTTPS_PROXY": "http://127.0.0.1:7", "https_proxy": ORIGIN}, Grade.BAD, "HTTPS_PROXY does not"),
        ({"HTTPS_PROXY": "http://[::1"}, Grade.BAD, "leads elsewhere"),
        ({"ALL_PROXY": ORIGIN}, Grade.NOTE, "ALL_PROXY leads to the recorder, but some clients"),
        ({"all_proxy": "socks5://corp:1080", "HTTPS_PROXY": ORIGIN}, Grade.GOOD, "leads to the recorder"),
        ({"HTTPS_PROXY": ""}, Grade.NOTE, "not set here"),
    ],
)
def test_both_spellings_of_the_proxy_count(names: dict[str, str], grade: Grade, said: str) -> None:
    (found,) = [one for one in look(names) if one.thing == "HTTPS_PROXY"]
    assert found.grade is grade
    assert said in found.said


def test_a_proxy_for_everything_that_is_another_is_a_problem_where_none_goes_before_it() -> None:
    assert grades(look({"ALL_PROXY": "socks5://corp:1080"}))["ALL_PROXY"] is Grade.BAD
    assert "ALL_PROXY" not in grades(look({"ALL_PROXY": "socks5://corp:1080", "https_proxy": ORIGIN}))


def test_what_no_proxy_keeps_from_the_recorder_is_a_problem() -> None:
    def said(names: dict[str, str]) -> list[tuple[str, str]]:
        found = look({"HTTPS_PROXY": ORIGIN, **names})
        return [(one.thing, one.said) for one in found if one.thing.lower() == "no_proxy" and one.grade is Grade.BAD]

    every = "api.openai.com, api.anthropic.com, api.mistral.ai, bedrock-runtime.*.amazonaws.com, api.cohere.com, "
    every += "generativelanguage.googleapis.com"
    assert said({"NO_PROXY": "*"}) == [("NO_PROXY", f"keeps from the recorder: {every}")]
    assert said({"no_proxy": "x,*"}) == [("no_proxy", f"keeps from the recorder: {every}")]
    assert said({"NO_PROXY": "openai.com"}) == [("NO_PROXY", "keeps from the recorder: api.openai.com")]
    assert said({"NO_PROXY": "localhost,127.0.0.1", "no_proxy": ".corp"}) == []
    own = Upstream(name="own", scheme="https", host="llm.corp", port=443, profile="openai")
    (found,) = [
        one for one in variables({"https_proxy": ORIGIN, "no_proxy": ".corp"}, ORIGIN, [own]) if one.thing == "no_proxy"
    ]
    assert (found.grade, found.mend) == (Grade.BAD, "take out the entries that cover them")


def test_a_proxy_for_plain_http_takes_what_is_for_the_base_urls() -> None:
    base = shells.base_urls(ORIGIN)
    assert grades(look({**base, "HTTP_PROXY": "http://corp:3128"}))["NO_PROXY"] is Grade.BAD
    assert "NO_PROXY" not in grades(look({**base, "HTTP_PROXY": "http://corp:3128", "NO_PROXY": "127.0.0.1"}))
    assert "NO_PROXY" not in grades(look({"HTTP_PROXY": "http://corp:3128"}))


def test_a_bundle_that_is_gone_is_a_problem() -> None:
    made = authority.ensure()
    bundles = dict.fromkeys(shells.BUNDLES, str(made.bundle))
    assert not set(shells.BUNDLES) & set(grades(look(bundles)))
    authority.remove()
    assert {grades(look(bundles))[name] for name in shells.BUNDLES} == {Grade.BAD}


def test_what_is_to_be_done_is_for_the_recorder_that_was_asked_for() -> None:
    odd = {"OPENAI_BASE_URL": "x"}
    for origin, said in (
        (ORIGIN, "toolreel env"),
        ("http://127.0.0.1:9", "toolreel env --port 9"),
        ("http://[::1]:9", "toolreel env --host ::1 --port 9"),
    ):
        (found,) = [one for one in variables(odd, origin, []) if one.grade is Grade.BAD]
        assert found.mend == f'eval "$({said})"'


def test_no_value_of_a_variable_is_repeated() -> None:
    odd = {"OPENAI_BASE_URL": "http://u:CANARY@x/", "HTTPS_PROXY": "http://u:CANARY@127.0.0.1:1"}
    assert not [one for one in look(odd) if "CANARY" in one.said + one.mend]


def test_a_port_is_free_or_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        number = silent.getsockname()[1]
        with Provider(Answer(pieces=(b"x",))) as other:
            assert checks.port(Reached(host="127.0.0.1", port=other.port)).grade is Grade.BAD
    assert checks.port(Reached(host="127.0.0.1", port=number)).grade is Grade.GOOD


def test_a_folder_can_be_written_made_or_neither(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert checks.folder(tmp_path).said == "can be written"
    assert checks.folder(tmp_path / "a" / "b").said == "can be made"
    assert checks.folder(tmp_path / "file" / "b").grade is Grade.BAD
    assert not (tmp_path / "a").exists()


def test_the_state_of_the_authority_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.certificates().grade is Grade.NOTE
    made = authority.ensure()
    assert checks.certificates().grade is Grade.GOOD
    (made.folder / authority.KEY_FILE).chmod(0o644)
    assert checks.certificates().said == "mitmproxy-ca.pem can be read by others"
    made = authority.ensure()
    made.bundle.unlink()
    assert checks.certificates().said == "missing, or of another key: bundle.pem"
    with monkeypatch.context() as short:
        short.setattr(authority, "LIFETIME", -datetime.timedelta(days=1))
        authority.rotate()
    assert checks.certificates().said.startswith("has expired")
    assert checks.certificates().mend == "toolreel ca rotate"


def test_an_upstream_is_reached_or_not_and_trusted_or_not(tmp_path: Path) -> None:
    root, context = private_authority(tmp_path)
    here = Upstream(name="x", scheme="http", host="127.0.0.1", port=1, profile="openai")
    with Provider(Answer(), tls=context) as behind_tls, Provider(Answer()) as plain:
        reached = replace(here, port=plain.port)
        secure = replace(here, scheme="https", port=behind_tls.port)
        assert checks.upstream(reached, None).grade is Grade.GOOD
        assert checks.upstream(secure, root).grade is Grade.GOOD
        assert "no certificate that is trusted" in checks.upstream(secure, None).said
    assert "cannot be reached" in checks.upstream(reached, None).said


def test_mitmproxy_is_known() -> None:
    assert checks.installed().grade is Grade.GOOD


def test_the_process_is_not_asked_for_more_than_its_own(data: Path) -> None:
    """Reading what is there makes nothing."""
    checks.certificates()
    list(look(os.environ))
    assert not data.exists()
