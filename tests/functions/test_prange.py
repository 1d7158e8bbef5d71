"""prange with parallel=True against the same loops in Python."""

import threading

import numpy
import pytest
import tessera.numpy as np
from tessera.errors import TypingError
from tessera.numba import get_num_threads, get_thread_id, set_num_threads

import tessera
from tessera import jit, njit, prange, stencil

RNG = numpy.random.default_rng(11)


def parallel(function):
    return njit(parallel=True)(function)


def sums(x):
    total = 0
    squares = 0.0
    product = 1.0
    least = 1e300
    most = x[0]
    odd = 0
    for i in prange(x.shape[0]):
        total += i
        squares = squares + x[i] * x[i]
        product *= 1 + x[i] / 1000
        least = min(least, x[i])
        most = max(x[i], most)
        if i % 2:
            odd += 1
        odd -= 0
    return total, squares, product, least, most, odd


@pytest.mark.parametrize("count", [1, 2, 5, 127, 128, 129, 1000, 40_001])
def test_reductions(count):
    x = RNG.random(count) - 0.5
    got, wanted = parallel(sums)(x), sums(x)
    assert got[0] == wanted[0] and got[5] == wanted[5] and got[3:5] == wanted[3:5]
    numpy.testing.assert_allclose(got[1:3], wanted[1:3], rtol=1e-12)


def test_bits_do_not_depend_on_threads():
    x = RNG.random(100_003)
    f = parallel(sums)
    results = set()
    before = tessera.get_num_threads()
    try:
        for threads in (1, 2, 3, 7):
            tessera.set_num_threads(threads)
            assert tessera.get_num_threads() == threads
            results.add(f(x))
    finally:
        tessera.set_num_threads(before)
    assert len(results) == 1


@pytest.mark.parametrize("bounds", [(0,), (10,), (3, 50), (3, 50, 7), (50, 3, -7), (5, 5), (9, 2)])
def test_ranges(bounds):
    namespace = {"prange": prange}
    text = f"def visit(out):\n    last = -1\n    for i in prange({', '.join(map(str, bounds))}):\n        out[i] += i + 1\n    return last\n"
    exec(text, namespace)
    out, wanted = numpy.zeros(60, "int64"), numpy.zeros(60, "int64")
    njit(parallel=True, source=text)(namespace["visit"])(out)
    for i in range(*bounds):
        wanted[i] += i + 1
    assert out.tolist() == wanted.tolist()


def test_nested_loops_and_arrays_of_tessera():
    @parallel
    def product(a, b, out):
        for i in prange(a.shape[0]):
            for j in prange(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                out[i, j] = total

    a, b = RNG.random((30, 40)), RNG.random((40, 50))
    for module in (numpy, np):
        out = module.zeros((30, 50))
        product(module.asarray(a), module.asarray(b), out)
        numpy.testing.assert_allclose(out, a @ b, rtol=1e-13)


def test_several_loops_and_what_lies_between():
    @parallel
    def normalise(x):
        total = 0.0
        for i in prange(x.shape[0]):
            total += x[i]
        mean = total / x.shape[0]
        spread = 0.0
        for i in prange(x.shape[0]):
            spread += (x[i] - mean) ** 2
        out = numpy.empty_like(x)
        for i in prange(x.shape[0]):
            out[i] = (x[i] - mean) / (spread / x.shape[0]) ** 0.5
        return out

    x = RNG.random(5000)
    numpy.testing.assert_allclose(normalise(x), (x - x.mean()) / x.std(), rtol=1e-9)


@pytest.mark.parametrize("place", [0, 200, 699])
def test_a_nan_is_passed_over_as_pythons_min_and_max_do(place):
    def extremes(x):
        least, most = 1.0, -1.0
        for i in prange(x.shape[0]):
            least = min(least, x[i])
            most = max(most, x[i])
        return least, most

    x = RNG.random(700)
    x[place] = numpy.nan
    assert parallel(extremes)(x) == extremes(x)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float32", "float64", "complex64", "complex128"])
def test_types_of_totals(dtype):
    def total(x, zero):
        t = zero
        for i in prange(x.shape[0]):
            t += x[i]
        return t

    x = RNG.integers(0, 5, 700).astype(dtype)
    zero = numpy.dtype(dtype).type(0)
    assert parallel(total)(x, zero) == x.astype("complex128").sum()


def test_bitwise_and_logical_totals():
    @parallel
    def bits(x):
        either, both, odd = 0, -1, 0
        for i in prange(x.shape[0]):
            either |= x[i]
            both &= x[i]
            odd ^= x[i]
        return either, both, odd

    x = RNG.integers(1, 255, 999)
    assert bits(x) == (numpy.bitwise_or.reduce(x), numpy.bitwise_and.reduce(x), numpy.bitwise_xor.reduce(x))


def test_the_last_iteration_leaves_its_variables():
    @parallel
    def last(n):
        for i in prange(n):
            twice = 2 * i
        return twice

    assert last(1000) == 1998


def test_arrays_made_in_iterations():
    @parallel
    def spectra(x):
        out = numpy.zeros(x.shape[0])
        for i in prange(x.shape[0]):
            row = numpy.empty(x.shape[1])
            for j in range(x.shape[1]):
                row[j] = x[i, j] * 2
            out[i] = row.sum()
        return out

    x = RNG.random((200, 30))
    numpy.testing.assert_allclose(spectra(x), 2 * x.sum(axis=1))


def test_an_exception_arrives_once():
    @parallel
    def check(x):
        total = 0.0
        for i in prange(x.shape[0]):
            if x[i] < 0:
                raise ValueError("negative", x[i])
            total += x[i]
        return total

    x = RNG.random(1000)
    assert check(x) == pytest.approx(x.sum())
    x[[100, 500]] = -3.0
    with pytest.raises(ValueError) as caught:
        check(x)
    assert caught.value.args == ("negative", -3.0)

    @njit(parallel=True)
    def outer(x):
        return check(x) + 1

    with pytest.raises(ValueError):
        outer(x)
    assert outer(abs(x)) == pytest.approx(abs(x).sum() + 1)


def test_division_by_zero_and_bounds():
    @njit(parallel=True, boundscheck=True)
    def pick(x, places):
        total = 0.0
        for i in prange(places.shape[0]):
            total += 1 / x[places[i]]
        return total

    x = numpy.ones(5)
    assert pick(x, numpy.arange(5)) == 5.0
    with pytest.raises(IndexError):
        pick(x, numpy.array([0, 7]))
    x[2] = 0
    with pytest.raises(ZeroDivisionError):
        pick(x, numpy.arange(5))


def test_without_parallel_it_is_range():
    @jit
    def total(n):
        t = 0
        for i in prange(n):
            t = 2 * t + i  # each needs the one before
        return t

    assert total(20) == total.py_func(20)


def test_refusals():
    def carries(n):
        t = 0
        for i in prange(n):
            t = 2 * t + i
        return t

    def mixes(n):
        t = 1
        for i in prange(n):
            t += i
            t *= 2
        return t

    def reads(n, out):
        t = 0
        for i in prange(n):
            t += i
            out[i] = t
        return t

    def leaves(x):
        for i in prange(x.shape[0]):
            if x[i] < 0:
                break

    def returns(x):
        for i in prange(x.shape[0]):
            if x[i] < 0:
                return i
        return -1

    for function, arguments in ((carries, (9,)), (mixes, (9,)), (reads, (9, numpy.zeros(9)))):
        with pytest.raises(TypingError, match="iterations of prange change t"):
            parallel(function)(*arguments)
    for function in (leaves, returns):
        with pytest.raises(TypingError, match="break or return in prange"):
            parallel(function)(numpy.ones(3))


def test_threads_that_call_one_function():
    f = parallel(sums)
    x = RNG.random(30_000)
    wanted, results = f(x), []
    threads = [threading.Thread(target=lambda: results.append(f(x))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [wanted] * 4


@pytest.mark.parametrize("count", [0, -1])
def test_a_thread_at_least(count):
    with pytest.raises(ValueError, match="set_num_threads"):
        tessera.set_num_threads(count)


@parallel
def expressions(x, y, out):
    out[:] = x * 2 + y
    out += np.sqrt(x)
    return x @ y, (x * y).sum(), (x - y).max(), out.min(), np.prod(1 + x[:50])


@pytest.mark.parametrize("count", [1, 100, 9000, 300_001])
def test_whole_arrays(count):
    x, y = RNG.random(count), RNG.random(count)
    results = []
    for threads in (1, 2, 3):
        before = tessera.get_num_threads()
        tessera.set_num_threads(min(threads, before))
        try:
            out = numpy.empty(count)
            results.append((*expressions(x, y, out), out.tobytes()))
        finally:
            tessera.set_num_threads(before)
    assert results[0] == results[1] == results[2]
    numpy.testing.assert_allclose(out, x * 2 + y + numpy.sqrt(x))
    numpy.testing.assert_allclose(results[0][:4], [x @ y, (x * y).sum(), (x - y).max(), out.min()], rtol=1e-9)


def test_whole_arrays_that_raise():
    @stencil
    def quotient(a):
        if a[0, 0] == 0:
            raise ValueError("zero")
        return a[0, -1] // a[0, 0]

    @parallel
    def apply(a):
        b = quotient(a)
        a[0, 0] = 7
        return b

    a = numpy.full((400, 100), 2)
    assert (apply(a)[1:, 1:] == 1).all()
    a[399, 99] = a[0, 0] = 0
    with pytest.raises(ValueError, match="zero"):
        apply(a)
    assert a[0, 0] == 0


@pytest.mark.parametrize("shape", [(0, 5), (1, 70_000), (300, 300), (20, 30, 40)])
def test_broadcast_arrays(shape):
    @parallel
    def spread(x, row):
        return x * row + row

    x, row = RNG.random(shape), RNG.random(shape[-1:])
    assert numpy.array_equal(spread(x, row), x * row + row)
    assert numpy.array_equal(spread(x, x), x * x + x)
    assert numpy.array_equal(spread(x, row[:1]), x * row[:1] + row[:1])


@pytest.mark.parametrize("count", [0, 1, 7, 128, 1000, 100_003])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
def test_sums_alone(count, dtype):
    @parallel
    def sums(x):
        total = 1.5
        difference = 0.0
        for i in prange(x.shape[0]):
            difference -= 2 * x[i].real
            total += x[i].real * x[i].real
        return total, difference

    x = (RNG.random(count) * 10).astype(dtype)
    before = tessera.get_num_threads()
    results = set()
    for threads in (1, 2, 3):
        tessera.set_num_threads(min(threads, before))
        results.add(sums(x))
    tessera.set_num_threads(before)
    assert len(results) == 1
    wide = x.real.astype("float64")
    numpy.testing.assert_allclose(results.pop(), [1.5 + (wide * wide).sum(), -2 * wide.sum()], rtol=1e-6)


def test_numbers_of_threads():
    @parallel
    def spread(n, work):
        seen = numpy.zeros(256)
        for i in prange(n):
            for _ in range(work):
                seen[get_thread_id()] += 1
        return seen, get_num_threads(), get_thread_id()

    seen, threads, outside = spread(500, 100)
    assert seen.sum() == 50_000 and threads == tessera.get_num_threads() and outside == 0
    assert not seen[threads:].any()
    assert get_thread_id() == 0


def test_the_number_of_threads_is_set_when_the_function_runs():
    @njit
    def alone():
        set_num_threads(1)
        return get_num_threads()

    before = tessera.get_num_threads()
    try:
        assert alone() == 1 and tessera.get_num_threads() == 1
    finally:
        tessera.set_num_threads(before)
    alone.recompile()
    njit(alone.py_func).compile("()")
    assert tessera.get_num_threads() == before


@pytest.mark.parametrize("is_parallel", [False, True])
def test_arrays_that_do_not_fit_are_left_as_they_were(is_parallel):
    def assign(x, y):
        x[:] = y

    def mask(x, y):
        x[y > 0] = 3.0

    for function, kind in ((assign, ValueError), (mask, IndexError)):
        compiled = njit(parallel=is_parallel)(function)
        for size in (0, 2, 4, 9) if function is assign else (0, 1, 2, 4, 9):
            x = numpy.arange(5.0)
            with pytest.raises(kind):
                compiled(x, numpy.ones(size))
            assert x.tolist() == [0, 1, 2, 3, 4]
