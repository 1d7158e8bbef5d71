"""Counts the calls of tessera.numpy's functions, for `tessera run --coverage`."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TextIO


class Counts(dict):
    """Calls and seconds of native names."""

    def add(self, name: str, seconds: float) -> None:
        """Count one call."""
        calls, total = self.get(name, (0, 0.0))
        self[name] = (calls + 1, total + seconds)


class CountedUfunc:
    """A ufunc that counts its calls; everything else is the ufunc's."""

    def __init__(self, name: str, ufunc: Any, counts: Counts) -> None:
        self.__dict__.update(_name=name, _ufunc=ufunc, _counts=counts, __name__=ufunc.__name__, __doc__=ufunc.__doc__)

    def __call__(self, *args, **kwargs):
        start = time.perf_counter()
        try:
            return self._ufunc(*args, **kwargs)
        finally:
            self._counts.add(self._name, time.perf_counter() - start)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)

    def __repr__(self) -> str:
        return repr(self._ufunc)


def counted(name: str, function: Callable, counts: Counts) -> Callable:
    """The function, counting."""

    @functools.wraps(function)
    def count(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            counts.add(name, time.perf_counter() - start)

    return count


def install() -> Counts:
    """Replaces the public functions and ufuncs of tessera.numpy by counting ones."""
    import tessera.numpy as namespace

    counts = Counts()
    for name, value in list(vars(namespace).items()):
        if name.startswith("_") or isinstance(value, type) or hasattr(value, "__tessera_fallback__"):
            continue
        if isinstance(value, namespace.ufunc):
            setattr(namespace, name, CountedUfunc(name, value, counts))
        elif callable(value) and getattr(value, "__module__", "").startswith("tessera."):
            setattr(namespace, name, counted(name, value, counts))
    return counts


def report(counts: Counts, out: TextIO) -> None:
    """The table of what ran, native names first."""
    import tessera

    fallbacks = tessera.fallback_statistics()
    rows = [(name, "native", calls, seconds, "") for name, (calls, seconds) in counts.items() if name not in fallbacks]
    for name, record in fallbacks.items():
        rows.append((name, "NumPy", record.calls, record.seconds, "; ".join(record.reasons)))
    rows.sort(key=lambda row: (row[1] != "native", -row[3]))
    print(f"\n{'name':28} {'ran':7} {'calls':>8} {'ms':>10}  reason", file=out)
    for name, where, calls, seconds, why in rows:
        print(f"{name:28} {where:7} {calls:8} {seconds * 1e3:10.2f}  {why}", file=out)
    native = sum(row[2] for row in rows if row[1] == "native")
    total = sum(row[2] for row in rows)
    if total:
        print(f"{native} of {total} calls native ({100 * native / total:.1f}%)", file=out)
