"""How many threads parallel work uses, by Numba's names."""

from __future__ import annotations

from tessera import _core


def get_num_threads() -> int:
    """The number of threads that parallel loops, and all other work on cores, use."""
    return _core.cpus()


def set_num_threads(count: int) -> None:
    """Sets that number, at least 1, for this process; results do not depend on it. Raises ValueError below 1."""
    if count < 1:
        raise ValueError(f"set_num_threads: {count} threads; at least 1")
    _core.set_cpus(count)
