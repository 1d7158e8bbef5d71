"""Tuples that iterations of prange join, element by element or in order, lists that iterations make, and the number of threads in them."""

import numpy
import pytest
from tessera.errors import TypingError, UnsupportedError
from tessera.numba import get_num_threads, parallel_chunksize, set_num_threads

import tessera
from tessera import njit, prange

RNG = numpy.random.default_rng(31)


def position_of_least(x):
    best = (numpy.inf, -1)
    for i in prange(x.shape[0]):
        best = min(best, (x[i], i))
    return best


def position_of_most(x):
    best = (-10, 0)
    for i in prange(x.shape[0]):
        if i % 3:
            best = max((int(x[i] * 4), i), best)
    return best


def elements_apart(x):
    t = (0, 5.0, True)
    for i in prange(x.shape[0]):
        t = (t[0] + i, min(x[i], t[1]), t[2] and x[i] < 3.0)
    return t


def pairs(x):
    low, high = numpy.inf, -numpy.inf
    count = 0
    for i in prange(x.shape[0]):
        low, high = min(low, x[i]), max(x[i], high)
        count, _ = count + 1, i % 2
    return low, high, count


def conditions(x):
    every, some = True, False
    for i in prange(x.shape[0]):
        every = every and x[i] < 2.5
        some = x[i] > 1.5 or some
    return every, some


@pytest.mark.parametrize("function", [position_of_least, position_of_most, elements_apart, pairs, conditions])
@pytest.mark.parametrize("count", [1, 3, 129, 4001])
def test_joined_as_in_python(function, count):
    x = RNG.normal(size=count)
    assert njit(parallel=True)(function)(x) == function(x)


def test_the_first_of_equal_tuples_and_no_iteration():
    assert njit(parallel=True)(position_of_least)(numpy.zeros(1000)) == (0.0, 0)
    assert njit(parallel=True)(position_of_least)(numpy.zeros(0)) == (numpy.inf, -1)


def test_sums_of_tuples_do_not_depend_on_threads():
    @njit(parallel=True)
    def moments(x):
        t = (0.0, 0.0)
        for i in prange(x.shape[0]):
            t = (t[0] + x[i], t[1] + x[i] * x[i])
        return t

    x = RNG.normal(size=50_001)
    numpy.testing.assert_allclose(moments(x), (x.sum(), (x * x).sum()), rtol=1e-12)
    before, found = tessera.get_num_threads(), set()
    try:
        for threads in (1, 2, 5):
            tessera.set_num_threads(threads)
            found.add(moments(x))
    finally:
        tessera.set_num_threads(before)
    assert len(found) == 1


def test_what_needs_an_order_is_refused():
    @njit(parallel=True)
    def swapped(x):
        t = (0.0, 1.0)
        for i in prange(x.shape[0]):
            t = (t[1] + x[i], t[0])
        return t

    with pytest.raises(TypingError, match="iterations of prange change t"):
        swapped(numpy.ones(3))


def test_extremes_of_tuples():
    @njit
    def f(x, y):
        return min((x, 1), (y, 0)), max((x, 1.5), (y, 0.5), (x, 2.5))

    for x, y in [(1, 2), (2, 1), (3, 3)]:
        assert f(x, y) == f.py_func(x, y)


def test_a_list_of_each_iteration():
    @njit(parallel=True)
    def primes_below(n):
        counts = numpy.zeros(n, dtype=numpy.int64)
        for i in prange(n):
            found = [2]
            for k in range(3, i):
                for p in found:
                    if k % p == 0:
                        break
                else:
                    found.append(k)
            counts[i] = len(found) + found[-1]
        return counts

    numpy.testing.assert_array_equal(primes_below(60), primes_below.py_func(60))

    @njit(parallel=True)
    def shared(n):
        found = [0]
        for i in prange(n):
            found.append(i)
        return found

    with pytest.raises(UnsupportedError, match="append in prange to a list from before it"):
        shared(3)


def test_a_list_is_assigned_to_a_row():
    @njit(parallel=True)
    def rows(n):
        x = numpy.empty((n, 3))
        for i in prange(n):
            x[i] = [i, i + 0.5, -i]
        return x

    numpy.testing.assert_array_equal(rows(5), rows.py_func(5))

    @njit
    def others(x):
        x[0] = (1, 2, 3)
        x[1:3] = [[1, 2, 3], [4, 5, 6]]
        x[3, :2] = (5, 6, 7)

    x = numpy.zeros((4, 3))
    with pytest.raises(ValueError, match="3 elements do not fit into an array of 2"):
        others(x)
    numpy.testing.assert_array_equal(x, [[1, 2, 3], [1, 2, 3], [4, 5, 6], [0, 0, 0]])


def test_the_number_of_threads_of_iterations():
    @njit(parallel=True)
    def f(n):
        total = 0
        for i in prange(n):
            set_num_threads(1 + i % 3)
            total += get_num_threads()
        return total, get_num_threads()

    threads = tessera.get_num_threads()
    assert f(10) == (sum(1 + i % 3 for i in range(10)), threads)
    assert tessera.get_num_threads() == threads

    @njit(parallel=True)
    def none(n):
        for i in prange(n):
            set_num_threads(i)

    with pytest.raises(ValueError, match="less than one thread"):
        none(3)


def test_chunk_sizes_of_a_block():
    def f(x, size):
        total = 0.0
        with parallel_chunksize(size):
            for i in prange(x.shape[0]):
                total += x[i]
        with tessera.numba.parallel_chunksize(2 * size):
            inside = tessera.numba.get_parallel_chunksize()
        return total, inside, tessera.numba.get_parallel_chunksize()

    x = numpy.arange(1000.0)
    assert njit(parallel=True)(f)(x, 8) == (499500.0, 16, 0)
    assert njit(f)(x, 8) == (499500.0, 16, 0)

    @njit
    def other(x):
        with open(x):
            return 1

    with pytest.raises(UnsupportedError, match="with is not part"):
        other("a")
