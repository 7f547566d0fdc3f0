"""What a client shows to be let in: a token of `--client-token-file`, in one header or the other. No mitmproxy.

X-Toolreel-Token: TOKEN                  of a client with a base URL
Proxy-Authorization: Bearer TOKEN        of a client that has the recorder as its proxy
Proxy-Authorization: Basic …             as HTTPS_PROXY=https://any:TOKEN@host gives it: the password is the token
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable
from typing import Final

TOKEN_HEADER: Final = "X-Toolreel-Token"  # noqa: S105 - the name of a header
PROXY_HEADER: Final = "Proxy-Authorization"


def written_in(data: bytes) -> list[bytes]:
    """The tokens that a file holds, one a line."""
    return [token for line in data.splitlines() if (token := line.strip())]


def is_visible(token: bytes) -> bool:
    """Whether a token is of visible characters of ASCII alone, as a header can carry."""
    return all(33 <= byte < 127 for byte in token)


class Tokens:
    """The tokens that let a client in. Only their digests are kept, and each shown token is compared with all."""

    def __init__(self, tokens: Iterable[bytes]) -> None:
        self._digests: Final = tuple(map(_digest, tokens))

    def let_in(self, *, token: Iterable[bytes], proxy: Iterable[bytes] = ()) -> bool:
        """Whether one of these values of the two headers is a token, in a time that does not tell how near it is."""
        shown = [_digest(one) for one in (*token, *map(_of_proxy, proxy))]
        return sum(hmac.compare_digest(one, known) for one in shown for known in self._digests) > 0  # compares all


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _of_proxy(value: bytes) -> bytes:
    """The token in a value of Proxy-Authorization; empty, which is no token, where there is none."""
    scheme, _, rest = value.strip().partition(b" ")
    if scheme.lower() == b"bearer":
        return rest.strip()
    if scheme.lower() != b"basic":
        return b""
    try:
        return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
    except binascii.Error:
        return b""
