"""How a file in an object store is named: `s3://bucket/prefix/name.json`. Standard library only; asks no store.

A name is a text and never a `Path`, which would make one slash of the two.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replay.errors import ToolreelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What each kind of store calls the first part of a name.
CONTAINERS: Final[Mapping[str, str]] = {"s3": "bucket", "gs": "bucket", "az": "container"}
STARTS: Final = tuple(f"{scheme}://" for scheme in CONTAINERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name in its parts. `key` is empty where the whole bucket is meant."""

    scheme: str
    bucket: str
    key: str

    @property
    def root(self) -> str:
        """The bucket alone. Example: `s3://corpus`."""
        return f"{self.scheme}://{self.bucket}"

    @property
    def container(self) -> str:
        """The word for the first part of a name: a bucket, or a container."""
        return CONTAINERS[self.scheme]


def is_stored(path: str | os.PathLike[str]) -> bool:
    """Whether a path names something in an object store."""
    return isinstance(path, str) and path.startswith(STARTS)


def split(path: str) -> Name:
    """The parts of a name; a `ToolreelError` where it has no bucket, or a part that no key can have."""
    scheme, _, rest = path.partition("://")
    bucket, _, key = rest.partition("/")
    if not bucket:
        raise ToolreelError(f"{path}: names no {CONTAINERS[scheme]}; for example {scheme}://corpus/reels")
    key = key.rstrip("/")
    if any(part in ("", ".", "..") for part in key.split("/")) and key:
        raise ToolreelError(f"{path}: a part of it is empty, . or ..; name it as the store lists it")
    return Name(scheme=scheme, bucket=bucket, key=key)


def common(folders: Iterable[str]) -> str:
    """The folder that all of these are in, as `os.path.commonpath` has it; of names of a store with both slashes."""
    those = list(folders)
    found = os.path.commonpath(those)
    return found.replace(":/", "://", 1) if all(map(is_stored, those)) else found


def joined(folder: str, name: str) -> str:
    """The name of a file in a folder of a store."""
    return f"{folder.rstrip('/')}/{name}"
