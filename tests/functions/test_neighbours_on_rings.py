"""`(k + 1) % n` and its like inside loops over `range(n)`: Python's remainders, whatever bounds the loop has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tessera import njit, prange


def remainders(first, last, step, n):
    out = []
    for k in range(first, last, step):
        out.append((k + 1) % n)
        out.append((k - 1) % n)
        out.append(k % n)
        out.append((1 + k) % n)
        out.append((k + 2) % n)
        out.append((k - 2) % n)
        out.append((1 - k) % n)
    return out


def on_a_ring(x):
    n = x.shape[0]
    total = 0
    for k in range(n):
        total += k * x[(k + 1) % n] - x[(k - 1) % n] + 3 * x[k % n]
        k += 5
        total += (k + 1) % n
    return total


def over_part(x, first):
    n = x.shape[0]
    total = 0
    for k in range(first, n):
        total += (k + 1) % n * 10 + (k - 1) % n
    return total


def after_the_loop(n):
    k = 0
    for k in range(n):
        pass
    k += 7
    return (k + 1) % n


def in_a_grid(x):
    n, m = x.shape
    out = np.zeros_like(x)
    for i in range(n):
        for j in range(m):
            out[i, j] = (
                x[(i + 1) % n, j] + 2 * x[(i - 1) % n, j] + 4 * x[i, (j + 1) % m] + 8 * x[i, (j - 1) % m] + (j + 1) % n
            )
    return out


def in_parallel(x):
    n = x.shape[0]
    out = np.zeros_like(x)
    for k in prange(n):
        out[k] = x[(k + 1) % n] * 10 + x[(k - 1) % n]
    return out


@settings(deadline=None, max_examples=60)
@given(st.integers(-6, 6), st.integers(-6, 12), st.sampled_from([-2, -1, 1, 2]), st.integers(-7, 7).filter(bool))
def test_remainders_of_counters_are_pythons(first, last, step, n):
    if len(range(first, last, step)):
        assert list(njit(remainders)(first, last, step, n)) == remainders(first, last, step, n)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 17])
def test_neighbours_on_a_ring(n):
    x = np.arange(n) ** 2 + 1
    assert njit(on_a_ring)(x) == on_a_ring(x)
    assert (njit(parallel=True)(in_parallel)(x) == in_parallel(x)).all()
    for first in range(-2 if n else 0, n):  # of length 0 the remainder raises
        assert njit(over_part)(x, first) == over_part(x, first)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 3), (3, 7)])
def test_neighbours_in_a_grid(shape):
    x = np.arange(shape[0] * shape[1]).reshape(shape) + 1
    assert (njit(in_a_grid)(x) == in_a_grid(x)).all()


def test_what_is_known_in_a_loop_is_not_after_it():
    for n in (1, 2, 5):
        assert njit(after_the_loop)(n) == after_the_loop(n)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_lengths_of_other_types(dtype):
    def rest(n):
        total = 0
        for k in range(n):
            total += int((k + 1) % n)
        return total

    for n in (1, 3, 100):
        assert njit(rest)(np.dtype(dtype).type(n)) == sum((k + 1) % n for k in range(n))
