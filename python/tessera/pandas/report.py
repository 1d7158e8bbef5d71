"""What calls of pandas' methods did: which ran natively, which in pandas and why, from which lines."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TextIO

from tessera._fallback import fallback_mode
from tessera.pandas import internals

_OWN = os.path.dirname(os.path.dirname(__file__)) + os.sep
_PANDAS = internals._FOLDER + os.sep


class PandasFallbackError(RuntimeError):
    """A call would run in pandas while TESSERA_FALLBACK=error forbids that. No FallbackError: pandas takes a NotImplementedError
    for an operation that it does in another way."""

    __module__ = "tessera.pandas"


@dataclass
class Record:
    """Of one method."""

    native: int = 0
    pandas: int = 0
    native_seconds: float = 0.0
    pandas_seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)


_records: dict[str, Record] = {}


class _State(threading.local):
    inside = 0  # how many counted calls of this thread are in pandas


state = _State()


def records() -> dict[str, Record]:
    """By method, since the start or the last reset()."""
    return dict(_records)


def reset() -> None:
    _records.clear()


def _record(name: str) -> Record:
    found = _records.get(name)
    if found is None:
        found = _records.setdefault(name, Record())
    return found


def users_line() -> str:
    """The file and line of the first caller that is neither pandas nor tessera."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_OWN, _PANDAS)):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "?"


def native(name: str, seconds: float = 0.0) -> None:
    """A call ran natively."""
    record = _record(name)
    record.native += 1
    record.native_seconds += seconds


def refused(name: str, reason: str) -> None:
    """A call is going to run in pandas: counted unless a counted one asks for it."""
    if state.inside:
        return
    if fallback_mode() == "error":
        raise PandasFallbackError(f"{name} would run in pandas: {reason}; TESSERA_FALLBACK=error forbids it")
    record = _record(name)
    record.pandas += 1
    record.reasons[reason] += 1
    record.lines[users_line()] += 1


class InPandas:
    """Counts a call that pandas answers, and what it calls in turn as part of it."""

    __slots__ = ("name", "reason", "begin")

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def __enter__(self) -> None:
        refused(self.name, self.reason)
        state.inside += 1
        self.begin = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        state.inside -= 1
        if not state.inside:
            _record(self.name).pandas_seconds += time.perf_counter() - self.begin


def write(out: TextIO) -> None:
    """The table of what was recorded."""
    if not _records:
        print("\npandas: no method of a large frame was called", file=out)
        return
    print(f"\n{'pandas method':36} {'calls':>6} {'time':>11}  where", file=out)
    for name, record in sorted(_records.items()):
        if record.native:
            print(f"{name:36} {record.native:6} {1e3 * record.native_seconds:8.1f} ms  native", file=out)
        for reason, count in record.reasons.most_common():
            seconds = record.pandas_seconds * count / max(record.pandas, 1)
            print(f"{name:36} {count:6} {1e3 * seconds:8.1f} ms  pandas: {reason}", file=out)
        for line, count in record.lines.most_common(3):
            print(f"{'':36} {count:6}  at {line}", file=out)
