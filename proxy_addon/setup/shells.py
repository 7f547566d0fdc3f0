"""The variables that make clients use the recorder, and how each shell sets them. Pure functions."""

import re
import shlex
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from proxy_addon.recorder.banner import VARIABLES


class Way(Enum):
    """How the clients come to the recorder; the value is what `--way` takes."""

    BOTH = "both"
    URL = "url"  # each SDK's own base URL
    PROXY = "proxy"  # HTTPS_PROXY, for everything that speaks HTTPS


class Shell(Enum):
    """The shell, or other reader, of the lines; the value is what `--shell` takes."""

    SH = "sh"
    FISH = "fish"
    POWERSHELL = "powershell"
    DOTENV = "dotenv"


# One file of all authorities to trust, in the place of the client's own. Python's ssl and all that is built on it,
# requests, curl, the SDKs of AWS; what reads none of them needs its own option.
BUNDLES: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE")


def base_urls(origin: str) -> dict[str, str]:
    """The variables of the SDKs that read one; `origin` is the URL of the recorder."""
    return {variable: f"{origin}/{name}{suffix}" for name, (variable, suffix) in VARIABLES.items()}


def proxy(origin: str, *, certificate: Path, bundle: Path) -> dict[str, str]:
    """The variables of clients that speak HTTPS through a proxy."""
    return {
        "HTTPS_PROXY": origin,
        "https_proxy": origin,  # which most clients read first
        **trusted(certificate, bundle),
        "NODE_USE_ENV_PROXY": "1",  # Node 24 and newer; an older fetch has no proxy
    }


def trusted(certificate: Path, bundle: Path) -> dict[str, str]:
    """The variables of clients that are to trust a certificate: in a bundle with all others, and alone."""
    return {
        **dict.fromkeys(BUNDLES, str(bundle)),
        "NODE_EXTRA_CA_CERTS": str(certificate),  # beside Node's own
    }


def lines(shell: Shell, variables: Mapping[str, str]) -> list[str]:
    """The lines that set the variables, one for each."""
    return [_LINE[shell](name, value) for name, value in variables.items()]


def _sh(name: str, value: str) -> str:
    return f"export {name}={shlex.quote(value)}"


def _fish(name: str, value: str) -> str:
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"set -gx {name} '{quoted}'"


# PowerShell takes each of these for a single quote: the plain one and the four that word processors write.
_POWERSHELL_QUOTES: Final = re.compile("['\u2018-\u201b]")


def _powershell(name: str, value: str) -> str:
    quoted = _POWERSHELL_QUOTES.sub(r"\g<0>\g<0>", value)
    return f"$env:{name} = '{quoted}'"


def _dotenv(name: str, value: str) -> str:
    """One line of a `.env` file, without quotes where none are needed: some readers take them for part of the value."""
    if re.fullmatch(r"[A-Za-z0-9_./:@%+,=-]*", value):
        return f"{name}={value}"
    quoted = re.sub(r'[\\"$`]', r"\\\g<0>", value)  # a shell that reads the file would run what backticks hold
    return f'{name}="{quoted}"'


_LINE: Final[Mapping[Shell, Callable[[str, str], str]]] = {
    Shell.SH: _sh,
    Shell.FISH: _fish,
    Shell.POWERSHELL: _powershell,
    Shell.DOTENV: _dotenv,
}
