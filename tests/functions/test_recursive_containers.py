"""Functions that call themselves: they add to lists of their callers, and call NumPy's functions on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tessera.errors import UnsupportedError

from tessera import jit


@jit
def walk(low: int, high: int, found: Any) -> None:
    if high - low > 2:
        middle = (low + high) // 2
        walk(low, middle, found)
        walk(middle, high, found)
        found.append((low, high))
    else:
        found.append((low, low))


@jit
def walked(n: int) -> Any:
    found = [(0, 0)]
    walk(0, n, found)
    return found


def test_lists_of_the_caller_grow() -> None:
    assert walked(300) == walked.py_func(300)


def test_functions_of_numpy_run_on_the_host() -> None:
    @jit
    def solved(n: int, m: Any) -> Any:
        if n == 0:
            return np.linalg.solve(m, np.ones(2)).sum()
        return solved(n - 1, m) + np.median(np.arange(n) * 1.0)

    assert solved(50, np.eye(2)) == 2 + sum(np.median(np.arange(k)) for k in range(1, 51))
    for _ in range(3):
        with pytest.raises(np.linalg.LinAlgError):
            solved(5, np.zeros((2, 2)))

    @jit
    def attempted(n: int, m: Any) -> Any:
        try:
            return solved(n, m)
        except Exception:
            return -1.0

    assert attempted(3, np.zeros((2, 2))) == -1.0 and attempted(3, np.eye(2)) == solved(3, np.eye(2))


def test_threads_may_not_share_a_list() -> None:
    with pytest.raises(UnsupportedError, match="append in prange"):
        jit(parallel=True)(walked.py_func)(10)
