"""The certificate authority that lets the recorder read what clients send through it as their HTTPS proxy.

It lives in the user's data folder and nowhere else, made when `toolreel env` or `toolreel ca rotate` asks for it.
Only processes that get its bundle through their environment trust it, never the system. Whoever has its key can pose to
those processes as any host that it may sign for: the providers' and those of the user's upstreams. So the key is for
the owner alone, and short-lived. A new host means a new certificate under the same key.
"""

import contextlib
import datetime
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from proxy_addon.setup.constraints import constraints, known_hosts, lacking, permitted
from replay.errors import ToolreelError, translated

# The variable that moves the data folder, for tests and for containers.
VARIABLE: Final = "TOOLREEL_DATA"

# Long enough for a project, short enough for a key that is forgotten on a disk.
LIFETIME: Final = datetime.timedelta(days=90)

# With less than this left it is made anew when it is asked for.
RENEWAL: Final = datetime.timedelta(days=7)

# Clocks differ, and mitmproxy dates its certificates two days back.
BACKDATED: Final = datetime.timedelta(days=2)

KEY_BITS: Final = 2048

NAME: Final = "toolreel recorder on this machine"

# Key and certificate together, under the name by which mitmproxy looks for them.
KEY_FILE: Final = "mitmproxy-ca.pem"
CERTIFICATE_FILE: Final = "ca.pem"
BUNDLE_FILE: Final = "bundle.pem"

# What mends an authority that is there.
ROTATE: Final = "toolreel ca rotate"


class AuthorityError(ToolreelError):
    """An authority that cannot be made, read or removed: `state` says how it is, and `mend` what to do."""

    def __init__(self, path: Path, state: str, *, mend: str) -> None:
        self.state: Final = state
        self.mend: Final = mend
        super().__init__(f"{path}: {state}; {mend}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """The authority as it is on the disk."""

    folder: Path
    expires: datetime.datetime
    fingerprint: str  # SHA-256 of the certificate, in hex
    hosts: frozenset[str]  # for which it may sign, and for names below them; none where it may for every one
    pem: bytes = field(repr=False)  # the certificate that belongs to the key

    @property
    def certificate(self) -> Path:
        """The file that holds its certificate alone."""
        return self.folder / CERTIFICATE_FILE

    @property
    def bundle(self) -> Path:
        """The file of the public authorities and this one, for clients that take one file only."""
        return self.folder / BUNDLE_FILE

    def left(self) -> datetime.timedelta:
        """The time for which it is still good; negative where it has expired."""
        return self.expires - datetime.datetime.now(datetime.UTC)

    def unsigned(self, hosts: Iterable[str]) -> frozenset[str]:
        """Those of the hosts for which it may not sign; all of them where it has no constraints at all."""
        return lacking(hosts, self.hosts)

    def lacking(self) -> list[Path]:
        """The files for clients that are missing, or that are of another key and so of no use to them."""
        return [path for path in (self.certificate, self.bundle) if self.pem not in _content(path)]


def data_folder(environment: Mapping[str, str] = os.environ, *, platform: str = sys.platform) -> Path:
    """The data folder of toolreel: `TOOLREEL_DATA`, or what the system has for data of one user."""
    if named := environment.get(VARIABLE):
        return Path(named).absolute()
    home = Path.home()
    if platform == "darwin":
        base = home / "Library" / "Application Support"
    elif platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        found = environment.get("XDG_DATA_HOME", "")
        base = Path(found) if found.startswith("/") else home / ".local" / "share"
    return base / "toolreel"


def authority_folder() -> Path:
    """The folder of the authority, which may not be there."""
    return data_folder() / "authority"


def examine() -> Authority | None:
    """The authority, or None where there is none; an `AuthorityError` where there is one that is of no use."""
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    folder = authority_folder()
    path = folder / KEY_FILE

    def unread(error: OSError) -> AuthorityError:
        missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        return AuthorityError(path, "is missing" if missing else f"cannot be read ({_said(error)})", mend=ROTATE)

    with translated(OSError, unread):
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            if not any((folder / name).exists() for name in (CERTIFICATE_FILE, BUNDLE_FILE)):
                return None
            raise
    damaged = AuthorityError(path, "is damaged: it holds no key with its certificate", mend=ROTATE)
    # TypeError: a key behind a password
    with translated((ValueError, TypeError, UnsupportedAlgorithm), lambda _: damaged):
        certificate = x509.load_pem_x509_certificate(data)
        key = load_pem_private_key(data, None)
    if key.public_key() != certificate.public_key():
        raise damaged
    if exposed := _exposed(path):
        raise AuthorityError(path, exposed, mend=ROTATE)
    return _described(folder, certificate)


def _exposed(path: Path) -> str:
    """Why a key is not the user's own alone; empty where it is. Windows keeps the folder of a user from others."""
    if os.name != "posix":
        return ""
    status = path.stat()
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return "can be read by others" if status.st_mode & 0o077 else ""


def find() -> Authority | None:
    """The authority, if one is there that can be used."""
    with contextlib.suppress(AuthorityError):
        return examine()
    return None


def ensure(hosts: Iterable[str] = ()) -> Authority:
    """The authority, which may sign for these hosts; made anew where there is none of use, or one that soon ends."""
    found = find()
    if found is None or found.left() <= RENEWAL or found.lacking():
        return rotate(hosts)
    return extend(found, hosts)


def rotate(hosts: Iterable[str] = ()) -> Authority:
    """A new authority in the place of the old one, whose key is gone then. It keeps the hosts of the old one."""
    from cryptography.hazmat.primitives.asymmetric import rsa

    old = find()
    key = rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)
    until = datetime.datetime.now(datetime.UTC) + LIFETIME
    every = known_hosts().union(hosts, old.hosts if old is not None else ())
    return _written(key, _certificate(key, every, until=until))


def extend(found: Authority, hosts: Iterable[str]) -> Authority:
    """The same authority where it may sign for these hosts; else one with the same key and end that also may."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    every = known_hosts().union(hosts)
    if not found.unsigned(every):
        return found
    key = load_pem_private_key((found.folder / KEY_FILE).read_bytes(), None)
    return _written(key, _certificate(key, every | found.hosts, until=found.expires))


def _written(key: Any, certificate: Any) -> Authority:
    """The authority of this key and certificate, with its files in their places."""
    from cryptography.hazmat.primitives import serialization

    folder = authority_folder()
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    with translated(OSError, lambda error: _unwritable(folder, error)):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        _replace(folder / CERTIFICATE_FILE, pem)
        _replace(folder / BUNDLE_FILE, _public() + b"\n" + pem)
        _replace(folder / KEY_FILE, private + pem)
    return _described(folder, certificate)


def beside(pem: bytes, made: Authority | None) -> tuple[Path, Path]:
    """The files for clients of a recorder whose own certificate is of another authority: certificates, and a bundle.

    They lie beside those of this authority, and have it in them where there is one.
    """
    folder = authority_folder()
    own = b"" if made is None else made.pem
    files = (folder / "recorder-ca.pem", folder / "recorder-bundle.pem")
    with translated(OSError, lambda error: _unwritable(folder, error)):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path, data in zip(files, (own + pem, _public() + b"\n" + own + pem), strict=True):
            _replace(path, data)
    return files


def _unwritable(folder: Path, error: OSError) -> AuthorityError:
    mend = f"name another data folder with {VARIABLE}=DIR"
    return AuthorityError(folder, f"cannot be written ({_said(error)})", mend=mend)


def remove() -> bool:
    """Remove every file of the authority; whether there was any."""
    folder = authority_folder()
    found = False

    def stays(error: OSError) -> AuthorityError:
        return AuthorityError(folder, f"cannot be removed ({_said(error)})", mend="remove the folder yourself")

    with translated(OSError, stays):
        # Also what mitmproxy keeps beside the key, and what a process that was killed has not put in its place: hidden
        # files, which may hold a key. The key goes first.
        for path in [folder / KEY_FILE, *sorted(folder.glob(".*")), *sorted(folder.glob("*.pem"))]:
            found = found or path.exists()
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()
    return found


def _said(error: OSError) -> str:
    """The words of the system for an error. Example: `Permission denied`."""
    return error.strerror or type(error).__name__


def _described(folder: Path, certificate: Any) -> Authority:
    from cryptography.hazmat.primitives import hashes, serialization

    # mitmproxy 11 brings a cryptography that also knows the older name of this.
    return Authority(
        folder=folder,
        expires=certificate.not_valid_after_utc,
        fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
        pem=certificate.public_bytes(serialization.Encoding.PEM),
        hosts=permitted(certificate),
    )


def _certificate(key: Any, hosts: Iterable[str], *, until: datetime.datetime) -> Any:
    """The certificate of an authority that may sign for these hosts as servers, and for no other authorities."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(until)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(usage, critical=True)
        .add_extension(constraints(hosts), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _public() -> bytes:
    """The certificates of the public authorities."""
    import certifi

    return Path(certifi.where()).read_bytes()


def _content(path: Path) -> bytes:
    """The bytes of a file; none where there is no file."""
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


def _replace(path: Path, data: bytes) -> None:
    """Put a file in the place of another in one step; it is for the owner alone from its first byte on."""
    descriptor, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:  # also a signal: what it leaves may be the key
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
