"""How many threads parallel work uses, by Numba's names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy

from tessera import _core
from tessera.functions.intrinsic import Intrinsic


def get_num_threads() -> int:
    """The number of threads that parallel loops, and all other work on cores, use.

    Examples
    --------
    >>> import tessera
    >>> tessera.get_num_threads() >= 1
    True
    """
    return _core.cpus()


def set_num_threads(count: int) -> None:
    """Sets that number, at least 1, for this process; results do not depend on it. Raises ValueError below 1.

    Examples
    --------
    >>> import tessera
    >>> before = tessera.get_num_threads()
    >>> tessera.set_num_threads(2)
    >>> tessera.get_num_threads()
    2
    >>> tessera.set_num_threads(before)
    """
    if count < 1:
        raise ValueError(f"set_num_threads: {count} threads; at least 1")
    _core.set_cpus(count)


def set_parallel_chunksize(size: int) -> int:
    """The number of iterations of prange that a thread takes at once, at least, of functions that this thread calls; 0, as at first, for as
    many as there are in the loop's 128th part. Returns what it was. Floating-point totals are those of the chunks, so they depend on it.

    Raises TypeError for what is no integer, ValueError below 0.

    Examples
    --------
    >>> import tessera
    >>> tessera.set_parallel_chunksize(64)
    0
    >>> tessera.set_parallel_chunksize(0)
    64
    """
    if not isinstance(size, (int, numpy.integer)):
        raise TypeError("The parallel chunksize must be an integer")
    if size < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    return _core.kernels.set_parallel_chunk_size(int(size))


def get_parallel_chunksize() -> int:
    """The number that `set_parallel_chunksize` set.

    Examples
    --------
    >>> import tessera
    >>> tessera.get_parallel_chunksize()
    0
    """
    return _core.kernels.parallel_chunk_size()


@contextlib.contextmanager
def parallel_chunksize(size: int) -> Iterator[None]:
    """Sets that number for a block: `with parallel_chunksize(64): f(x)`.

    Examples
    --------
    >>> import tessera
    >>> with tessera.parallel_chunksize(64):
    ...     print(tessera.get_parallel_chunksize())
    64
    """
    before = set_parallel_chunksize(size)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


# Compiled functions call them: in iterations of prange they mean the iterations' own number.
get_num_threads._describe = lambda: ("builtin", "builtins.get_num_threads")  # type: ignore[attr-defined]
set_num_threads._describe = lambda: ("builtin", "builtins.set_num_threads")  # type: ignore[attr-defined]
get_parallel_chunksize._describe = lambda: ("builtin", "builtins.get_parallel_chunksize")  # type: ignore[attr-defined]
# The types of their results are found without setting anything.
set_parallel_chunksize._runs_on_host = True  # type: ignore[attr-defined]
set_parallel_chunksize._sample = lambda size: 0  # type: ignore[attr-defined]
# What `with parallel_chunksize(n):` in compiled functions is written by.
parallel_chunksize._describe = lambda: ("builtin", "builtins.parallel_chunksize")  # type: ignore[attr-defined]
parallel_chunksize.set = set_parallel_chunksize  # type: ignore[attr-defined]


class _ThreadNumber(Intrinsic):
    def __call__(self, *_: Any, **__: Any) -> int:
        return 0


get_thread_id = _ThreadNumber(
    "builtins.get_thread_id",
    "The number of the thread that runs an iteration of prange, from 0 and below get_num_threads(); 0 elsewhere.",
)
