"""How many threads parallel work uses, by Numba's names."""

from __future__ import annotations

from typing import Any

from tessera import _core
from tessera.functions.intrinsic import Intrinsic


def get_num_threads() -> int:
    """The number of threads that parallel loops, and all other work on cores, use."""
    return _core.cpus()


def set_num_threads(count: int) -> None:
    """Sets that number, at least 1, for this process; results do not depend on it. Raises ValueError below 1."""
    if count < 1:
        raise ValueError(f"set_num_threads: {count} threads; at least 1")
    _core.set_cpus(count)


# Compiled functions call them; the types of their results are found without setting anything.
get_num_threads._runs_on_host = True  # type: ignore[attr-defined]
set_num_threads._runs_on_host = True  # type: ignore[attr-defined]
set_num_threads._sample = lambda count: None  # type: ignore[attr-defined]


class _ThreadNumber(Intrinsic):
    def __call__(self, *_: Any, **__: Any) -> int:
        return 0


get_thread_id = _ThreadNumber(
    "builtins.get_thread_id",
    "The number of the thread that runs an iteration of prange, from 0 and below get_num_threads(); 0 elsewhere.",
)
