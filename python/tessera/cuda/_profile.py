"""When an attached profiler of the GPU collects, under numba.cuda's names."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tessera.prof import profile

_started: list[profile] = []


def profile_start() -> None:
    """Collects from here on, until profile_stop().

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.profile_start()
    >>> cuda.profile_stop()
    """
    collecting = profile()
    collecting.__enter__()
    _started.append(collecting)


def profile_stop() -> None:
    """Collects no longer.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.profile_start()
    >>> cuda.profile_stop()
    """
    if _started:
        _started.pop().__exit__(None, None, None)


@contextlib.contextmanager
def profiling() -> Iterator[None]:
    """Collects during the block.

    Examples
    --------
    >>> from tessera import cuda
    >>> with cuda.profiling():
    ...     pass
    """
    profile_start()
    try:
        yield
    finally:
        profile_stop()
