"""What calls of NetworkX's functions did: where they ran, how long conversion and work took, and why one was refused."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO


@dataclass
class Record:
    """Of one function."""

    calls: int = 0
    conversions: int = 0
    conversion_seconds: float = 0.0
    algorithm_seconds: float = 0.0
    result_seconds: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)


_records: dict[str, Record] | None = None
# Called when recording begins.
on_start: list[Callable[[], None]] = []


def start() -> None:
    """Records from now on."""
    global _records
    _records = {}
    for notice in on_start:
        notice()


def records() -> dict[str, Record]:
    """By function; empty where nothing is recorded."""
    return dict(_records or {})


def recording() -> bool:
    return _records is not None


def _record(name: str) -> Record:
    assert _records is not None
    return _records.setdefault(name, Record())


def refused(name: str, reason: str) -> None:
    if _records is not None:
        _record(name).refusals[reason] += 1


def converted(name: str, seconds: float) -> None:
    if _records is not None:
        record = _record(name)
        record.conversions += 1
        record.conversion_seconds += seconds


def timed(name: str, function: Callable) -> Callable:
    """The function with its calls recorded; of generators also what happens between items."""
    from tessera._core import networks

    def measure(record: Record, work: Callable[[], Any]) -> Any:
        algorithm, begin = networks.algorithm_seconds(), time.perf_counter()
        try:
            return work()
        finally:
            spent = networks.algorithm_seconds() - algorithm
            record.algorithm_seconds += spent
            record.result_seconds += time.perf_counter() - begin - spent

    def items(record: Record, generator: Any) -> Any:
        while True:
            try:
                item = measure(record, generator.__next__)
            except StopIteration:
                return
            yield item

    def call(*args: Any, **kwargs: Any) -> Any:
        record = _record(name)
        record.calls += 1
        result = measure(record, lambda: function(*args, **kwargs))
        return items(record, result) if hasattr(result, "__next__") else result

    return call


def write(out: TextIO) -> None:
    """The table of what was recorded."""
    found = records()
    if not found:
        print("\nNetworkX: no function was called that the backend was asked for", file=out)
        return
    print(
        f"\n{'NetworkX function':36} {'calls':>6} {'conversion':>11} {'algorithm':>10} {'result':>9}  where", file=out
    )
    for name, record in sorted(found.items(), key=lambda item: item[0]):
        if record.calls:
            times = (record.conversion_seconds, record.algorithm_seconds, record.result_seconds)
            conversion, algorithm, result = (f"{1e3 * each:.1f} ms" for each in times)
            print(f"{name:36} {record.calls:6} {conversion:>11} {algorithm:>10} {result:>9}  native", file=out)
        for reason, count in record.refusals.most_common():
            print(f"{name:36} {count:6} {'':>11} {'':>10} {'':>9}  NetworkX: {reason}", file=out)
