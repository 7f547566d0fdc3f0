"""The objects of a store: read, listed, created, replaced, removed. The only module that knows obstore.

Where the store is and who may use it, the environment says, as for every client of that store: `AWS_ENDPOINT_URL` and
`AWS_ACCESS_KEY_ID`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME` and their like. What the store answers is
put into words of our own: its messages hold addresses, and an address may hold a signature.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from datetime import timedelta
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final, cast

from replay.errors import ToolreelError, missing_extra, translated

from .names import split

try:
    import obstore
    from obstore import exceptions
    from obstore.store import AzureStore, GCSStore, S3Store, from_url
except ModuleNotFoundError as error:
    said = "obstore is not installed, and paths in an object store need it"
    raise missing_extra(error, "obstore", extra="store", said=said) from None

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from obstore.store import RetryConfig

    from .names import Name

# An outage of seconds is ridden out by every request; what lasts longer is told.
_RETRIES: Final = 5
_RETRY_SECONDS: Final = 20
_STATUS: Final = re.compile(r"non-2xx status code: (\d{3})")
_DENIED: Final = ("401", "403")
# How stores say that the bucket itself is not there.
_NO_BUCKET: Final = re.compile(r"NoSuchBucket|InvalidBucketName|ContainerNotFound|bucket does not exist")
# How the client says that it does not speak HTTP without TLS.
_PLAIN: Final = "BadScheme"
# Bytes of a pack that are fetched in one request.
_BUFFER: Final = 1024 * 1024


class Sort(Enum):
    """What kind of refusal a store has given."""

    ABSENT = "no such object; check the path"
    NO_BUCKET = "is not there; check its name, and where the environment says that the store is"
    DENIED = "the store denies access; check the credentials in the environment, and what they may do"
    OTHER = "the store gave no answer that is of use"

    @property
    def lasting(self) -> bool:
        """Whether asking again is of no use."""
        return self is not Sort.OTHER


class StoreError(ToolreelError):
    """What a store refused, as one line; `sort` is for whoever would ask again."""

    def __init__(self, message: str, sort: Sort) -> None:
        super().__init__(message)
        self.sort = sort


@cache
def _store(root: str, retries: int = _RETRIES) -> S3Store | GCSStore | AzureStore:
    retry: RetryConfig = {
        "max_retries": retries,
        "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
        "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=3), "base": 2},
    }
    # A `ValueError` or an error of the library's own: the environment lacks something, such as the name of an account.
    with translated((ValueError, exceptions.BaseError), lambda _: StoreError(_unconfigured(root), Sort.DENIED)):
        # No options of the client: they would take the place of those that the environment names.
        made = from_url(root, retry_config=retry)
    assert isinstance(made, S3Store | GCSStore | AzureStore), "the only schemes that a name has"
    return made


def _unconfigured(root: str) -> str:
    return f"{root}: the environment does not say enough to reach this store; set the variables that its clients read"


@contextmanager
def _told(path: str) -> Iterator[Name]:
    """The parts of a name; errors of the store as one line about it."""
    name = split(path)
    kinds = (OSError, ValueError, exceptions.BaseError)
    with translated(kinds, lambda error: _error(path, name, error)):
        yield name


def _error(path: str, name: Name, error: Exception) -> StoreError:
    text = str(error)
    if _NO_BUCKET.search(text):
        return StoreError(f"{path}: the {name.container} {name.bucket} {Sort.NO_BUCKET.value}", Sort.NO_BUCKET)
    if isinstance(error, FileNotFoundError):
        return StoreError(f"{path}: {Sort.ABSENT.value}", Sort.ABSENT)
    status = _STATUS.search(text)
    denied = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
    if denied or (status is not None and status[1] in _DENIED):
        return StoreError(f"{path}: {Sort.DENIED.value}", Sort.DENIED)
    said = f"status {status[1]}" if status else "not reached"
    advice = "see that it runs, and where the environment says that it is"
    if _PLAIN in text:
        said, advice = "its address is http://", "give it TLS, or allow that on purpose: AWS_ALLOW_HTTP=true"
    return StoreError(f"{path}: {Sort.OTHER.value} ({said}); {advice}", Sort.OTHER)


def read(path: str, *, limit: int) -> bytes:
    """The bytes of an object; a `ToolreelError` where there is none, or a larger one than `limit`."""
    with _told(path) as name:
        found = obstore.get(_store(name.root), name.key)
        size = found.meta["size"]
        data = bytes(found.bytes()) if size <= limit else b""
    if size > limit:
        raise ToolreelError(f"{path}: larger than {limit:,} bytes, so it is no fixture; leave it out")
    return data


def read_if_there(path: str, *, limit: int) -> bytes | None:
    """The bytes of an object, None where there is none."""
    try:
        return read(path, limit=limit)
    except StoreError as error:
        if error.sort is not Sort.ABSENT:
            raise
    return None


def exists(path: str) -> bool:
    """Whether there is an object of this name."""
    try:
        with _told(path) as name:
            obstore.head(_store(name.root), name.key)
    except StoreError as error:
        if error.sort is not Sort.ABSENT:
            raise
        return False
    return True


def listed(path: str) -> Iterator[str]:
    """The names of all objects behind a prefix, in no order that counts."""
    with _told(path) as name:
        for some in obstore.list(_store(name.root), name.key or None):
            yield from (f"{name.root}/{one['path']}" for one in some)


def create(path: str, data: bytes) -> bool:
    """Write an object in one step if none of its name is there; whether it was written.

    It is asked for once: where the answer to a first request was lost, a second one would hear that the name is taken.
    Whoever asks again knows that, and looks whose object it is.
    """
    with _told(path) as name:
        try:
            obstore.put(_store(name.root, retries=0), name.key, data, mode="create")
        except exceptions.AlreadyExistsError:
            return False
    return True


def write(path: str, data: bytes) -> None:
    """Put an object in the place of the one that is there, in one step."""
    with _told(path) as name:
        obstore.put(_store(name.root), name.key, data)


def upload(path: str, file: BinaryIO) -> None:
    """Put what is in a file in the place of an object, piece by piece: it is there when it is whole."""
    with _told(path) as name:
        obstore.put(_store(name.root), name.key, file)


def remove(path: str) -> None:
    """Remove an object."""
    with _told(path) as name:
        obstore.delete(_store(name.root), name.key)


class _Object(io.RawIOBase):
    """An object that is read wherever it is asked for, by one request each time."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path: Final = path
        self._at = 0
        with _told(path) as name:
            self._size: Final = obstore.head(_store(name.root), name.key)["size"]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: object, /) -> int:
        into = memoryview(cast("bytearray", buffer)).cast("B")
        end = min(self._at + len(into), self._size)
        if end <= self._at:
            return 0
        with _told(self._path) as name:
            data = obstore.get_range(_store(name.root), name.key, start=self._at, end=end)
        into[: len(data)] = memoryview(data).cast("B")
        self._at += len(data)
        return len(data)


def opened(path: str) -> io.BufferedReader:
    """An object that is read piece by piece, wherever in it."""
    return io.BufferedReader(_Object(path), _BUFFER)
