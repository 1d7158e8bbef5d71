"""Loops that read what they write: the same as in Python, with arrays passed twice, overlapping views and views that overlap themselves."""

import numpy as np
import pytest

from tessera import jit


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                other = d[i, k] + d[k, j]
                if other < d[i, j]:
                    d[i, j] = other


def divide_by_one(x, row, column):
    for j in range(x.shape[1]):
        x[row, j] = x[row, j] / x[row, column]


def subtract_row(x, y, to, by):
    for j in range(y.shape[1]):
        x[to, j] -= y[by, j] * x[to, 2]


def shift(x, y):
    for i in range(x.shape[0] - 1):
        x[i + 1] = y[i] + 1


def add_column(x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i, j] += x[i, 0] + x[0, j]


def running(x, k):
    total = 0.0
    for j in range(x.size):
        total += x[k]
        x[j] = total
    return total


def stored_first(x, k):
    for j in range(x.size):
        x[j] = x[j] + 1
        x[0] += x[k]


def same(function, *arguments):
    """Both on copies of one memory, which keep what the arguments share."""
    results = []
    for run in (function, jit(function)):
        memory = {}

        def copy(value):
            if not isinstance(value, np.ndarray):
                return value
            base = value if value.base is None else value.base
            if id(base) not in memory:
                memory[id(base)] = base.copy()
            own = memory[id(base)]
            offset = value.__array_interface__["data"][0] - base.__array_interface__["data"][0]
            return np.ndarray(value.shape, value.dtype, own, offset, value.strides)

        given = [copy(value) for value in arguments]
        results.append((run(*given), list(memory.values())))
    (wanted, wanted_memory), (got, got_memory) = results
    assert wanted == got
    for a, b in zip(wanted_memory, got_memory):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n", [1, 2, 7, 33, 70])
@pytest.mark.filterwarnings("ignore:overflow")
def test_shortest_paths_also_with_cycles_below_zero(n):
    rng = np.random.default_rng(n)
    same(floyd_warshall, rng.random((n, n)))
    same(floyd_warshall, rng.random((n, n)) - 0.01)
    same(floyd_warshall, rng.integers(-5, 50, (n, n)))
    same(floyd_warshall, np.asfortranarray(rng.random((n, n))))


@pytest.mark.parametrize("column", [0, 1, 20, 39, -1, -40])
def test_a_row_is_divided_by_one_of_its_elements(column):
    x = np.random.default_rng(0).random((3, 40)) + 0.5
    same(divide_by_one, x, 1, column)
    same(divide_by_one, x.T[:3, :3], 1, min(column, 2) % 3)


@pytest.mark.parametrize("to, by", [(0, 1), (1, 1), (2, 0)])
def test_rows_of_one_array_passed_twice(to, by):
    x = np.random.default_rng(0).random((3, 40))
    same(subtract_row, x, x, to, by)
    same(subtract_row, x, x[::-1], to, by)
    same(subtract_row, x[:, :20], x[:, 1:21], to, by)


def test_views_that_overlap():
    x = np.arange(100.0)
    same(shift, x, x)
    same(shift, x[1:], x[:-1])
    same(shift, x[:-1], x[1:])
    same(shift, x, x[::-1])
    same(shift, x[::2], x[1::2])


@pytest.mark.parametrize("steps", [(8, 8), (16, 8), (0, 8), (8, 0), (-8, 8), (8, 16), (320, 8)])
def test_views_that_overlap_themselves(steps):
    memory = np.random.default_rng(0).random(41 * 41)
    x = np.ndarray((40, 40), float, memory, 8 * 40 if steps[0] < 0 else 0, steps)
    same(add_column, x)
    same(floyd_warshall, x)


@pytest.mark.parametrize("k", [0, 1, 16, 49])
def test_an_element_that_one_iteration_stores(k):
    same(running, np.random.default_rng(0).random(50), k)
    same(stored_first, np.random.default_rng(0).random(50), k)


def test_new_arrays():
    def table(x):
        out = np.zeros((x.size, x.size))
        other = np.zeros(x.size)
        for i in range(x.size):
            for j in range(x.size):
                out[i, j] = x[j] + i
                other[j] += out[i, j]
                if i > 0:
                    out[i, j] += out[i - 1, j]
        for j in range(1, x.size):
            other[j] += other[j - 1]
        return float(out.sum() + other.sum())

    same(table, np.arange(37.0))


def sums_of_rows(x, count):
    row = np.zeros(x.size + 1)
    after = np.zeros(x.size + 1)
    for i in range(count):
        for j in range(x.size):
            after[j + 1] = row[j] + row[j + 1] + x[j]
        row, after = after, row
    return float(row[x.size])


def test_arrays_that_change_places():
    same(sums_of_rows, np.arange(50.0), 9)
