"""Loops that store bytes at distances which only a call knows: the elements and sums of Python's own."""

import numpy as np
import pytest

from tessera import jit

SIZE = 41


def mark(flags, begin, end, step):
    total, last = 0, -1
    for j in range(begin, end, step):
        flags[j] = j
        total += 3 * j
        last = j
    return total, last


def mark_by_steps_from_two(flags, begin, end, step):
    """As in a sieve: steps are known to be positive."""
    count = 0
    for i in range(2, step):
        for j in range(begin + i * i, end, i):
            flags[j] += i
            count += 1
    return count


def check(function, compiled, *arguments, dtype=np.int8):
    got, wanted = np.full(SIZE, 77, dtype), np.full(SIZE, 77, dtype)
    assert compiled(got, *arguments) == function(wanted, *arguments)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.bool_])
@pytest.mark.parametrize("step", [1, 2, 3, 7, 10, 40, 90, -1, -3, -13])
def test_any_range_stores_what_python_stores(step, dtype):
    compiled = jit(mark)
    limits = [-SIZE, -20, -3, -1, 0, 1, 2, 19, 38, SIZE - 1]
    for begin in limits:
        for end in [*limits, SIZE]:
            check(mark, compiled, begin, end, step, dtype=dtype)


@pytest.mark.parametrize("begin", [-30, -9, -4, 0, 5])
def test_steps_of_an_outer_loop(begin):
    compiled = jit(mark_by_steps_from_two)
    for most in range(2, 12):
        for end in (0, 1, 17, SIZE):
            check(mark_by_steps_from_two, compiled, begin, end, most)


@pytest.mark.parametrize("step", [2**60 - 1, 2**60, 2**60 + 1, 2**61, 2**62])
def test_steps_of_nearly_all_numbers(step):
    compiled = jit(mark)
    for begin in (0, 3, -3):
        for end in (-(2**63), -4, 0, 5, min(2**63 - 1, begin + step)):
            check(mark, compiled, begin, end, step)
    for begin in (0, 3):
        check(mark, compiled, begin, -9, -step)
