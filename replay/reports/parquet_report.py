"""The report of a replay as a table in a Parquet file: a row a fixture, its findings and calls as lists in the row.

DuckDB, pandas and every other reader of Parquet ask it questions; `docs/scale.md` has five. The only module that knows
pyarrow.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from replay.atomic import Pending
from replay.errors import ToolreelError, missing_extra, translated

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ModuleNotFoundError as error:
    raise missing_extra(error, "pyarrow", extra="parquet", said="--report parquet: pyarrow is not installed") from None

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from replay.judging.results import Result

    from .totals import Totals

_FINDING: Final = pa.struct(
    [("code", pa.string()), ("choice", pa.int32()), ("slot", pa.int32()), ("event", pa.int32()), ("path", pa.string())]
)
_CALL: Final = pa.struct([("choice", pa.int32()), ("slot", pa.int32()), ("name", pa.string()), ("state", pa.string())])
SCHEMA: Final = pa.schema(
    [
        ("fixture", pa.string()),
        ("day", pa.date32()),
        ("profile", pa.string()),
        ("provider", pa.string()),
        ("model", pa.string()),
        ("adapter", pa.string()),
        ("adapter_version", pa.string()),
        ("outcome", pa.string()),
        ("status", pa.string()),
        ("executable", pa.bool_()),
        ("findings", pa.list_(_FINDING)),
        ("calls", pa.list_(_CALL)),
        ("allowances", pa.list_(pa.string())),
    ]
)
# Rows that are written together, so that memory does not grow with the corpus.
_GROUP: Final = 10_000
# The folder that `record --by-day` makes.
_DAY: Final = re.compile(r"(?:^|/)day=(\d{4}-\d{2}-\d{2})/")


class Report:
    """A table that takes its place when it is whole; until then, and if the run does not end, nothing has happened."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._opened: Final = ExitStack()
        self._rows: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        with self._named():
            self._pending = self._opened.enter_context(Pending(self._path.resolve().parent))
            self._writer = self._opened.enter_context(pq.ParquetWriter(self._pending.path, SCHEMA, compression="zstd"))
        return self

    def __exit__(self, *_: object) -> None:
        with self._named():
            self._opened.close()

    def _named(self) -> translated[OSError]:
        why = "cannot be written; no report was written there"
        return translated(OSError, lambda error: ToolreelError(f"{self._path}: {why} ({error.strerror})"))

    def begin(self) -> Iterator[str]:
        """No line: the table has no text."""
        yield from ()

    def result(self, one: Result) -> Iterator[str]:
        """One more row, and no line."""
        self._rows.append(row(one))
        if len(self._rows) >= _GROUP:
            self._write()
        yield from ()

    def end(self, totals: Totals) -> Iterator[str]:  # noqa: ARG002 - one shape for all reports
        """The table is whole and put in place."""
        self._write()
        with self._named():
            self._writer.close()
            self._pending.replace(self._path.resolve())
        yield from ()

    def _write(self) -> None:
        with self._named():
            self._writer.write_table(pa.Table.from_pylist(self._rows, SCHEMA))
        self._rows.clear()


def row(one: Result) -> dict[str, Any]:
    """The row of one result. The verdict is the one that was found."""
    report, told = one.found, one.told
    day = _DAY.search(one.fixture)
    return {
        "fixture": one.fixture,
        "day": _date(day[1]) if day else None,
        "profile": report.profile if report else None,
        "provider": told.provider if told else None,
        "model": told.model if told else None,
        "adapter": told.adapter if told else None,
        "adapter_version": told.adapter_version if told else None,
        "outcome": one.outcome.value,
        "status": report.status.value if report else None,
        "executable": report is not None and report.executable,
        "findings": [
            {"code": found.code.value, "choice": found.choice, "slot": found.slot, "event": found.event}
            | {"path": found.path}
            for found in (report.findings if report else ())
        ],
        "calls": [
            {"choice": call.choice, "slot": call.slot, "name": call.name, "state": call.state.value}
            for call in (report.calls if report else ())
        ],
        "allowances": [use.name.value for use in (report.allowances if report else ())],
    }


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
