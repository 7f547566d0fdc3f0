"""Fixtures of a shape that a word says, and the digest of such a one, for tests of where fixtures are put."""

import hashlib

from redaction.captured.exchange import Fixture


def shape(text: str, stem: str = "openai-gpt-4o-1") -> Fixture:
    """A fixture whose bytes, and so whose digest, `text` decides."""
    data = f"shape {text}\n".encode()
    return Fixture(data=data, stem=stem, digest=hashlib.sha256(data).hexdigest())


def digest_of(data: bytes) -> str | None:
    """The digest of such a fixture; None of anything else."""
    return hashlib.sha256(data).hexdigest() if data.startswith(b"shape ") else None
