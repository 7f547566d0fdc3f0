"""A private certificate authority and a server certificate of it, made anew for each test that needs one."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def authority(folder: Path, *others: str) -> tuple[Path, ssl.SSLContext]:
    """The PEM file of an authority, and a server context with a certificate of it for this machine and other names."""
    issuer_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "toolreel test authority")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "toolreel test provider")])
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *map(x509.DNSName, ("localhost", *others))]
    root = (
        _builder(issuer, issuer, issuer_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )
    leaf = (
        _builder(subject, issuer, server_key)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
    root_file, chain_file, key_file = (folder / name for name in ("ca.pem", "server.pem", "server.key"))
    root_file.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    chain_file.write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        server_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain_file, key_file)
    return root_file, context


def client_pair(folder: Path) -> tuple[Path, tuple[Path, Path]]:
    """The PEM file of an authority, and the files of a certificate of it and its key that a client can show."""
    root, _ = authority(folder)
    return root, (folder / "server.pem", folder / "server.key")


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
    )
