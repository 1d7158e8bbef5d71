"""legate.util.benchmark: logs of measurements as comma-separated values."""

from __future__ import annotations

import csv
import json
import os
import sys
import uuid
from typing import Any, TextIO


class BenchmarkLog:
    """Writes a heading with the metadata, then a row for each log(column=value, ...)."""

    def __init__(self, name: str, uid: Any, columns: list[str], out: TextIO, metadata: dict[str, Any] | None) -> None:
        self.name, self.uid, self.columns, self.file = name, uid, list(columns), out
        self.metadata = metadata or {}
        self._writer = csv.writer(out, lineterminator="\n")

    def __enter__(self) -> BenchmarkLog:
        text = json.dumps({"Benchmark": self.name, "uid": str(self.uid), **self.metadata}, indent=2, default=str)
        self.file.writelines(f"# {line}\n" for line in text.splitlines())
        self._writer.writerow(self.columns)
        self.file.flush()
        return self

    def __exit__(self, *_: object) -> None:
        self.file.flush()

    def log(self, **values: Any) -> None:
        """Writes one row. Errors: ValueError for columns that are missing or not there."""
        if set(values) != set(self.columns):
            raise ValueError(f"BenchmarkLog.log: columns {sorted(values)}; the log has {sorted(self.columns)}")
        self._writer.writerow([values[column] for column in self.columns])
        self.file.flush()


class BenchmarkLogFromFilename(BenchmarkLog):
    """The same into a file that it opens."""

    def __init__(self, name: str, uid: Any, columns: list[str], path: str, metadata: dict[str, Any] | None) -> None:
        self._path = path
        self._arguments = (name, uid, columns, metadata)

    def __enter__(self) -> BenchmarkLog:
        name, uid, columns, metadata = self._arguments
        super().__init__(name, uid, columns, open(self._path, "a"), metadata)
        return super().__enter__()

    def __exit__(self, *_: object) -> None:
        self.file.close()


def benchmark_log(
    name: str,
    columns: list[str],
    metadata: dict[str, Any] | None = None,
    out: Any = None,
    start_runtime: bool = True,
) -> BenchmarkLog:
    """A log on the standard output, or in the file or folder `out` (LEGATE_BENCHMARK_OUT)."""
    where = os.environ.get("LEGATE_BENCHMARK_OUT", "stdout") if out is None else out
    uid = uuid.uuid4()
    if where in ("stdout", "stderr"):
        return BenchmarkLog(name, uid, columns, sys.stdout if where == "stdout" else sys.stderr, metadata)
    if hasattr(where, "write"):
        return BenchmarkLog(name, uid, columns, where, metadata)
    path = os.path.join(where, f"{name}_{uid}.csv") if os.path.isdir(where) else str(where)
    return BenchmarkLogFromFilename(name, uid, columns, path, metadata)
